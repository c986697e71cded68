"""How the recognizer runs an automaton: by which step an event enters a state, and how results are enumerated.

These are choices of speed alone; each operator's file names the line of ``make bench`` that it earns.
"""

from __future__ import annotations

from dataclasses import dataclass

from nfa_native.automata.complex_events import ComplexEventAutomaton, Correlation, PickState
from nfa_native.automata.kinds import EnumerationKind, RegisterCells, StepKind, StrategyKind

_COMPARED = {
    StrategyKind.NEXT: EnumerationKind.BEST,
    StrategyKind.LAST: EnumerationKind.BEST,
    StrategyKind.MAX: EnumerationKind.MAXIMAL,
}


@dataclass(frozen=True, slots=True)
class Operators:
    """``steps`` into each state, and the enumeration; an event goes by a step if all states that it may enter do.

    ``strategy`` is ALL where that keeps the same results as the one that was asked for.
    """

    strategy: StrategyKind
    steps: tuple[StepKind, ...]
    enumeration: EnumerationKind


def operators(automaton: ComplexEventAutomaton, strategy: str, limit: int | None, forgets: bool) -> Operators:
    """Those of an automaton under a selection strategy; ``forgets``: neither starts nor windows ever move back."""
    kept = needed(StrategyKind[strategy], automaton)
    return Operators(kept, steps(automaton, forgets), enumeration(automaton, kept, limit, forgets))


def needed(strategy: StrategyKind, automaton: ComplexEventAutomaton) -> StrategyKind:
    """The strategy, or ALL where it keeps all results of such an automaton."""
    is_strict = strategy is StrategyKind.STRICT and automaton.is_strict
    is_maximal = strategy is StrategyKind.MAX and automaton.is_chain
    return StrategyKind.ALL if is_strict or is_maximal else strategy


def steps(automaton: ComplexEventAutomaton, forgets: bool) -> tuple[StepKind, ...]:
    """How each state is entered."""
    waited_next = {one for state in automaton.states for one in state.directly_after}
    if automaton.correlation is not None:
        short, others = StepKind.SWIFT, _not_swift(automaton.correlation)
    else:
        waited = {one for state in automaton.states for one in state.after}
        states = enumerate(automaton.states)
        short = StepKind.PLAIN
        others = {number for number, state in states if not forgets or not _is_plain(state, number, number in waited)}
    general = waited_next | others
    return tuple(StepKind.GENERAL if number in general else short for number in range(len(automaton.states)))


def _is_plain(state: PickState, number: int, is_waited: bool) -> bool:
    """Whether nothing asks for the very last event, or ends and goes on.

    Nor may what began here be younger than what enters later, as in the A of (A ; B)+.
    """
    if state.directly_after or (state.initial and state.after and number not in state.after):
        return False
    return not state.final or (not is_waited and not state.initial)


def _not_swift(correlation: Correlation) -> set[int]:
    """States that something enters neither in sets nor in views."""
    one_by_one = (RegisterCells.MERGED, RegisterCells.APART)
    entered_by_one = {number for number, cells in enumerate(correlation.cells) if cells in one_by_one}
    return entered_by_one | {one.target for one in correlation.transitions if not correlation.is_viewed(one)}


def enumeration(
    automaton: ComplexEventAutomaton, strategy: StrategyKind, limit: int | None, forgets: bool
) -> EnumerationKind:
    """How the results that a strategy keeps are found."""
    if strategy in _COMPARED:
        return _COMPARED[strategy]
    if automaton.ambiguous and strategy is not StrategyKind.ANY and (strategy is StrategyKind.STRICT or limit != 1):
        return EnumerationKind.DISTINCT
    keeps_any = strategy in (StrategyKind.ALL, StrategyKind.ANY)
    if keeps_any and forgets and automaton.is_chain and len(automaton.states) > 1 and _is_loose(automaton):
        return EnumerationKind.ROWS
    return EnumerationKind.EACH


def _is_loose(automaton: ComplexEventAutomaton) -> bool:
    """No state asks which events come before, or whether they come directly before."""
    return automaton.correlation is None and not any(state.directly_after for state in automaton.states)
