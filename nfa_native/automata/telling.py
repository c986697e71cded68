"""Which groups of partial matches make work each by itself, and what tells of one what it may come to.

What tells are the numbers that later comparisons read: load shedding makes classes of them
(`nfa_native/events/shedding.hpp`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nfa_native.automata.complex_events import Correlation, Instruction, Programs, RegisterTransition
from nfa_native.automata.kinds import VIEW_BOUNDS, Change, Opcode, RegisterCells, RegisterTest

MOST = 2  # of a state


@dataclass(frozen=True, slots=True)
class Telling:
    """A number of a group: that of a ``register``, or value ``argument`` of the last event in the register's list."""

    register: int
    argument: int = -1
    is_real: bool = False


def judged_states(correlation: Correlation) -> list[bool]:
    """For each state whether every transition that leaves it looks at its groups one by one, and there is one."""
    leaving: list[list[RegisterTransition]] = [[] for _ in correlation.registers]
    for each in correlation.transitions:
        leaving[each.source].append(each)
    return [
        kind != RegisterCells.HEAD and bool(steps) and not any(_is_view(one, correlation) for one in steps)
        for kind, steps in zip(correlation.cells, leaving, strict=True)
    ]


def _is_view(step: RegisterTransition, correlation: Correlation) -> bool:
    """Whether all groups that pass are taken along as one set."""
    one_by_one = (RegisterCells.MERGED, RegisterCells.APART)
    guards = len(step.guards) - (correlation.keys[step.source] >= 0)
    if step.contiguous or step.questions or guards > VIEW_BOUNDS:
        return False
    return correlation.cells[step.source] not in one_by_one and correlation.cells[step.target] not in one_by_one


def told_by_state(correlation: Correlation, programs: Programs) -> list[list[Telling]]:
    """For each state what tells, two numbers at most: those that are read next come first."""
    found: list[dict[Telling, None]] = [{} for _ in correlation.registers]
    for each in correlation.transitions:
        found[each.source] |= dict.fromkeys(_compared(each))
    for each in correlation.transitions:
        found[each.source] |= dict.fromkeys(_read(each, programs))
    before: list[dict[Telling, None]] = []
    while found != before:
        before = [dict(one) for one in found]
        for each in correlation.transitions:
            found[each.source] |= dict.fromkeys(_handed_on(each, before[each.target]))
    return [list(one)[:MOST] for one in found]


def _compared(step: RegisterTransition) -> Iterator[Telling]:
    return (Telling(guard.register) for guard in step.guards if guard.test == RegisterTest.LESS)


def _read(step: RegisterTransition, programs: Programs) -> Iterator[Telling]:
    """What questions that no guard decides read of lists, and what is computed of them."""
    for question in step.questions:
        if question.register < 0 and programs.conditions:
            yield from _loaded(programs.conditions[question.number].instructions, question.registers)
    for update in step.updates:
        if update.change == Change.COMPUTED and programs.computations:
            yield from _loaded(programs.computations[update.column].instructions, update.registers)


def _loaded(instructions: Sequence[Instruction], registers: Sequence[int]) -> Iterator[Telling]:
    for one in instructions:
        if one.operation in (Opcode.LOAD_INTEGER, Opcode.LOAD_REAL) and registers[one.variable] >= 0:
            yield Telling(registers[one.variable], one.argument, one.operation == Opcode.LOAD_REAL)


def _handed_on(step: RegisterTransition, wanted: Mapping[Telling, None]) -> Iterator[Telling]:
    """What a step takes along of what tells behind it."""
    for told in wanted:
        update = step.updates[told.register]
        is_kept = update.change == Change.KEEP or (update.change == Change.GREATER and told.argument < 0)
        if is_kept and update.register >= 0:
            yield Telling(update.register, told.argument, told.is_real)
