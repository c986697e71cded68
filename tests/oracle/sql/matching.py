"""The ways of a pattern from a row, in the order of preference, and the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TypeAlias

from .model import (
    Alternation,
    Concatenation,
    EmptyPattern,
    EndAnchor,
    Exclusion,
    PatternVariable,
    Permutation,
    Quantified,
    RowPattern,
    StartAnchor,
)
from .moments import RowLabel

Labels: TypeAlias = tuple[RowLabel, ...]
"""The labels of the rows from the start of a match on."""


@dataclass(frozen=True, slots=True)
class Search:
    """A start, the number of rows in the group, and whether the last row of some labels satisfies its condition."""

    start: int
    size: int
    holds: Callable[[Labels], bool]


def preferred(pattern: RowPattern, search: Search, within: Callable[[Labels], bool]) -> Labels | None:
    """The first of all ways that are within the window."""
    return next(filter(within, ways(pattern, (), search)), None)


def ways(pattern: RowPattern, labels: Labels, search: Search) -> Iterator[Labels]:
    """The labels, and behind them those of a way of the pattern; all ways, in the order of preference."""
    row = search.start + len(labels)
    match pattern:
        case PatternVariable(name):
            longer = (*labels, RowLabel(name))
            if row < search.size and search.holds(longer):
                yield longer
        case EmptyPattern():
            yield labels
        case StartAnchor():
            if row == 0:
                yield labels
        case EndAnchor():
            if row == search.size:
                yield labels
        case Concatenation(parts):
            yield from _in_order(parts, labels, search)
        case Alternation(parts):
            for part in parts:
                yield from ways(part, labels, search)
        case Permutation(parts):
            for order in permutations(parts):
                yield from _in_order(order, labels, search)
        case Exclusion(body):
            for longer in ways(body, labels, search):
                yield labels + tuple(replace(label, excluded=True) for label in longer[len(labels) :])
        case Quantified():
            yield from _repeated(pattern, 0, labels, search)


def _in_order(parts: tuple[RowPattern, ...], labels: Labels, search: Search) -> Iterator[Labels]:
    if not parts:
        yield labels
        return
    for longer in ways(parts[0], labels, search):
        yield from _in_order(parts[1:], longer, search)


def _repeated(pattern: Quantified, done: int, labels: Labels, search: Search) -> Iterator[Labels]:
    """The ways of the iterations that are left."""
    if done == pattern.high:
        yield labels
        return
    may_stop = done >= pattern.low
    if may_stop and not pattern.greedy:
        yield labels
    for longer in ways(pattern.body, labels, search):
        if len(longer) == len(labels) and may_stop:
            yield longer  # an iteration that takes no row ends the repetition, once there were as many as must be
        else:
            yield from _repeated(pattern, done + 1, longer, search)
    if may_stop and pattern.greedy:
        yield labels
