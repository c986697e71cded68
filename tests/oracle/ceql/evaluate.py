"""candidates(query, events): per end position all that a query may answer there, by definition.

The order is that of the definition: WHERE, projection, WITHIN, strategy, all on each partition's own stream; then
CONSUME. LIMIT and ANY only choose, which the checker knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .model import MICROSECONDS, Event, Query, Window
from .predicates import compare
from .valuations import Valuation, valuations


@dataclass(frozen=True)
class ComplexEvent:
    """`([start, end], D)`; on a partition's own stream, or as a result with positions of the whole stream."""

    start: int
    end: int
    positions: frozenset[int]


Matches = dict[ComplexEvent, frozenset[Valuation]]
"""Complex events, each with the valuations that are projected to it."""


@dataclass(frozen=True)
class Substream:
    """The events of one partition, with their positions in the whole stream."""

    places: tuple[int, ...]
    events: tuple[Event, ...]

    def whole(self, found: ComplexEvent) -> ComplexEvent:
        """The complex event with positions of the whole stream."""
        positions = frozenset(self.places[position] for position in found.positions)
        return ComplexEvent(self.places[found.start], self.places[found.end], positions)


@dataclass(frozen=True)
class Candidates:
    """What a query may answer at one end position."""

    substream: Substream
    matches: Matches

    def answers(self) -> frozenset[ComplexEvent]:
        """With positions of the whole stream."""
        return frozenset(self.substream.whole(found) for found in self.matches)


def candidates(query: Query, events: Sequence[Event]) -> dict[int, Candidates]:
    """By end position, where there are any; a position with results consumes what began up to it."""
    divided = [(substream, by_end(query, substream)) for substream in substreams(query.partition_by, events)]
    ends = {substream.places[end]: (n, end) for n, (substream, found) in enumerate(divided) for end in found}
    consumed = [-1] * len(divided)
    result = {}
    for place, (number, end) in sorted(ends.items()):
        substream, found = divided[number]
        alive = {c: v for c, v in found[end].items() if substream.places[c.start] > consumed[number]}
        selected = select(query.strategy, alive)
        if selected:
            result[place] = Candidates(substream, selected)
            consume(query.consume, consumed, number, place)
    return result


def consume(policy: str | None, consumed: list[int], number: int, place: int) -> None:
    """After results at a place nothing begun up to it is left: of no, one or all partitions."""
    if policy == "ANY":
        consumed[:] = [place] * len(consumed)
    elif policy == "PARTITION":
        consumed[number] = place


def substreams(attributes: Sequence[str], events: Sequence[Event]) -> list[Substream]:
    """The partitions: equal values of all the attributes, none of them NULL."""
    keys = [tuple(event.attributes.get(name) for name in attributes) for event in events]
    places = [[i for i, own in enumerate(keys) if own == key] for key in dict.fromkeys(keys) if None not in key]
    return [Substream(tuple(own), tuple(events[i] for i in own)) for own in places]


def by_end(query: Query, substream: Substream) -> dict[int, Matches]:
    """The projected complex events within the window, by end."""
    found: dict[int, dict[ComplexEvent, set[Valuation]]] = {}
    for valuation in valuations(query.formula, substream.events):
        if is_within(query.within, valuation, substream.events):
            complex_event = ComplexEvent(valuation.start, valuation.end, valuation.held(query.select))
            found.setdefault(valuation.end, {}).setdefault(complex_event, set()).add(valuation)
    return {end: {c: frozenset(v) for c, v in matches.items()} for end, matches in found.items()}


def is_within(window: Window | None, valuation: Valuation, events: Sequence[Event]) -> bool:
    """Whether `end − start ≤ length`: in positions, in an attribute, or in time."""
    if window is None:
        return True
    if window.unit == "EVENTS":
        return valuation.end - valuation.start <= window.length
    start, end = events[valuation.start], events[valuation.end]
    if window.attribute is None:
        return end.time - start.time <= window.length * MICROSECONDS[window.unit]
    least, most = (event.attributes.get(window.attribute) for event in (start, end))
    if not isinstance(least, int | float) or not isinstance(most, int | float):
        return False
    return compare("<=", most - least, window.length)


def select(strategy: str | None, matches: Matches) -> Matches:
    """The matches of one end position that a strategy keeps; of ANY all that it may keep."""
    sets = {found.positions for found in matches}
    return {found: v for found, v in matches.items() if is_kept(strategy, found.positions, sets)}


def is_kept(strategy: str | None, own: frozenset[int], others: set[frozenset[int]]) -> bool:
    """Whether a strategy keeps a set of positions among others."""
    match strategy:
        case "NEXT":
            return not any(own != other and min(own ^ other) in other for other in others)
        case "LAST":
            return not any(own != other and max(own ^ other) in other for other in others)
        case "MAX":
            return not any(own < other for other in others)
        case "STRICT":
            return not own or len(own) == max(own) - min(own) + 1
    return True


def evaluate(query: Query, events: Sequence[Event]) -> list[ComplexEvent]:
    """All results, but for LIMIT and ANY: those from which they choose; in order of end, start and positions."""
    found = (answer for at_end in candidates(query, events).values() for answer in at_end.answers())
    return sorted(found, key=lambda answer: (answer.end, answer.start, sorted(answer.positions)))
