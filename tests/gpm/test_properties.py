"""Random patterns on random events: batched and joined by hash equals one query per event."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple as OxTriple

from gpm.algebra import (
    AlternativePath,
    Bind,
    Element,
    Exists,
    Expression,
    Filter,
    Graph,
    Group,
    InversePath,
    Minus,
    NegatedPath,
    Operation,
    Optional,
    Path,
    Projection,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from gpm.background import BackgroundGraphs
from gpm.evaluator import Evaluator
from gpm.printing import print_group
from gpm.rewrite import rename
from gpm.rows import EventGraph
from gpm.scope import in_scope
from nfa_native.terms.dictionary import Terms
from tests.gpm.worlds import EXAMPLES, NS, iri, node, plain, sets, term

XSD = "http://www.w3.org/2001/XMLSchema#"
VARIABLES = [Variable(name) for name in "abc"]
INTEGERS = [term("1"), term("2")]
IRIS = [iri("a"), iri("b")]
PREDICATES = [iri("p"), iri("q")]
NODES = [node("a"), node("b"), BlankNode("n")]
VALUES = [*NODES, Literal(1), Literal("1.0", datatype=NamedNode(XSD + "decimal")), Literal("x")]

triples = st.builds(OxTriple, st.sampled_from(NODES), st.sampled_from([node("p"), node("q")]), st.sampled_from(VALUES))
graphs = st.lists(triples, min_size=1, max_size=4)
knowledge = st.lists(triples, max_size=5)

variables = st.sampled_from(VARIABLES)
subjects = st.one_of(variables, variables, variables, st.sampled_from(IRIS))
objects = st.one_of(variables, variables, st.sampled_from(IRIS + INTEGERS))


def _paths(inner: st.SearchStrategy[Path]) -> st.SearchStrategy[Path]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        st.builds(InversePath, inner),
        st.builds(SequencePath, pairs),
        st.builds(AlternativePath, pairs),
        st.builds(RepeatedPath, inner, st.sampled_from("*+?")),
    )


predicates = st.sampled_from(PREDICATES)
negated = st.builds(NegatedPath, st.just((PREDICATES[0],)), st.sampled_from([(), (PREDICATES[1],)]))
paths = st.recursive(st.one_of(predicates, negated), _paths, max_leaves=3)
verbs = st.one_of(predicates, predicates, predicates, paths, variables)
blocks = st.builds(Triples, st.lists(st.builds(Triple, subjects, verbs, objects), min_size=1, max_size=2).map(tuple))
values = st.builds(
    Values,
    st.just((VARIABLES[0], VARIABLES[1])),
    st.lists(st.tuples(*[st.sampled_from([None, *IRIS, *INTEGERS])] * 2), max_size=2).map(tuple),
)


def _expressions(groups: st.SearchStrategy[Group]) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(variables, variables, st.sampled_from(INTEGERS + IRIS))
    comparison = st.builds(
        Operation, st.sampled_from(["=", "!=", "<", "+", "&&", "||", "IN", "SAMETERM"]), st.tuples(leaves, leaves)
    )
    tests = st.builds(Operation, st.sampled_from(["BOUND", "!", "ISIRI"]), st.tuples(variables))
    coalesce = st.builds(Operation, st.just("COALESCE"), st.tuples(variables, leaves))
    return st.one_of(comparison, comparison, tests, coalesce, st.builds(Exists, groups, st.booleans()))


def _elements(groups: st.SearchStrategy[Group]) -> st.SearchStrategy[Element]:
    expressions = _expressions(groups)
    return st.one_of(
        blocks,
        groups,
        st.builds(Optional, groups),
        st.builds(Minus, groups),
        st.builds(Union, st.tuples(groups, groups)),
        st.builds(Filter, expressions),
        st.builds(Bind, expressions, variables),
        values,
        st.builds(SubSelect, st.just((Projection("a", VARIABLES[0]),)), groups, st.booleans()),
    )


def _groups(elements: st.SearchStrategy[Element]) -> st.SearchStrategy[Group]:
    return st.lists(elements, max_size=4).map(lambda parts: _legal(Group(tuple(parts))))


def _legal(group: Group) -> Group:
    """Without the BINDs that assign a variable which is in scope already."""
    kept: list[Element] = []
    for element in group.elements:
        if not (isinstance(element, Bind) and element.variable.name in in_scope(Group(tuple(kept)))):
            kept.append(element)
    return Group(tuple(kept))


flat = _groups(st.one_of(blocks, values))
nested = _groups(_elements(flat))
patterns = _groups(_elements(nested))
kb_groups = _groups(st.one_of(blocks, st.builds(Optional, flat)))
in_kb = st.builds(Graph, st.sampled_from([iri("kb"), iri("unknown")]), kb_groups)
kb_filters = st.builds(Filter, _expressions(kb_groups))
pure = _groups(st.one_of(in_kb, in_kb, kb_filters, values, st.builds(Optional, _groups(in_kb))))
some_kb = _groups(in_kb)
of_kb = st.one_of(
    in_kb,
    st.builds(Optional, pure),
    st.builds(Minus, pure),
    st.builds(Union, st.tuples(pure, pure)),
    st.builds(Filter, st.builds(Exists, st.one_of(some_kb, pure), st.booleans())),
)
kb_nested = _groups(st.one_of(_elements(flat), in_kb))
kb_patterns = _groups(st.one_of(of_kb, of_kb, blocks, blocks, _elements(kb_nested)))

QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def check(patterns: list[Group], events: list[EventGraph], known: list[OxTriple]) -> None:
    terms = Terms()
    evaluator = Evaluator(terms, BackgroundGraphs({NS + "kb": known}))
    background = BackgroundGraphs({NS + "kb": known, NS + "unknown": []})  # an unknown graph is an empty one
    slots = [tuple(sorted(in_scope(pattern))) for pattern in patterns]
    compiled = [evaluator.compile(pattern, names) for pattern, names in zip(patterns, slots, strict=True)]
    for pattern, names, rows in zip(patterns, slots, evaluator.evaluate_graphs(events, compiled), strict=True):
        expected = plain(print_group(pattern), events, names, terms, background)
        assert sets(rows, len(events)) == expected, print_group(pattern)


@QUICK
@given(st.lists(patterns, min_size=1, max_size=2), st.lists(graphs, min_size=1, max_size=3))
def test_batched_equals_one_query_per_event(some: list[Group], worlds: list[list[OxTriple]]) -> None:
    check(some, [EventGraph(triples, n, n) for n, triples in enumerate(worlds)], [])


@QUICK
@given(kb_patterns, st.lists(graphs, min_size=1, max_size=3), knowledge)
def test_knowledge_join_equals_one_store(pattern: Group, worlds: list[list[OxTriple]], known: list[OxTriple]) -> None:
    check([pattern], [EventGraph(triples, n, n) for n, triples in enumerate(worlds)], known)


@QUICK
@given(patterns, graphs)
def test_names_do_not_matter(pattern: Group, triples: list[OxTriple]) -> None:
    evaluator = Evaluator(Terms())
    names = tuple(sorted(in_scope(pattern)))
    other = rename(pattern, lambda name: {"a": "c", "b": "a", "c": "bb"}.get(name, name))
    renamed = tuple({"a": "c", "b": "a", "c": "bb"}.get(name, name) for name in names)
    compiled = [evaluator.compile(pattern, names), evaluator.compile(other, renamed)]
    first, second = evaluator.evaluate_graphs([EventGraph(triples, 0, 0)], compiled)
    assert compiled[0].shape.group == compiled[1].shape.group
    assert sets(first, 1) == sets(second, 1)
