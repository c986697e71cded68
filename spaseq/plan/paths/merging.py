"""One automaton for the end points of several queries: what they have in common at their beginning is there once.

In each query, states from which the same may follow become one (L. Ilie and S. Yu, Follow automata, 2003).  Then its
strongly connected components (R. Tarjan, Depth-first search and linear graph algorithms, 1972), each behind all that
lead to it, are looked for among those of the queries before: one with the same moves, entered from the same states by
the same steps, comes to the same nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from spaseq.pattern.paths import NodeCondition
from spaseq.plan.paths.automaton import PathAutomaton, PathState, Step


def components(targets: Sequence[Sequence[int]], first: int) -> list[list[int]]:
    """Of what can be reached from ``first``: each component, its members rising, behind all that lead to it."""
    search = _Search(targets)
    search.run(first)
    return search.components[::-1]


@dataclass(slots=True)
class _Search:
    targets: Sequence[Sequence[int]]
    components: list[list[int]] = field(default_factory=list)
    order: dict[int, int] = field(default_factory=dict)  # of each vertex, when it was come to
    least: dict[int, int] = field(default_factory=dict)  # the order of the first one known to be in its component
    waiting: dict[int, None] = field(default_factory=dict)  # those whose component is not complete
    path: list[tuple[int, Iterator[int]]] = field(default_factory=list)  # and where each goes on

    def run(self, first: int) -> None:
        self._enter(first)
        while self.path:
            vertex, left = self.path[-1]
            to = next((to for to in left if not self._is_known(vertex, to)), None)
            if to is None:
                self._leave(vertex)
            else:
                self._enter(to)

    def _enter(self, vertex: int) -> None:
        self.order[vertex] = self.least[vertex] = len(self.order)
        self.waiting[vertex] = None
        self.path.append((vertex, iter(self.targets[vertex])))

    def _is_known(self, vertex: int, to: int) -> bool:
        if to in self.waiting:
            self.least[vertex] = min(self.least[vertex], self.order[to])
        return to in self.order

    def _leave(self, vertex: int) -> None:
        self.path.pop()
        if self.path:
            before = self.path[-1][0]
            self.least[before] = min(self.least[before], self.least[vertex])
        if self.least[vertex] < self.order[vertex]:
            return
        component: list[int] = []
        while not component or component[-1] != vertex:
            component.append(self.waiting.popitem()[0])
        self.components.append(sorted(component))


# ── automata of several queries ──────────────────────────────────────────────────────────────────────────
Steps: TypeAlias = "frozenset[Step]"  # one of them is taken
MOST_PASSES = 3  # in search of states that go on alike


class MergedMove(NamedTuple):
    """From a state to another by one of ``steps`` (None: where it is), if the ``guard`` holds where it begins."""

    origin: int
    target: int
    steps: Steps | None
    guard: int


@dataclass(frozen=True, slots=True)
class MergedAutomaton:
    """State 0 is where walks begin, and those of query i end in the state ``ends[i]``.

    ``components`` are how many states each component has, in the order of states.  Guards are sets of ``conditions``.
    """

    components: tuple[int, ...]
    moves: tuple[MergedMove, ...]
    ends: tuple[int, ...]
    conditions: tuple[NodeCondition, ...]


class _LocalMove(NamedTuple):
    """A move into a component: its origin is a state of the component if it ``is_inner``, else one of the whole."""

    is_inner: bool
    origin: int
    target: int
    steps: Steps | None
    guard: int


@dataclass(slots=True)
class AutomatonMerger:
    """Takes the automata of queries, one after the other."""

    components: list[int] = field(default_factory=lambda: [1])
    states: int = 1
    moves: list[MergedMove] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    conditions: dict[NodeCondition, int] = field(default_factory=dict)
    _known: dict[tuple[int, frozenset[_LocalMove]], int] = field(default_factory=dict)

    def add(self, automaton: PathAutomaton) -> None:
        """The next query."""
        bits = [self.conditions.setdefault(one, len(self.conditions)) for one in automaton.conditions]
        follow = FollowAutomaton.of(automaton)
        entries = follow.entries()
        numbers: dict[int, int] = {}  # of the states of the query in the whole
        for members in components(follow.targets(), follow.first):
            places = {member: place for place, member in enumerate(members)}
            moves = [_LocalMove(False, 0, places[follow.first], None, 0)] if follow.first in places else []
            moves += (
                self._local(move, places, numbers, bits)
                for member in members for move in entries[member]
                if move.origin in places or move.origin in numbers
            )  # fmt: skip
            first = self._component(len(members), moves)
            numbers |= {member: first + place for member, place in places.items()}
        ends = [(numbers[state], _renumbered(guard, bits)) for state, guard in follow.accepting if state in numbers]
        self.ends.append(self._component(1, [_LocalMove(False, state, 0, None, guard) for state, guard in ends]))

    def merged(self) -> MergedAutomaton:
        """One automaton for all of them."""
        return MergedAutomaton(tuple(self.components), tuple(self.moves), tuple(self.ends), tuple(self.conditions))

    @staticmethod
    def _local(
        move: MergedMove, places: Mapping[int, int], numbers: Mapping[int, int], bits: Sequence[int]
    ) -> _LocalMove:
        is_inner = move.origin in places
        origin = places[move.origin] if is_inner else numbers[move.origin]
        return _LocalMove(is_inner, origin, places[move.target], move.steps, _renumbered(move.guard, bits))

    def _component(self, size: int, moves: Sequence[_LocalMove]) -> int:
        """The first state of a component with these moves."""
        match moves:
            case [_LocalMove(False, origin, _, None, 0)] if size == 1:
                return origin
        key = size, frozenset(moves)
        if key not in self._known:
            self._known[key] = self._new_component(size, moves)
        return self._known[key]

    def _new_component(self, size: int, moves: Iterable[_LocalMove]) -> int:
        first = self.states
        self.states += size
        self.components.append(size)
        for move in moves:
            origin = first + move.origin if move.is_inner else move.origin
            self.moves.append(MergedMove(origin, first + move.target, move.steps, move.guard))
        return first


@dataclass(frozen=True, slots=True)
class FollowAutomaton:
    """An automaton whose steps are those of moves: by state, where it goes; (state, guard) where paths may end."""

    first: int
    moves: tuple[tuple[MergedMove, ...], ...]
    accepting: tuple[tuple[int, int], ...]

    @staticmethod
    def of(automaton: PathAutomaton) -> FollowAutomaton:
        """Glushkov's automaton, states from which the same may follow being one."""
        states, classes = automaton.states, _classes(automaton)
        some = {number: state for state, number in zip(reversed(states), reversed(classes), strict=True)}
        moves = tuple(tuple(_moves(number, some[number], states, classes)) for number in range(len(some)))
        accepting = tuple((number, guard) for number in range(len(some)) for guard in some[number].accepting)
        return FollowAutomaton(classes[0], moves, accepting)

    def targets(self) -> list[list[int]]:
        """Which states follow each."""
        return [[move.target for move in moves] for moves in self.moves]

    def entries(self) -> list[list[MergedMove]]:
        """The moves to each state."""
        found: list[list[MergedMove]] = [[] for _ in self.moves]
        for moves in self.moves:
            for move in moves:
                found[move.target].append(move)
        return found


