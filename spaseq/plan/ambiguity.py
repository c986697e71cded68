"""Can one set of picks come about along two paths?  A self-product of the automaton over what a result shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from spaseq.plan.analysis import Analysis, Exit, Way


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
    starts = [state for state in analysis.exits if state.node == 0]
    pairs = {(a, b) for a in starts for b in starts}
    waiting = list(pairs)
    out: dict[Exit, list[Way]] = {}
    for way in analysis.ways:
        out.setdefault(way.source, []).append(way)
    edges: dict[tuple[Exit, Exit], set[tuple[Exit, Exit]]] = {}
    twins = False
    while waiting:
        a, b = waiting.pop()
        for one, other in _moves(out.get(a, ()), out.get(b, ())):
            twins = twins or (a == b and one != other)
            for pair in _entered(analysis, one, other):
                edges.setdefault((a, b), set()).add(pair)
                if pair not in pairs:
                    pairs.add(pair)
                    waiting.append(pair)
    if twins:
        return True
    accepted = {pair for pair in pairs if pair[0].ends and pair[1].ends}
    useful = _leads_to(accepted, edges)
    return any(a != b for a, b in useful)


def _moves(first: Iterable[Way], second: Iterable[Way]) -> Iterable[tuple[Way, Way]]:
    return ((a, b) for a in first for b in second if Counter(a.names) == Counter(b.names))


def _entered(analysis: Analysis, one: Way, other: Way) -> Iterable[tuple[Exit, Exit]]:
    return ((a, b) for a in analysis.exits_of(one.node) for b in analysis.exits_of(other.node))


def _leads_to(
    goals: set[tuple[Exit, Exit]], edges: dict[tuple[Exit, Exit], set[tuple[Exit, Exit]]]
) -> set[tuple[Exit, Exit]]:
    """The pairs from which a goal can be reached."""
    useful = set(goals)
    changed = True
    while changed:
        more = {pair for pair, after in edges.items() if pair not in useful and after & useful}
        changed = bool(more)
        useful |= more
    return useful
