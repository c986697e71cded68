"""Evaluating expressions on one solution, with SPARQL's three-valued logic (an error is an exception)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, reduce
from statistics import median, stdev, variance

from .expressions import (
    Aggregate,
    Binary,
    Bound,
    Coalesce,
    Const,
    Expression,
    First,
    If,
    Negated,
    Prev,
    Var,
)
from .values import SparqlError, Value, calculate, compare, exact, less, plain_text, term_of, truth, value_of

ZERO: Value = 0


@dataclass(frozen=True)
class Environment:
    """What an expression reads.

    bindings: variable to term. iterations: the values of a group variable (None where unbound) in the completed
    iterations of its innermost Kleene, in order; for an aggregate over matches, its values in the matches.  since: how
    many of them were completed before that Kleene was entered the last time: PREV and FIRST look no further back.
    solutions: for an expression all that was bound when each of the completed iterations ended of the innermost Kleene
    that owns one of its variables; for an aggregate over matches, their bindings. unseen: names for which PREV and
    FIRST have no value.
    """

    bindings: Mapping[str, str]
    iterations: Callable[[str], Sequence[str | None]]
    matches: int = 0
    since: Callable[[str], int] = lambda name: 0
    solutions: Callable[[Expression], Sequence[Mapping[str, str]]] = lambda expression: ()
    unseen: Collection[str] = ()


def holds(expression: Expression, environment: Environment) -> bool:
    """Whether a filter is true; an error counts as false."""
    try:
        return truth(evaluate(expression, environment))
    except SparqlError:
        return False


def evaluate(expression: Expression, environment: Environment) -> Value:
    """The value of an expression; raises SparqlError."""
    match expression:
        case Const(value):
            return value
        case Var() | Prev() | First():
            return value_of(_bound(_reference(expression, environment)))
        case Aggregate():
            return _aggregate(expression, environment)
        case Binary("&&" | "||" as connective, left, right):
            return _connect(connective, left, right, environment)
        case Binary(sign, left, right):
            return _operate(sign, evaluate(left, environment), evaluate(right, environment))
        case Negated(operand):
            return not truth(evaluate(operand, environment))
        case Bound(operand):
            return _reference(operand, environment) is not None
        case Coalesce(operands):
            return _coalesce(operands, environment)
        case If(condition, then, otherwise):
            return evaluate(then if truth(evaluate(condition, environment)) else otherwise, environment)


def _bound(term: str | None) -> str:
    if term is None:
        raise SparqlError("unbound")
    return term


def _reference(expression: Var | Prev | First, environment: Environment) -> str | None:
    if isinstance(expression, Var):
        return environment.bindings.get(expression.name)
    if expression.name in environment.unseen:
        return None
    iterations = environment.iterations(expression.name)[environment.since(expression.name) :]
    if isinstance(expression, Prev):
        return iterations[-1] if iterations else None
    return iterations[0] if iterations else environment.bindings.get(expression.name)


def _operate(sign: str, left: Value, right: Value) -> Value:
    return calculate(sign, left, right) if sign in "+-*/" else compare(sign, left, right)


def _connect(connective: str, left: Expression, right: Expression, environment: Environment) -> bool:
    """`||` is true, `&&` false, as soon as one side says so, whatever the other; otherwise errors persist."""
    decisive = connective == "||"
    failure: SparqlError | None = None
    for side in (left, right):
        try:
            if truth(evaluate(side, environment)) == decisive:
                return decisive
        except SparqlError as error:
            failure = error
    if failure:
        raise failure
    return not decisive


def _coalesce(operands: Sequence[Expression], environment: Environment) -> Value:
    for operand in operands:
        try:
            return evaluate(operand, environment)
        except SparqlError:
            continue
    raise SparqlError("COALESCE of nothing")


def _aggregate(aggregate: Aggregate, environment: Environment) -> Value:
    if aggregate.name is None:
        return environment.matches
    function = aggregate.function
    terms = _terms(aggregate.name, environment)
    values = [value_of(term) for term in (dict.fromkeys(terms) if aggregate.distinct else terms)]
    if function == "COUNT":
        return len(values)
    if not values:
        if function in ("SUM", "AVG"):
            return 0
        raise SparqlError(f"{function} of nothing")
    return _fold(function, values)


def _terms(argument: str | Expression, environment: Environment) -> list[str]:
    """What an aggregate ranges over: a variable where it is bound, an expression where it has a value."""
    if isinstance(argument, str):
        return [term for term in environment.iterations(argument) if term is not None]
    found = []
    for bindings in environment.solutions(argument):
        with suppress(SparqlError):
            found.append(term_of(evaluate(argument, Environment(bindings, lambda name: ()))))
    return found


def _fold(function: str, values: list[Value]) -> Value:
    match function:
        case "SUM":
            return reduce(partial(calculate, "+"), values, ZERO)
        case "AVG":
            return calculate("/", _fold("SUM", values), len(values))
        case "MIN":
            return reduce(lambda left, right: right if less(right, left) else left, values)
        case "MAX":
            return reduce(lambda left, right: right if less(left, right) else left, values)
        case "FIRST":
            return values[0]
        case "LAST":
            return values[-1]
        case "GROUP_CONCAT":
            return " ".join(map(plain_text, values))
        case "MEDIAN":
            return float(median(exact(value) for value in values))
        case "VARIANCE" | "STDEV":
            if len(values) < 2:
                raise SparqlError(f"{function} of one value")
            return float(variance(map(exact, values))) if function == "VARIANCE" else stdev(map(exact, values))
    raise ValueError(f"unknown aggregate {function}")
