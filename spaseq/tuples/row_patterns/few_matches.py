"""The results of a few matches, whose measures are values of their rows: value by value, without columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow

from spaseq.pattern.rows.expressions import (
    Aggregated,
    Field,
    Label,
    MatchNumber,
    Navigated,
    SqlExpression,
    Variables,
)
from spaseq.pattern.rows.query import RowPatternQuery, Shown
from spaseq.plan.rows.automaton import PositionAutomaton
from spaseq.tuples.columns.rows import array
from spaseq.tuples.row_patterns.stream_matches import StreamMatches

MOST_FEW = 8  # matches
_MOST_ROWS = 64
ValueOf: TypeAlias = Callable[[int, str], Any]  # of the row of that number, in that column


@dataclass(frozen=True, slots=True)
class _Match:
    """A match: the variables of its rows, and the numbers of all that it is told with, its own from ``lead`` on."""

    number: int
    variables: Sequence[str]
    told: Sequence[int]
    lead: int

    def places(self, variables: Variables | None) -> list[int]:
        """Where its rows of some variables are."""
        return [at for at, name in enumerate(self.variables) if variables is None or name in variables]


class FewMatches:
    """The results of a query, of which each match shows one row."""

    def __init__(self, query: RowPatternQuery, automaton: PositionAutomaton, schema: pyarrow.Schema) -> None:
        """``schema``: that of the results."""
        assert query.columns is not None
        self._schema = schema
        self._names = [position.variable for position in automaton.positions]
        self._asked = [query.measures[one.source] if one.is_measure else one.source for one in query.columns]
        self.are_plain = query.shown is Shown.ONE_ROW and all(
            isinstance(each, str) or _is_plain(each) for each in self._asked
        )

    def takes(self, found: StreamMatches) -> bool:
        """Whether these are few, and the query asks for nothing else."""
        return self.are_plain and len(found) <= MOST_FEW and len(found.origins) <= _MOST_ROWS

    def results(self, found: StreamMatches, value_of: ValueOf) -> pyarrow.RecordBatch:
        """What they show."""
        matches = list(self._matches(found))
        columns = [[self._shown(asked, match, value_of) for match in matches] for asked in self._asked]
        arrays = [array(values, type_) for values, type_ in zip(columns, self._schema.types, strict=True)]
        return pyarrow.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _matches(self, found: StreamMatches) -> Iterator[_Match]:
        labels, origins, at, begin = found.labels.tolist(), found.origins.tolist(), 0, 0
        told = (each.tolist() for each in (found.numbers, found.counts, found.leads, found.tails))
        for number, count, lead, tail in zip(*told, strict=True):
            end = begin + lead + max(count, 1) + tail
            variables = [self._names[label] for label in labels[at : at + count]]
            yield _Match(number, variables, origins[begin:end], lead)
            at, begin = at + count, end

    def _shown(self, asked: SqlExpression | str, match: _Match, value_of: ValueOf) -> Any:
        match asked:
            case str():
                return value_of(match.told[match.lead], asked)
            case MatchNumber():
                return match.number
            case Aggregated(_, _, variables):
                return len(match.places(variables))
            case Navigated(value):
                return self._navigated(asked, value, match, value_of)
            case _:
                raise AssertionError(asked)

    def _navigated(self, asked: Navigated, value: SqlExpression, match: _Match, value_of: ValueOf) -> Any:
        at, places = asked.at, match.places(asked.at.variables)
        if at.offset >= len(places):
            return None
        place = places[at.offset if at.first else -1 - at.offset] + at.shift
        if isinstance(value, Label):
            return match.variables[place] if 0 <= place < len(match.variables) else None
        assert isinstance(value, Field)
        there = 0 <= place + match.lead < len(match.told)
        return value_of(match.told[place + match.lead], value.column) if there else None


def _is_plain(value: SqlExpression) -> bool:
    """Whether a measure is a value of one row, or counts rows or matches."""
    match value:
        case Navigated(inner):
            return isinstance(inner, Field | Label)
        case Aggregated(function, inner):
            return function == "COUNT" and inner is None
        case _:
            return isinstance(value, MatchNumber)
