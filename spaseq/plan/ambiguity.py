"""Can one set of picks come about along two paths?  A self-product of the automaton over what a result shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spaseq.plan.analysis import Analysis

# Of states, and steps between these: beyond them results are compared, which is always right.
MOST_PAIRS, MOST_STEPS = 20_000, 1_000_000
Pair = tuple[int, int]
Move = tuple[tuple[str, ...], tuple[int, ...]]  # the names that a transition picks, the states that it enters


def is_ambiguous(analysis: Analysis) -> bool:
    """Whether two different accepting paths may show the same picks (sound: true when in doubt).

    A result shows, for each timestamp, which events were picked for which GPM; so paths are compared step by step by
    the names that they pick.
    """
    if any(len(set(way.names)) < len(way.names) for way in analysis.ways):
        return True
    return _has_twin_paths(analysis)


def _has_twin_paths(analysis: Analysis) -> bool:
    """Two accepting paths with equal names: some pair of unequal states lies between the starts and two ends."""
    moves = _moves(analysis)
    starts = [number for number, state in enumerate(analysis.exits) if state.node == 0]
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
    ends = {number for number, state in enumerate(analysis.exits) if state.ends}
    return any(a != b for a, b in _leading_to({pair for pair in pairs if ends.issuperset(pair)}, before))


def _moves(analysis: Analysis) -> list[list[Move]]:
    """The transitions out of each state, by number."""
    numbers = {state: number for number, state in enumerate(analysis.exits)}
    moves: list[list[Move]] = [[] for _ in numbers]
    for way in analysis.ways:
        entered = tuple(numbers[state] for state in analysis.exits_of(way.node))
        moves[numbers[way.source]].append((tuple(sorted(way.names)), entered))
    return moves


def _leading_to(goals: set[Pair], before: dict[Pair, list[Pair]]) -> set[Pair]:
    """The pairs from which a goal can be reached."""
    useful, waiting = set(goals), list(goals)
    while waiting:
        for pair in before.get(waiting.pop(), ()):
            if pair not in useful:
                useful.add(pair)
                waiting.append(pair)
    return useful
