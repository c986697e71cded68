"""Conditions on tuples: what an event of a typed stream must satisfy, alone or together with others.

Logic has three values, as in SQL: whatever is compared with NULL is unknown, NOT of unknown is unknown, and only what
is true is satisfied.  Nothing here evaluates anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of a column: of the event itself, or of the events that ``variable`` holds."""

    name: str
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, text or truth value; never NULL.  Integers are exact, all other numbers doubles."""

    value: int | float | str | bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``left operator right`` with one of ``+ - * / %``."""

    operator: str
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Negative:
    """``-value``."""

    value: Value


Value = Attribute | Constant | Arithmetic | Negative


# ── predicates ───────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right`` with one of ``= != < <= > >=``."""

    operator: str
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Like:
    """SQL's LIKE: in ``pattern``, ``%`` is any text, ``_`` one character, and a backslash takes both literally."""

    value: Value
    pattern: str


@dataclass(frozen=True, slots=True)
class In:
    """The value equals one of the constants."""

    value: Value
    constants: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class IsNull:
    """The value is NULL; never unknown."""

    value: Value


@dataclass(frozen=True, slots=True)
class Not:
    """``NOT predicate``."""

    predicate: Predicate


@dataclass(frozen=True, slots=True)
class And:
    """All parts; none: true."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part; none: false."""

    parts: tuple[Predicate, ...]


Predicate = Comparison | Like | In | IsNull | Not | And | Or
TRUE = And(())


def conjunction(*parts: Predicate) -> Predicate:
    """``And`` of the parts, those that are ``And`` themselves taken apart; a single part is itself."""
    found = tuple(_flat(parts, And))
    return found[0] if len(found) == 1 else And(found)


def disjunction(*parts: Predicate) -> Predicate:
    """``Or`` of the parts, those that are ``Or`` themselves taken apart; a single part is itself."""
    found = tuple(_flat(parts, Or))
    return found[0] if len(found) == 1 else Or(found)


def _flat(parts: tuple[Predicate, ...], kind: type[And] | type[Or]) -> Iterator[Predicate]:
    for part in parts:
        yield from part.parts if isinstance(part, kind) else (part,)


def attributes(node: Predicate | Value) -> Iterator[Attribute]:
    """The attributes that ``node`` reads, from left to right, repetitions too."""
    match node:
        case Attribute():
            yield node
        case Arithmetic(_, left, right) | Comparison(_, left, right):
            yield from attributes(left)
            yield from attributes(right)
        case And(parts) | Or(parts):
            for part in parts:
                yield from attributes(part)
        case Negative(inner) | Like(inner, _) | In(inner, _) | IsNull(inner) | Not(inner):
            yield from attributes(inner)


def local(predicate: Predicate) -> Predicate:
    """``predicate`` with all its attributes read from the event itself."""
    return mapped(predicate, lambda attribute: Attribute(attribute.name))


def local_value(value: Value) -> Value:
    """``value`` with all its attributes read from the event itself."""
    return _mapped(value, lambda attribute: Attribute(attribute.name))


def renamed(predicate: Predicate, variable: str, name: str) -> Predicate:
    """``predicate`` with ``variable`` called ``name``."""
    return mapped(
        predicate, lambda attribute: Attribute(attribute.name, name) if attribute.variable == variable else attribute
    )


def mapped(predicate: Predicate, change: Callable[[Attribute], Attribute]) -> Predicate:
    """``predicate`` with every attribute changed."""
    match predicate:
        case Comparison(operator, left, right):
            return Comparison(operator, _mapped(left, change), _mapped(right, change))
        case Like(value, pattern):
            return Like(_mapped(value, change), pattern)
        case In(value, constants):
            return In(_mapped(value, change), constants)
        case IsNull(value):
            return IsNull(_mapped(value, change))
        case Not(inner):
            return Not(mapped(inner, change))
        case And(parts):
            return And(tuple(mapped(part, change) for part in parts))
        case Or(parts):
            return Or(tuple(mapped(part, change) for part in parts))


def _mapped(value: Value, change: Callable[[Attribute], Attribute]) -> Value:
    match value:
        case Attribute():
            return change(value)
        case Arithmetic(operator, left, right):
            return Arithmetic(operator, _mapped(left, change), _mapped(right, change))
        case Negative(inner):
            return Negative(_mapped(inner, change))
        case Constant():
            return value


# ── negation, by SQL's logic: NULL satisfies neither a comparison nor its opposite ───────────────────────
OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def normal(predicate: Predicate, negated: bool = False) -> Predicate:
    """The predicate, or what is true where it is false, with NOT before single LIKE, IN and IS NULL only."""
    match predicate:
        case Not(inner):
            return normal(inner, not negated)
        case And(parts) | Or(parts):
            kind = Or if isinstance(predicate, And) == negated else And
            return kind(tuple(normal(part, negated) for part in parts))
        case Comparison(operator, left, right) if negated:
            return Comparison(OPPOSITES[operator], left, right)
    return Not(predicate) if negated else predicate
