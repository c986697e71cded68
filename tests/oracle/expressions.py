"""Expressions of stateful filters and of SELECT: small trees over terms, variables, PREV, FIRST and aggregates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Iri:
    """An IRI, without angle brackets."""

    text: str


@dataclass(frozen=True)
class Const:
    """A constant: an integer, a decimal, a boolean, a plain string or an IRI."""

    value: int | Decimal | bool | str | Iri


@dataclass(frozen=True)
class Var:
    """`?name`."""

    name: str


@dataclass(frozen=True)
class Prev:
    """`PREV(?name)`: the value of the previous iteration."""

    name: str


@dataclass(frozen=True)
class First:
    """`FIRST(?name)` in a filter of a Kleene body: the value of the first iteration."""

    name: str


@dataclass(frozen=True)
class Aggregate:
    """`FUNCTION(?name)` or, with distinct, `FUNCTION(DISTINCT ?name)`; name None is `COUNT(*)`.

    Instead of a name there may be an expression over variables.
    """

    function: str
    name: str | Expression | None
    distinct: bool = False

    @property
    def names(self) -> set[str]:
        """The variables that it is of."""
        if self.name is None or isinstance(self.name, str):
            return set() if self.name is None else {self.name}
        return plain_variables(self.name)


@dataclass(frozen=True)
class Binary:
    """`left operator right` for `= != < <= > >= + - * / && ||`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Negated:
    """`!operand`."""

    operand: Expression


@dataclass(frozen=True)
class Bound:
    """`BOUND(operand)` of a variable or PREV."""

    operand: Var | Prev | First


@dataclass(frozen=True)
class Coalesce:
    """`COALESCE(operands…)`."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class If:
    """`IF(condition, then, otherwise)`."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Const | Var | Prev | First | Aggregate | Binary | Negated | Bound | Coalesce | If


def children(expression: Expression) -> tuple[Expression, ...]:
    """The direct operands."""
    match expression:
        case Binary(_, left, right):
            return left, right
        case Negated(operand) | Bound(operand):
            return (operand,)
        case Coalesce(operands):
            return operands
        case If(condition, then, otherwise):
            return condition, then, otherwise
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all it is made of."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def plain_variables(expression: Expression) -> set[str]:
    """Names mentioned as `?name`, outside PREV, FIRST and aggregates."""
    return {part.name for part in walk(expression) if isinstance(part, Var)}


def names_in(expression: Expression) -> set[str]:
    """The variables an expression names, also in aggregates; not those of PREV and FIRST."""
    aggregates = (part for part in walk(expression) if isinstance(part, Aggregate))
    return plain_variables(expression).union(*(part.names for part in aggregates))


def reads_history(expression: Expression) -> bool:
    """Whether PREV, FIRST or an aggregate occurs."""
    return any(isinstance(part, Prev | First | Aggregate) for part in walk(expression))
