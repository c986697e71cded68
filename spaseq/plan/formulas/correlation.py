"""Filters that compare events with each other, as registers of an automaton.

A filter ``x.a < y.b`` holds for all pairs of events.  So of the events of x so far the greatest ``a`` is enough to know
what a later event of y must have, and of those of y the least ``b`` for a later one of x: a register each, as long as
such an event may come (liveness).  Of ``=`` it is the one value that there is.  Any other condition gets the list of
all the events that it may be about (how-it-works.md: everything is live).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from nfa_native.automata.complex_events import (
    Correlation,
    Question,
    RegisterGuard,
    RegisterTransition,
    Update,
)
from nfa_native.automata.kinds import Change, RegisterCells, RegisterTest
from spaseq.pattern.formulas.predicates import Predicate, Value, local
from spaseq.plan.formulas.apart import told_apart
from spaseq.plan.formulas.clauses import Asked, Clause, Compared, Joined, clauses, joined
from spaseq.plan.formulas.glushkov import Reaching, Reset, bits_of, places_in, without_needless
from spaseq.plan.formulas.places import Place, PlaceStep, Scope

_TESTS = {"<": RegisterTest.LESS, "<=": RegisterTest.LESS, "=": RegisterTest.EQUAL, "!=": RegisterTest.DIFFERENT}


class Side(Enum):
    """A side of a comparison."""

    LEFT = 0
    RIGHT = 1

    @property
    def other(self) -> Side:
        """The one opposite."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


@dataclass(frozen=True, slots=True)
class Measured:
    """A value of every event: a comparison's, on one side; to be kept, or (``bound``) compared with what is kept."""

    comparison: Compared | Joined
    side: Side
    bound: bool

    @property
    def value(self) -> Value:
        """What is measured."""
        if isinstance(self.comparison, Joined):
            return self.comparison.bound
        return self.comparison.left if self.side is Side.LEFT else self.comparison.right


@dataclass(frozen=True, slots=True)
class DecidingBound:
    """A value of every event: below what the numbers that registers keep satisfy the comparison, if that is exact."""

    comparison: Joined


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A condition that is asked when an event comes which some of its variables (``held``) hold."""

    asked: Asked
    held: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """A number of several variables that a register keeps, when an event comes which some of them (``held``) hold."""

    joined: Joined
    held: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Correlated:
    """What the automaton does, the values of events by column, and what is asked and computed, by number."""

    native: Correlation
    measured: tuple[Measured | DecidingBound, ...]
    asked: tuple[Inquiry, ...]
    computed: tuple[Computed, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Register:
    """What is remembered of the events of places ``set_at``, for those of ``read_at``, as long as a scope lasts.

    There is one of each, so it is not looked into to tell it from others.
    """

    scope: int
    clause: Clause | Joined
    variable: str
    set_at: frozenset[int]
    read_at: frozenset[int]

    @property
    def side(self) -> Side:
        """The side of the comparison that the variable is on."""
        if isinstance(self.clause, Joined):
            return Side.LEFT if self.clause.is_left else Side.RIGHT
        assert isinstance(self.clause, Compared)
        return Side.LEFT if self.variable == self.clause.variables[0] else Side.RIGHT

    @property
    def value(self) -> Value | None:
        """What of an event of the variable is remembered; None if that is its position."""
        return self.clause.value(self.variable) if isinstance(self.clause, Compared) else None

    @property
    def change(self) -> Change:
        """What an event of the variable does to it."""
        if isinstance(self.clause, Asked):
            return Change.LIST
        if isinstance(self.clause, Joined):
            return Change.COMPUTED
        return Change.GREATER if self.clause.operator in ("<", "<=") else Change.SAME


def of_one_event(scope: Scope) -> Predicate:
    """What the filter of a scope demands of an event that all its variables hold."""
    return local(scope.filter.predicate)


def correlated(places: Sequence[Place], scopes: Sequence[Scope], texts: frozenset[str]) -> Correlated:
    """The registers that the scopes' filters need; ``texts`` are the attributes that have texts."""
    steps = [without_needless(place) for place in places]
    reaching = Reaching(steps)
    registers = [
        register
        for number, scope in enumerate(scopes)
        for register in _registers(number, scope, places, reaching, texts)
    ]
    return _Assembly(places, steps, registers, reaching).assembled()


def _registers(
    number: int, scope: Scope, places: Sequence[Place], reaching: Reaching, texts: frozenset[str]
) -> Iterator[_Register]:
    holding = {name: scope.held_by(name, places) for name in scope.filter.variables}
    found: dict[Clause, None] = {}
    for clause in clauses(scope.filter, texts):
        if isinstance(clause, Compared) and clause.operator == "!=" and _several(clause, number, holding, reaching):
            clause = Asked(scope.filter.variables, clause.written)
        found[clause] = None
    for clause in found:
        for name in clause.variables:
            others = frozenset[int]().union(*(holding[other] for other in clause.variables if other != name))
            yield _Register(number, clause, name, holding[name], others)
        if isinstance(clause, Asked) and not _several(clause, number, holding, reaching):
            yield from _computed(number, clause, holding, reaching)


