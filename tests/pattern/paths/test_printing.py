"""Path queries as text: what is printed is read as the same query."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from gpm.algebra import XSD_INTEGER, Iri, Literal, Operation, Variable
from spaseq.languages.paths import parse
from spaseq.pattern.paths import (
    EMPTY_PATH,
    EdgeStep,
    LabelledNodes,
    NegatedStep,
    NodeCondition,
    PathAlternatives,
    PathQuery,
    PathRepetition,
    PathSelector,
    PathSequence,
    Restrictor,
    SelectorKind,
    print_path_expression,
    print_path_query,
)
from tests.language.golden import cases, query_of
from tests.language.paths.test_messages import HERE

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")

P, BACK = EdgeStep("urn:p"), EdgeStep("urn:p", True)
IS_LATE = Operation(">", (Variable("x"), Literal("1990", XSD_INTEGER)))


def test_a_query() -> None:
    expression = PathSequence((P, NodeCondition("x", IS_LATE), PathRepetition(PathAlternatives((P, BACK)), 1, None)))
    query = PathQuery(
        "q", expression, (Iri("urn:a"), LabelledNodes('b"')), (), PathSelector(SelectorKind.ANY, 3), not_back=True
    )
    condition = '[?x: (?x > "1990"^^<http://www.w3.org/2001/XMLSchema#integer>)]'
    nodes = r'FROM <urn:a>, LABEL "b\""'
    assert (
        print_path_query(query)
        == f"QUERY q {nodes} ANY 3 WALK <urn:p>/{condition}/(<urn:p>|^<urn:p>)+ NOT BACK TO START"
    )
    assert parse(print_path_query(query)).queries == (query,)


def test_what_no_text_means() -> None:
    """Parts that the language makes in other ways, or never."""
    assert print_path_expression(EMPTY_PATH) == "()"
    assert print_path_expression(PathRepetition(NegatedStep((), ("urn:p",)))) == "(!(^<urn:p>)|!())*"
    assert print_path_expression(NegatedStep((), ())) == "!()|^!()"


iris = st.sampled_from(["urn:p", "http://e/#q", "urn:é%20"])
several = st.lists(iris, min_size=1, max_size=2).map(tuple)
steps = st.one_of(
    st.builds(EdgeStep, iris, st.booleans()),
    st.builds(NegatedStep, several, st.one_of(st.none(), several)),
    st.builds(NegatedStep, st.none(), several),
    st.sampled_from([NegatedStep(()), NegatedStep(None, ()), NodeCondition("x", IS_LATE)]),
)
bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, 2), (2, None), (0, 3), (2, 5), (0, 0)])
expressions = st.recursive(
    steps,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: PathSequence(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: PathAlternatives(tuple(parts))),
        st.builds(lambda body, pair: PathRepetition(body, *pair), inner, bounds),
    ),
    max_leaves=6,
)
nodes = st.lists(st.one_of(iris.map(Iri), st.text(max_size=3).map(LabelledNodes)), max_size=2, unique=True).map(tuple)
selectors = st.one_of(
    st.builds(PathSelector, st.sampled_from([SelectorKind.ANY, SelectorKind.SHORTEST]), st.integers(1, 99)),
    st.sampled_from([SelectorKind.ALL_SHORTEST, SelectorKind.ANY_SHORTEST]).map(PathSelector),
)
queries = st.builds(
    PathQuery, st.just("q"), expressions, nodes, nodes, selectors, st.sampled_from(Restrictor), st.booleans()
)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(queries)
def test_what_is_printed_is_read_as_the_same(query: PathQuery) -> None:
    assert parse(print_path_query(query)).queries == (query,)


@pytest.mark.parametrize("path", cases(HERE / "queries"), ids=lambda path: path.stem)
def test_golden_queries(path: Path) -> None:
    for query in parse(query_of(path)).queries:
        assert parse(print_path_query(query)).queries == (query,)
