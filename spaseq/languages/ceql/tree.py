"""The syntax tree of CEQL: what was written, with its place.  Spans do not count in comparisons.

Of two spellings of one thing (``==`` and ``=``, ``IN {…}`` and ``IN (…)``) the tree keeps the thing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spaseq.languages.node import Node as Node, Span

POLICIES = ("ANY", "PARTITION", "NONE")
AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Name(Node):
    """The name of a stream, of an attribute, or one given by AS; without backquotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """``T`` or ``S>T``: in a formula an event of type T, elsewhere the variable of that name."""

    name: str
    stream: str | None = None

    @property
    def variable(self) -> str:
        """The name of the variable."""
        return self.name if self.stream is None else f"{self.stream}>{self.name}"


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """``name`` within ``x[…]``, or ``x.name`` (``variable`` is x)."""

    name: str
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as written, with its sign if that touches it."""

    text: str


@dataclass(frozen=True, slots=True)
class Text(Node):
    """``'…'``; ``value`` is unescaped."""

    value: str


@dataclass(frozen=True, slots=True)
class Boolean(Node):
    """``TRUE`` or ``FALSE``."""

    value: bool


@dataclass(frozen=True, slots=True)
class Null(Node):
    """``NULL``: parsed, so that the refusal can say what to write instead."""


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """``$name`` of GIVEN, where a constant of its rows is to stand."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """``OR``, ``AND``, ``NOT``, a comparison (one of COMPARISONS), or arithmetic, with one or two operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Like(Node):
    """``operand [NOT] LIKE 'pattern'``."""

    operand: Expression
    pattern: Text | Parameter
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Membership(Node):
    """``operand [NOT] IN (items)``."""

    operand: Expression
    items: tuple[Constant | Parameter, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Interval(Node):
    """``operand [NOT] BETWEEN low AND high``, both included; one of the bounds may be None (``IN {low..}``)."""

    operand: Expression
    low: Expression | None
    high: Expression | None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull(Node):
    """``operand IS [NOT] NULL``."""

    operand: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Test(Node):
    """``x[condition]``: what all events of x must satisfy."""

    variable: Reference
    condition: Expression


Constant = Number | Text | Boolean | Null
Expression = Constant | Parameter | Attribute | Operation | Like | Membership | Interval | IsNull | Test


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Named(Node):
    """``body AS name``."""

    body: Formula
    name: Name


@dataclass(frozen=True, slots=True)
class Filtered(Node):
    """``body FILTER condition``."""

    body: Formula
    condition: Expression


@dataclass(frozen=True, slots=True)
class Alternatives(Node):
    """``left OR right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Unordered(Node):
    """``left ALL right``."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Steps(Node):
    """``left ; right``, or ``left : right`` if contiguous; the operator stands at ``operator_span``."""

    left: Formula
    contiguous: bool
    right: Formula
    operator_span: Span = field(default=Span(0, 0), compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Repeated(Node):
    """``body+``, or ``body:+`` if contiguous."""

    body: Formula
    contiguous: bool = False


Formula = Reference | Named | Filtered | Alternatives | Unordered | Steps | Repeated


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """``COUNT(*)`` (``argument`` is None), ``SUM(x.price * x.volume)`` …; ``function`` in capitals."""

    function: str
    argument: Expression | None = None


@dataclass(frozen=True, slots=True)
class Shown(Node):
    """An aggregate, attribute or parameter of SELECT, with the name that AS gives it."""

    value: Aggregate | Attribute | Parameter
    name: Name | None = None


@dataclass(frozen=True, slots=True)
class Select(Node):
    """SELECT; ``strategy`` in capitals or None, ``items`` None is ``*``."""

    strategy: str | None
    items: tuple[Reference | Shown, ...] | None


@dataclass(frozen=True, slots=True)
class Row(Node):
    """``(value, …)``: a constant for each parameter."""

    values: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class Given(Node):
    """``GIVEN $parameter, …``, or with its rows; ``rows`` None: they come from elsewhere."""

    parameters: tuple[Parameter, ...]
    rows: tuple[Row, ...] | None = None


@dataclass(frozen=True, slots=True)
class Duration(Node):
    """``n unit``; the unit in capitals and plural."""

    length: Number | Parameter
    unit: str


@dataclass(frozen=True, slots=True)
class TimeWindow(Node):
    """``WITHIN 1 HOUR 30 MINUTES``."""

    durations: tuple[Duration, ...]


@dataclass(frozen=True, slots=True)
class EventWindow(Node):
    """``WITHIN n EVENTS``."""

    length: Number | Parameter


@dataclass(frozen=True, slots=True)
class AttributeWindow(Node):
    """``WITHIN n [attribute]``."""

    length: Number | Parameter
    attribute: Name


Window = TimeWindow | EventWindow | AttributeWindow


@dataclass(frozen=True, slots=True)
class Consume(Node):
    """``CONSUME BY policy``, the policy in capitals."""

    policy: str


@dataclass(frozen=True, slots=True)
class Query(Node):
    """A whole query; no streams: all of them."""

    select: Select
    streams: tuple[Name, ...]
    formula: Formula
    partition: tuple[Name, ...] = ()
    window: Window | None = None
    limit: Number | None = None
    consume: Consume | None = None
    group_by: tuple[Attribute, ...] = ()
    given: Given | None = None