def _classes(automaton: PathAutomaton) -> list[int]:
    """Of each state the number of those that go on as it does."""
    steps: dict[Step | None, int] = {}
    step_of = [steps.setdefault(state.step, len(steps)) for state in automaton.states]
    classes, count = list(range(len(step_of))), len(step_of)
    for _ in range(MOST_PASSES):
        known: dict[object, int] = {}
        arrivals = list(zip(step_of, classes, strict=True))
        coarser = [known.setdefault(_future(state, arrivals), len(known)) for state in automaton.states]
        if len(known) == count:
            break
        classes, count = coarser, len(known)
    return classes


def _future(state: PathState, arrivals: Sequence[tuple[int, int]]) -> object:
    """By which steps it goes on to which classes, and where it may end."""
    return frozenset((arrivals[to], guard) for to, guard in state.transitions), state.accepting


def _moves(number: int, state: PathState, states: Sequence[PathState], classes: Sequence[int]) -> Iterator[MergedMove]:
    """Those of a state, with all steps that lead to the same one together."""
    found: dict[tuple[int, int], set[Step]] = {}
    for to, guard in state.transitions:
        if (step := states[to].step) is not None:
            found.setdefault((classes[to], guard), set()).add(step)
    return (MergedMove(number, to, frozenset(steps), guard) for (to, guard), steps in found.items())


def _renumbered(guard: int, bits: Sequence[int]) -> int:
    """A guard whose condition i is number ``bits[i]``."""
    return sum(1 << bit for place, bit in enumerate(bits) if guard >> place & 1) if guard else 0
