"""Predicates on tuples: `price > 10 AND name LIKE 'A%'`; `a < Y.b` compares with the members of another variable.

Names without a variable are attributes of the member at hand. Truth is that of SQL: what is compared with NULL is
neither true nor false, and a filter needs truth. So a negation is pushed down to the comparisons (`normal`), where
NULL satisfies neither a comparison nor its opposite; no third truth value is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

Value = int | float | str | None
OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True)
class Attribute:
    """`name`, or `variable.name`."""

    name: str
    variable: str | None = None


@dataclass(frozen=True)
class Constant:
    """A number, negative too, or a string."""

    value: int | float | str


@dataclass(frozen=True)
class Negative:
    """`-operand`."""

    operand: Operand


@dataclass(frozen=True)
class Arithmetic:
    """`left operator right`, operator one of `+ - * /`."""

    operator: str
    left: Operand
    right: Operand


Operand = Attribute | Constant | Negative | Arithmetic


@dataclass(frozen=True)
class Comparison:
    """`left operator right`, operator a key of OPPOSITES."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Like:
    """`operand [NOT] LIKE 'pattern'`: `%` any characters, `_` one, all others themselves."""

    operand: Operand
    pattern: str
    negated: bool = False


@dataclass(frozen=True)
class In:
    """`operand [NOT] IN {values}`."""

    operand: Operand
    values: tuple[int | float | str, ...]
    negated: bool = False


@dataclass(frozen=True)
class InRange:
    """`operand [NOT] IN RANGE(least, most)`, both ends included."""

    operand: Operand
    least: Operand
    most: Operand
    negated: bool = False


@dataclass(frozen=True)
class IsNull:
    """`operand IS [NOT] NULL`."""

    operand: Operand
    negated: bool = False


Comparing = Comparison | Like | In | InRange | IsNull


@dataclass(frozen=True)
class Both:
    """`left AND right`."""

    left: Predicate
    right: Predicate


@dataclass(frozen=True)
class Either:
    """`left OR right`."""

    left: Predicate
    right: Predicate


@dataclass(frozen=True)
class Not:
    """`NOT body`."""

    body: Predicate


Predicate = Comparing | Both | Either | Not
Attributes = Mapping[str, Value]
Members = Mapping[str | None, Attributes]


def holds_for_all(predicate: Predicate, own: str, members: Mapping[str, Sequence[Attributes]]) -> bool:
    """Whether own's predicate holds for every choice of one member of each variable it names.

    members: the attributes of the members by variable. What is unqualified, or qualified with own, is the member's of
    own. A comparison that names another variable without members holds: there is no pair for which it fails. If own
    has no members, everything holds.
    """
    others = sorted(name for name in names(predicate) if name not in (None, own) and members[name])
    plain = normal(predicate)
    for member, *choice in product(*(members[name] for name in (own, *others))):
        if not _true(plain, {None: member, own: member, **dict(zip(others, choice, strict=True))}):
            return False
    return True


def normal(predicate: Predicate, negated: bool = False) -> Predicate:
    """The predicate, or its negation, without Not."""
    match predicate:
        case Not(body):
            return normal(body, not negated)
        case Both(left, right) | Either(left, right):
            kind = type(predicate) if not negated else Either if isinstance(predicate, Both) else Both
            return kind(normal(left, negated), normal(right, negated))
        case Comparison(operator):
            return replace(predicate, operator=OPPOSITES[operator]) if negated else predicate
        case Like() | In() | InRange() | IsNull():
            return replace(predicate, negated=not predicate.negated) if negated else predicate


def _true(predicate: Predicate, members: Members) -> bool:
    match predicate:
        case Both(left, right):
            return _true(left, members) and _true(right, members)
        case Either(left, right):
            return _true(left, members) or _true(right, members)
        case Not():
            raise ValueError("not in normal form")
    return not names(predicate) <= members.keys() or _compares(predicate, members)


def _compares(comparing: Comparing, members: Members) -> bool:
    values = [value_of(operand, members) for operand in operands(comparing)]
    if isinstance(comparing, IsNull):
        return (values[0] is None) != comparing.negated
    if None in values:
        return False
    match comparing:
        case Comparison(operator):
            return compare(operator, values[0], values[1])
        case Like(_, pattern, negated):
            return isinstance(values[0], str) and is_like(values[0], pattern) != negated
        case In(_, options, negated):
            return any(compare("=", values[0], option) for option in options) != negated
        case InRange(_, _, _, negated):
            return (compare(">=", values[0], values[1]) and compare("<=", values[0], values[2])) != negated


def compare(operator: str, left: Value, right: Value) -> bool:
    """Whether two values compare so: numbers by value, strings by code points; NULL, or number and string, never."""
    if left is None or right is None or isinstance(left, str) != isinstance(right, str):
        return False
    less, equal = left < right, left == right  # type: ignore[operator]
    truth = {"=": equal, "!=": not equal, "<": less, ">=": not less, ">": not less and not equal, "<=": less or equal}
    return truth[operator]


def is_like(text: str, pattern: str) -> bool:
    """SQL's LIKE."""
    expression = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def value_of(operand: Operand, members: Members) -> Value:
    """The value of an operand; NULL for arithmetic with NULL or a string, and for division by zero."""
    match operand:
        case Attribute(name, variable):
            return members[variable].get(name)
        case Constant(value):
            return value
        case Negative(inner):
            return calculate("-", 0, value_of(inner, members))
        case Arithmetic(operator, left, right):
            return calculate(operator, value_of(left, members), value_of(right, members))


def calculate(operator: str, left: Value, right: Value) -> Value:
    """`left operator right`; `/` does not round."""
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return left / right if right else None


def operands(comparing: Comparing) -> tuple[Operand, ...]:
    """What a comparison compares."""
    match comparing:
        case Comparison(_, left, right):
            return left, right
        case InRange(operand, least, most):
            return operand, least, most
    return (comparing.operand,)


def walk_predicates(predicate: Predicate) -> Iterator[Predicate]:
    """The predicate and all below it."""
    yield predicate
    match predicate:
        case Both(left, right) | Either(left, right):
            yield from walk_predicates(left)
            yield from walk_predicates(right)
        case Not(body):
            yield from walk_predicates(body)


def walk_operands(operand: Operand) -> Iterator[Operand]:
    """The operand and all below it."""
    yield operand
    match operand:
        case Negative(inner):
            yield from walk_operands(inner)
        case Arithmetic(_, left, right):
            yield from walk_operands(left)
            yield from walk_operands(right)


def names(predicate: Predicate) -> frozenset[str | None]:
    """The variables that a predicate's attributes are qualified with, None for none."""
    found: set[str | None] = set()
    for part in walk_predicates(predicate):
        if not isinstance(part, Both | Either | Not):
            for operand in operands(part):
                found |= {inner.variable for inner in walk_operands(operand) if isinstance(inner, Attribute)}
    return frozenset(found)
