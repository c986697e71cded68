"""Random pairs of a query and a stream: make_pair with any Chooser, random_pair with a seed, pairs() for hypothesis."""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType

from hypothesis import strategies as st

from ..chooser import Chooser, Seeded
from ..strategies import Drawn
from .labels import labels_of
from .model import (
    FUNCTIONS,
    STRATEGIES,
    Aggregate,
    All,
    As,
    Contiguous,
    ContiguousKleene,
    Event,
    Filter,
    FilterOn,
    Formula,
    Kleene,
    Or,
    Query,
    Relation,
    Sequence,
    Window,
    has_all,
    parts,
    variables,
    walk_formulas,
)
from .predicates import (
    Arithmetic,
    Attribute,
    Both,
    Comparing,
    Comparison,
    Constant,
    Either,
    IsNull,
    Negative,
    Not,
    Operand,
    Predicate,
    Value,
)
from .random_predicates import NAMES, NUMBERS, NUMERIC, Conditions

SECOND = 10**6
ATTRIBUTES = ("price", "volume", "name", "clock")
KINDS = ("sequence",) * 5 + ("contiguous", "contiguous", "or", "or", "+", "+", ":+", "filter", "as")


@dataclass(frozen=True)
class Size:
    """How many operators a formula and how many events a stream has; FILTERs around the whole are more.

    any_order: whether the formula has an ALL (otherwise none has).
    """

    operators: int = 5
    events: int = 8
    least_operators: int = 0
    least_events: int = 2
    any_order: bool = False


@dataclass(frozen=True)
class Pair:
    """A query, a stream for it, and labels of both."""

    query: Query
    events: tuple[Event, ...]
    labels: frozenset[str]


def random_pair(seed: int, size: Size | None = None) -> Pair:
    """The pair of a seed."""
    return make_pair(Seeded(seed), size or Size())


@st.composite
def pairs(draw: st.DrawFn, size: Size | None = None) -> Pair:
    """Pairs drawn by hypothesis; they shrink towards few operators and events."""
    return make_pair(Drawn(draw), size or Size())


def make_pair(chooser: Chooser, size: Size) -> Pair:
    """A pair made by a chooser's choices."""
    maker = Maker(chooser, size.any_order)
    query = maker.query(chooser.integer(size.least_operators, size.operators))
    events = maker.events(query, chooser.integer(size.least_events, size.events))
    return Pair(query, events, labels_of(query, events))


