"""Atoms that are dear to evaluate, and what a query tells about the events on which they can matter.

An event that no partial match waits for, or that comes without the rest of its conjunction, makes no difference: its
rows are never looked at.  This holds for steps.  A negation or an absence looks at all events: its atoms are not lazy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nfa_native.automata.automaton import Automaton, Transition
from nfa_native.automata.kinds import Govern
from spaseq.plan.sequences.cells import steps_from

MOST_TRANSITIONS = 256  # of an automaton that is looked through with every batch


@dataclass(frozen=True, slots=True)
class LazyUse:
    """A transition that picks an event for a lazy atom.

    ``partners`` are the other atoms of its conjunction; ``key`` are pairs (column of the source's cells, slot of the
    atom) of words that are equal in what joins, if both are bound.
    """

    transition: int
    partners: frozenset[int]
    key: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LazyAtom:
    """An atom all of whose uses wait for something; ``depth``: at least so many steps come before one of them."""

    number: int
    depth: int
    uses: tuple[LazyUse, ...]


def lazy_atoms(automaton: Automaton, dear: Mapping[int, Iterable[int]]) -> tuple[LazyAtom, ...]:
    """The lazy ones of the atoms ``dear``, each of which has the slots whose words are known before it is evaluated."""
    if not dear or len(automaton.transitions) > MOST_TRANSITIONS:
        return ()
    watched = {atom for state in automaton.states for guard in state.guards for atom in guard.choice.atoms}
    depths = _depths(automaton)
    found = []
    for atom, known in dear.items():
        uses = [_use(number, one, atom, frozenset(known)) for number, one in enumerate(automaton.transitions)
                if atom in one.choice.atoms]  # fmt: skip
        if uses and atom not in watched and all(_waits(automaton, use) for use in uses):
            depth = min(depths[automaton.transitions[use.transition].source] for use in uses)
            found.append(LazyAtom(atom, depth, tuple(uses)))
    return tuple(found)


def is_initial(automaton: Automaton, state: int) -> bool:
    """Whether every match begins in the state."""
    return automaton.states[state].govern is Govern.FREE


def _waits(automaton: Automaton, use: LazyUse) -> bool:
    return bool(use.partners) or not is_initial(automaton, automaton.transitions[use.transition].source)


def _use(number: int, transition: Transition, atom: int, known: frozenset[int]) -> LazyUse:
    choice = transition.choice
    slots = {column: slot for slot, column in enumerate(choice.slots[choice.atoms.index(atom)]) if slot in known}
    key = {held: slots[column] for held, column in transition.step.joins if column in slots}
    return LazyUse(number, frozenset(choice.atoms) - {atom}, tuple(sorted(key.items())))


def _depths(automaton: Automaton) -> dict[int, int]:
    """The least number of steps to each state."""
    depths = {state: 0 for state in range(len(automaton.states)) if is_initial(automaton, state)}
    waiting = deque(depths)
    steps = steps_from(automaton)
    while waiting:
        source = waiting.popleft()
        for transition in steps[source]:
            for target in transition.targets:
                if target.state not in depths:
                    depths[target.state] = depths[source] + 1
                    waiting.append(target.state)
    return depths
