"""Rewritten patterns find on a graph what the original ones find on all that it entails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple as OxTriple

from gpm import algebra
from gpm.algebra import (
    Aggregate,
    AlternativePath,
    Bind,
    Exists,
    Filter,
    Graph,
    Group,
    InversePath,
    Iri,
    Minus,
    NegatedPath,
    Optional,
    Projection,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Triple,
    Triples,
    Union,
    Variable,
)
from gpm.background import BackgroundGraphs
from gpm.encoder import encode_graphs
from gpm.entailment import rewrite_entailed
from gpm.errors import PatternError
from gpm.evaluator import Evaluator
from gpm.printing import print_group
from gpm.rewrite import rewrite
from gpm.rows import EventGraph
from gpm.scope import in_scope
from nfa_native.terms.dictionary import Terms
from tests.gpm.test_properties import QUICK, _expressions, _groups, _paths, values
from tests.gpm.worlds import NS, bgp, event, group, iri, node, plain, sets

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE, SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE = (
    NamedNode(name) for name in (RDF_TYPE, *(RDFS + n for n in ("subClassOf", "subPropertyOf", "domain", "range")))
)
PREFIX = f"@prefix : <{NS}> . @prefix rdfs: <{RDFS}> . @prefix rdf: <{RDF_TYPE[:-4]}> . "
KB = NS + "kb"

Fact = tuple[Any, Any, Any]


# ── the rules, as they stand in the recommendation ───────────────────────────────────────────────────────
def conclusions(schema: Iterable[Fact], data: Iterable[Fact]) -> Iterator[Fact]:
    """What rules rdfs2, 3, 5, 7, 9 and 11 draw in one step from a premise of the schema and one of the data."""
    for a, relation, b in schema:
        for x, p, y in data:
            if relation == DOMAIN and p == a:
                yield x, TYPE, b
            if relation == RANGE and p == a:
                yield y, TYPE, b
            if relation == SUB_PROPERTY and p == a:
                yield x, b, y
            if relation == SUB_CLASS and p in (TYPE, SUB_CLASS) and y == a:
                yield x, p, b
            if relation == SUB_PROPERTY and p == SUB_PROPERTY and y == a:
                yield x, p, b


def fixpoint(data: set[Fact], schema: Callable[[set[Fact]], set[Fact]]) -> set[Fact]:
    """All that follows, generalised triples included."""
    while not (more := set(conclusions(schema(data), data))) <= data:
        data = data | more
    return data


def closed(graph: Iterable[OxTriple], schema: set[Fact]) -> list[OxTriple]:
    """A graph with the triples that it entails: no literal subjects, no blank nodes of the schema."""
    stated = {(t.subject, t.predicate, t.object) for t in graph}
    own = {term for fact in stated for term in fact}
    return [
        OxTriple(*fact)
        for fact in fixpoint(stated, lambda _: schema)
        if not isinstance(fact[0], Literal)
        and isinstance(fact[1], NamedNode)
        and all(not isinstance(term, BlankNode) or term in own for term in fact)
    ]


# ── random schemas, events and patterns ──────────────────────────────────────────────────────────────────
names = [node(name) for name in "abpq"]
relations = st.sampled_from([SUB_CLASS, SUB_CLASS, SUB_PROPERTY, SUB_PROPERTY, DOMAIN, RANGE, node("sub")])
things = st.sampled_from([*names, *names, *names, TYPE, SUB_CLASS, node("sub"), BlankNode("r")])
statements = st.builds(OxTriple, things, relations, things)
schemas = st.lists(statements, max_size=6)
resources = [node("a"), node("b"), BlankNode("n")]
event_predicates = st.sampled_from([node("p"), node("q"), node("p"), node("q"), TYPE, SUB_CLASS, SUB_PROPERTY])
facts = st.builds(
    OxTriple, st.sampled_from(resources), event_predicates, st.sampled_from([*resources, node("p"), Literal(1)])
)
graphs = st.lists(facts, min_size=1, max_size=3)

variables = st.sampled_from([Variable(name) for name in "abc"])
constants = st.sampled_from([iri("a"), iri("b"), iri("p")])
subjects = st.one_of(variables, variables, variables, constants, st.just(algebra.BlankNode("x")))
predicates = st.sampled_from([iri("p"), iri("q"), Iri(RDF_TYPE), Iri(RDF_TYPE), Iri(RDFS + "subClassOf")])
negated = st.builds(
    NegatedPath,
    st.lists(predicates, min_size=1, max_size=2, unique=True).map(tuple),
    st.sampled_from([(), (iri("q"),), (Iri(RDF_TYPE),)]),
)
paths = st.recursive(st.one_of(predicates, negated), _paths, max_leaves=3)
verbs = st.one_of(predicates, predicates, predicates, paths, variables)


blocks = st.builds(Triples, st.lists(st.builds(Triple, subjects, verbs, subjects), min_size=1, max_size=2).map(tuple))


def with_own_blank_nodes(pattern: Group) -> Group:
    """The pattern in which no two blocks share a blank node, which SPARQL forbids."""
    numbers = count()

    def relabel(node: object) -> object | None:
        if not isinstance(node, Triples):
            return None
        label = f"x{next(numbers)}"
        return rewrite(node, lambda part: _own(part, label))

    return rewrite(pattern, relabel)


def _own(part: object, label: str) -> object | None:
    return algebra.BlankNode(label) if isinstance(part, algebra.BlankNode) else None


def elements(groups: st.SearchStrategy[Group]) -> st.SearchStrategy[algebra.Element]:
    """Everything that a graph pattern may have."""
    expressions = _expressions(groups)
    counts = (Projection("a", Variable("a")),)
    return st.one_of(
        blocks,
        blocks,
        groups,
        st.builds(Optional, groups),
        st.builds(Minus, groups),
        st.builds(Union, st.tuples(groups, groups)),
        st.builds(Filter, expressions),
        st.builds(Bind, expressions, variables),
        values,
        st.builds(SubSelect, st.sampled_from([counts, None]), groups, st.booleans()),
        st.builds(SubSelect, st.just((Projection("n", Aggregate("COUNT", None)),)), groups),
        st.builds(Graph, st.just(Iri(KB)), _groups(blocks)),
    )


flat = _groups(st.one_of(blocks, values))
patterns = _groups(elements(_groups(elements(flat)))).map(with_own_blank_nodes)


def check(pattern: Group, events: list[list[OxTriple]], ontology: list[OxTriple], knowledge: list[OxTriple]) -> None:
    sources = {NS + "ontology": ontology, KB: knowledge}
    background = BackgroundGraphs(sources, entailed=list(sources))
    terms = Terms()
    variables = tuple(sorted(in_scope(pattern)))
    evaluator = Evaluator(terms, background)
    worlds = [EventGraph(triples, n, n) for n, triples in enumerate(events)]
    (rows,) = evaluator.evaluate_graphs(worlds, [evaluator.compile(pattern, variables)])
    stated = {(t.subject, t.predicate, t.object) for t in (*ontology, *knowledge)}
    schema = fixpoint(stated, lambda facts: facts)
    materialised = [EventGraph(closed(triples, schema), n, n) for n, triples in enumerate(events)]
    plain_background = BackgroundGraphs({KB: closed(knowledge, schema)})
    expected = plain(print_group(pattern), materialised, variables, terms, plain_background)
    assert sets(rows, len(events)) == expected, print_group(pattern)


@QUICK
@given(patterns, st.lists(graphs, min_size=1, max_size=2), schemas, st.lists(facts, max_size=2))
def test_rewriting_agrees_with_materialising(
    pattern: Group, events: list[list[OxTriple]], ontology: list[OxTriple], knowledge: list[OxTriple]
) -> None:
    try:
        check(pattern, events, ontology, [t for t in knowledge if BlankNode("n") not in (t.subject, t.object)])
    except PatternError as error:
        assume("repeats what" not in str(error) and "changes the meaning" not in str(error))
        raise


# ── examples ─────────────────────────────────────────────────────────────────────────────────────────────
ONTOLOGY = (
    PREFIX
    + """
    :Swap rdfs:subClassOf :Trade . :Trade rdfs:subClassOf :Deal .
    :ask rdfs:subPropertyOf :price . :price rdfs:domain :Trade . :of rdfs:range :Company .
