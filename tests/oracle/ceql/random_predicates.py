"""Random predicates and conditions: on single events, and between the members of variables."""

from __future__ import annotations

from collections.abc import Sequence

from ..chooser import Chooser
from .model import AllFilters, AnyFilter, Condition, FilterOn
from .predicates import (
    OPPOSITES,
    Arithmetic,
    Attribute,
    Both,
    Comparing,
    Comparison,
    Constant,
    Either,
    In,
    InRange,
    IsNull,
    Like,
    Negative,
    Not,
    Operand,
    Predicate,
)

NUMERIC = ("price", "volume")
NUMBERS = (1, 0, 2, -1, 0.5, -2)
NAMES = ("a", "b", "ab")
PATTERNS = ("a%", "%b", "_", "a_", "%", "ab", "%'%")
KINDS = ("comparison",) * 5 + ("name", "name", "like", "in", "in", "range", "null")


class Conditions:
    """Makes the conditions of FILTERs."""

    def __init__(self, chooser: Chooser) -> None:
        self.chooser = chooser

    def condition(self, variables: Sequence[str]) -> Condition:
        """One filter or two; between variables in about half of the cases where there are several."""
        first = self.filter_on(variables)
        if not self.chooser.chance(25):
            return first
        second = self.filter_on(variables)
        return AnyFilter(first, second) if self.chooser.chance(35) else AllFilters(first, second)

    def filter_on(self, variables: Sequence[str]) -> FilterOn:
        """A predicate on one of the variables that may name the others."""
        own = self.chooser.pick(variables)
        others = [name for name in variables if name != own]
        return FilterOn(own, self.predicate(others if self.chooser.chance(50) else [], 2))

    def predicate(self, others: Sequence[str], depth: int) -> Predicate:
        """A comparison, or some combined."""
        if depth == 0 or not self.chooser.chance(35):
            return self.between(others) if others and self.chooser.chance(70) else self.alone()
        match self.chooser.pick(("AND", "OR", "NOT")):
            case "AND":
                return Both(self.predicate(others, depth - 1), self.predicate(others, depth - 1))
            case "OR":
                return Either(self.predicate(others, depth - 1), self.predicate(others, depth - 1))
        return Not(self.predicate(others, depth - 1))

    def between(self, others: Sequence[str]) -> Comparison:
        """A comparison with another variable's attribute, which may be on either side."""
        other = self.chooser.pick(others)
        if self.chooser.chance(20):
            return Comparison(self.chooser.pick(("=", "!=", "<")), Attribute("name"), Attribute("name", other))
        own: Operand = Attribute(self.chooser.pick(NUMERIC))
        foreign: Operand = Attribute(self.chooser.pick(NUMERIC), other)
        if self.chooser.chance(25):
            foreign = Arithmetic(self.chooser.pick(("+", "-", "*")), foreign, self.number())
        left, right = (foreign, own) if self.chooser.chance(30) else (own, foreign)
        return Comparison(self.chooser.pick(("<", ">", "<=", ">=", "=", "!=")), left, right)

    def alone(self) -> Comparing:
        """A comparison of one event's attributes with constants or each other."""
        negated = self.chooser.chance(25)
        match self.chooser.pick(KINDS):
            case "comparison":
                return Comparison(self.chooser.pick(tuple(OPPOSITES)), self.operand(), self.number())
            case "name":
                constant = Constant(self.chooser.pick(NAMES))
                return Comparison(self.chooser.pick(("=", "=", "!=", "<=")), Attribute("name"), constant)
            case "like":
                return Like(Attribute("name"), self.chooser.pick(PATTERNS), negated)
            case "in" if self.chooser.chance(50):
                return In(Attribute("name"), self.some(NAMES), negated)
            case "in":
                return In(Attribute(self.chooser.pick(NUMERIC)), self.some(NUMBERS), negated)
            case "range":
                return InRange(Attribute(self.chooser.pick(NUMERIC)), self.number(), self.number(), negated)
        return IsNull(Attribute(self.chooser.pick((*NUMERIC, "name"))), negated)

    def some(self, values: Sequence[int | float | str]) -> tuple[int | float | str, ...]:
        """One to three of the values, different ones."""
        drawn = [self.chooser.pick(values) for _ in range(self.chooser.integer(1, 3))]
        return tuple(dict.fromkeys(drawn))

    def number(self) -> Constant:
        """A constant number."""
        return Constant(self.chooser.pick(NUMBERS))

    def operand(self) -> Operand:
        """An attribute, or something calculated from one or two."""
        attribute = Attribute(self.chooser.pick(NUMERIC))
        if not self.chooser.chance(25):
            return attribute
        if self.chooser.chance(20):
            return Negative(attribute)
        right = Attribute(self.chooser.pick(NUMERIC)) if self.chooser.chance(50) else self.number()
        return Arithmetic(self.chooser.pick(("+", "-", "*", "/")), attribute, right)
