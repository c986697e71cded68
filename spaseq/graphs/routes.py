"""Which queries an event concerns, and with which rows: found by what it holds, without arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpm.errors import PatternError
from gpm.evaluator import Evaluator
from gpm.native.single import SingleEvent
from gpm.one_by_one import SinglePatterns
from nfa_native.terms.rows import EventRows
from spaseq.errors import SpaseqError
from spaseq.graphs.running import RunningQuery

Rows = list[EventRows | None]  # by atom


@dataclass(frozen=True, slots=True)
class StreamPatterns:
    """The patterns of all queries on one stream; pattern i is that of ``readers[i]``, a query and its atom."""

    patterns: SinglePatterns
    readers: tuple[tuple[RunningQuery, int], ...]

    @staticmethod
    def of(queries: Iterable[RunningQuery], stream: int, knowledge: int, evaluator: Evaluator) -> StreamPatterns | None:
        """For a stream by number, next to that version of the background; None if the evaluator needs batches."""
        readers = tuple(
            (query, atom) for query in queries for atom, need in enumerate(query.needs) if need.stream == stream
        )
        patterns = evaluator.one_by_one([query.needs[atom].pattern for query, atom in readers], knowledge)
        return None if patterns is None else StreamPatterns(patterns, readers)

    def rows(self, event: SingleEvent) -> dict[RunningQuery, Rows]:
        """The queries that have rows on the event, with these.  SpaseqError: a pattern cannot be evaluated."""
        found: dict[RunningQuery, Rows] = {}
        try:
            for number, rows in self.patterns.rows(event):
                query, atom = self.readers[number]
                if query not in found:
                    found[query] = [None] * len(query.needs)
                found[query][atom] = rows
        except PatternError as error:
            raise SpaseqError(str(error)) from None
        return found