"""
)
SWAP, QUOTE = event(f"@prefix rdf: <{RDF_TYPE[:-4]}> . :s a :Swap ; :of :c ."), event(":t :ask 5 ; :of 'text' .")


def rows_of(ontology: str, pattern: Group, *names: str, kb: str = "") -> list[list[str]]:
    """The local names or lexical forms of the rows of SWAP and QUOTE."""
    background = BackgroundGraphs({NS + "o": ontology.encode(), KB: (PREFIX + kb).encode()}, entailed=[NS + "o", KB])
    evaluator = Evaluator(Terms(), background)
    (rows,) = evaluator.evaluate_graphs([SWAP, QUOTE], [evaluator.compile(pattern, names)])
    texts = [[evaluator.terms.bytes(int(word)).decode() for word in row] for row in rows.columns.T]
    return sorted([text.replace("\0", "/").rpartition("/")[2] for text in row] for row in texts)


def of_class(subject: str, name: Variable | Iri) -> Triples:
    return Triples((Triple(Variable(subject), Iri(RDF_TYPE), name),))


@pytest.mark.parametrize(
    ("pattern", "names", "expected"),
    [
        (group(of_class("x", iri("Trade"))), "x", [["s"], ["t"]]),
        (group(of_class("x", iri("Swap"))), "x", [["s"]]),
        (group(of_class("x", iri("Company"))), "x", [["c"]]),
        (group(of_class("x", iri("Other"))), "x", []),
        (group(bgp("?x :price ?y")), "xy", [["t", "5"]]),
        (
            group(of_class("x", Variable("k"))),
            "xk",
            [["c", "Company"], ["s", "Deal"], ["s", "Swap"], ["s", "Trade"], ["t", "Deal"], ["t", "Trade"]],
        ),
        (group(bgp("?x ?p 5")), "xp", [["t", "ask"], ["t", "price"]]),
        (group(bgp("?x :of ?y"), Minus(group(of_class("x", iri("Swap"))))), "x", [["t"]]),
        (group(bgp("?x :of ?y"), Filter(Exists(group(of_class("y", iri("Company")))))), "x", [["s"]]),
        (group(of_class("x", iri("Deal")), Optional(group(bgp("?x :price ?y")))), "x", [["s"], ["t"]]),
        (group(Triples((Triple(Variable("x"), NegatedPath((iri("ask"), iri("of")), ()), Variable("y")),))),
         "xy", [["c", "Company"], ["s", "Deal"], ["s", "Swap"], ["s", "Trade"], ["t", "5"], ["t", "Deal"],
                ["t", "Trade"]]),
        (group(Triples((Triple(Variable("x"), SequencePath((iri("of"), Iri(RDF_TYPE))), Variable("k")),))),
         "xk", [["s", "Company"]]),
        (group(Triples((Triple(Variable("x"), RepeatedPath(iri("price"), "+"), Variable("y")),))), "xy", [["t", "5"]]),
    ],
)  # fmt: skip
def test_what_events_entail(pattern: Group, names: str, expected: list[list[str]]) -> None:
    assert rows_of(ONTOLOGY, pattern, *names) == expected


def test_solutions_are_counted_once() -> None:
    counted = SubSelect((Projection("n", Aggregate("COUNT", None)),), group(of_class("x", iri("Deal"))))
    assert rows_of(ONTOLOGY, group(counted), "n") == [["1"], ["1"]]


def test_background_graphs_have_what_they_entail() -> None:
    in_kb = Graph(Iri(KB), group(of_class("c", iri("Deal"))))
    kb = ":c :ask 3 ; :part [ a :Trade ] ."
    assert rows_of(ONTOLOGY, group(bgp("?s :of ?c"), in_kb), "c", kb=kb) == [["c"]]
    background = BackgroundGraphs({KB: (PREFIX + kb).encode(), NS + "o": ONTOLOGY.encode()}, entailed=[KB, NS + "o"])
    assert len(background.triples(KB)) == 3 + 4
    alone = BackgroundGraphs({KB: (PREFIX + kb).encode(), NS + "o": ONTOLOGY.encode()}, entailed=[NS + "o"])
    assert len(alone.triples(KB)) == 3


def test_an_updated_ontology() -> None:
    first = BackgroundGraphs({NS + "o": ONTOLOGY.encode(), KB: b""}, entailed=[NS + "o", KB])
    assert first.replaced(KB, ONTOLOGY.encode()).schema is first.schema
    second = first.replaced(NS + "o", (PREFIX + ":of rdfs:domain :Deal .").encode())
    evaluator = Evaluator(Terms(), first)
    pattern = evaluator.compile(group(of_class("x", iri("Deal"))), ("x",))
    evaluator.update_background(second)
    (old,) = evaluator.evaluate_graphs([SWAP, QUOTE], [pattern], 0)
    (new,) = evaluator.evaluate_graphs([SWAP, QUOTE], [pattern], 1)
    assert (old.row_event.tolist(), new.row_event.tolist()) == ([0, 1], [0, 1])
    assert evaluator.terms.bytes(int(new.columns[0, 1])) == f"I{NS}t".encode()


def test_an_ontology_that_makes_patterns_look_at_other_triples() -> None:
    first = BackgroundGraphs({NS + "o": ONTOLOGY.encode()}, entailed=[NS + "o"])
    evaluator = Evaluator(Terms(), first)
    pattern = evaluator.compile(group(bgp("?x :price ?y")), ("y",))
    batch = encode_graphs(evaluator.encoder, [SWAP, QUOTE])
    evaluator.update_background(first.replaced(NS + "o", (PREFIX + ":of rdfs:subPropertyOf :price .").encode()))
    later = replace(batch, knowledge=np.full(len(batch), 1))
    (old,), (new,) = evaluator.evaluate(batch, [pattern]), evaluator.evaluate(later, [pattern])
    assert (old.row_event.tolist(), new.row_event.tolist()) == ([1], [0, 1])


def test_fingerprints_of_entailment() -> None:
    first = BackgroundGraphs({NS + "o": ONTOLOGY.encode()}, entailed=[NS + "o"])
    second = first.replaced(NS + "o", (PREFIX + ":of rdfs:domain :Deal .").encode())
    assert (
        len({first.fingerprint(), second.fingerprint(), BackgroundGraphs({NS + "o": ONTOLOGY.encode()}).fingerprint()})
        == 3
    )


def test_many_sub_classes_and_sub_properties() -> None:
    ontology = "".join(f":K{n} rdfs:subClassOf :Deal . :p{n} rdfs:subPropertyOf :q . " for n in range(3000))
    more = ":Swap rdfs:subClassOf :Deal . :ask rdfs:subPropertyOf :q ."
    assert rows_of(PREFIX + ontology + more, group(of_class("x", iri("Deal"))), "x") == [["s"]]
    assert rows_of(PREFIX + ontology + more, group(bgp("?x :q ?y")), "x", "y") == [["t", "5"]]


def test_rewritten_patterns_are_evaluated_natively() -> None:
    evaluator = Evaluator(Terms(), BackgroundGraphs({NS + "o": ONTOLOGY.encode()}, entailed=[NS + "o"]))
    compiled = evaluator.compile(group(bgp("?x :price ?y"), of_class("x", iri("Deal"))), ("x",))
    assert compiled.prepared.route == "native"


def test_what_is_refused() -> None:
    with pytest.raises(PatternError, match="changes the meaning of RDFS"):
        BackgroundGraphs({KB: (PREFIX + "rdf:type rdfs:subPropertyOf rdfs:subClassOf .").encode()}, entailed=[KB])
    with pytest.raises(PatternError, match="no background graph <urn:other>"):
        BackgroundGraphs({KB: b""}, entailed=["urn:other"])
    schema = BackgroundGraphs({KB: ONTOLOGY.encode()}, entailed=[KB]).schema
    assert schema is not None
    for path in (RepeatedPath(Iri(RDF_TYPE), "*"), RepeatedPath(AlternativePath((iri("of"), Iri(RDF_TYPE))), "+")):
        with pytest.raises(PatternError, match="repeats what the schema entails"):
            rewrite_entailed(group(Triples((Triple(Variable("x"), InversePath(path), Variable("y")),))), schema)
