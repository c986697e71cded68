"""An expression with its names and types: what it reads and gives at a moment."""

from __future__ import annotations

from . import functions, reading, scalars
from .expressions import (
    BetweenTest,
    Classifier,
    CountRows,
    DistinctTest,
    Expression,
    ExtractField,
    InList,
    LikeTest,
    LogicalNavigation,
    MatchNumber,
    NullTest,
    PhysicalNavigation,
    SqlAggregate,
    SqlBinary,
    SqlCall,
    SqlCase,
    SqlCast,
    SqlColumn,
    SqlLiteral,
    SqlUnary,
)
from .model import UNKNOWN
from .moments import BoundExpression, Scope
from .values import COMPARISONS


def bind(expression: Expression, scope: Scope) -> BoundExpression:
    """The expression with its type; a PlanFault if it has none."""
    match expression:
        case SqlLiteral(value, type_):
            return BoundExpression(type_ if value is not None else UNKNOWN, lambda _: value)
        case SqlUnary(operator, operand):
            return scalars.unary(operator, bind(operand, scope))
        case SqlBinary(operator, left, right):
            return _binary(operator, bind(left, scope), bind(right, scope))
        case SqlCase():
            return _case(expression, scope)
        case SqlCall(name, arguments):
            return functions.call(name, bind_all(arguments, scope))
        case SqlCast(operand, target, digits, tried):
            return scalars.cast_bound(bind(operand, scope), target, digits, tried)
        case ExtractField(field, operand):
            return functions.extract(field, bind(operand, scope))
        case NullTest() | DistinctTest() | InList() | BetweenTest() | LikeTest():
            return scalars.inverted(_test(expression, scope), expression.negated)
        case _:
            return _read(expression, scope)


def bind_all(expressions: tuple[Expression, ...], scope: Scope) -> list[BoundExpression]:
    """Each of several expressions with its type."""
    return [bind(expression, scope) for expression in expressions]


def _binary(operator: str, left: BoundExpression, right: BoundExpression) -> BoundExpression:
    if operator in ("AND", "OR"):
        return scalars.connective(operator, left, right)
    if operator in COMPARISONS:
        return scalars.comparison(operator, left, right)
    return scalars.calculation(operator, left, right)


def _test(test: NullTest | DistinctTest | InList | BetweenTest | LikeTest, scope: Scope) -> BoundExpression:
    match test:
        case NullTest(operand):
            return scalars.null_test(bind(operand, scope))
        case DistinctTest(left, right):
            return scalars.distinct_test(bind(left, scope), bind(right, scope))
        case InList(operand, items):
            return scalars.in_list(bind(operand, scope), bind_all(items, scope))
        case BetweenTest(operand, low, high):
            return scalars.between(*bind_all((operand, low, high), scope))
        case LikeTest(operand, pattern, escape):
            return scalars.like_test(bind(operand, scope), bind(pattern, scope), escape)


def _case(case: SqlCase, scope: Scope) -> BoundExpression:
    conditions = bind_all(tuple(branch.condition for branch in case.branches), scope)
    results = bind_all(tuple(branch.result for branch in case.branches), scope)
    otherwise = functions.null() if case.otherwise is None else bind(case.otherwise, scope)
    if case.operand is None:
        return scalars.searched_case(conditions, results, otherwise)
    return scalars.simple_case(bind(case.operand, scope), conditions, results, otherwise)


def _read(expression: Expression, scope: Scope) -> BoundExpression:
    match expression:
        case SqlColumn():
            return reading.column(expression, scope)
        case Classifier():
            return reading.classifier(expression, scope)
        case MatchNumber():
            return reading.match_number()
        case LogicalNavigation(_, body):
            return reading.logical(expression, bind(body, scope), scope)
        case PhysicalNavigation(_, LogicalNavigation(_, body)) | PhysicalNavigation(_, body):
            return reading.physical(expression, bind(body, scope), scope)
        case CountRows():
            return reading.count_rows(expression, scope)
        case SqlAggregate(_, argument):
            return reading.aggregate(expression, bind(argument, scope), scope)
    raise TypeError(expression)
