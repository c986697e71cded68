"""Queries over tuples that differ only in constants, as rows of one query with parameters (semantics.md 3.7).

A constant may vary where what an event has is compared with it, in a filter of one variable, and as the length of a
window of time, unless a filter compares events.  All others stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spaseq.pattern.formulas.parameters import ConstantRow, ConstantValue, Length, Parameters, Placeholder
from spaseq.pattern.formulas.predicates import (
    And,
    Comparison,
    Constant,
    Not,
    Or,
    Predicate,
    Value,
    attributes,
)
from spaseq.pattern.formulas.query import (
    AllOf,
    Alternation,
    AnyOf,
    Filter,
    Filtered,
    ForAll,
    Formula,
    FormulaQuery,
    Iteration,
    Named,
    Sequencing,
    TimeWindow,
    Unordered,
    Window,
    parts,
)


@dataclass(frozen=True, slots=True)
class FormulaInstance:
    """A query: that of one ``row`` of ``template``, which has parameters for all constants that may vary.

    ``key`` is equal for queries with one template; by Python's equality, 1 would be TRUE.
    """

    template: FormulaQuery
    row: ConstantRow
    key: str


def instance_of(query: FormulaQuery) -> FormulaInstance | None:
    """A query as one of its template; None if it could share nothing with others."""
    if query.given is not None or query.aggregates:
        return None
    constants: list[ConstantValue] = []
    formula = _formula(query.formula, constants)
    window, lengths = _window(query, constants)
    names = tuple(map(str, range(1, len(constants) + 1)))
    template = replace(query, formula=formula, window=window, given=Parameters(names, lengths=lengths))
    return FormulaInstance(template, tuple(constants), repr((template, lengths)))


def _window(query: FormulaQuery, constants: list[ConstantValue]) -> tuple[Window | None, tuple[Length, ...]]:
    """The window, and the parameter that has its length."""
    compares = any(len(one.variables) > 1 for part in parts(query.formula) for one in _all_filters(part))
    if compares or not isinstance(query.window, TimeWindow):
        return query.window, ()
    constants.append(query.window.microseconds)
    return TimeWindow(0), (Length(str(len(constants)), 1),)


def _all_filters(part: Formula) -> Iterator[ForAll]:
    waiting: list[Filter] = [part.filter] if isinstance(part, Filtered) else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, ForAll):
            yield one
        else:
            waiting += one.filters


# ── constants give way to parameters ─────────────────────────────────────────────────────────────────────
def _formula(formula: Formula, constants: list[ConstantValue]) -> Formula:
    match formula:
        case Named(body) | Iteration(body):
            return replace(formula, body=_formula(body, constants))
        case Filtered(body, condition):
            return Filtered(_formula(body, constants), _filter(condition, constants))
        case Alternation(left, right) | Sequencing(left, right) | Unordered(left, right):
            return replace(formula, left=_formula(left, constants), right=_formula(right, constants))
    return formula


def _filter(condition: Filter, constants: list[ConstantValue]) -> Filter:
    match condition:
        case ForAll((_,), predicate):
            return replace(condition, predicate=_predicate(predicate, constants))
        case AllOf(filters) | AnyOf(filters):
            return replace(condition, filters=tuple([_filter(one, constants) for one in filters]))
    return condition


def _predicate(predicate: Predicate, constants: list[ConstantValue]) -> Predicate:
    match predicate:
        case And(some) | Or(some):
            return replace(predicate, parts=tuple([_predicate(one, constants) for one in some]))
        case Not(inner):
            return Not(_predicate(inner, constants))
        case Comparison(operator, left, Constant(value)) if _varies(left):
            return Comparison(operator, left, _parameter(value, constants))
        case Comparison(operator, Constant(value), right) if _varies(right):
            return Comparison(operator, _parameter(value, constants), right)
    return predicate


def _varies(value: Value) -> bool:
    """Whether it is different from event to event."""
    return next(attributes(value), None) is not None


def _parameter(value: ConstantValue, constants: list[ConstantValue]) -> Constant:
    constants.append(value)
    return Constant(Placeholder(len(constants)))
