"""What results call the events that a query picks."""

from __future__ import annotations

from collections.abc import Sequence

from spaseq.pattern.formulas.query import FormulaQuery, named_in
from spaseq.plan.formulas.automaton import Recognition


def called(query: FormulaQuery, plan: Recognition) -> tuple[frozenset[str], ...]:
    """For each state the variables that AS gives its picks; where there is none, their type."""
    named = named_in(query.formula)
    types = [frozenset(plan.atoms[number].type for number in state.atoms) for state in plan.automaton.states]
    return tuple(names & named or kinds & names for names, kinds in zip(plan.variables, types, strict=True))


def in_order(names: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """All of the names of states, each where it comes first."""
    return tuple(dict.fromkeys(name for some in names for name in sorted(some)))


def free(name: str, taken: Sequence[str]) -> str:
    """The name, with underscores if it is taken."""
    return free(f"{name}_", taken) if name in taken else name
