"""The automaton of a path expression: a state for each of its steps, by Glushkov's construction; and its directions.

V. M. Glushkov, The abstract theory of automata (1961).  Node conditions are no steps: they guard the transitions, whose
node must fulfil them.  A guard is a set of conditions, as bits; of two guards of a transition, the one with more of
them is needless.  Where all paths take the same steps in the same order, no automaton is needed to follow them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from spaseq.errors import QueryError
from spaseq.pattern.paths import (
    EdgeStep,
    NegatedStep,
    NodeCondition,
    PathAlternatives,
    PathExpression,
    PathQuery,
    PathRepetition,
    PathSequence,
    Restrictor,
    SelectorKind,
    has_step,
)

Step: TypeAlias = "EdgeStep | NegatedStep"
Guards: TypeAlias = "frozenset[int]"  # none of which has all conditions of another; empty: never
Entries: TypeAlias = "Mapping[int, Guards]"  # states, and under which guards

NEVER: Guards = frozenset()
ALWAYS: Guards = frozenset({0})
MOST_STEPS = 10_000
MOST_TRANSITIONS = 1_000_000
MOST_GUARDS = 1_000
MOST_CONDITIONS = 64


@dataclass(frozen=True, slots=True)
class PathState:
    """A state: the ``step`` that was taken last (None: the start), what may follow, and where a path may end."""

    step: Step | None
    transitions: tuple[tuple[int, int], ...]  # (state, guard)
    accepting: tuple[int, ...]  # guards


@dataclass(frozen=True, slots=True)
class PathAutomaton:
    """State 0 is where paths begin; guards are sets of ``conditions``."""

    states: tuple[PathState, ...]
    conditions: tuple[NodeCondition, ...]


def path_automaton(expression: PathExpression) -> PathAutomaton:
    """The automaton of an expression.  QueryError: it is too large, repetitions written out."""
    construction = _Construction()
    whole = construction.part(expression)
    first = PathState(None, _flat(whole.first), tuple(sorted(whole.empty)))
    states = [first]
    for number, step in enumerate(construction.steps, 1):
        follow = construction.follow.get(number, {})
        states.append(PathState(step, _flat(follow), tuple(sorted(whole.last.get(number, NEVER)))))
    return PathAutomaton(tuple(states), tuple(construction.conditions))


@dataclass(frozen=True, slots=True)
class _Fragment:
    """Of a part of the expression: its first and last steps, and when it needs none, with the guards around them."""

    first: Entries
    last: Entries
    empty: Guards


_NOTHING = _Fragment({}, {}, ALWAYS)


@dataclass(slots=True)
class _Construction:
    steps: list[Step] = field(default_factory=list)
    conditions: dict[NodeCondition, int] = field(default_factory=dict)
    follow: dict[int, dict[int, Guards]] = field(default_factory=dict)
    transitions: int = 0

    def part(self, expression: PathExpression) -> _Fragment:
        """A part, whose steps get states of their own."""
        match expression:
            case EdgeStep() | NegatedStep():
                return self._step(expression)
            case NodeCondition():
                return _Fragment({}, {}, frozenset({1 << self._condition(expression)}))
            case PathSequence(parts):
                return self._sequence(parts)
            case PathAlternatives(parts):
                return self._alternatives(parts)
            case PathRepetition(body, least, most):
                return self._repetition(body, least, most)

    def _step(self, step: Step) -> _Fragment:
        if len(self.steps) >= MOST_STEPS:
            raise QueryError(f"the expression has more than {MOST_STEPS:,} steps, when its repetitions are written out")
        self.steps.append(step)
        state = {len(self.steps): ALWAYS}
        return _Fragment(state, state, NEVER)

    def _condition(self, condition: NodeCondition) -> int:
        number = self.conditions.setdefault(condition, len(self.conditions))
        if number >= MOST_CONDITIONS:
            raise QueryError(f"the expression has more than {MOST_CONDITIONS} different node conditions")
        return number

    def _sequence(self, parts: Iterable[PathExpression]) -> _Fragment:
        whole = _NOTHING
        for one in parts:
            whole = self._joined(whole, self.part(one))
        return whole

    def _joined(self, left: _Fragment, right: _Fragment) -> _Fragment:
        self._follow(left.last, right.first)
        first = _union(left.first, _guarded(right.first, left.empty))
        last = _union(right.last, _guarded(left.last, right.empty))
        return _Fragment(first, last, _both(left.empty, right.empty))

    def _alternatives(self, parts: Iterable[PathExpression]) -> _Fragment:
        all_of = [self.part(one) for one in parts]
        first, last = _union(*(one.first for one in all_of)), _union(*(one.last for one in all_of))
        return _Fragment(first, last, _least(frozenset(guard for one in all_of for guard in one.empty)))

    def _repetition(self, body: PathExpression, least: int, most: int | None) -> _Fragment:
        if not has_step(body):  # once more changes nothing
            least, most = min(least, 1), 1 if most is None else min(most, 1)
        whole = _NOTHING
        for _ in range(least - (most is None and least > 0)):
            whole = self._joined(whole, self.part(body))
        if most is None:
            end = self._repeated(self.part(body))
            return self._joined(whole, end if least else _optional(end))
        return self._joined(whole, self._at_most(body, most - least))

    def _at_most(self, body: PathExpression, most: int) -> _Fragment:
        """``body`` up to so many times: each time but the first only behind the one before."""
        times = [self.part(body) for _ in range(most)]
        whole = _NOTHING
        for one in reversed(times):
            whole = _optional(self._joined(one, whole))
        return whole

    def _repeated(self, part: _Fragment) -> _Fragment:
        self._follow(part.last, part.first)
        return part

    def _follow(self, last: Entries, first: Entries) -> None:
        self.transitions += len(last) * len(first)
        if self.transitions > MOST_TRANSITIONS:
            raise QueryError("the expression is too large: too many of its steps may follow each other")
        for state, behind in last.items():
            known = self.follow.setdefault(state, {})
            for other, before in first.items():
                known[other] = _least(known.get(other, NEVER) | _both(behind, before))


def _optional(part: _Fragment) -> _Fragment:
    return _Fragment(part.first, part.last, ALWAYS)


def _both(one: Guards, other: Guards) -> Guards:
    """One guard of each."""
    if one == ALWAYS:
        return other
    return one if other == ALWAYS else _least(frozenset(a | b for a in one for b in other))


def _guarded(entries: Entries, guards: Guards) -> Entries:
    """The same states under these guards, too."""
    if not guards:
        return {}
    return {state: _both(known, guards) for state, known in entries.items()}


def _union(*several: Entries) -> Entries:
    found: dict[int, Guards] = {}
    for entries in several:
        for state, guards in entries.items():
            found[state] = _least(found[state] | guards) if state in found else guards
    return found


def _least(guards: Guards) -> Guards:
    """Without those that have all conditions of another one.  QueryError: there are too many."""
    if len(guards) < 2 or 0 in guards:
        return ALWAYS if 0 in guards else guards
    if len(guards) > MOST_GUARDS:
        raise QueryError(f"more than {MOST_GUARDS:,} sets of node conditions may hold between two steps")
    return frozenset(one for one in guards if not any(other != one and other & ~one == 0 for other in guards))


def _flat(entries: Entries) -> tuple[tuple[int, int], ...]:
    return tuple((state, guard) for state in sorted(entries) for guard in sorted(entries[state]))


# ── chains ───────────────────────────────────────────────────────────────────────────────────────────────
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


# ── from where paths are searched for ────────────────────────────────────────────────────────────────────
FEW_ENDS = 4  # nodes of TO for each of which a search of its own is worth it, for a walk
FEW_ENDS_OF_PATHS = 64  # the same for paths under a restrictor, which cost more from the starts alone


def goes_from_both_ends(query: PathQuery) -> bool:
    """Whether one walk, or the shortest paths under a restrictor, to each end are asked for: these are found from both
    ends if there are at most ``few_ends``."""
    is_restricted = query.restrictor is not Restrictor.WALK and query.selector.kind is not SelectorKind.ALL
    return bool(query.ends) and (query.has_one_walk_each or is_restricted)


def few_ends(query: PathQuery) -> int:
    """How many ends are few."""
    return FEW_ENDS if query.restrictor is Restrictor.WALK else FEW_ENDS_OF_PATHS
