"""The oracle's own model of a CEQL query and of a tuple."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .predicates import Attribute, Operand, Predicate, Value, walk_operands

STRATEGIES = ("ALL", "ANY", "NEXT", "LAST", "MAX", "STRICT")
POLICIES = ("NONE", "ANY", "PARTITION")
FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
MICROSECONDS = {
    "MILLISECONDS": 10**3,
    "SECONDS": 10**6,
    "MINUTES": 60 * 10**6,
    "HOURS": 3600 * 10**6,
    "DAYS": 24 * 3600 * 10**6,
}


@dataclass(frozen=True)
class Relation:
    """`R`: one event of this type. Its name is a variable too."""

    name: str


@dataclass(frozen=True)
class As:
    """`body AS variable`."""

    body: Formula
    variable: str


@dataclass(frozen=True)
class Filter:
    """`body FILTER condition`."""

    body: Formula
    condition: Condition


@dataclass(frozen=True)
class Or:
    """`left OR right`."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class All:
    """`left ALL right`, in any order, also with positions in both."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Sequence:
    """`left ; right`, non-contiguous."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Contiguous:
    """`left : right`."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Kleene:
    """`body+`, non-contiguous."""

    body: Formula

    def __post_init__(self) -> None:
        refuse_all(self.body)


@dataclass(frozen=True)
class ContiguousKleene:
    """`body:+`."""

    body: Formula

    def __post_init__(self) -> None:
        refuse_all(self.body)


Formula = Relation | As | Filter | Or | All | Sequence | Contiguous | Kleene | ContiguousKleene


def refuse_all(body: Formula) -> None:
    """An error if it is an ALL, which may not be repeated."""
    if isinstance(body, All):
        raise ValueError("+ on an ALL")


@dataclass(frozen=True)
class FilterOn:
    """`variable[predicate]`; the predicate's unqualified attributes are those of the variable's members."""

    variable: str
    predicate: Predicate


@dataclass(frozen=True)
class AllFilters:
    """`left AND right` between filters."""

    left: Condition
    right: Condition


@dataclass(frozen=True)
class AnyFilter:
    """`left OR right` between filters."""

    left: Condition
    right: Condition


Condition = FilterOn | AllFilters | AnyFilter


@dataclass(frozen=True)
class Window:
    """`WITHIN length unit`; unit is one of MICROSECONDS or `EVENTS`, or empty where an attribute measures."""

    length: int
    unit: str = ""
    attribute: str | None = None

    def __post_init__(self) -> None:
        if (self.unit == "") == (self.attribute is None) or self.unit not in ("", "EVENTS", *MICROSECONDS):
            raise ValueError(f"a window is in a unit or in an attribute: {self}")


@dataclass(frozen=True)
class Aggregate:
    """`function(operand)` over matches, the operand of one variable's attributes; `COUNT(*)` where there is none."""

    function: str
    operand: Operand | None = None

    @property
    def variable(self) -> str:
        """Of which events it is."""
        attributes = [] if self.operand is None else walk_operands(self.operand)
        return next((part.variable or "" for part in attributes if isinstance(part, Attribute)), "")


@dataclass(frozen=True)
class Query:
    """A whole query.

    select: the projected variables, None for `*`; aggregates, if any, are selected instead of variables. strategy and
    consume None: not written, which means ALL and NONE. streams are names only: the events given are those of them all.
    """

    formula: Formula
    select: tuple[str, ...] | None = None
    strategy: str | None = None
    partition_by: tuple[str, ...] = ()
    within: Window | None = None
    limit: int | None = None
    consume: str | None = None
    aggregates: tuple[Aggregate, ...] = ()
    group_by: tuple[Attribute, ...] = ()
    streams: tuple[str, ...] = ("S",)

    def __post_init__(self) -> None:
        if self.aggregates and self.select is not None:
            raise ValueError("a query selects variables or aggregates")
        if self.group_by and not self.aggregates:
            raise ValueError("GROUP BY needs an aggregate")
        if self.limit is not None and self.limit < 1:
            raise ValueError("LIMIT is a positive integer")


@dataclass(frozen=True)
class Event:
    """A tuple: its type, its time in microseconds, its attributes (None, or not there: NULL)."""

    type: str
    time: int = 0
    attributes: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))


def parts(formula: Formula) -> tuple[Formula, ...]:
    """The direct operands of a formula."""
    match formula:
        case Relation():
            return ()
        case Or(left, right) | All(left, right) | Sequence(left, right) | Contiguous(left, right):
            return left, right
    return (formula.body,)


def walk_formulas(formula: Formula) -> Iterator[Formula]:
    """The formula and all below it."""
    yield formula
    for part in parts(formula):
        yield from walk_formulas(part)


def has_all(formula: Formula) -> bool:
    """Whether the formula has an ALL."""
    return any(isinstance(part, All) for part in walk_formulas(formula))


def filters_in(condition: Condition) -> tuple[FilterOn, ...]:
    """The single filters of a condition."""
    match condition:
        case FilterOn():
            return (condition,)
        case AllFilters(left, right) | AnyFilter(left, right):
            return filters_in(left) + filters_in(right)


def variables(formula: Formula) -> frozenset[str]:
    """The variables that the formula can give positions to: names of relations and of AS."""
    below = frozenset(name for part in parts(formula) for name in variables(part))
    match formula:
        case Relation(name) | As(_, name):
            return below | {name}
    return below