def _computed(
    number: int, asked: Asked, holding: Mapping[str, frozenset[int]], reaching: Reaching
) -> Iterator[_Register]:
    """A register for what all but the last of its events come to, if the condition compares that with the last one.

    It leaves out partial matches that cannot satisfy it; the others are asked where the comparison is not exact.
    """
    clause = joined(asked)
    if clause is None:
        return
    behind = {name: bits_of(holding[name]) | reaching.behind_any(holding[name], number) for name in clause.variables}
    complete = frozenset(
        place
        for place in frozenset[int]().union(*(holding[name] for name in clause.variables))
        if all(bits >> place & 1 for bits in behind.values())
    )
    if complete:
        yield _Register(number, clause, "", complete, holding[clause.last])


def _several(clause: Compared | Asked, scope: int, holding: Mapping[str, frozenset[int]], reaching: Reaching) -> bool:
    """Whether a variable may hold several events, of which all would have to be remembered."""
    return any(reaching.behind_any(holding[name], scope) & bits_of(holding[name]) for name in clause.variables)


class _Assembly:
    """Puts the native correlation together, numbering what its columns and questions are."""

    def __init__(
        self,
        places: Sequence[Place],
        steps: Sequence[Sequence[PlaceStep]],
        registers: Sequence[_Register],
        reaching: Reaching,
    ) -> None:
        self.places = places
        self.steps = steps
        self.reaching = reaching
        self.held = _held(registers, reaching, len(places))
        self.columns: dict[Measured | DecidingBound, int] = {}
        self.inquiries: dict[Inquiry, int] = {}
        self.computed: dict[Computed, int] = {}
        self.surely: dict[tuple[frozenset[int], frozenset[Reset]], frozenset[int]] = {}

    def assembled(self) -> Correlated:
        transitions = [self.transition(step, target) for target, steps in enumerate(self.steps) for step in steps]
        begins = [self.updates(target, {}) for target in range(len(self.places))]
        leaving: list[list[RegisterTransition]] = [[] for _ in self.places]
        entering: list[list[RegisterTransition]] = [[] for _ in self.places]
        for transition in transitions:
            leaving[transition.source].append(transition)
            entering[transition.target].append(transition)
        cells = [self.cell(target, begins[target], entering[target]) for target in range(len(self.places))]
        native = Correlation(
            tuple(map(len, self.held)),
            tuple(begins),
            tuple(transitions),
            self.apart(cells, begins, entering, leaving),
            tuple(map(_key, leaving)),
            len(self.columns),
        )
        return Correlated(native, tuple(self.columns), tuple(self.inquiries), tuple(self.computed))

    def transition(self, step: PlaceStep, target: int) -> RegisterTransition:
        known = {
            register: index
            for index, register in enumerate(self.held[step.before])
            if register.scope not in step.resets
        }
        same = self.known_again(step.before, target, known)
        return RegisterTransition(
            step.before,
            target,
            step.contiguous,
            tuple(self.guards(target, known)),
            tuple(self.questions(target, known)),
            self.updates(target, known, same),
        )

    def known_again(self, source: int, target: int, known: Mapping[_Register, int]) -> frozenset[_Register]:
        """Registers whose value the event has itself, as it equals that of all events that they remember.

        ``b[key = a.key]`` lets the events of a be forgotten: any later ``c[key = a.key]`` may ask b's key.
        """
        equal = [register for register in known if self.is_equal(register, source, target)]
        if not equal:
            return frozenset()
        values = {(one.value, self.remembered(one)) for one in equal}
        return frozenset(one for one in known if (one.value, self.remembered(one)) in values)

    def is_equal(self, register: _Register, source: int, target: int) -> bool:
        """Whether a transition asks the event to have the value that the register surely has."""
        clause = register.clause
        if not (isinstance(clause, Compared) and clause.operator == "=" and clause.left == clause.right):
            return False
        return target in register.read_at and source in self.surely_set(register)

    def surely_set(self, register: _Register) -> frozenset[int]:
        """The places where a register is set, whatever way led there."""
        key = register.set_at, self.reaching.resets(register.scope)
        if key not in self.surely:
            self.surely[key] = _surely_set(register, self.places, self.steps)
        return self.surely[key]

    def remembered(self, register: _Register) -> tuple[str, frozenset[int], frozenset[Reset]]:
        """Which events it remembers: registers of which this is equal remember the same ones at all times."""
        return register.variable, register.set_at, self.reaching.resets(register.scope)

    def guards(self, target: int, known: Mapping[_Register, int]) -> Iterator[RegisterGuard]:
        for register, index in known.items():
            if target in register.read_at and not isinstance(register.clause, Asked):
                bound = self.column(Measured(register.clause, register.side.other, bound=True))
                yield RegisterGuard(index, _TESTS[register.clause.operator], bound)

    def questions(self, target: int, known: Mapping[_Register, int]) -> Iterator[Question]:
        asked = [register for register in known if isinstance(register.clause, Asked)]
        lists_of: dict[tuple[int, int], dict[str, int]] = {}
        for one in asked:
            lists_of.setdefault((one.scope, id(one.clause)), {})[one.variable] = known[one]
        read = {(one.scope, id(one.clause)): one.clause for one in asked if target in one.read_at}
        for key, clause in read.items():
            assert isinstance(clause, Asked)
            lists = lists_of[key]
            held = tuple(name in self.places[target].variables for name in clause.variables)
            registers = tuple(lists.get(name, -1) for name in clause.variables)
            if all(here or index >= 0 for here, index in zip(held, registers, strict=True)):
                number = self.inquiries.setdefault(Inquiry(clause, held), len(self.inquiries))
                yield Question(number, registers, *self.decided(clause, target, known))

    def decided(self, asked: Asked, target: int, known: Mapping[_Register, int]) -> tuple[int, int]:
        """The register that a guard compares, and the column below which nothing is left to ask."""
        for register, index in known.items():
            clause = register.clause
            if isinstance(clause, Joined) and clause.asked is asked and target in register.read_at:
                return index, self.column(DecidingBound(clause))
        return -1, -1

    def updates(
        self, target: int, known: Mapping[_Register, int], same: frozenset[_Register] = frozenset()
    ) -> tuple[Update, ...]:
        return tuple(
            self.computation(register, target, known)
            if isinstance(register.clause, Joined)
            else self.update(register, target, -1 if register in same else known.get(register, -1), register in same)
            for register in self.held[target]
        )

    def computation(self, register: _Register, target: int, known: Mapping[_Register, int]) -> Update:
        """Computed where an event comes that is the last one it is about, and kept from there on."""
        clause = register.clause
        assert isinstance(clause, Joined)
        lists = {one.variable: index for one, index in known.items() if one.clause is clause.asked}
        held = tuple(name in self.places[target].variables for name in clause.variables)
        registers = tuple(-1 if here else lists.get(name) for name, here in zip(clause.variables, held, strict=True))
        if target not in register.set_at or None in registers:
            return Update(Change.KEEP, known.get(register, -1))
        number = self.computed.setdefault(Computed(clause, held), len(self.computed))
        return Update(Change.COMPUTED, -1, number, tuple(one for one in registers if one is not None))

    def update(self, register: _Register, target: int, before: int, is_same: bool) -> Update:
        if target not in register.set_at and not is_same:
            return Update(Change.KEEP, before)
        if isinstance(register.clause, Asked):
            return Update(Change.LIST, before)
        assert isinstance(register.clause, Compared)
        return Update(register.change, before, self.column(Measured(register.clause, register.side, bound=False)))

    def column(self, measured: Measured | DecidingBound) -> int:
        return self.columns.setdefault(measured, len(self.columns))

    def cell(self, target: int, begin: tuple[Update, ...], transitions: Sequence[RegisterTransition]) -> RegisterCells:
        if not self.held[target]:
            return RegisterCells.HEAD
        entering = {transition.updates for transition in transitions}
        if self.places[target].initial:
            entering.add(begin)
        fresh = len(entering) == 1 and all(update.is_fresh for updates in entering for update in updates)
        return RegisterCells.GROUPS if fresh else RegisterCells.MERGED

    def apart(
        self,
        cells: Sequence[RegisterCells],
        begins: Sequence[tuple[Update, ...]],
        entering: Sequence[Sequence[RegisterTransition]],
        leaving: Sequence[Sequence[RegisterTransition]],
    ) -> tuple[RegisterCells, ...]:
        """The cells, where groups are told apart by their lists without a table of all registers."""
        begun = [begin if place.initial else None for begin, place in zip(begins, self.places, strict=True)]
        told = told_apart(cells, begun, entering)
        return tuple(
            RegisterCells.APART
            if kind is RegisterCells.MERGED
            and number in told
            and not self.places[number].final
            and not any(one.contiguous for one in leaving[number])
            else kind
            for number, kind in enumerate(cells)
        )


def _held(registers: Sequence[_Register], reaching: Reaching, places: int) -> list[list[_Register]]:
    """For each place the registers that are live there, and that may have been set."""
    found: list[list[_Register]] = [[] for _ in range(places)]
    for register in registers:
        read, behind = bits_of(register.read_at), reaching.behind(register.scope)
        for place in places_in(bits_of(register.set_at) | reaching.behind_any(register.set_at, register.scope)):
            if behind[place] & read:
                found[place].append(register)
    return found


def _surely_set(register: _Register, places: Sequence[Place], steps: Sequence[Sequence[PlaceStep]]) -> frozenset[int]:
    """The places where a register is set, whatever way led there."""
    found = frozenset(range(len(places)))
    while True:
        left = frozenset(
            at
            for at in found
            if at in register.set_at
            or (
                not places[at].initial
                and all(step.before in found and register.scope not in step.resets for step in steps[at])
            )
        )
        if left == found:
            return found
        found = left


def _key(transitions: Sequence[RegisterTransition]) -> int:
    """A register that all transitions ask to be equal to something; -1: there is none."""
    asked = [{guard.register for guard in one.guards if guard.test is RegisterTest.EQUAL} for one in transitions]
    return min(set.intersection(*asked), default=-1) if asked else -1
