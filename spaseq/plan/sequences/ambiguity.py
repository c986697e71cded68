"""Can one set of picks come about along two paths?  A self-product of the automaton over what a result shows.

A result shows, for each timestamp, which events were picked for which GPM; so paths are compared step by step by the
names that they pick.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# Of states, and steps between these: beyond them results are compared, which is always right.
MOST_PAIRS, MOST_STEPS = 20_000, 1_000_000
Pair = tuple[int, int]
Move = tuple[tuple[str, ...], tuple[int, ...]]  # the names that a transition picks, the states that it enters


def is_ambiguous(moves: Sequence[Sequence[Move]], starts: Iterable[int], ends: Iterable[int]) -> bool:
    """Whether two different paths from a start to an end may show the same picks (sound: true when in doubt).

    ``moves``: the transitions out of each state.
    """
    if any(len(set(names)) < len(names) for some in moves for names, _ in some):
        return True
    return _has_twin_paths(moves, tuple(starts), frozenset(ends))


def _has_twin_paths(moves: Sequence[Sequence[Move]], starts: Sequence[int], ends: frozenset[int]) -> bool:
    """Two accepting paths with equal names: some pair of unequal states lies between the starts and two ends."""
    pairs = {(a, b) for a in starts for b in starts}
    before: dict[Pair, list[Pair]] = {}
    waiting = list(pairs)
    steps = 0
    while waiting:
        a, b = pair = waiting.pop()
        for i, (names, entered) in enumerate(moves[a]):
            for j, (others, reached) in enumerate(moves[b]):
                if names != others:
                    continue
                steps += len(entered) * len(reached)
                if (a == b and i != j) or len(pairs) > MOST_PAIRS or steps > MOST_STEPS:
                    return True
                for after in ((x, y) for x in entered for y in reached):
                    before.setdefault(after, []).append(pair)
                    if after not in pairs:
                        pairs.add(after)
                        waiting.append(after)
    return any(a != b for a, b in _leading_to({pair for pair in pairs if ends.issuperset(pair)}, before))


def _leading_to(goals: set[Pair], before: dict[Pair, list[Pair]]) -> set[Pair]:
    """The pairs from which a goal can be reached."""
    useful, waiting = set(goals), list(goals)
    while waiting:
        for pair in before.get(waiting.pop(), ()):
            if pair not in useful:
                useful.add(pair)
                waiting.append(pair)
    return useful
