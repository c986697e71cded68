"""Aggregates over matches: one row per end position with a match, and per values of GROUP BY.

A match is a complex event of `SELECT *` that the strategy keeps. COUNT(*) counts those. Names of variables do not
distinguish complex events, but an aggregate of `x.a` needs to know x: it ranges over the distinct pairs of a complex
event and the set that x holds, and over all members of each set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .evaluate import Candidates, ComplexEvent, Matches, candidates
from .model import Aggregate, Event, Query
from .predicates import Attribute, Value, value_of
from .valuations import Valuation

Key = tuple[Value, ...]


@dataclass(frozen=True)
class Row:
    """The values of the selected aggregates at an end position, for one group; key is empty without GROUP BY."""

    end: int
    key: Key
    values: tuple[Value, ...]


def rows(query: Query, events: Sequence[Event]) -> dict[int, list[frozenset[Row]]]:
    """By end position the sets of rows that may be given there, but for LIMIT; under ANY several, else one."""
    return {end: list(alternatives(query, end, found)) for end, found in candidates(query, events).items()}


def alternatives(query: Query, end: int, found: Candidates) -> Iterator[frozenset[Row]]:
    """The rows over all matches; under ANY, over one match or another."""
    if query.strategy != "ANY":
        yield grouped(query, end, found.substream.events, found.matches)
        return
    for match, valuations in found.matches.items():
        yield grouped(query, end, found.substream.events, {match: valuations})


def grouped(query: Query, end: int, events: Sequence[Event], matches: Matches) -> frozenset[Row]:
    """One row per group."""
    groups: dict[Key, list[tuple[ComplexEvent, Valuation]]] = {}
    for match, valuations in matches.items():
        for valuation in valuations:
            groups.setdefault(key_of(query.group_by, valuation, events), []).append((match, valuation))
    return frozenset(
        Row(end, key, tuple(aggregated(aggregate, members, events) for aggregate in query.aggregates))
        for key, members in groups.items()
    )


def key_of(group_by: Sequence[Attribute], valuation: Valuation, events: Sequence[Event]) -> Key:
    """The values of the GROUP BY attributes; NULL where the variable has no position. It must not have several."""
    key = []
    for attribute in group_by:
        held = valuation.positions(attribute.variable or "")
        if len(held) > 1:
            raise ValueError(f"GROUP BY of a variable with several members: {attribute}")
        key.append(events[held[0]].attributes.get(attribute.name) if held else None)
    return tuple(key)


def aggregated(
    aggregate: Aggregate, members: Sequence[tuple[ComplexEvent, Valuation]], events: Sequence[Event]
) -> Value:
    """The value of an aggregate over the matches of one group; NULLs do not count."""
    if aggregate.operand is None:
        return len({match for match, _ in members})
    variable = aggregate.variable
    sets = {(match, tuple(valuation.positions(variable))) for match, valuation in members}
    held = [events[position].attributes for _, positions in sets for position in positions]
    values = [value_of(aggregate.operand, {variable: attributes}) for attributes in held]
    return combine(aggregate.function, [value for value in values if value is not None])


def combine(function: str, values: Sequence[int | float | str]) -> Value:
    """The function over the values; of none, COUNT, SUM and AVG are 0 and the others NULL."""
    match function:
        case "COUNT":
            return len(values)
        case "MIN":
            return min(values, default=None)
        case "MAX":
            return max(values, default=None)
    numbers = [value for value in values if not isinstance(value, str)]
    return sum(numbers) / len(numbers) if function == "AVG" and numbers else sum(numbers)
