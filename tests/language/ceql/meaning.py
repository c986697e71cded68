"""The definition of CEL's formulas, read aloud: all ways in which a formula can hold on a small stream.

A stream is a sequence of (type, attributes).  A way is an interval of positions and, for each variable, the positions
that it holds.  Predicates are compared by numbers only; nothing is NULL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from spaseq.pattern.formulas import predicates as columns, query as algebra
from spaseq.pattern.formulas.query import (
    AllOf,
    Alternation,
    AnyOf,
    Filter,
    Filtered,
    ForAll,
    Formula,
    Iteration,
    Named,
    is_fresh,
)

Event = tuple[str, Mapping[str, int]]
Held = frozenset[tuple[str, int]]
Way = tuple[int, int, Held]
OPERATORS = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "=": int.__eq__,
    "!=": int.__ne__,
}


def ways(formula: Formula, stream: Sequence[Event]) -> frozenset[Way]:
    """All ways in which the formula holds."""
    match formula:
        case algebra.Relation(type_):
            return frozenset(at(place, formula.variables) for place, event in enumerate(stream) if event[0] == type_)
        case algebra.Pick(type_, _, names, predicate):
            places = (place for place, event in enumerate(stream) if event[0] == type_)
            return frozenset(at(place, names) for place in places if holds(predicate, {None: stream[place]}))
        case Named(body, variable):
            return frozenset(
                (start, end, held | {(variable, place) for _, place in held}) for start, end, held in ways(body, stream)
            )
        case Filtered(body, condition):
            return frozenset(way for way in ways(body, stream) if passes(condition, way[2], stream))
        case Alternation(left, right):
            return ways(left, stream) | ways(right, stream)
        case algebra.Sequencing(left, right, contiguous):
            return joined(ways(left, stream), ways(right, stream), contiguous)
        case algebra.Unordered(left, right):
            return united(ways(left, stream), ways(right, stream))
        case Iteration(body, contiguous):
            return iterated(ways(body, stream), contiguous)


def at(place: int, names: frozenset[str]) -> Way:
    return place, place, frozenset((name, place) for name in names)


def joined(left: frozenset[Way], right: frozenset[Way], contiguous: bool) -> frozenset[Way]:
    return frozenset(
        (start, end, first | second)
        for start, middle, first in left
        for begin, end, second in right
        if (middle + 1 == begin if contiguous else middle < begin)
    )


def united(left: frozenset[Way], right: frozenset[Way]) -> frozenset[Way]:
    return frozenset(
        (min(start, begin), max(middle, end), first | second)
        for start, middle, first in left
        for begin, end, second in right
    )


def iterated(body: frozenset[Way], contiguous: bool) -> frozenset[Way]:
    found, last = body, body
    while last := joined(last, body, contiguous) - found:
        found |= last
    return found


def passes(condition: Filter, held: Held, stream: Sequence[Event]) -> bool:
    match condition:
        case AllOf(filters):
            return all(passes(each, held, stream) for each in filters)
        case AnyOf(filters):
            return any(passes(each, held, stream) for each in filters)
        case ForAll(names, predicate):
            choices = [[place for name, place in held if name == wanted] for wanted in names]
            return all(
                holds(predicate, {name: stream[place] for name, place in zip(names, places, strict=True)})
                for places in product(*choices)
            )


def holds(predicate: columns.Predicate, events: Mapping[str | None, Event]) -> bool:
    match predicate:
        case columns.And(parts):
            return all(holds(part, events) for part in parts)
        case columns.Or(parts):
            return any(holds(part, events) for part in parts)
        case columns.Not(inner):
            return not holds(inner, events)
        case columns.Comparison(operator, left, right):
            return OPERATORS[operator](number(left, events), number(right, events))
    raise NotImplementedError(predicate)


def number(value: columns.Value, events: Mapping[str | None, Event]) -> int:
    match value:
        case columns.Attribute(name, variable):
            return events[variable][1][name]
        case columns.Constant(int(found)):
            return found
    raise NotImplementedError(value)


def written(found: frozenset[Way]) -> frozenset[Way]:
    """The ways without what names hold that no query can write."""
    return frozenset(
        (start, end, frozenset(each for each in held if not is_fresh(each[0]))) for start, end, held in found
    )
