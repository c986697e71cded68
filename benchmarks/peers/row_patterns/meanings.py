"""Random queries as Trino means them, and as it can be asked: other queries, or what of a query is not compared.

Trino moves a navigation inwards, to the columns of its operand, so ``PREV(COALESCE(v, 0))`` is 0 before the first row;
its running FIRST looks at all rows of the match; it writes doubles as 2.5E0; and it has no WITHIN, for which conditions
can stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar

from benchmarks.peers.row_patterns.differences import Difference
from tests.oracle.sql import SqlQuery, SqlTable
from tests.oracle.sql.expressions import (
    Classifier,
    Expression,
    LogicalNavigation,
    PhysicalNavigation,
    SqlAggregate,
    SqlBinary,
    SqlBranch,
    SqlCall,
    SqlCase,
    SqlCast,
    SqlColumn,
    SqlLiteral,
    double,
    varchar,
)
from tests.oracle.sql.model import (
    DATE,
    DOUBLE,
    INTERVAL,
    Alternation,
    Concatenation,
    Definition,
    Exclusion,
    PatternVariable,
    Permutation,
    Quantified,
    RowPattern,
    variables_of,
    walk,
)

Node = TypeVar("Node")
Meaning = Callable[[SqlQuery, SqlTable], SqlQuery]


def without_within(query: SqlQuery, table: SqlTable) -> SqlQuery:
    """A query that means the same and has no WITHIN: each row must be in time, and so the last one is."""
    if query.within is None:
        return query
    key = query.order[0]
    times: list[Expression] = [SqlColumn(key.column), LogicalNavigation("FIRST", SqlColumn(key.column))]
    if table.types[table.place(key.column)] == DATE:
        times = [SqlCast(time, "TIMESTAMP") for time in times]
    last, first = reversed(times) if key.descending else times
    window = SqlLiteral(timedelta(microseconds=query.within), INTERVAL)
    in_time = SqlBinary("<", last, SqlBinary("+", first, window))
    given = {define.variable: define.condition for define in query.defines}
    conditions = (
        Definition(name, SqlBinary("AND", given[name], in_time) if name in given else in_time)
        for name in variables_of(query.pattern)
    )
    return replace(query, within=None, defines=tuple(conditions))


def navigating_columns(query: SqlQuery, _: SqlTable) -> SqlQuery:
    """What Trino takes a query for: PREV, NEXT, FIRST and LAST are of columns and CLASSIFIERs alone."""
    return rebuilt(query, _moved_inwards)


def _moved_inwards(node: Any) -> Any:
    match node:
        case PhysicalNavigation(_, LogicalNavigation() as inner):
            return rebuilt(inner.body, _around(lambda read: replace(node, body=replace(inner, body=read))))
        case PhysicalNavigation() | LogicalNavigation():
            return rebuilt(node.body, _around(lambda read: replace(node, body=read)))
    return None


def _around(navigation: Callable[[Any], Expression]) -> Callable[[Any], Expression | None]:
    return lambda node: navigation(node) if isinstance(node, SqlColumn | Classifier) else None


def final_first(query: SqlQuery, _: SqlTable) -> SqlQuery:
    """What Trino takes a query for: FIRST in MEASURES is FINAL."""

    def final(node: Any) -> Any:
        return replace(node, final=True) if isinstance(node, LogicalNavigation) and node.function == "FIRST" else None

    return replace(query, measures=rebuilt(query.measures, final))


def with_double_texts(query: SqlQuery, table: SqlTable) -> SqlQuery:
    """What Trino takes a query for: the texts of doubles, which are columns in random queries, are its own."""

    def written(node: Any) -> Any:
        match node:
            case SqlCast(SqlColumn() as column, "VARCHAR") if table.types[table.place(column.name)] == DOUBLE:
                return _written(column, table)
        return None

    return rebuilt(query, written)


def _written(column: SqlColumn, table: SqlTable) -> Expression:
    """The texts of the values that a column has; NULL of NULL."""
    values = {str(row[table.place(column.name)]) for row in table.rows} - {"None", "nan"}
    branches = [SqlBranch(_is(column, value), varchar(trino_double(value))) for value in map(float, sorted(values))]
    return SqlCase((*branches, SqlBranch(SqlBinary("<>", column, column), varchar("NaN"))))


def _is(column: SqlColumn, value: float) -> Expression:
    """Whether a column has a value; 0.0 is asked for behind -0.0."""
    if str(value) != "-0.0":
        return SqlBinary("=", column, double(value))
    is_negative = SqlBinary("<", SqlBinary("/", double(1.0), column), double(0.0))
    return SqlBinary("AND", SqlBinary("=", column, double(0.0)), is_negative)


def trino_double(value: float) -> str:
    """A finite double as Trino writes it."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *others = map(str, digits)
    return f"{'-' * sign}{first}.{''.join(others) or '0'}E{int(exponent) + len(others)}"


MEANINGS: Mapping[Difference, Meaning] = {
    Difference.NO_ROW: navigating_columns,
    Difference.RUNNING_FIRST: final_first,
    Difference.DOUBLE_TEXT: with_double_texts,
}
"""What Trino takes a query for."""


def rebuilt(node: Node, change: Callable[[Any], Any]) -> Node:
    """A part of a query in which each part, from the outside, that ``change`` has something for is that."""
    changed = change(node)
    if changed is not None:
        return changed  # type: ignore[no-any-return]
    if isinstance(node, tuple):
        return tuple(rebuilt(part, change) for part in node)  # type: ignore[return-value]
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{each.name: rebuilt(getattr(node, each.name), change) for each in fields(node)})
    return node


def reads_coming_labels(measure: Expression) -> bool:
    """Whether a measure has CLASSIFIER within PREV or NEXT, which may reach a row behind those so far."""
    navigations = (part for part in walk(measure) if isinstance(part, PhysicalNavigation))
    return any(isinstance(part, Classifier) for navigation in navigations for part in walk(navigation))


def chooses_the_greatest(value: Expression) -> bool:
    """Whether there is MAX or GREATEST, which leave out NaN in Trino."""
    return any(
        (isinstance(part, SqlAggregate) and part.function == "MAX")
        or (isinstance(part, SqlCall) and part.name == "GREATEST")
        for part in walk(value)
    )


NOT_COMPARED: Mapping[Difference, Callable[[Expression], bool]] = {
    Difference.COMING_LABEL: reads_coming_labels,
    Difference.NAN: chooses_the_greatest,
}
"""Measures that tell nothing of other measures, where Trino means something that SQL here cannot say."""


def may_repeat_nothing(pattern: RowPattern) -> bool:
    """Whether a quantifier without end is behind what may take no row: where such an iteration ends differs."""
    parts = (part for part in walk(pattern) if isinstance(part, Quantified))
    return any(part.high is None and _may_be_empty(part.body) for part in parts)


def _may_be_empty(pattern: RowPattern) -> bool:
    match pattern:
        case PatternVariable():
            return False
        case Concatenation(parts) | Permutation(parts):
            return all(map(_may_be_empty, parts))
        case Alternation(parts):
            return any(map(_may_be_empty, parts))
        case Exclusion(body):
            return _may_be_empty(body)
        case Quantified(body, low):
            return low == 0 or _may_be_empty(body)
    return True
