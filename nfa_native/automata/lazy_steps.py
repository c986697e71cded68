"""Steps of the recognizer that may wait: the one before the last, where it makes a group of each group that it finds.

``a ; b ; c`` with a filter over all three makes a group of each b with each a before it, whether a c comes or not.
What is in the first state is in a list, so nothing but the event of b has to be kept until a c asks for both.
"""

from __future__ import annotations

from dataclasses import dataclass

from nfa_native.automata.complex_events import ComplexEventAutomaton, Correlation, RegisterTransition, Update
from nfa_native.automata.kinds import Change, EnumerationKind, RegisterCells, StrategyKind
from nfa_native.automata.operators import Operators


@dataclass(frozen=True, slots=True)
class WaitingStep:
    """The step from ``source`` to ``state`` may wait until an event comes that enters one of ``closing`` from there.

    ``single``: what is in ``source`` are matches of one event.
    """

    source: int
    state: int
    closing: tuple[int, ...]
    single: bool


def waiting_steps(
    automaton: ComplexEventAutomaton, chosen: Operators, *, limit: int | None, consumes: bool, forgets: bool
) -> tuple[WaitingStep, ...]:
    """Those of an automaton; ``forgets``: windows of time, or of positions in all the stream, or none."""
    correlation = automaton.correlation
    is_plain = chosen.strategy is StrategyKind.ALL and chosen.enumeration is EnumerationKind.EACH and limit is None
    if correlation is None or consumes or not (is_plain and forgets):
        return ()
    steps = (_waiting(automaton, correlation, state) for state in range(len(automaton.states)))
    return tuple(step for step in steps if step is not None)


def _waiting(automaton: ComplexEventAutomaton, correlation: Correlation, state: int) -> WaitingStep | None:
    entering = [each for each in correlation.transitions if each.target == state]
    leaving = [each for each in correlation.transitions if each.source == state]
    one = automaton.states[state]
    if one.initial or one.final or len(entering) != 1 or not leaving:
        return None
    if correlation.cells[state] not in (RegisterCells.MERGED, RegisterCells.APART):
        return None
    (way,) = entering
    if not _can_wait(correlation, way) or not all(_closes(automaton, each) for each in leaving):
        return None
    closing = tuple(each.target for each in leaving)
    return WaitingStep(way.source, state, closing, _begins_only(automaton, way.source))


def _can_wait(correlation: Correlation, way: RegisterTransition) -> bool:
    """Groups that it finds are in one list, and what it keeps is of them, of the event, or of both by a program."""
    is_listed = correlation.cells[way.source] is RegisterCells.GROUPS and correlation.keys[way.source] < 0
    return is_listed and not (way.contiguous or way.questions) and all(map(_is_of_one, way.updates))


def _is_of_one(update: Update) -> bool:
    return update.register < 0 or update.change is Change.KEEP


def _closes(automaton: ComplexEventAutomaton, way: RegisterTransition) -> bool:
    """The matches that it leads to end there: nothing of them is kept."""
    target = automaton.states[way.target]
    waits = any(way.target in (*state.after, *state.directly_after) for state in automaton.states)
    return target.final and not waits and not way.contiguous and not way.updates


def _begins_only(automaton: ComplexEventAutomaton, state: int) -> bool:
    return not automaton.states[state].after and not automaton.states[state].directly_after
