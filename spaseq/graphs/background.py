"""Background knowledge as users give it, and what engines share that run the same prepared queries next to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import gpm.background
from gpm.background import BackgroundGraphs
from gpm.evaluator import CompiledPattern, Evaluator, Mode
from nfa_native.automata.automaton import Automaton
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.graphs.queries import Prepared
from spaseq.plan.sequences import Plan, compile_atom
from spaseq.sources.rdf.graphs import graph_errors

BackgroundSources: TypeAlias = Mapping[str, Any]  # graph IRI -> path, rdflib.Graph, quads or bytes
Entail: TypeAlias = "str | Iterable[str]"  # "rdfs", or the IRIs of ontologies


class Background(gpm.background.BackgroundGraphs):
    """Background knowledge that is loaded once, for any number of engines, in any threads; it never changes.

    It keeps what was compiled of prepared queries next to it, as long as these live: see ``Prepared``.
    """

    def __init__(self, sources: BackgroundSources | None = None, entailed: Collection[str] = ()) -> None:
        super().__init__(sources, entailed)
        self._common: WeakKeyDictionary[Prepared, list[Common]] = WeakKeyDictionary()

    @staticmethod
    def load(sources: BackgroundSources, entail: Entail = ()) -> Background:
        """The graphs of ``sources``, IRIs to files, graphs or bytes; both arguments as of ``Engine``.

        StreamError: one cannot be read.  OptionError: a bad IRI, or it is something else.
        """
        return read_background(sources, entail)

    def replaced(self, iri: str, source: Any) -> Background:
        """The background in which one graph, maybe a new one, has other contents; errors as of ``Background.load``."""
        with graph_errors():
            changed = super().replaced(iri, source)
        assert isinstance(changed, Background)
        return changed

    def common(self, queries: Sequence[Prepared], mode: Mode) -> Common:
        """What all engines share that run these queries next to this.  QueryError: one cannot be evaluated so."""

        known = self._common.setdefault(queries[0], [])
        found = next((one for one in known if one.is_of(queries, mode)), None)
        if found is None:
            found = Common(queries, self, mode)
            known.append(found)
        return found


@cache
def nothing() -> Background:
    """No background knowledge."""
    return Background()


def read_background(sources: BackgroundSources | Background | None, entail: Entail = ()) -> Background:
    """Background knowledge from files, graphs or bytes, ``entail`` as of ``Engine``.

    StreamError: one cannot be read.  OptionError: a bad IRI.
    """
    if isinstance(sources, Background):
        if entail:
            raise OptionError(
                "what background knowledge entails is said where it is loaded: Background.load(…, entail=…)"
            )
        return sources
    if sources is None and not entail:
        return nothing()
    if isinstance(entail, str) and entail != "rdfs":
        raise OptionError(f'entail is "rdfs" or IRIs of background graphs, not {entail!r:.80}')
    if isinstance(entail, bytes) or not isinstance(entail, Iterable):
        raise OptionError(f'entail is "rdfs" or IRIs of background graphs, not {entail!r:.80}')
    with graph_errors():
        known = sources if isinstance(sources, Mapping) else {}
        return Background(sources, list(known) if isinstance(entail, str) else list(entail))


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
