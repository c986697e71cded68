"""The normal form of a formula means what the formula means, and has the shape that it promises."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spaseq.languages.ceql.algebra import (
    AllOf,
    AnyOf,
    Disjunction,
    Filtered,
    ForAll,
    Formula,
    Iteration,
    Named,
    Pick,
    Relation,
    Sequence,
)
from spaseq.languages.ceql.normal_form import normal_form
from spaseq.languages.ceql.scope import bound
from spaseq.pattern.columns import Attribute, Comparison, Constant
from tests.language.ceql.meaning import Event, parts, ways, written

NAMES = ["A", "B", "x", "y"]
variables = st.sampled_from(NAMES)
operators = st.sampled_from(["<", "=", "!="])
numbers = st.integers(0, 2)


def about_one(variable: str, operator: str, number: int) -> ForAll:
    return ForAll((variable,), Comparison(operator, Attribute("p", variable), Constant(number)))


def about_two(first: str, operator: str, second: str) -> ForAll:
    names = tuple(dict.fromkeys((first, second)))
    return ForAll(names, Comparison(operator, Attribute("p", first), Attribute("q", second)))


filters = st.recursive(
    st.builds(about_one, variables, operators, numbers) | st.builds(about_two, variables, operators, variables),
    lambda inner: st.lists(inner, min_size=2, max_size=2).flatmap(
        lambda two: st.sampled_from([AllOf(tuple(two)), AnyOf(tuple(two))])
    ),
    max_leaves=3,
)
formulas = st.recursive(
    st.sampled_from([Relation("A"), Relation("B")]),
    lambda inner: st.one_of(
        st.builds(Named, inner, st.sampled_from(["x", "y", "A"])),
        st.builds(Filtered, inner, filters),
        st.builds(Disjunction, inner, inner),
        st.builds(Sequence, inner, inner, st.booleans()),
        st.builds(Iteration, inner, st.booleans()),
    ),
    max_leaves=4,
)
events = st.tuples(st.sampled_from("AB"), st.fixed_dictionaries({"p": numbers, "q": numbers}))
streams = st.lists(events, max_size=4)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas, streams)
def test_meaning_is_kept(formula: Formula, stream: list[Event]) -> None:
    assert written(ways(normal_form(formula), stream)) == ways(formula, stream)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas)
def test_shape(formula: Formula) -> None:
    for part in parts(normal_form(formula)):
        assert isinstance(part, Pick | Disjunction | Sequence | Iteration | Filtered)
        if isinstance(part, Filtered):
            assert isinstance(part.body, Sequence | Iteration | Filtered)
            assert isinstance(part.filter, ForAll) and len(part.filter.variables) > 1
            assert set(part.filter.variables) <= bound(part.body)
