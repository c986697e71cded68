"""The ways of a row pattern by definition, in the order of preference; random patterns."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import TypeAlias

from spaseq.pattern.rows.query import (
    Excluded,
    NoRow,
    OneRow,
    PartitionEdge,
    Permuted,
    Preferred,
    Repetition,
    RowPattern,
    RowSequence,
)

Labels: TypeAlias = tuple[str, ...]
On: TypeAlias = Callable[[int, Labels], Iterator[Labels]]
Allowed: TypeAlias = Sequence[frozenset[str]]  # by row: the variables that it may be of


def preferred(pattern: RowPattern, allowed: Allowed, row: int) -> Labels | None:
    """The variables of the first way from a row; None: there is none."""
    return next(ways(pattern, allowed, row, lambda end, labels: iter([labels])), None)


def ways(pattern: RowPattern, allowed: Allowed, row: int, on: On) -> Iterator[Labels]:
    """The ways of a pattern that takes rows from one on, and what follows each; ``on`` gets its end and variables."""
    match pattern:
        case OneRow(variable):
            if row < len(allowed) and variable in allowed[row]:
                yield from on(row + 1, (variable,))
        case PartitionEdge(at_start):
            if row == (0 if at_start else len(allowed)):
                yield from on(row, ())
        case RowSequence(parts):
            yield from _in_turn(parts, allowed, row, (), on)
        case Preferred(parts):
            for part in parts:
                yield from ways(part, allowed, row, on)
        case Permuted(parts):
            for order in permutations(parts):
                yield from _in_turn(order, allowed, row, (), on)
        case Excluded(body):
            yield from ways(body, allowed, row, on)
        case Repetition():
            yield from _repeated(pattern, allowed, row, (), 0, on)
        case _:
            yield from on(row, ())


def _in_turn(parts: Sequence[RowPattern], allowed: Allowed, row: int, labels: Labels, on: On) -> Iterator[Labels]:
    if not parts:
        yield from on(row, labels)
        return
    yield from ways(parts[0], allowed, row, lambda end, its: _in_turn(parts[1:], allowed, end, labels + its, on))


def _repeated(pattern: Repetition, allowed: Allowed, row: int, labels: Labels, done: int, on: On) -> Iterator[Labels]:
    """An iteration that takes no row ends the repetition, once there were as many as must be."""

    def behind(end: int, its: Labels) -> Iterator[Labels]:
        if end == row and done >= pattern.low:
            return on(end, labels + its)
        return _repeated(pattern, allowed, end, labels + its, done + 1, on)

    stops = (lambda: on(row, labels)) if done >= pattern.low else (lambda: iter(()))
    if not pattern.greedy:
        yield from stops()
    if pattern.high is None or done < pattern.high:
        yield from ways(pattern.body, allowed, row, behind)
    if pattern.greedy:
        yield from stops()


_BOUNDS: tuple[tuple[int, int | None], ...] = ((0, None), (1, None), (0, 1), (2, 2), (1, 2), (2, None), (0, 2))


def random_row_pattern(draw: random.Random, depth: int, names: str = "ABC") -> RowPattern:
    """A pattern of variables with these names, nested so deep."""
    chance = draw.random()
    if depth == 0 or chance < 0.25:
        return OneRow(draw.choice(names))
    if chance < 0.36:
        return NoRow() if chance < 0.3 else PartitionEdge(draw.random() < 0.5)
    if chance < 0.72:
        parts = tuple(random_row_pattern(draw, depth - 1, names) for _ in range(draw.randint(2, 3)))
        return RowSequence(parts) if chance < 0.55 else Preferred(parts) if chance < 0.66 else Permuted(parts)
    body = random_row_pattern(draw, depth - 1, names)
    low, high = draw.choice(_BOUNDS)
    return Excluded(body) if chance < 0.75 else Repetition(body, low, high, draw.random() < 0.6)


def random_rows(draw: random.Random, most: int) -> list[frozenset[str]]:
    """Rows of a partition, of each the variables that it may be of."""
    return [frozenset(each for each in "ABC" if draw.random() < 0.6) for _ in range(draw.randint(1, most))]
