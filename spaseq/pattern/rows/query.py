"""A query for row patterns: ``MATCH_RECOGNIZE`` of SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from spaseq.pattern.rows.expressions import Field, SqlExpression, Variables, everything
from spaseq.pattern.rows.types import SqlType


# ── which rows follow each other ─────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class OneRow:
    """A row of a variable."""

    variable: str


@dataclass(frozen=True, slots=True)
class NoRow:
    """The empty pattern."""


@dataclass(frozen=True, slots=True)
class PartitionEdge:
    """Before the first row of a partition, or behind its last one; it takes no row."""

    at_start: bool


@dataclass(frozen=True, slots=True)
class RowSequence:
    """One part after the other."""

    parts: tuple[RowPattern, ...]


@dataclass(frozen=True, slots=True)
class Preferred:
    """One of the parts, earlier ones first."""

    parts: tuple[RowPattern, ...]


@dataclass(frozen=True, slots=True)
class Permuted:
    """All parts in any order; of orders those first whose parts stand earlier."""

    parts: tuple[RowPattern, ...]


@dataclass(frozen=True, slots=True)
class Excluded:
    """Rows that are not shown."""

    body: RowPattern


@dataclass(frozen=True, slots=True)
class Repetition:
    """``low`` to ``high`` times (None: any number), as often as can be, or as seldom.

    An iteration that takes no row is taken, and from ``low`` on it ends the repetition.
    """

    body: RowPattern
    low: int
    high: int | None
    greedy: bool = True


RowPattern: TypeAlias = OneRow | NoRow | PartitionEdge | RowSequence | Preferred | Permuted | Excluded | Repetition


# ── what is told, and what comes next ────────────────────────────────────────────────────────────────────
class Shown(Enum):
    """Which rows a match gives; those of ALL ROWS with empty matches, without, and with rows of no match."""

    ONE_ROW = "ONE ROW PER MATCH"
    ALL_ROWS = "ALL ROWS PER MATCH SHOW EMPTY MATCHES"
    WITHOUT_EMPTY = "ALL ROWS PER MATCH OMIT EMPTY MATCHES"
    WITH_UNMATCHED = "ALL ROWS PER MATCH WITH UNMATCHED ROWS"


@dataclass(frozen=True, slots=True)
class PastLastRow:
    """The next match begins behind the last row of this one."""


@dataclass(frozen=True, slots=True)
class ToNextRow:
    """It begins behind the first row of this one."""


@dataclass(frozen=True, slots=True)
class ToRowOf:
    """It begins with the first or the last row of variables, called ``name``."""

    variables: Variables
    first: bool
    name: str


Skipping: TypeAlias = PastLastRow | ToNextRow | ToRowOf


@dataclass(frozen=True, slots=True)
class RowOrder:
    """A column by which rows are sorted."""

    column: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class RowPatternQuery:
    """A query on the rows of ``table``.

    ``definitions``: the condition of each variable that has one.  ``within``: microseconds that a match may not reach,
    by the first column of ``order``.  ``columns``: what a result has, a column of the rows, or a measure, by the name
    that it is shown as, in their order.
    """

    table: str
    pattern: RowPattern
    definitions: Mapping[str, SqlExpression]
    partition: tuple[str, ...]
    order: tuple[RowOrder, ...]
    measures: Mapping[str, SqlExpression]
    shown: Shown
    skipping: Skipping
    within: int | None
    columns: tuple[ShownColumn, ...] | None

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that it reads, as of a query in CEQL: its table."""
        return (self.table,)

    @property
    def given(self) -> None:
        """Its parameters, as of a query in CEQL: there are none."""
        return None


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column of results: of the rows, or a measure; ``type`` is that of its values."""

    name: str
    source: str
    is_measure: bool
    type: SqlType


def columns_read(query: RowPatternQuery) -> tuple[str, ...]:
    """The columns of rows that a query reads, where it is known which there are."""
    assert query.columns is not None
    values = [*query.definitions.values(), *query.measures.values()]
    fields = (each.column for value in values for each in everything(value) if isinstance(each, Field))
    shown = (column.source for column in query.columns if not column.is_measure)
    return tuple(dict.fromkeys([*query.partition, *(key.column for key in query.order), *fields, *shown]))
