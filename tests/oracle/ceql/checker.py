"""agrees(query, events, answers): whether a query may answer so. ANY and LIMIT choose, and any choice is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isclose
from typing import TypeVar

from .aggregates import Row, rows
from .evaluate import ComplexEvent, candidates
from .model import Event, Query
from .predicates import Value

Answer = TypeVar("Answer", ComplexEvent, Row)


def agrees(query: Query, events: Sequence[Event], answers: Iterable[ComplexEvent | Row]) -> bool:
    """Whether these may be the answers: complex events, or rows if the query selects aggregates."""
    return disagreement(query, events, answers) is None


def disagreement(query: Query, events: Sequence[Event], answers: Iterable[ComplexEvent | Row]) -> str | None:
    """What is wrong with the answers at the first end position where something is, None if nothing."""
    given = list(answers)
    if query.aggregates:
        return _compare_rows(query, events, [answer for answer in given if isinstance(answer, Row)], len(given))
    return _compare_events(query, events, [answer for answer in given if isinstance(answer, ComplexEvent)], len(given))


def most(query: Query) -> float:
    """How many complex events may be given at an end position."""
    limit = query.limit or float("inf")
    return min(limit, 1) if query.strategy == "ANY" else limit


def _compare_events(query: Query, events: Sequence[Event], given: list[ComplexEvent], count: int) -> str | None:
    if count > len(given):
        return "an answer is not a complex event"
    allowed = {end: found.answers() for end, found in candidates(query, events).items()}
    for end in sorted({answer.end for answer in given} | allowed.keys()):
        here = [answer for answer in given if answer.end == end]
        reason = _compare(here, allowed.get(end, frozenset()), most(query))
        if reason:
            return f"at {end}: {reason}"
    return None


def _compare(given: Sequence[Answer], allowed: frozenset[Answer], limit: float) -> str | None:
    """What is wrong with answers at one end position that are to be as many of the allowed as the limit leaves."""
    twice = [answer for answer, times in Counter(given).items() if times > 1]
    if twice:
        return f"given twice: {twice}"
    if not allowed.issuperset(given):
        return f"not allowed: {[answer for answer in given if answer not in allowed]}, allowed: {list(allowed)}"
    if len(given) != min(limit, len(allowed)):
        return (
            f"{len(given)} given of {len(allowed)}: {[answer for answer in allowed if answer not in given]} not given"
        )
    return None


def _compare_rows(query: Query, events: Sequence[Event], given: list[Row], count: int) -> str | None:
    if count > len(given):
        return "an answer is not a row"
    allowed = rows(query, events)
    for end in sorted({row.end for row in given} | allowed.keys()):
        here = [row for row in given if row.end == end]
        options = allowed.get(end, [frozenset()])
        reasons = [_compare(_rounded(here, option), option, query.limit or float("inf")) for option in options]
        if all(reasons):
            return f"at {end}: {reasons[0]}"
    return None


def _rounded(given: Iterable[Row], allowed: frozenset[Row]) -> list[Row]:
    """The rows, but those that differ from an allowed one by rounding only replaced by it."""
    return [next((row for row in allowed if _is_close(own, row)), own) for own in given]


def _is_close(left: Row, right: Row) -> bool:
    same = left.key == right.key and len(left.values) == len(right.values)
    return same and all(_same_value(*pair) for pair in zip(left.values, right.values, strict=True))


def _same_value(left: Value, right: Value) -> bool:
    if isinstance(left, int | float) and isinstance(right, int | float):
        return isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return left == right
