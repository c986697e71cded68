"""Evaluating a test: by us, with its data as the graph of one event, and by pyoxigraph with the query as it is."""

from __future__ import annotations

from pyoxigraph import NamedNode, Quad, Store

from gpm.background import Background
from gpm.evaluator import Evaluator
from gpm.rows import EventGraph
from gpm.terms import decode
from nfa_native.words import Terms
from tests.w3c.manifests import EvaluationTest, triples
from tests.w3c.pattern import Pattern
from tests.w3c.solutions import Solutions, of_results, solution

MODES = ("auto",)  # ways to evaluate a graph pattern


def by_us(test: EvaluationTest, pattern: Pattern, mode: str) -> tuple[str, Solutions]:
    """The route that the pattern takes, and its solutions; named graphs are background knowledge."""
    terms = Terms()
    evaluator = _evaluator(mode, terms, Background({iri: triples(iri) for iri in test.named}))
    compiled = evaluator.compile(pattern.group, pattern.variables)
    event = EventGraph([triple for iri in test.data for triple in triples(iri)], 0, 0)
    (rows,) = evaluator.evaluate_graphs([event], [compiled])
    solutions = frozenset(
        solution((name, decode(terms, int(word))) for name, word in zip(pattern.variables, row, strict=True))
        for row in rows.columns.T[: len(rows.row_event)]
    )
    if not pattern.variables:
        solutions = frozenset([frozenset()] if len(rows.row_event) else [])
    reason = getattr(compiled, "reason", "")
    return compiled.route.name.lower() + (f": {reason}" if reason else ""), solutions


def _evaluator(mode: str, terms: Terms, background: Background) -> Evaluator:
    assert mode == "auto"
    return Evaluator(terms, background)


def by_pyoxigraph(test: EvaluationTest) -> Solutions | None:
    """What a Store with the test's data set gives; None if it refuses the query."""
    store = Store()
    store.extend(Quad(t.subject, t.predicate, t.object) for iri in test.data for t in triples(iri))
    for iri in test.named:
        store.add_graph(NamedNode(iri))
        store.extend(Quad(t.subject, t.predicate, t.object, NamedNode(iri)) for t in triples(iri))
    try:
        return of_results(store.query(test.query, base_iri=test.query_iri))
    except SyntaxError:
        return None
