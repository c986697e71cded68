"""An example of ambiguity: two paths of a complex event automaton that pick the same events."""

from __future__ import annotations

from collections import deque
from itertools import product

from nfa_native.automata.complex_events import PickState
from spaseq.plan.formulas.automaton import EventKind, Recognition

MOST_SEEN = 20_000  # pairs of states that are looked at
Path = tuple[int, ...]
Pair = tuple[int, int]


def twin_paths(plan: Recognition) -> tuple[Path, Path] | None:
    """The shortest two different paths of states that may pick the same events; None if there are none, or too long."""
    states = plan.automaton.states
    after = followers(states)
    initial = [number for number, state in enumerate(states) if state.initial]
    waiting: deque[tuple[Pair, ...]] = deque((pair,) for pair in _pairs(plan, initial, initial))
    seen = {(pair, pair[0] != pair[1]) for (pair,) in waiting}
    while waiting and len(seen) < MOST_SEEN:
        steps = waiting.popleft()
        pair = steps[-1]
        differ = any(left != right for left, right in steps)
        if differ and states[pair[0]].final and states[pair[1]].final:
            return tuple(left for left, _ in steps), tuple(right for _, right in steps)
        for entered in _pairs(plan, after[pair[0]], after[pair[1]]):
            key = (entered, differ or entered[0] != entered[1])
            if key not in seen:
                seen.add(key)
                waiting.append((*steps, entered))
    return None


def followers(states: tuple[PickState, ...]) -> list[list[int]]:
    """For each state those that are entered from it, ascending."""
    found: list[list[int]] = [[] for _ in states]
    for to, state in enumerate(states):
        for number in {*state.after, *state.directly_after}:
            found[number].append(to)
    return found


def _pairs(plan: Recognition, left: list[int], right: list[int]) -> list[Pair]:
    """Pairs of states that one event may enter, as far as types and streams tell."""
    return [pair for pair in product(left, right) if _share_events(_kinds(plan, pair[0]), _kinds(plan, pair[1]))]


def _kinds(plan: Recognition, number: int) -> list[EventKind]:
    return [plan.atoms[atom] for atom in plan.automaton.states[number].atoms]


def _share_events(left: list[EventKind], right: list[EventKind]) -> bool:
    return any(
        one.type == other.type and (one.stream is None or other.stream is None or one.stream == other.stream)
        for one, other in product(left, right)
    )
