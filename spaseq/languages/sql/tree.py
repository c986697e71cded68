"""The syntax tree of a statement with MATCH_RECOGNIZE: what was written, with its place.

Of two spellings of one thing (``!=`` and ``<>``, ``{n}?`` and ``{n}``, parentheses) the tree keeps the thing.
"""

from __future__ import annotations

from dataclasses import dataclass

from spaseq.languages.node import Node as Node

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name without its quotes; ``quoted``: it had some, and is meant as it is written."""

    text: str
    quoted: bool = False


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Column(Node):
    """``name``, or ``qualifier.name``; the qualifier is a variable or, in SELECT, the alias."""

    name: Name
    qualifier: Name | None = None


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as written, without a sign."""

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
    """``NULL``."""


@dataclass(frozen=True, slots=True)
class Dated(Node):
    """``DATE '…'`` or ``TIMESTAMP '…'``; ``kind`` in capitals."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Interval(Node):
    """``INTERVAL '5' MINUTE``; the sign may stand before the text or in it, ``unit`` is in capitals."""

    sign: str
    text: str
    unit: str
    to: str | None = None


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """``OR``, ``AND``, ``NOT``, a comparison (one of COMPARISONS), arithmetic or ``||``, of one or two operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Membership(Node):
    """``operand [NOT] IN (items)``."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Between(Node):
    """``operand [NOT] BETWEEN low AND high``."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like(Node):
    """``operand [NOT] LIKE pattern [ESCAPE escape]``."""

    operand: Expression
    pattern: Expression
    escape: Expression | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsNull(Node):
    """``operand IS [NOT] NULL``."""

    operand: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class IsDistinct(Node):
    """``left IS [NOT] DISTINCT FROM right``."""

    left: Expression
    right: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AllRows(Node):
    """What is counted by ``COUNT(*)``, or of a variable by ``COUNT(variable.*)``."""

    variable: Name | None = None


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``function(operands)``; the function in capitals, ``processing`` is RUNNING, FINAL or None."""

    function: str
    operands: tuple[Expression | AllRows, ...]
    processing: str | None = None


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """``WHEN condition THEN value``."""

    condition: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Case(Node):
    """``CASE [operand] branches [ELSE otherwise] END``."""

    operand: Expression | None
    branches: tuple[Branch, ...]
    otherwise: Expression | None = None


@dataclass(frozen=True, slots=True)
class Type(Node):
    """A type by its name in capitals, with the numbers in parentheses."""

    name: str
    numbers: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """``CAST(operand AS type)``; ``safe``: TRY_CAST."""

    operand: Expression
    type: Type
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Extract(Node):
    """``EXTRACT(field FROM operand)``; the field in capitals."""

    field: str
    operand: Expression


Literal = Number | Text | Boolean | Null | Dated | Interval
Expression = (
    Column | Literal | Operation | Membership | Between | Like | IsNull | IsDistinct | Call | Case | Cast | Extract
)


# ── patterns ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Variable(Node):
    """A row of that variable."""

    name: Name


@dataclass(frozen=True, slots=True)
class Empty(Node):
    """``()``: no row."""


@dataclass(frozen=True, slots=True)
class Anchor(Node):
    """``^``, before the first row of a partition, or ``$``, behind its last."""

    sign: str


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """``left right``."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Alternation(Node):
    """``left | right``; the left one is preferred."""

    left: Pattern
    right: Pattern


@dataclass(frozen=True, slots=True)
class Permutation(Node):
    """``PERMUTE(parts)``: all of them, in any order, earlier parts first where there is a choice."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Exclusion(Node):
    """``{- body -}``: rows that ALL ROWS PER MATCH leaves out."""

    body: Pattern


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """``body{low,high}``; ``high`` None has no end.  Reluctant: as few as may be, else as many."""

    body: Pattern
    low: int
    high: int | None
    reluctant: bool = False


Pattern = Variable | Empty | Anchor | Sequence | Alternation | Permutation | Exclusion | Quantified


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Item(Node):
    """A column of SELECT, with the name that it gets."""

    column: Column
    name: Name | None = None


@dataclass(frozen=True, slots=True)
class SortKey(Node):
    """``column [ASC | DESC] [NULLS FIRST | LAST]``."""

    column: Column
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Measure(Node):
    """``expression AS name``."""

    expression: Expression
    name: Name


@dataclass(frozen=True, slots=True)
class Rows(Node):
    """``ONE ROW PER MATCH``, or ``ALL ROWS PER MATCH`` with SHOW, OMIT (empty matches) or WITH (unmatched rows)."""

    all: bool = False
    option: str | None = None


@dataclass(frozen=True, slots=True)
class Skip(Node):
    """``AFTER MATCH SKIP`` PAST (the last row), NEXT (row), or FIRST or LAST of a variable."""

    to: str
    variable: Name | None = None


@dataclass(frozen=True, slots=True)
class Union(Node):
    """``name = (variables)`` of SUBSET."""

    name: Name
    variables: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """``variable AS condition``."""

    variable: Name
    condition: Expression


@dataclass(frozen=True, slots=True)
class Query(Node):
    """The statement; ``items`` None is ``*``, or no SELECT at all."""

    items: tuple[Item, ...] | None
    table: Name
    pattern: Pattern
    definitions: tuple[Definition, ...]
    partition: tuple[Column, ...] = ()
    order: tuple[SortKey, ...] = ()
    measures: tuple[Measure, ...] = ()
    rows: Rows | None = None
    skip: Skip | None = None
    within: Expression | None = None
    unions: tuple[Union, ...] = ()
    alias: Name | None = None
