"""A query with parameters on streams of graphs: one ``GraphQuery`` for each of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from nfa_native.core.counters import numbers_of, tree_of
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.graph_query import GraphQuery, OnMatch
from spaseq.graphs.matchers import Words, at_rest, pack_counters, unpack_counters
from spaseq.graphs.parameter_rows import Key
from spaseq.plan.sequences import Plan
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable, merged_tables
from spaseq.runtime.parametric_query import ParametricQuery
from spaseq.streams.timestamps import LEAST


def ordered(tables: Sequence[Iterable[MatchTable]]) -> Iterator[MatchTable]:
    """The results of several rows by the time at which they were decided; among equals in the order of the rows."""
    return (run for part in merged_tables(tables) for run in part.runs()) if tables else iter(())


class ParametricGraphQuery(ParametricQuery[GraphQuery]):
    """``plan`` is that of the query with its parameters, which describes it; each row has its own.

    ``empty`` is a table of its results without any.
    """

    def __init__(
        self,
        plan: Plan,
        rows: Mapping[Key, GraphQuery],
        empty: MatchTable,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
    ) -> None:
        super().__init__(plan.query.name, plan.query.into, rows, ordered, max_results)
        self.plan = plan
        self.on_match = on_match
        self.derived: list[DerivedEvent] = []  # events that no stream has got yet
        self._empty = empty
        self._counters: Mapping[str, Any] = {}  # of all rows, when it is over

    @property
    def members(self) -> Iterable[GraphQuery]:
        """What runs: a query for each row."""
        return self.rows.values()

    def empty(self) -> MatchTable:
        """A table of results without any."""
        return self._empty

    def sweep_soon(self) -> None:
        """Free soon what has left the window."""
        for row in self.rows.values():
            row.sweep_soon()

    def count_only(self) -> None:
        """Count results, where that is possible, instead of making them; before any event."""
        for row in self.rows.values():
            row.count_only()

    @property
    def found(self) -> int:
        """How many results there were so far, given or only counted."""
        counted: int = sum(row.found for row in self.rows.values() if row.matcher.count_only)
        return self.results + counted

    def _counted(self, table: MatchTable) -> MatchTable:
        table = super()._counted(table)
        self.derived += table.derived or ()
        return table

    def end(self) -> None:
        """See ``ParametricQuery``; what statistics tell is kept."""
        self._counters = self._summed()
        super().end()

    def groups(self) -> int:
        """Groups of partial matches that are kept; quickly told."""
        return sum(row.groups() for row in self.rows.values())

    def statistics(self, came: Mapping[str, int]) -> dict[str, Any]:
        """The counters of all matchers together, in the words of the query; ``came``: events by stream IRI."""
        evaluated = [row.evaluated for row in self.rows.values()]
        each = {atom: sum(one[atom] for one in evaluated) for one in evaluated[:1] for atom in one}
        counters = at_rest(self._counters) if self.is_over else self._summed()
        return {"rows": len(self.rows), **self.plan.report(counters, came, each)}

    def _summed(self) -> dict[str, Any]:
        """The counters of the rows' matchers, each the sum of theirs."""
        found = [row.matcher.statistics() for row in self.rows.values()] or [self.plan.start(Terms()).statistics()]
        summed: dict[str, Any] = tree_of(np.sum([numbers_of(one) for one in found], axis=0), found[0])
        summed["events"] = max((one["events"] for one in found), default=0)  # all rows see the same
        return summed

    # ── snapshot ─────────────────────────────────────────────────────────────────────────────────────────
    def snapshot(self) -> tuple[dict[str, Any], bytes, bytes]:
        """Counters, and when it is over what is left of its rows; these have their own."""
        counters = {"results": self.results, "newest": LEAST, "evaluated": {}, "max_results": self.max_results or 0,
                    "over": self.is_over, "new": False}  # fmt: skip
        return counters, pack_counters(self._counters) if self.is_over else b"", b""

    def restore(self, counters: dict[str, Any], data: bytes) -> None:
        """Take over what ``snapshot`` gave, before anything else happens."""
        self.results = counters["results"]
        if counters["over"]:
            self.end()
            self._counters = unpack_counters(self.plan.start(Terms()), data)

    def trace(self) -> list[Words]:
        """All words that are held."""
        return [words for row in self.rows.values() for words in row.trace()]


AnyGraphQuery: TypeAlias = "GraphQuery | ParametricGraphQuery"
