"""Where steps may wait for the next one: sets and events are kept as they come, and put together by what comes last.

This pays where the second step makes a set of each set that waits, as it keeps values of both for the third.  All three
must be under ``:``, so that nothing depends on whether a step was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nfa_native.automata.automaton import Automaton, LazySegment, State, Transition
from nfa_native.automata.kinds import ColumnSource, Govern
from spaseq.plan.sequences.cells import columns_of, steps_from


def with_lazy_segments(automaton: Automaton) -> Automaton:
    """The automaton with all that may wait; no state is in two segments."""
    if automaton.rules is not None or automaton.junctions or _waits(automaton):
        return automaton
    found: list[LazySegment] = []
    steps, taken = steps_from(automaton), set[int]()
    for number, out in enumerate(steps):
        segment = _segment(automaton, steps, number) if len(out) == 1 else None
        if segment is not None and taken.isdisjoint((segment.source, segment.state)):
            taken |= {segment.source, segment.state}
            found.append(segment)
    return replace(automaton, lazy=tuple(found))


def _waits(automaton: Automaton) -> bool:
    """Whether matches wait for their own window's edge."""
    return any(state.final and state.guards for state in automaton.states)


def _segment(automaton: Automaton, steps: Sequence[Sequence[Transition]], source: int) -> LazySegment | None:
    """That which begins with a state, out of which one transition leads."""
    first = steps[source][0]
    if len(first.targets) != 1 or len(first.choice.atoms) > 1 or not _keeps_both(automaton, first):
        return None
    state = first.targets[0].state
    entering = [one for one in automaton.transitions if any(target.state == state for target in one.targets)]
    if state == source or entering != [first] or not (steps[state] and _stays(automaton, source, state)):
        return None
    closing = [(automaton.transitions.index(one), one) for one in steps[state]]
    keys = [(join, columns) for join in first.step.joins if (columns := _joined(first, join, steps[state]))]
    return LazySegment(
        source,
        automaton.transitions.index(first),
        state,
        tuple(join for join, _ in keys),
        tuple((number, tuple(columns[i] for _, columns in keys)) for i, (number, _) in enumerate(closing)),
    )


def _stays(automaton: Automaton, *numbers: int) -> bool:
    """Whether partial matches leave these states with the window only."""
    states = [automaton.states[number] for number in numbers]
    return all(_is_left_by_time(state) for state in states)


def _is_left_by_time(state: State) -> bool:
    return state.govern is Govern.ANY and not (state.guards or state.twins or state.final or state.branches)


def _keeps_both(automaton: Automaton, step: Transition) -> bool:
    """Whether what a step keeps of a partial match is more than what it joins."""
    joined = {held for held, _ in step.step.joins}
    width = automaton.states[step.source].width
    return any(
        not columns_of(value, width, automaton.formulas) <= joined for target in step.targets for value in target.values
    )


def _joined(first: Transition, join: tuple[int, int], closing: Sequence[Transition]) -> tuple[int, ...]:
    """The row columns with which each closing transition joins what the first one joins; none: one does not."""
    kept = tuple(_keeping(first, join))
    found = [next((row for held, row in one.step.joins if held in kept), None) for one in closing]
    return tuple(row for row in found if row is not None) if None not in found else ()


def _keeping(step: Transition, join: tuple[int, int]) -> Iterator[int]:
    """The columns that have, after a step, what it joined."""
    held, row = join
    for number, value in enumerate(step.targets[0].values):
        is_held = value.kind in (ColumnSource.CELL, ColumnSource.EITHER) and value.cell == held
        if is_held or (value.kind is ColumnSource.ROW and value.row == row):
            yield number
