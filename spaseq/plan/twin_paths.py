"""An example of ambiguity: two paths of a complex event automaton that pick the same events."""

from __future__ import annotations

from collections import deque
from itertools import product

from nfa_native.complex_events import PickState
from spaseq.plan.complex_events import Kind, Recognition

Path = tuple[int, ...]
Pair = tuple[int, int]


def twin_paths(plan: Recognition) -> tuple[Path, Path] | None:
    """The shortest two different paths of states that may pick the same events; None if there are none."""
    states = plan.automaton.states
    initial = [number for number, state in enumerate(states) if state.initial]
    waiting: deque[tuple[Pair, ...]] = deque((pair,) for pair in _pairs(plan, initial, initial))
    seen = {(pair, pair[0] != pair[1]) for (pair,) in waiting}
    while waiting:
        steps = waiting.popleft()
        pair = steps[-1]
        differ = any(left != right for left, right in steps)
        if differ and states[pair[0]].final and states[pair[1]].final:
            return tuple(left for left, _ in steps), tuple(right for _, right in steps)
        for after in _pairs(plan, followers(states, pair[0]), followers(states, pair[1])):
            key = (after, differ or after[0] != after[1])
            if key not in seen:
                seen.add(key)
                waiting.append((*steps, after))
    return None


def followers(states: tuple[PickState, ...], number: int) -> list[int]:
    """The states that are entered from that one."""
    return [to for to, state in enumerate(states) if number in state.after or number in state.directly_after]


def _pairs(plan: Recognition, left: list[int], right: list[int]) -> list[Pair]:
    """Pairs of states that one event may enter, as far as types and streams tell."""
    return [pair for pair in product(left, right) if _share_events(_kinds(plan, pair[0]), _kinds(plan, pair[1]))]


def _kinds(plan: Recognition, number: int) -> list[Kind]:
    return [plan.atoms[atom] for atom in plan.automaton.states[number].atoms]


def _share_events(left: list[Kind], right: list[Kind]) -> bool:
    return any(
        one.type == other.type and (one.stream is None or other.stream is None or one.stream == other.stream)
        for one, other in product(left, right)
    )
