"""What an `&&` makes of one way for each of its sides: the union."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from .partial import Partial, Solution, compatible

Counts = tuple[tuple[int, int], ...]


def union(before: Partial, ways: Sequence[Partial]) -> Partial:
    """The partial match before an `&&` with one way for each side; filters across are still to be evaluated.

    A way begins as `before`, so that its own picks, places and filters are those that follow. Around the `&&` its
    earliest pick ends what was open, and its latest one is the last.
    """
    own = [step for way in ways for step in way.steps[len(before.steps) :]]
    picked = sorted(own, key=lambda step: step.time)
    places = [place for way in ways for place in way.places[len(before.places) :]]
    across = [filter_ for way in ways for filter_ in way.across[len(before.across) :]]
    return replace(
        before,
        solutions=joined([way.solutions for way in ways]),
        steps=(*before.steps, *picked),
        places=(*before.closed(picked[0].time), *places),
        across=(*before.across, *across),
        completed=greatest([way.completed for way in ways]),
        entered=greatest([way.entered for way in ways]),
    )


def joined(ways: Sequence[frozenset[Solution]]) -> frozenset[Solution]:
    """The compatible unions of rows, one of each way, that come from the same row before the `&&`."""
    first, *others = ways
    rows: frozenset[Solution] = first
    for solutions in others:
        pairs = ((left, right) for left in rows for right in solutions if left.source == right.source)
        rows = frozenset(together(*pair) for pair in pairs if compatible(pair[0].bindings, pair[1].bindings))
    return frozenset(replace(row, source=row.source.source if row.source else None) for row in rows)


def together(left: Solution, right: Solution) -> Solution:
    """The union of two rows from one: of their bindings, and of the iterations that each completed."""
    shared = len(left.source.iterations) if left.source else 0
    return replace(
        left, bindings=left.bindings | right.bindings, iterations=left.iterations + right.iterations[shared:]
    )


def greatest(counts: Sequence[Counts]) -> Counts:
    """The greatest count of each Kleene: each is in one side only, and what it counts only grows."""
    return tuple(reduce(_greater, map(dict, counts)).items())


def _greater(left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
    return {kleene: max(left.get(kleene, 0), right.get(kleene, 0)) for kleene in (*left, *right)}
