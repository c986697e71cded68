"""What a query over tuples means (CEQL), free of text positions: formulas, filters and the clauses around them.

A formula as written is made of Relation, Named, Filtered, Alternation, Sequencing, Unordered and Iteration.  In normal
form there are Picks instead of relations and names, and filters only where they correlate events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from spaseq.pattern.formulas.parameters import Length, Parameters
from spaseq.pattern.formulas.predicates import TRUE, Attribute, Predicate, Value, attributes, local_value


# ── filters ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class ForAll:
    """The predicate holds for all choices of one event out of each of the variables; one without events: it holds."""

    variables: tuple[str, ...]
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of the filters."""

    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the filters."""

    filters: tuple[Filter, ...]


Filter = ForAll | AllOf | AnyOf


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Relation:
    """One event of a type (of any stream, if ``stream`` is None), held by the variable of that name."""

    type: str
    stream: str | None = None

    @property
    def variables(self) -> frozenset[str]:
        """The variables that hold the event: ``T``, and ``S>T`` if the stream is given."""
        return frozenset((self.type,) if self.stream is None else (self.type, f"{self.stream}>{self.type}"))


@dataclass(frozen=True, slots=True)
class Pick:
    """One event of a type that satisfies ``predicate`` (on its own attributes), held by all of ``variables``."""

    type: str
    stream: str | None = None
    variables: frozenset[str] = frozenset()
    predicate: Predicate = TRUE


@dataclass(frozen=True, slots=True)
class Named:
    """``body AS variable``: the variable holds, besides what it holds already, all events of ``body``."""

    body: Formula
    variable: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """``body FILTER filter``."""

    body: Formula
    filter: Filter


@dataclass(frozen=True, slots=True)
class Alternation:
    """``left OR right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Sequencing:
    """``left ; right``, or ``left : right`` if contiguous."""

    left: Formula
    right: Formula
    contiguous: bool = False


@dataclass(frozen=True, slots=True)
class Unordered:
    """``left ALL right``: the events of both, in any order (semantics.md 3.6)."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Iteration:
    """``body+``, or ``body:+`` if contiguous."""

    body: Formula
    contiguous: bool = False


Formula = Relation | Pick | Named | Filtered | Alternation | Sequencing | Unordered | Iteration


def parts(formula: Formula) -> Iterator[Formula]:
    """The formula and all formulas in it, from left to right."""
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        yield part
        match part:
            case Named(body) | Filtered(body) | Iteration(body):
                waiting.append(body)
            case Alternation(left, right) | Sequencing(left, right) | Unordered(left, right):
                waiting += right, left


def bound(formula: Formula) -> frozenset[str]:
    """The variables that may hold events of ``formula``."""
    names: set[str] = set()
    for part in parts(formula):
        if isinstance(part, Relation | Pick):
            names |= part.variables
        elif isinstance(part, Named):
            names.add(part.variable)
    return frozenset(names)


def named_in(formula: Formula) -> frozenset[str]:
    """The variables that AS names."""
    return frozenset(part.variable for part in parts(formula) if isinstance(part, Named))


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
class SelectionStrategy(Enum):
    """Which of the results with one end are kept (semantics.md 5)."""

    ALL = "ALL"
    ANY = "ANY"
    NEXT = "NEXT"
    LAST = "LAST"
    MAX = "MAX"
    STRICT = "STRICT"


class Consumption(Enum):
    """Which partial matches a position with results drops."""

    NONE = "NONE"
    ANY = "ANY"
    PARTITION = "PARTITION"


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """``end - start`` is at most so many microseconds."""

    microseconds: int


@dataclass(frozen=True, slots=True)
class EventWindow:
    """``end - start`` is at most so many positions (of the partition, if there are any)."""

    positions: int


@dataclass(frozen=True, slots=True)
class AttributeWindow:
    """The attribute grows by at most ``length`` from the event at ``start`` to that at ``end``."""

    length: int | float
    attribute: str


Window = TimeWindow | EventWindow | AttributeWindow


@dataclass(frozen=True, slots=True)
class MatchAggregate:
    """A function over all matches with one end: ``COUNT`` of the matches, or of a value of one variable's events."""

    function: str
    value: Value | None
    name: str

    @property
    def variable(self) -> str | None:
        """The variable whose events have the value."""
        return None if self.value is None else next(attributes(self.value)).variable

    @property
    def operand(self) -> str | None:
        """What it is of, whatever the variable: an attribute by its name, what is calculated behind a line end.

        No name that a query can write has a line end.
        """
        if self.value is None or isinstance(self.value, Attribute):
            return None if self.value is None else self.value.name
        return f"\n{local_value(self.value)!r}"


@dataclass(frozen=True, slots=True)
class GroupKey:
    """An attribute by which matches are grouped, and its name in the result if it is shown."""

    attribute: Attribute
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Projected:
    """An attribute of SELECT beside variables, and its name in the result."""

    attribute: Attribute
    name: str


@dataclass(frozen=True, slots=True)
class FormulaQuery:
    """A checked query.

    ``variables``: those of SELECT, and those whose attributes it has; None is ``*``.  ``columns`` is what SELECT has,
    in its order, if there are attributes.  With ``aggregates`` there is one row for each end (and group), and
    ``variables`` is empty.  No ``streams``: all.  With ``given`` it stands for one query for each row
    (``binding.bound``), and has Placeholders for its constants.
    """

    formula: Formula
    streams: tuple[str, ...] = ()
    strategy: SelectionStrategy = SelectionStrategy.ALL
    variables: tuple[str, ...] | None = None
    aggregates: tuple[MatchAggregate, ...] = ()
    group_by: tuple[GroupKey, ...] = ()
    partition: tuple[str, ...] = ()
    window: Window | None = None
    limit: int | None = None
    consume: Consumption = field(default=Consumption.NONE)
    columns: tuple[str | Projected, ...] = ()
    given: Parameters | None = field(default=None, repr=False)  # fingerprints of queries without it are those of ever

    @property
    def projected(self) -> tuple[Projected, ...]:
        """The attributes among ``columns``."""
        return tuple(column for column in self.columns if isinstance(column, Projected))

    @property
    def lengths(self) -> tuple[Length, ...]:
        """What is given of the length of the window."""
        return () if self.given is None else self.given.lengths

    @property
    def forgets(self) -> bool:
        """Whether windows move on for ever, all together, so that events are done with some time."""
        if isinstance(self.window, EventWindow):
            return not self.partition
        return isinstance(self.window, TimeWindow)

    @property
    def consumption(self) -> Consumption:
        """What is dropped, said by whether there are partitions: without them all events are one."""
        one = self.consume is Consumption.PARTITION and not self.partition
        return Consumption.ANY if one else self.consume


def is_fresh(name: str) -> bool:
    """Whether the normal form made up the name of the variable: results do not show it."""
    return "\n" in name
