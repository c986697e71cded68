"""The oracle's random queries, read from text and rewritten to normal form, mean what the oracle means by them."""

from __future__ import annotations

from functools import reduce

import pytest

from spaseq.languages.ceql import format_query, parse
from spaseq.pattern.formulas import predicates as columns, query as algebra
from spaseq.pattern.formulas.query import is_fresh
from tests.oracle.ceql import model as oracle, predicates as conditions, to_text
from tests.oracle.ceql.generate import Size, random_pair
from tests.oracle.ceql.valuations import Valuation, valuations


def formula(node: algebra.Formula) -> oracle.Formula:
    """A formula in normal form as one of the oracle's."""
    match node:
        case algebra.Pick(type_, _, names, predicate):
            named = reduce(oracle.As, sorted(names - {type_}), oracle.Relation(type_))
            if predicate == columns.TRUE:
                return named
            return oracle.Filter(named, oracle.FilterOn(type_, condition(predicate, None)))
        case algebra.Filtered(body, algebra.ForAll((first, *_), predicate)):
            return oracle.Filter(formula(body), oracle.FilterOn(first, condition(predicate, first)))
        case algebra.Alternation(left, right):
            return oracle.Or(formula(left), formula(right))
        case algebra.Sequencing(left, right, contiguous):
            return (oracle.Contiguous if contiguous else oracle.Sequence)(formula(left), formula(right))
        case algebra.Unordered(left, right):
            return oracle.All(formula(left), formula(right))
        case algebra.Iteration(body, contiguous):
            return (oracle.ContiguousKleene if contiguous else oracle.Kleene)(formula(body))
    raise AssertionError("not in normal form")


def condition(node: columns.Predicate, own: str | None) -> conditions.Predicate:
    """A predicate as one of the oracle's, in the brackets of ``own``."""
    match node:
        case columns.And(parts):
            return reduce(conditions.Both, [condition(part, own) for part in parts])
        case columns.Or(parts):
            return reduce(conditions.Either, [condition(part, own) for part in parts])
        case columns.Not(inner):
            return conditions.Not(condition(inner, own))
        case columns.Comparison(operator, left, right):
            return conditions.Comparison(operator, operand(left, own), operand(right, own))
        case columns.Like(value, pattern):
            return conditions.Like(operand(value, own), pattern)
        case columns.In(value, constants):
            return conditions.In(operand(value, own), tuple(each.value for each in constants))
        case columns.IsNull(value):
            return conditions.IsNull(operand(value, own))


def operand(node: columns.Value, own: str | None) -> conditions.Operand:
    match node:
        case columns.Attribute(name, variable):
            return conditions.Attribute(name, None if variable == own else variable)
        case columns.Constant(value):
            return conditions.Constant(value)
        case columns.Negative(inner):
            return conditions.Negative(operand(inner, own))
        case columns.Arithmetic(operator, left, right):
            return conditions.Arithmetic(operator, operand(left, own), operand(right, own))


def written(found: frozenset[Valuation]) -> frozenset[Valuation]:
    """The valuations without the variables that the normal form made up."""
    return frozenset(
        Valuation(each.start, each.end, frozenset(label for label in each.labels if not is_fresh(label[0])))
        for each in found
    )


IN_ORDER, ANY_ORDER = Size(), Size(operators=4, events=7, any_order=True)


@pytest.mark.parametrize("size", [IN_ORDER, ANY_ORDER], ids=["in order", "any order"])
@pytest.mark.parametrize("seed", range(0, 600, 50))
def test_formulas(seed: int, size: Size) -> None:
    for number in range(seed, seed + 50):
        pair = random_pair(number, size)
        found = parse(to_text(pair.query)).normal_form
        assert written(valuations(formula(found), pair.events)) == valuations(pair.query.formula, pair.events), number


@pytest.mark.parametrize("size", [IN_ORDER, ANY_ORDER], ids=["in order", "any order"])
@pytest.mark.parametrize("seed", range(0, 600, 200))
def test_clauses(seed: int, size: Size) -> None:
    for number in range(seed, seed + 200):
        query = random_pair(number, size).query
        parsed = parse(to_text(query))
        found = parsed.query
        assert parse(format_query(parsed.tree)).query == found
        assert found.strategy.value == (query.strategy or "ALL")
        assert found.consume.value == (query.consume or "NONE")
        assert (found.limit, found.partition, found.streams) == (query.limit, query.partition_by, query.streams)
        assert found.variables == (() if query.aggregates else query.select)
        assert [each.function for each in found.aggregates] == [each.function for each in query.aggregates]
        assert [each.attribute.name for each in found.group_by] == [each.name for each in query.group_by]
        assert found.window == window(query.within)


def window(node: oracle.Window | None) -> algebra.Window | None:
    """A window of the oracle's as the language has it."""
    if node is None:
        return None
    if node.attribute is not None:
        return algebra.AttributeWindow(node.length, node.attribute)
    if node.unit == "EVENTS":
        return algebra.EventWindow(node.length)
    return algebra.TimeWindow(node.length * oracle.MICROSECONDS[node.unit])
