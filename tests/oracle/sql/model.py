"""A MATCH_RECOGNIZE query and a table as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from .expressions import Expression

SqlValue: TypeAlias = bool | int | float | Decimal | str | date | timedelta | tuple[Any, ...] | None
SqlRow: TypeAlias = tuple[SqlValue, ...]


class SqlKind(StrEnum):
    """The family of a type; UNKNOWN is that of the untyped NULL."""

    BOOLEAN = "BOOLEAN"
    BIGINT = "BIGINT"
    DECIMAL = "DECIMAL"
    DOUBLE = "DOUBLE"
    VARCHAR = "VARCHAR"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    INTERVAL = "INTERVAL"
    ARRAY = "ARRAY"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type; of decimals only the scale tells two apart, of arrays the type of an element."""

    kind: SqlKind
    scale: int = 0
    precision: int = field(default=38, compare=False)
    element: SqlType | None = None

    def __str__(self) -> str:
        if self.kind is SqlKind.DECIMAL:
            return f"DECIMAL({self.precision}, {self.scale})"
        return f"ARRAY({self.element})" if self.element else str(self.kind)


BOOLEAN, BIGINT, DOUBLE = SqlType(SqlKind.BOOLEAN), SqlType(SqlKind.BIGINT), SqlType(SqlKind.DOUBLE)
VARCHAR, DATE, TIMESTAMP = SqlType(SqlKind.VARCHAR), SqlType(SqlKind.DATE), SqlType(SqlKind.TIMESTAMP)
INTERVAL, UNKNOWN = SqlType(SqlKind.INTERVAL), SqlType(SqlKind.UNKNOWN)


def decimal_type(scale: int, precision: int = 38) -> SqlType:
    """DECIMAL(precision, scale)."""
    return SqlType(SqlKind.DECIMAL, scale, precision)


def array_type(element: SqlType) -> SqlType:
    """The type of ARRAY_AGG over values of a type."""
    return SqlType(SqlKind.ARRAY, element=element)


@dataclass(frozen=True, slots=True)
class SqlTable:
    """Names and types of columns, and rows in the order of the input."""

    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    rows: tuple[SqlRow, ...] = ()

    def place(self, name: str) -> int:
        """The index of the column with exactly this name."""
        return self.names.index(name)


@dataclass(frozen=True, slots=True)
class PatternVariable:
    """One row labelled with a variable."""

    name: str


@dataclass(frozen=True, slots=True)
class EmptyPattern:
    """`()`."""


@dataclass(frozen=True, slots=True)
class StartAnchor:
    """`^`."""


@dataclass(frozen=True, slots=True)
class EndAnchor:
    """`$`."""


@dataclass(frozen=True, slots=True)
class Concatenation:
    """`P Q …`."""

    parts: tuple[RowPattern, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """`P | Q | …`."""

    parts: tuple[RowPattern, ...]


@dataclass(frozen=True, slots=True)
class Permutation:
    """`PERMUTE(P, Q, …)`."""

    parts: tuple[RowPattern, ...]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`{- P -}`."""

    body: RowPattern


@dataclass(frozen=True, slots=True)
class Quantified:
    """`P{low,high}`, or with `?` behind if it is not greedy; high None is without end."""

    body: RowPattern
    low: int
    high: int | None
    greedy: bool = True


RowPattern: TypeAlias = (
    PatternVariable
    | EmptyPattern
    | StartAnchor
    | EndAnchor
    | Concatenation
    | Alternation
    | Permutation
    | Exclusion
    | Quantified
)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A column of ORDER BY; nulls_first None is where NULLS is not said."""

    column: str
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """`value AS name`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Definition:
    """`variable AS condition`."""

    variable: str
    condition: Expression


@dataclass(frozen=True, slots=True)
class Subset:
    """`name = (member, …)`."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SelectItem:
    """A column of the output, with the alias of MATCH_RECOGNIZE before it if qualified, and a name of its own."""

    column: str
    name: str | None = None
    qualified: bool = False


class RowMode(StrEnum):
    """Rows per match, as written; DEFAULT is not written."""

    DEFAULT = ""
    ONE = "ONE ROW PER MATCH"
    ALL = "ALL ROWS PER MATCH"
    SHOW = "ALL ROWS PER MATCH SHOW EMPTY MATCHES"
    OMIT = "ALL ROWS PER MATCH OMIT EMPTY MATCHES"
    UNMATCHED = "ALL ROWS PER MATCH WITH UNMATCHED ROWS"

    @property
    def is_all(self) -> bool:
        """Whether there is a row for each row of a match."""
        return self not in (RowMode.DEFAULT, RowMode.ONE)


class SkipMode(StrEnum):
    """Where the search goes on after a match, as written; DEFAULT is not written."""

    DEFAULT = ""
    PAST_LAST = "PAST LAST ROW"
    NEXT_ROW = "TO NEXT ROW"
    FIRST = "TO FIRST"
    LAST = "TO LAST"
    VARIABLE = "TO"


@dataclass(frozen=True, slots=True)
class Skip:
    """AFTER MATCH SKIP, with the variable or subset of TO FIRST, TO LAST and TO."""

    mode: SkipMode = SkipMode.DEFAULT
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """A query; within is in microseconds, select None is SELECT *, or no SELECT at all if bare."""

    table: str
    pattern: RowPattern
    defines: tuple[Definition, ...]
    partition: tuple[str, ...] = ()
    order: tuple[OrderKey, ...] = ()
    measures: tuple[Measure, ...] = ()
    mode: RowMode = RowMode.DEFAULT
    skip: Skip = Skip()
    within: int | None = None
    subsets: tuple[Subset, ...] = ()
    select: tuple[SelectItem, ...] | None = None
    alias: str | None = None
    bare: bool = False


def walk(node: object) -> Iterator[object]:
    """All parts of a query, a pattern or an expression, from the outside, in the order of the text."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif is_dataclass(node):
        yield node
        for each in fields(node):
            yield from walk(getattr(node, each.name))


def variables_of(pattern: RowPattern) -> tuple[str, ...]:
    """The variables of a pattern in the order of the text."""
    return tuple(dict.fromkeys(part.name for part in walk(pattern) if isinstance(part, PatternVariable)))
