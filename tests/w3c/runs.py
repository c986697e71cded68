"""Evaluating a test: by us, with its data as the graph of one event, and by pyoxigraph with the query as it is."""

from __future__ import annotations

from typing import Any

from pyoxigraph import NamedNode, Quad, Store

from gpm.background import BackgroundGraphs
from gpm.evaluator import Evaluator, Mode
from gpm.rows import EventGraph
from gpm.terms import decode
from nfa_native.terms.dictionary import Terms
from tests.w3c.manifests import EvaluationTest, triples
from tests.w3c.pattern import Pattern
from tests.w3c.solutions import Solutions, of_results, solution

LEFT = "native, with operands that are left to pyoxigraph"


class Watched(Evaluator):
    """An evaluator that knows whether it asked pyoxigraph."""

    asked = False

    def _by_pyoxigraph(self, shapes: Any, *on_what: Any) -> Any:
        self.asked = self.asked or bool(shapes)
        return super()._by_pyoxigraph(shapes, *on_what)


def by_us(test: EvaluationTest, pattern: Pattern, mode: Mode) -> tuple[str, Solutions]:
    """The path that the pattern takes, and its solutions; named graphs are background knowledge.

    PatternError: it cannot be evaluated in this mode.
    """
    terms = Terms()
    evaluator = Watched(terms, BackgroundGraphs({iri: triples(iri) for iri in test.named}), mode)
    compiled = evaluator.compile(pattern.group, pattern.variables)
    event = EventGraph([triple for iri in test.data for triple in triples(iri)], 0, 0)
    (rows,) = evaluator.evaluate_graphs([event], [compiled])
    route = compiled.prepared.route
    path = LEFT if route == "native" and evaluator.asked else route
    if not pattern.variables:
        return path, frozenset([frozenset()] if len(rows.row_event) else [])
    return path, frozenset(
        solution((name, decode(terms, int(word))) for name, word in zip(pattern.variables, row, strict=True))
        for row in rows.columns.T
    )


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
