"""Columns, navigation, aggregates, CLASSIFIER and MATCH_NUMBER: what reads the rows of a match."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .expressions import (
    Classifier,
    CountRows,
    Expression,
    LogicalNavigation,
    MatchNumber,
    PhysicalNavigation,
    SqlAggregate,
    SqlColumn,
)
from .faults import PlanFault
from .model import BIGINT, DOUBLE, VARCHAR, SqlKind, SqlType, array_type, decimal_type, walk
from .moments import BoundExpression, Moment, Scope
from .values import NUMBERS, greatest, least, to_bigint, to_decimal

READS = (LogicalNavigation, PhysicalNavigation, SqlAggregate, CountRows, MatchNumber)
Find = Callable[[Moment], int | None]


def column(read: SqlColumn, scope: Scope) -> BoundExpression:
    """A column at the row that is read, else at the last row so far of its variable."""
    place, type_ = scope.column(read.name)
    fitting = scope.fitting(read.variable)

    def value(moment: Moment) -> Any:
        row = moment.last_labelled(fitting) if moment.at is None else moment.at
        return None if row is None else moment.rows[row][place]

    return BoundExpression(type_, value)


def classifier(read: Classifier, scope: Scope) -> BoundExpression:
    """The label of the row that is read, else of the last row so far of its variable."""
    fitting = scope.fitting(read.variable)

    def value(moment: Moment) -> str | None:
        row, labels = moment.at, moment.seen
        if row is None:
            row, labels = moment.last_labelled(fitting), moment.so_far
        if row is None or not 0 <= row - moment.start < len(labels):
            return None
        return labels[row - moment.start].variable

    return BoundExpression(VARCHAR, value)


def match_number() -> BoundExpression:
    """MATCH_NUMBER()."""
    return BoundExpression(BIGINT, lambda moment: moment.number)


def variable_within(body: Expression, may_be_constant: bool) -> str | None:
    """The one variable of all columns and CLASSIFIERs of the operand of a navigation or an aggregate."""
    parts = list(walk(body))
    if any(isinstance(part, READS) for part in parts):
        raise PlanFault("no navigation, aggregate or MATCH_NUMBER is within a navigation or an aggregate")
    names = {part.variable for part in parts if isinstance(part, SqlColumn | Classifier)}
    if len(names) > 1 or not (names or may_be_constant):
        raise PlanFault("the operand of a navigation or an aggregate reads one variable")
    return next(iter(names), None)


def _refuse_final(final: bool | None, scope: Scope) -> None:
    if final and scope.within_define:
        raise PlanFault("DEFINE has no FINAL")


def _logical_row(navigation: LogicalNavigation, scope: Scope) -> Find:
    """How to find the row of FIRST or LAST."""
    _refuse_final(navigation.final, scope)
    fitting = scope.fitting(variable_within(navigation.body, False))
    steps = navigation.offset or 0

    def find(moment: Moment) -> int | None:
        rows = list(moment.labelled(moment.labels(navigation.final), fitting))
        if navigation.function == "LAST":
            rows.reverse()
        return rows[steps] if steps < len(rows) else None

    return find


def logical(navigation: LogicalNavigation, body: BoundExpression, scope: Scope) -> BoundExpression:
    """FIRST and LAST."""
    return _read_at(_logical_row(navigation, scope), body, navigation.final)


def physical(navigation: PhysicalNavigation, body: BoundExpression, scope: Scope) -> BoundExpression:
    """PREV and NEXT of an expression, or of FIRST and LAST; body is what is read at the row they reach."""
    inner = navigation.body
    if isinstance(inner, LogicalNavigation):
        origin, final = _logical_row(inner, scope), inner.final
    else:
        fitting = scope.fitting(variable_within(inner, False))
        origin, final = (lambda moment: moment.last_labelled(fitting)), None
    steps = 1 if navigation.offset is None else navigation.offset
    steps = -steps if navigation.function == "PREV" else steps

    def find(moment: Moment) -> int | None:
        row = origin(moment)
        return row + steps if row is not None and 0 <= row + steps < len(moment.rows) else None

    return _read_at(find, body, final)


def _read_at(find: Find, body: BoundExpression, final: bool | None) -> BoundExpression:
    def value(moment: Moment) -> Any:
        row = find(moment)
        return None if row is None else body.read(moment.reading(row, moment.labels(final)))

    return BoundExpression(body.type, value)


def count_rows(count: CountRows, scope: Scope) -> BoundExpression:
    """COUNT(*) and COUNT(U.*)."""
    _refuse_final(count.final, scope)
    fitting = scope.fitting(count.variable)
    return BoundExpression(BIGINT, lambda moment: len(list(moment.labelled(moment.labels(count.final), fitting))))


def aggregate(read: SqlAggregate, argument: BoundExpression, scope: Scope) -> BoundExpression:
    """An aggregate over the rows so far, or of the whole match, of the variable of its argument."""
    _refuse_final(read.final, scope)
    if read.function == "ARRAY_AGG" and scope.within_define:
        raise PlanFault("DEFINE has no ARRAY_AGG")
    fitting = scope.fitting(variable_within(read.argument, True))
    type_, over = _aggregation(read.function, argument.type)

    def value(moment: Moment) -> Any:
        labels = moment.labels(read.final)
        return over([argument.read(moment.reading(row, labels)) for row in moment.labelled(labels, fitting)])

    return BoundExpression(type_, value)


def _aggregation(function: str, type_: SqlType) -> tuple[SqlType, Callable[[list[Any]], Any]]:
    if type_.kind is SqlKind.ARRAY:
        raise PlanFault(f"no {function} of {type_}")
    if function == "ARRAY_AGG":
        return array_type(type_), lambda values: tuple(values) or None
    if function == "COUNT":
        return BIGINT, lambda values: sum(value is not None for value in values)
    if function in ("MIN", "MAX"):
        return type_, _of_some(least if function == "MIN" else greatest)
    if type_.kind not in NUMBERS:
        raise PlanFault(f"no {function} of {type_}")
    return _sum(type_) if function == "SUM" else _average(type_)


def _of_some(over: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    """The aggregate of the values that are not NULL; of none it is NULL."""

    def value(values: list[Any]) -> Any:
        some = [each for each in values if each is not None]
        return over(some) if some else None

    return value


def _added(values: list[float]) -> float:
    """The sum, added in order."""
    total = values[0]
    for value in values[1:]:
        total += value
    return total


def _exact_sum(values: list[Any]) -> Fraction:
    return sum(map(Fraction, values), Fraction(0))


def _sum(type_: SqlType) -> tuple[SqlType, Callable[[list[Any]], Any]]:
    match type_.kind:
        case SqlKind.BIGINT:
            return BIGINT, _of_some(lambda values: to_bigint(sum(values)))
        case SqlKind.DOUBLE:
            return DOUBLE, _of_some(_added)
    return decimal_type(type_.scale), _of_some(lambda values: to_decimal(_exact_sum(values), type_.scale))


def _average(type_: SqlType) -> tuple[SqlType, Callable[[list[Any]], Any]]:
    match type_.kind:
        case SqlKind.BIGINT:
            return DOUBLE, _of_some(lambda values: sum(values) / len(values))
        case SqlKind.DOUBLE:
            return DOUBLE, _of_some(lambda values: _added(values) / len(values))
    average = _of_some(lambda values: to_decimal(_exact_sum(values) / len(values), type_.scale))
    return decimal_type(type_.scale), average