class Maker:
    """Makes queries and streams for them."""

    def __init__(self, chooser: Chooser, any_order: bool = False) -> None:
        self.chooser = chooser
        self.any_order = any_order
        self.kinds = KINDS + ("all",) * 6 * any_order
        self.conditions = Conditions(chooser)

    def query(self, operators: int) -> Query:
        """A query whose FILTERs, projection and aggregates name variables of their scope only."""
        formula = self.asked_for(operators)
        for _ in range(self.chooser.pick((0, 0, 1, 1, 2))):
            formula = self.filtered(formula)
        query = Query(
            formula,
            strategy=self.chooser.pick((None, *STRATEGIES)),
            partition_by=self.chooser.pick(((), (), (), (), ("volume",), ("name",), ("volume", "name"))),
            within=self.window(),
            limit=self.chooser.integer(1, 3) if self.chooser.chance(15) else None,
            consume=self.chooser.pick((None, None, None, "NONE", "ANY", "PARTITION")),
        )
        return self.selecting(query)

    def asked_for(self, operators: int) -> Formula:
        """A formula with so many operators, with an ALL or without one as asked for."""
        while True:
            formula = self.formula(max(operators, int(self.any_order)))
            if has_all(formula) == self.any_order:
                return formula

    def repeatable(self, operators: int) -> Formula:
        """A formula that `+` may stand on: no ALL, also not a named or filtered one."""
        while is_all(formula := self.formula(operators)):
            pass
        return formula

    def formula(self, operators: int) -> Formula:
        """A formula with so many operators besides the AS of its names."""
        if operators == 0:
            relation = Relation(self.chooser.pick("ABC"))
            return As(relation, self.variable()) if self.chooser.chance(50) else relation
        kind = self.chooser.pick(self.kinds)
        match kind:
            case "+":
                return Kleene(self.repeatable(operators - 1))
            case ":+":
                return ContiguousKleene(self.repeatable(operators - 1))
            case "as":
                return As(self.formula(operators - 1), self.variable())
            case "filter":
                return self.filtered(self.formula(operators - 1))
        size = self.chooser.integer(0, operators - 1)
        left, right = self.formula(size), self.formula(operators - 1 - size)
        match kind:
            case "contiguous":
                return Contiguous(left, right)
            case "or":
                return Or(left, right)
            case "all":
                return All(left, right)
        return Sequence(left, right)

    def variable(self) -> str:
        """A name for AS."""
        return self.chooser.pick("xyz")

    def filtered(self, formula: Formula) -> Filter:
        """The formula with a FILTER on its variables."""
        return Filter(formula, self.conditions.condition(sorted(variables(formula), reverse=True)))

    def window(self) -> Window | None:
        """No window, or one of each kind."""
        length = self.chooser.integer(1, 4)
        match self.chooser.pick(("none", "none", "none", "none", "time", "time", "events", "clock", "price")):
            case "none":
                return None
            case "time" if self.chooser.chance(40):
                return Window(self.chooser.pick((1, 500, 1500, 2000)), "MILLISECONDS")
            case "time":
                return Window(length, "SECONDS")
            case "events":
                return Window(length, "EVENTS")
            case attribute:
                return Window(length, attribute=attribute)

    def selecting(self, query: Query) -> Query:
        """The query with `*`, with variables, or with aggregates."""
        names = sorted(variables(query.formula))
        match self.chooser.pick(("*", "*", "variables", "variables", "aggregates")):
            case "variables":
                chosen = {self.chooser.pick(names) for _ in range(self.chooser.integer(1, 2))}
                return replace(query, select=tuple(sorted(chosen)))
            case "aggregates":
                aggregates = tuple(self.aggregate(names) for _ in range(self.chooser.integer(1, 3)))
                return replace(query, aggregates=tuple(dict.fromkeys(aggregates)), group_by=self.group_by(query))
        return query

    def aggregate(self, names: Several[str]) -> Aggregate:
        """COUNT(*), or a function of an attribute."""
        if self.chooser.chance(40):
            return Aggregate("COUNT")
        function = self.chooser.pick(FUNCTIONS)
        attribute = self.chooser.pick(("price", "volume", "name" if function in ("COUNT", "MIN", "MAX") else "price"))
        return Aggregate(function, Attribute(attribute, self.chooser.pick(names)))

    def group_by(self, query: Query) -> tuple[Attribute, ...]:
        """Nothing, or an attribute or two of variables that have one position at most."""
        single = sorted(name for name in variables(query.formula) if most_held(query.formula, name) == 1)
        if not single or self.chooser.chance(50):
            return ()
        drawn = [Attribute(self.chooser.pick(("volume", "name")), self.chooser.pick(single)) for _ in range(2)]
        return tuple(dict.fromkeys(drawn[: self.chooser.integer(1, 2)]))

    def events(self, query: Query, count: int) -> tuple[Event, ...]:
        """A stream, mostly of the query's types, with equal times and NULLs; `clock` does not fall, `price` may."""
        types = sorted({part.name for part in walk_formulas(query.formula) if isinstance(part, Relation)})
        time, clock, events = self.chooser.integer(0, 2) * SECOND, self.chooser.integer(-2, 2), []
        for _ in range(count):
            time += self.chooser.pick((SECOND, 0, SECOND // 2, 2 * SECOND))
            clock += self.chooser.pick((1, 0, 2))
            kind = self.chooser.pick("ABC") if self.chooser.chance(10) else self.chooser.pick(types)
            events.append(Event(kind, time, MappingProxyType(self.attributes(clock))))
        return tuple(events)

    def attributes(self, clock: int) -> dict[str, Value]:
        """The attributes of an event; each but for the name of the type may be NULL."""
        values: dict[str, Value] = {
            "price": self.chooser.pick(NUMBERS),
            "volume": self.chooser.integer(1, 2),
            "name": self.chooser.pick(NAMES),
            "clock": clock,
        }
        return {name: None if self.chooser.chance(6) else value for name, value in values.items()}


def is_all(formula: Formula) -> bool:
    """Whether a formula is an ALL, perhaps named or filtered."""
    return isinstance(formula, All) or (isinstance(formula, As | Filter) and is_all(formula.body))


def joined(query: Query, chance: Random) -> Query:
    """The query with FILTERs around the whole by which variables, mostly all, have one value of an attribute."""
    names = sorted(variables(query.formula))
    chance.shuffle(names)
    if chance.random() < 0.2:
        names.pop()
    attribute = chance.choice(("name", "volume"))
    formula = query.formula
    for number, name in enumerate(names[1:]):
        other = Attribute(attribute, names[chance.randrange(number + 1)])
        formula = Filter(formula, FilterOn(name, Comparison("=", Attribute(attribute), other)))
    return replace(query, formula=formula)


def mixed(query: Query, chance: Random) -> Query:
    """The query with a FILTER around the whole whose sides mix attributes of several variables."""
    names = sorted(variables(query.formula))
    chance.shuffle(names)
    predicate: Predicate = _mixed_comparison(names, chance)
    match chance.randrange(6):
        case 0:
            predicate = Either(predicate, _mixed_comparison(names, chance))
        case 1:
            predicate = Both(predicate, _mixed_comparison(names, chance))
        case 2:
            predicate = Not(predicate)
    return replace(query, formula=Filter(query.formula, FilterOn(names[0], predicate)))


def _mixed_comparison(names: Several[str], chance: Random) -> Comparing:
    """``own.x ∘ b.y ∘ c.z``, the names on whatever side; or whether such a number is NULL."""
    operands: list[Operand] = [Attribute(chance.choice(NUMERIC), name) for name in names[: chance.choice((2, 3, 3, 4))]]
    if chance.random() < 0.3:
        operands.append(Constant(chance.choice(NUMBERS)))
    chance.shuffle(operands)
    split = chance.randrange(1, len(operands)) if len(operands) > 1 else 1
    left, right = _calculated(operands[:split], chance), _calculated(operands[split:] or [Constant(0)], chance)
    if chance.random() < 0.1:
        return IsNull(left, chance.random() < 0.5)
    return Comparison(chance.choice(("<", "<", ">", ">=", "<=", "=", "!=")), left, right)


def _calculated(operands: Several[Operand], chance: Random) -> Operand:
    found = operands[0]
    for each in operands[1:]:
        found = Arithmetic(chance.choice(("+", "+", "-", "*", "/")), found, each)
    return Negative(found) if chance.random() < 0.1 else found


def most_held(formula: Formula, variable: str | None) -> float:
    """How many positions a variable may have in a valuation at most; None: all variables together."""
    below = [most_held(part, variable) for part in parts(formula)]
    match formula:
        case Relation(name):
            return 1 if variable in (None, name) else 0
        case As(body, name) if variable == name:
            return most_held(body, None)
        case Or():
            return max(below)
        case Kleene() | ContiguousKleene():
            return float("inf") if below[0] else 0
    return sum(below)
