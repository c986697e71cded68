"""Negations that are judged when the next step is made: they read its event, or what later steps do not change.

A guard has its first chance at a step out of its state if the step has all that it reads of the finished match, as it
will be in the end.  The negated events between are looked for then; no finished match is judged
(``nfa_native/joins/negated_steps.hpp``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from gpm.algebra import Expression, Variable
from nfa_native.automata.automaton import Automaton, Chance, Guard, State, Transition
from nfa_native.automata.kinds import Cells
from spaseq.plan.sequences.analysis import Analysis
from spaseq.plan.sequences.cells import columns_of, steps_from
from spaseq.plan.sequences.environment import UNBOUND, columns_read
from spaseq.plan.sequences.graph import START
from spaseq.plan.sequences.liveness import Liveness, SymbolicGuard
from spaseq.plan.sequences.states import Exit, Way

Sights = dict[str, Expression]  # columns of whole matches, over those of the state and the step's row


class FirstChances:
    """What the steps of a query know of what its guards read."""

    def __init__(self, analysis: Analysis, liveness: Liveness) -> None:
        self.analysis = analysis
        self.liveness = liveness
        self._having: dict[Exit, list[bool]] = {}

    def having(self, state: Exit) -> list[bool]:
        """For each guard of a state whether every step out of the state knows all that it reads in the end."""
        if state not in self._having:
            self._having[state] = [self._has_one(state, guard) for guard in self.liveness.guards[state]]
        return self._having[state]

    def _has_one(self, state: Exit, guard: SymbolicGuard) -> bool:
        ways = self.analysis.ways_from.get(state, ())
        return self._may_have(state, guard) and all(self.sights(way, guard) is not None for way in ways)

    def _may_have(self, state: Exit, guard: SymbolicGuard) -> bool:
        """Sides of && lie beside each other, rules step by themselves, and an iteration is seen as it ends."""
        if state.node == START or state.ends or guard.early or guard.sights or len(guard.names) > 1:
            return False
        return not self.analysis.graph.junctions and not self.analysis.has_rules

    def sights(self, way: Way, guard: SymbolicGuard) -> Sights | None:
        """What the guard reads, as it is after a step; None: the step does not know all of it."""
        found = {name: self._sight(way, name) for name in sorted(guard.whole.reads())}
        known = {name: value for name, value in found.items() if value is not None}
        return known if len(known) == len(found) else None

    def _sight(self, way: Way, name: str) -> Expression | None:
        if name not in self._variables or (name in self.analysis.innermost and self.may_change(way, name)):
            return None
        value = self.liveness.live_steps[way].after.get(name, UNBOUND)
        if value == UNBOUND and self.may_change(way, name):
            return None
        kept = {part.name for part in self.liveness.kept[way.source] if isinstance(part, Variable)}
        return value if kept.issuperset(columns_read(value)) else None

    @cached_property
    def _variables(self) -> frozenset[str]:
        """The columns of whole matches that are variables of its events."""
        return frozenset(name for one in self.analysis.atoms for name in one.variables)

    def may_change(self, way: Way, name: str) -> bool:
        """Whether a step after this one may bind the variable."""
        return name in self.analysis.bindable[way.node]


# ── of the automaton ─────────────────────────────────────────────────────────────────────────────────────
def with_chances(automaton: Automaton) -> Automaton:
    """The automaton with those first chances that its kinds of cells, and the kernel's formulas, allow."""
    steps = steps_from(automaton)
    left = [
        [_is_left(automaton, state, steps[number], place) for place in range(len(state.guards))]
        for number, state in enumerate(automaton.states)
    ]
    states = map(_with_guards, automaton.states, left)
    transitions = (_with_some(one, left[one.source]) for one in automaton.transitions)
    return replace(automaton, states=tuple(states), transitions=tuple(transitions))


def _with_guards(state: State, left: list[bool]) -> State:
    guards = (replace(guard, first_chance=has) for guard, has in zip(state.guards, left, strict=True))
    return replace(state, guards=tuple(guards)) if left else state


def _with_some(transition: Transition, left: list[bool]) -> Transition:
    chances = tuple(chance for chance in transition.chances if left[chance.guard])
    return replace(transition, chances=chances) if chances != transition.chances else transition


def _is_left(automaton: Automaton, state: State, steps: list[Transition], place: int) -> bool:
    """Whether the guard keeps its first chance: it has one at every step, and Python is not asked for each event."""
    guard = state.guards[place]
    if not (guard.first_chance and _is_native(automaton, guard)):
        return False
    return all(_is_known(automaton, state, one, place) for one in steps if one.targets)


def _is_native(automaton: Automaton, guard: Guard) -> bool:
    return all(automaton.formulas[number].program is not None for number in guard.whole.filters)


def _is_known(automaton: Automaton, state: State, step: Transition, place: int) -> bool:
    """Whether a step knows what the guard reads."""
    return any(chance.guard == place and _is_one(automaton, state, step, chance) for chance in step.chances)


def _is_one(automaton: Automaton, state: State, step: Transition, chance: Chance) -> bool:
    """Whether what the guard reads is the same for all that the step takes along: of a view, its join key."""
    joined = set(state.indexes[step.index])
    read = (columns_of(value, state.width, automaton.formulas) for _, value in chance.sights)
    return state.cells is not Cells.VIEWS or all(columns <= joined for columns in read)
