"""What a formula means on a stream: the set of its valuations, clause by clause as CORE's Figure 2 has them."""

from __future__ import annotations

from collections.abc import Sequence as Stream
from dataclasses import dataclass

from .model import (
    All,
    AllFilters,
    AnyFilter,
    As,
    Condition,
    Contiguous,
    ContiguousKleene,
    Event,
    Filter,
    FilterOn,
    Formula,
    Kleene,
    Or,
    Relation,
    Sequence,
)
from .predicates import holds_for_all, names


@dataclass(frozen=True)
class Valuation:
    """The interval [start, end] of a match, and its labels: pairs of a variable and a position the variable holds."""

    start: int
    end: int
    labels: frozenset[tuple[str, int]]

    def positions(self, variable: str) -> list[int]:
        """The positions a variable holds, ascending."""
        return sorted(position for name, position in self.labels if name == variable)

    def held(self, variables: tuple[str, ...] | None) -> frozenset[int]:
        """The positions that any of the variables holds; None: of all variables."""
        return frozenset(position for name, position in self.labels if variables is None or name in variables)


Valuations = frozenset[Valuation]


def valuations(formula: Formula, events: Stream[Event]) -> Valuations:
    """⟦formula⟧ on the events, whose positions are 0, 1, …"""
    match formula:
        case Relation(name):
            here = (position for position, event in enumerate(events) if event.type == name)
            return frozenset(Valuation(position, position, frozenset({(name, position)})) for position in here)
        case As(body, variable):
            return frozenset(labelled(valuation, variable) for valuation in valuations(body, events))
        case Filter(body, condition):
            return frozenset(v for v in valuations(body, events) if satisfies(v, condition, events))
        case Or(left, right):
            return valuations(left, events) | valuations(right, events)
        case All(left, right):
            return unions(valuations(left, events), valuations(right, events))
        case Sequence(left, right) | Contiguous(left, right):
            adjacent = isinstance(formula, Contiguous)
            return concatenations(valuations(left, events), valuations(right, events), adjacent)
        case Kleene(body) | ContiguousKleene(body):
            return iterations(valuations(body, events), isinstance(formula, ContiguousKleene))


def labelled(valuation: Valuation, variable: str) -> Valuation:
    """The variable also holds all that any variable holds."""
    labels = {(variable, position) for _, position in valuation.labels}
    return Valuation(valuation.start, valuation.end, valuation.labels | labels)


def unions(left: Valuations, right: Valuations) -> Valuations:
    """One of left and one of right together, wherever they lie: from the smaller start to the larger end."""
    return frozenset(
        Valuation(min(one.start, other.start), max(one.end, other.end), one.labels | other.labels)
        for one in left
        for other in right
    )


def concatenations(left: Valuations, right: Valuations, adjacent: bool) -> Valuations:
    """All that goes on with one of right after one of left, at the next position if adjacent."""
    return frozenset(
        Valuation(first.start, second.end, first.labels | second.labels)
        for first in left
        for second in right
        if (first.end + 1 == second.start if adjacent else first.end < second.start)
    )


def iterations(once: Valuations, adjacent: bool) -> Valuations:
    """One or more of once, one after the other."""
    found, more = once, once
    while more:
        more = concatenations(once, more, adjacent) - found
        found |= more
    return found


def satisfies(valuation: Valuation, condition: Condition, events: Stream[Event]) -> bool:
    """Whether the variables of a valuation hold what a FILTER asks for."""
    match condition:
        case AllFilters(left, right):
            return satisfies(valuation, left, events) and satisfies(valuation, right, events)
        case AnyFilter(left, right):
            return satisfies(valuation, left, events) or satisfies(valuation, right, events)
        case FilterOn(variable, predicate):
            named = {variable, *(name for name in names(predicate) if name is not None)}
            members = {name: [events[i].attributes for i in valuation.positions(name)] for name in named}
            return holds_for_all(predicate, variable, members)
