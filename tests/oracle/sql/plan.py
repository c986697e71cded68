"""A query with the names and types of a table: what is to be computed, and what its rows look like."""

from __future__ import annotations

from dataclasses import dataclass

from .binding import bind
from .expressions import SqlLiteral
from .faults import PlanFault
from .model import (
    BOOLEAN,
    Exclusion,
    Quantified,
    RowMode,
    SqlKind,
    SqlQuery,
    SqlTable,
    SqlType,
    variables_of,
    walk,
)
from .moments import BoundExpression, Scope


@dataclass(frozen=True, slots=True)
class SqlPlan:
    """Places of columns in the input, bound measures and conditions, and the columns of the output."""

    query: SqlQuery
    scope: Scope
    measures: tuple[BoundExpression, ...]
    conditions: dict[str, BoundExpression]
    before: tuple[int, ...]
    behind: tuple[int, ...]
    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    selected: tuple[int, ...]


def plan(query: SqlQuery, table: SqlTable) -> SqlPlan:
    """The plan of a query; a PlanFault if there is none."""
    _check(query)
    columns = {name: (place, table.types[place]) for place, name in enumerate(table.names)}
    scope = Scope(columns, _variables(query))
    measures = tuple(bind(measure.value, scope) for measure in query.measures)
    before, behind = _layout(query, table, scope)
    names = [table.names[place] for place in before] + [measure.name for measure in query.measures]
    names += [table.names[place] for place in behind]
    types = [table.types[place] for place in before] + [measure.type for measure in measures]
    types += [table.types[place] for place in behind]
    selected, shown = _selected(query, names)
    conditions = _conditions(query, columns, scope)
    types = [types[place] for place in selected]
    return SqlPlan(query, scope, measures, conditions, before, behind, shown, tuple(types), selected)


def _variables(query: SqlQuery) -> dict[str, frozenset[str]]:
    """The labels that each variable and subset stands for."""
    variables = {name: frozenset([name]) for name in variables_of(query.pattern)}
    for subset in query.subsets:
        if subset.name in variables or not set(subset.members) <= set(variables_of(query.pattern)):
            raise PlanFault(f"no subset {subset.name}")
        variables[subset.name] = frozenset(subset.members)
    return variables


def _conditions(query: SqlQuery, columns: dict[str, tuple[int, SqlType]], scope: Scope) -> dict[str, BoundExpression]:
    scope = Scope(columns, scope.variables, within_define=True)
    conditions = {each.variable: bind(each.condition, scope) for each in query.defines}
    if any(condition.type != BOOLEAN for condition in conditions.values()):
        raise PlanFault("a condition is BOOLEAN")
    if len(conditions) < len(query.defines) or not set(conditions) <= set(variables_of(query.pattern)):
        raise PlanFault("DEFINE is of variables of the pattern, each once")
    return conditions


def _layout(query: SqlQuery, table: SqlTable, scope: Scope) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The columns of the input before the measures, and those behind."""
    partition = [scope.column(name)[0] for name in query.partition]
    order = [scope.column(key.column)[0] for key in query.order]
    if not query.mode.is_all:
        return tuple(partition), ()
    before = tuple(dict.fromkeys(partition + order))
    return before, tuple(place for place in range(len(table.names)) if place not in before)


def _selected(query: SqlQuery, names: list[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    if len(set(names)) < len(names):
        raise PlanFault("two columns of one name")
    if query.select is None:
        return tuple(range(len(names))), tuple(names)
    if not {item.column for item in query.select} <= set(names):
        raise PlanFault("SELECT is of columns of the output")
    places = tuple(names.index(item.column) for item in query.select)
    return places, tuple(item.name or item.column for item in query.select)


def _check(query: SqlQuery) -> None:
    """Refuse what is refused whatever the table is."""
    parts = list(walk(query.pattern))
    if query.mode is RowMode.UNMATCHED and any(isinstance(part, Exclusion) for part in parts):
        raise PlanFault("WITH UNMATCHED ROWS has no exclusions")
    for part in parts:
        if isinstance(part, Quantified) and part.high is not None and part.high < max(part.low, 1):
            raise PlanFault("the greatest number of a quantifier is at least 1, and not below the least")
    if not query.defines:
        raise PlanFault("DEFINE is missing")
    if query.skip.variable is not None and query.skip.variable not in _variables(query):
        raise PlanFault(f"SKIP TO {query.skip.variable}, which is no variable")
    if query.within is not None and not query.order:
        raise PlanFault("WITHIN asks for ORDER BY")
    for part in walk(query):
        if isinstance(part, SqlLiteral) and part.type.kind is SqlKind.BIGINT and not _is_bigint(part):
            raise PlanFault(f"{part.value} is no BIGINT")


def _is_bigint(literal: SqlLiteral) -> bool:
    return isinstance(literal.value, int) and abs(literal.value) < 2**63
