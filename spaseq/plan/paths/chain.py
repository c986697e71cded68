"""Expressions whose paths all take the same steps in the same order: no automaton is needed to follow them."""

from __future__ import annotations

from spaseq.plan.paths.glushkov import PathAutomaton, Step


def chain_of(automaton: PathAutomaton) -> tuple[Step, ...] | None:
    """The steps of every path, one at least; None: paths differ in them, or some node has a condition."""
    last = len(automaton.states) - 1
    steps = tuple(state.step for state in automaton.states[1:] if state.step is not None)
    for number, state in enumerate(automaton.states):
        follow = () if number == last else ((number + 1, 0),)
        accepting = (0,) if number == last else ()
        if state.transitions != follow or state.accepting != accepting:
            return None
    return steps or None
