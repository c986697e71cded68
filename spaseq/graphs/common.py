"""What engines share that run the same prepared queries next to the same background: all that does not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpm.background import BackgroundGraphs
from gpm.evaluator import CompiledPattern, Evaluator, Mode
from nfa_native.automata.automaton import Automaton
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.prepared import Prepared
from spaseq.plan.sequences import Plan, compile_atom


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A plan for one table of terms, and for those that lie on it: the automaton, and the patterns of its atoms."""

    automaton: Automaton
    patterns: tuple[CompiledPattern, ...]


def compiled(plan: Plan, evaluator: Evaluator) -> Compiled:
    """A plan for an evaluator and its table of terms.  QueryError: the evaluator cannot do a pattern."""
    automaton = plan.automaton(evaluator.terms)
    return Compiled(automaton, tuple(compile_atom(evaluator, atom) for atom in plan.atoms))


class Common:
    """Prepared queries compiled for a table of terms, frozen, on which the tables of the engines lie."""

    def __init__(self, queries: Sequence[Prepared], background: BackgroundGraphs, mode: Mode) -> None:
        self.evaluator = Evaluator(Terms(), background, mode)
        self._compiled = [(query.plan, compiled(query.plan, self.evaluator)) for query in queries]
        self.evaluator.terms.freeze()

    def is_of(self, queries: Sequence[Prepared], mode: Mode) -> bool:
        """Whether it was made for these, in this order."""
        plans = [plan for plan, _ in self._compiled]
        return (
            mode is self.evaluator.mode
            and len(plans) == len(queries)
            and all(plan is query.plan for plan, query in zip(plans, queries, strict=True))
        )

    def compiled(self, query: Prepared) -> Compiled | None:
        """What was made of a query; None: nothing."""
        return next((found for plan, found in self._compiled if plan is query.plan), None)
