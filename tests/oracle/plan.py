"""The sequence expression made ready for the search: operators and Kleenes numbered, defaults filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, product

from .expressions import Expression, plain_variables, reads_history
from .model import And, AnyOrder, Atom, Gpm, Kleene, Maybe, Node, Not, Or, Query, Seq, is_bop


@dataclass(frozen=True)
class Operator:
    """One occurrence of `,`, `;` or `:`, between two elements or before a quantifier."""

    number: int
    sign: str


@dataclass(frozen=True)
class Around:
    """What a node stands in, outermost first: Kleenes, and sides of `&&` as (its number, which side)."""

    kleenes: tuple[int, ...] = ()
    sides: tuple[tuple[int, int], ...] = ()

    def kleene(self, number: int) -> Around:
        """Within one more Kleene."""
        return Around((*self.kleenes, number), self.sides)

    def side(self, number: int, which: int) -> Around:
        """Within a side of one more `&&`."""
        return Around(self.kleenes, (*self.sides, (number, which)))


@dataclass(frozen=True)
class Occurrence:
    """One mention of a GPM: its number in order of mention, what it stands in, and whether it is negated."""

    gpm: Gpm
    number: int
    around: Around
    negated: bool

    @property
    def kleenes(self) -> tuple[int, ...]:
        """The Kleenes around it, outermost first."""
        return self.around.kleenes

    def is_beside(self, other: Occurrence) -> bool:
        """Whether the two stand in different sides of one `&&`."""
        sides = dict(other.around.sides)
        return any(sides.get(number, which) != which for number, which in self.around.sides)


@dataclass(frozen=True)
class Step:
    """A BOp: the ways to take it, each a list of GPM occurrences at one timestamp."""

    ways: tuple[tuple[Occurrence, ...], ...]


@dataclass(frozen=True)
class Chain:
    """`left operator right`."""

    left: Part
    operator: Operator
    right: Part


@dataclass(frozen=True)
class Choice:
    """A disjunction that holds a Kleene or a sequence."""

    branches: tuple[Part, ...]


@dataclass(frozen=True)
class Unordered:
    """`&&` number `number`: all its sides, in any order."""

    number: int
    sides: tuple[Part, ...]


@dataclass(frozen=True)
class Repeat:
    """Kleene number `number`: at least one iteration, at most `most` (None: any number)."""

    number: int
    body: Part
    least: int
    most: int | None
    operator: Operator


@dataclass(frozen=True)
class Option:
    """Taken or absent."""

    body: Part


@dataclass(frozen=True)
class Negation:
    """A negated BOp."""

    bop: Step


Part = Step | Chain | Choice | Unordered | Repeat | Option | Negation


@dataclass(frozen=True)
class Plan:
    """The ready expression, all GPM occurrences in order of mention, and the group variables of every Kleene."""

    query: Query
    root: Part
    occurrences: tuple[Occurrence, ...]
    owned: dict[int, frozenset[str]]

    def innermost(self, variable: str) -> int | None:
        """The innermost Kleene that owns a variable; None if it is no group variable."""
        owners = [number for number, names in self.owned.items() if variable in names]
        return max(owners, default=None)

    def visible(self) -> list[str]:
        """The variables in scope in non-negated atoms, in order of first mention; those of PARTITION BY are in all."""
        names = [name for occurrence in self.occurrences if not occurrence.negated for name in occurrence.gpm.variables]
        return list(dict.fromkeys((*self.query.keys, *names)))


class Planner:
    """Numbers operators, Kleenes and `&&` in order of mention (so an inner Kleene has the greater number)."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.numbers = count(1)
        self.occurrences: list[Occurrence] = []
        self.kleenes: list[int] = []

    def plan(self) -> Plan:
        """The plan of the query."""
        root = self.part(self.query.sequence, Around(), False)
        owned = {number: self.group_variables(number) for number in self.kleenes}
        return Plan(self.query, root, tuple(self.occurrences), owned)

    def group_variables(self, kleene: int) -> frozenset[str]:
        """In scope in an atom of the body, in no non-negated atom outside, and no key of the partition."""
        inside = {name for o in self.occurrences if kleene in o.kleenes for name in o.gpm.variables}
        outside = (o for o in self.occurrences if kleene not in o.kleenes and not o.negated)
        return frozenset(inside - {name for o in outside for name in o.gpm.variables} - set(self.query.keys))

    def part(self, node: Node, around: Around, operand: bool) -> Part:
        """The ready form of a node; operand says whether it stands in an operand of `, ; :`."""
        if is_bop(node):
            return Step(self.ways(node, around, False))
        match node:
            case Seq(left, sign, right):
                first = self.part(left, around, True)
                operator = Operator(next(self.numbers), sign)
                return Chain(first, operator, self.part(right, around, True))
            case Or(parts):
                return Choice(tuple(self.part(part, around, operand) for part in parts))
            case AnyOrder(sides):
                number = next(self.numbers)
                ready = (self.part(side, around.side(number, i), operand) for i, side in enumerate(sides))
                return Unordered(number, tuple(ready))
            case Maybe(body):
                return Option(self.part(body, around, operand))
            case Not(body):
                return Negation(Step(self.ways(body, around, True)))
            case Kleene():
                return self.kleene(node, around, operand)
        raise ValueError(f"not a valid part of a sequence: {node}")

    def kleene(self, node: Kleene, around: Around, operand: bool) -> Part:
        """`X{0,m}` is `(X{1,m})?`; the default iteration operator is `;`, within an operand of `, ; :` it is `,`."""
        number = next(self.numbers)
        self.kleenes.append(number)
        operator = Operator(number, node.operator or ("," if operand else ";"))
        body = self.part(node.body, around.kleene(number), operand)
        repeat = Repeat(number, body, max(node.least, 1), node.most, operator)
        return Option(repeat) if node.least == 0 else repeat

    def ways(self, node: Node, around: Around, negated: bool) -> tuple[tuple[Occurrence, ...], ...]:
        """The ways to take a BOp: one of a disjunction, all of a conjunction."""
        match node:
            case Atom(name):
                occurrence = Occurrence(self.query.gpm(name), len(self.occurrences), around, negated)
                self.occurrences.append(occurrence)
                return ((occurrence,),)
            case And(parts):
                sides = [self.ways(part, around, negated) for part in parts]
                return tuple(tuple(o for way in chosen for o in way) for chosen in product(*sides))
            case Or(parts):
                return tuple(way for part in parts for way in self.ways(part, around, negated))
        raise ValueError(f"not a BOp: {node}")


def plan_of(query: Query) -> Plan:
    """The plan of a query."""
    return Planner(query).plan()


def beginnings(part: Part) -> Iterator[Step]:
    """The BOps that a match of part can begin with."""
    match part:
        case Step():
            yield part
        case Chain(left, _, right):
            yield from beginnings(left)
            if can_be_empty(left):
                yield from beginnings(right)
        case Choice(branches) | Unordered(_, branches):
            for branch in branches:
                yield from beginnings(branch)
        case Repeat() | Option():
            yield from beginnings(part.body)


def can_be_empty(part: Part) -> bool:
    """Whether part can be passed without picking an event."""
    match part:
        case Chain(left, _, right):
            return can_be_empty(left) and can_be_empty(right)
        case Choice(branches):
            return any(map(can_be_empty, branches))
    return isinstance(part, Option | Negation)


def is_stateful(expression: Expression, gpm: Gpm) -> bool:
    """Whether a filter names a variable not in scope in its GPM, or PREV, FIRST or an aggregate."""
    return reads_history(expression) or not plain_variables(expression) <= set(gpm.variables)
