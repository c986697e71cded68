"""Syntax of a statement to its meaning, with the columns of its table, or before these are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spaseq.languages.node import Node
from spaseq.languages.query_text import Problem
from spaseq.languages.sql import tree
from spaseq.languages.sql.literals import microseconds
from spaseq.languages.sql.lower_expression import Lowering
from spaseq.languages.sql.lower_pattern import exclusion_in, lower_pattern, variables_in
from spaseq.languages.sql.names import fitting, variable_of
from spaseq.languages.sql.scope import NameScope
from spaseq.pattern.rows.expressions import SqlExpression, Variables
from spaseq.pattern.rows.query import (
    PastLastRow,
    RowOrder,
    RowPatternQuery,
    Shown,
    ShownColumn,
    Skipping,
    ToNextRow,
    ToRowOf,
)
from spaseq.pattern.rows.types import ANY, SqlKind, SqlType
from spaseq.text import did_you_mean

Columns = Mapping[str, SqlType]
_SHOWN = {"SHOW": Shown.ALL_ROWS, "OMIT": Shown.WITHOUT_EMPTY, "WITH": Shown.WITH_UNMATCHED, None: Shown.ALL_ROWS}


def lower_query(query: tree.Query, columns: Columns | None = None) -> RowPatternQuery:
    """What a statement means on a table with these columns (None: they are not known, and any may be there).

    Problem: it means nothing.
    """
    scope = NameScope(query.table.text, columns, _variables(query))
    partition = tuple(_distinct([(_key(one, scope), one) for one in query.partition], "PARTITION BY"))
    order = tuple(RowOrder(_key(key.column, scope), key.descending, key.nulls_first) for key in query.order)
    measures = _measures(query, scope)
    shown = _shown(query)
    return RowPatternQuery(
        table=query.table.text,
        pattern=lower_pattern(query.pattern),
        definitions=_definitions(query, scope),
        partition=partition,
        order=order,
        measures=measures,
        shown=shown,
        skipping=_skipping(query, scope),
        within=_within(query, scope),
        columns=_columns(query, columns, partition, order, measures, shown),
    )


# ── variables ────────────────────────────────────────────────────────────────────────────────────────────
def _variables(query: tree.Query) -> dict[str, Variables]:
    """What each name of a variable or a subset stands for; Problem: a subset makes no sense."""
    primary = variables_in(query.pattern)
    found = {name: frozenset({name}) for name in primary}
    for union in query.unions:
        name = variable_of(union.name)
        if name in found:
            kind = "a variable of the pattern" if name in primary else "a subset already"
            raise Problem(f"{name} is {kind}", union.name.span, "give the subset another name")
        for member in union.variables:
            if variable_of(member) not in primary:
                raise Problem(
                    _not_there(member, primary), member.span, did_you_mean(variable_of(member), list(primary))
                )
        found[name] = frozenset(map(variable_of, union.variables))
    return found


def _not_there(name: tree.Name, primary: Iterable[str]) -> str:
    return f"there is no variable {variable_of(name)} in PATTERN"


def _definitions(query: tree.Query, scope: NameScope) -> dict[str, SqlExpression]:
    primary = variables_in(query.pattern)
    found: dict[str, SqlExpression] = {}
    lowering = Lowering(NameScope(scope.table, scope.columns, scope.variables, in_define=True))
    for definition in query.definitions:
        name = variable_of(definition.variable)
        if name in found:
            raise Problem(f"{name} is defined twice", definition.variable.span, "join the conditions with AND")
        if name not in primary:
            is_union = name in scope.variables
            message = (
                f"{name} is a subset, which has no definition" if is_union else _not_there(definition.variable, primary)
            )
            raise Problem(message, definition.variable.span, "" if is_union else did_you_mean(name, list(primary)))
        found[name] = lowering.condition(definition.condition)
    return found


# ── clauses ──────────────────────────────────────────────────────────────────────────────────────────────
def _key(column: tree.Column, scope: NameScope) -> str:
    """A column of the table itself, whose values can be compared."""
    if column.qualifier is not None:
        raise Problem("a column of the table stands alone here", column.span, f"write {column.name.text}")
    field = scope.field(column.name)
    if field.type.kind is SqlKind.LIST:
        raise Problem(f"arrays are not compared: {field.column} is of type {field.type}", column.span)
    return field.column


def _distinct(named: Iterable[tuple[str, Node]], what: str) -> dict[str, None]:
    """Names; Problem if one is there twice."""
    found: dict[str, None] = {}
    for name, node in named:
        if name in found:
            raise Problem(f"{what} has {name} twice", node.span)
        found[name] = None
    return found


def _measures(query: tree.Query, scope: NameScope) -> dict[str, SqlExpression]:
    _distinct([(measure.name.text, measure.name) for measure in query.measures], "MEASURES")
    lowering = Lowering(scope)
    return {measure.name.text: lowering.lower(measure.expression) for measure in query.measures}


def _shown(query: tree.Query) -> Shown:
    rows = query.rows
    if rows is None or not rows.all:
        return Shown.ONE_ROW
    exclusion = exclusion_in(query.pattern)
    if rows.option == "WITH" and exclusion is not None:
        hint = "leave WITH UNMATCHED ROWS out, or {- -}"
        raise Problem("rows are excluded, so that unmatched ones cannot be shown", exclusion.span, hint)
    return _SHOWN[rows.option]


def _skipping(query: tree.Query, scope: NameScope) -> Skipping:
    skip = query.skip
    if skip is None or skip.variable is None:
        return ToNextRow() if skip is not None and skip.to == "NEXT" else PastLastRow()
    name = variable_of(skip.variable)
    return ToRowOf(scope.rows_of(skip.variable), skip.to == "FIRST", name)


def _within(query: tree.Query, scope: NameScope) -> int | None:
    node = query.within
    if node is None:
        return None
    if not isinstance(node, tree.Interval):
        raise Problem("WITHIN takes an interval", node.span, "as in WITHIN INTERVAL '5' MINUTE")
    if not query.order:
        raise Problem("WITHIN measures the first column of ORDER BY, and there is none", node.span)
    first = scope.field(query.order[0].column.name)
    if first.type.kind not in (SqlKind.DATE, SqlKind.TIMESTAMP, SqlKind.ANY):
        message = f"WITHIN needs times: {first.column} is of type {first.type}"
        raise Problem(message, node.span, "ORDER BY a column of dates or timestamps first")
    length = microseconds(node)
    if length <= 0:
        raise Problem("WITHIN takes an interval longer than nothing", node.span)
    return length


# ── the columns of results ───────────────────────────────────────────────────────────────────────────────
def _columns(
    query: tree.Query, columns: Columns | None, partition: tuple[str, ...], order: tuple[RowOrder, ...],
    measures: Mapping[str, SqlExpression], shown: Shown,
) -> tuple[ShownColumn, ...] | None:  # fmt: skip
    """Those that SELECT has; None: not all are known yet."""
    types = {} if columns is None else columns
    keys = dict.fromkeys([*partition, *(key.column for key in order if shown is not Shown.ONE_ROW)])
    found = [ShownColumn(name, name, False, types.get(name, ANY)) for name in keys]
    found += [ShownColumn(name, name, True, value.type) for name, value in measures.items()]
    if shown is not Shown.ONE_ROW:
        found += [ShownColumn(name, name, False, types[name]) for name in types if name not in keys]
    _check_names(query, found)
    if not found and columns is not None:
        raise Problem("the results have no column", query.table.span, "name some in MEASURES, or PARTITION BY")
    if query.items is None:
        return None if columns is None and shown is not Shown.ONE_ROW else tuple(found)
    is_open = columns is None and shown is not Shown.ONE_ROW
    return tuple(_item(item, query, found, is_open) for item in query.items)


def _check_names(query: tree.Query, columns: Iterable[ShownColumn]) -> None:
    """Problem if a measure has the name of a column that is shown beside it."""
    of_rows = {column.name for column in columns if not column.is_measure}
    for measure in query.measures:
        if measure.name.text in of_rows:
            message = f"a column of the results is called {measure.name.text} already"
            raise Problem(message, measure.name.span, "give the measure another name")


def _item(item: tree.Item, query: tree.Query, columns: list[ShownColumn], is_open: bool) -> ShownColumn:
    name, qualifier = item.column.name, item.column.qualifier
    known = [each.text for each in (query.alias or query.table,)]
    if qualifier is not None and not fitting(qualifier, known):
        raise Problem(f"{qualifier.text} is no table here", qualifier.span, did_you_mean(qualifier.text, known))
    by_name = {column.name: column for column in columns}
    found = fitting(name, by_name)
    shown = name.text if item.name is None else item.name.text
    if len(found) == 1:
        its = by_name[found[0]]
        return ShownColumn(shown if item.name else its.name, its.source, its.is_measure, its.type)
    if found:
        raise Problem(f"{name.text} may be any of {', '.join(found)}", name.span, "put it in double quotes")
    if is_open:
        return ShownColumn(shown, name.text, False, ANY)
    hint = did_you_mean(name.text, list(by_name))
    raise Problem(f"results have no column {name.text}", name.span, hint if by_name else "name it in MEASURES")
