"""Path queries: read, printed and read again, run on a few edges; what is SPARQL, pyoxigraph has to read, too."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyoxigraph

from spaseq.languages.paths import ParsedPathQueries, format_queries, parse
from spaseq.paths import Graph, prepare
from spaseq.pattern.paths import inverted, is_unbounded, print_path_expression, print_path_query
from spaseq.plan.paths.explain import ExplainedPath, explain
from tests.fuzz.door import ROOT, DisagreementError, Door, same
from tests.oracle.paths.generate import random_world

SHORT = 3_000  # characters of queries that pyoxigraph reads, and that are run
MOST_PATHS, MOST_EDGES = 100, 20_000
WORDS = tuple(b"""
QUERY FROM TO LABEL ALL ANY SHORTEST WALK TRAIL ACYCLIC SIMPLE PATH PATHS NOT BACK START PREFIX BASE q films a :p ^:p
:p* :p+ :p? :p{2} {2,} {,3} {2,3} {0} {1000} {99999999999} !:p !(:p|^:q) !() (:p/:q)+ / | ^ ! ( ) [ ] { } * + ? , : ; .
[?x: [?x:?x>1] ?x $x ?y 0 1 10 -1 1.5 1e9 <urn:a> <> <#> <b/../c> ex: ex:p : xsd:integer(?x) "text" 'x' 'x'@en
'''long''' "\\u0041" EXISTS COUNT(*) NOW() PREV(?x) isIRI(?x) STR(?x) REGEX(?x,"(a+)+$") IN = != < > && || - # -> -[
""".split())  # fmt: skip


def enter(data: bytes) -> str:
    """All that is done with the text of path queries."""
    parsed = parse(data.decode("utf-8", "surrogateescape"))
    for warning in parsed.warnings:
        warning.render()
    printed = format_queries(parsed.tree)
    again = parse(printed)
    same(again.queries, parsed.queries, "printed and read again")
    same(again.tree, parsed.tree, "the tree of what was printed")
    for query in parsed.queries:
        same(inverted(inverted(query.expression)), query.expression, "the inverse of the inverse")
        same(is_unbounded(inverted(query.expression)), is_unbounded(query.expression), "whether the inverse has bounds")
    if len(printed) > SHORT:
        return f"not run {len(parsed.queries).bit_length()} {len(printed).bit_length()}"
    for query in parsed.queries:
        same(parse(print_path_query(query)).queries, (query,), "printed with IRIs in full and read again")
    return f"{_paths(parsed)} {_read_by_pyoxigraph(parsed).bit_length()} {len(printed).bit_length()}"


def _paths(parsed: ParsedPathQueries) -> str:
    """How many paths the queries find on a few edges, and how long they are; those without FROM, from all nodes."""
    graph, lengths = _graph(), []
    explained = sum(len(explain([ExplainedPath(one.query, one.automaton)])) for one in prepare(parsed))
    for one in prepare(parsed):
        starts = None if one.query.starts else np.arange(graph.node_count)
        found = graph.match(one, starts, limit=MOST_PATHS, most_edges=MOST_EDGES)
        lengths += [len(path.edges) for path in found]
    return f"{len(lengths).bit_length()} {max(lengths, default=0).bit_length()} {explained.bit_length()}"


@cache
def _graph() -> Graph:
    """A few edges over the words of the tests, with a circle, a self-loop, and values."""
    edges = ["a p b", "b p c", "c p a", "a q c", "b q b", "c r d", "d p2 e", "a directed_by d", "e q a", "d p d"]
    triples = [[pyoxigraph.NamedNode(f"urn:relation:{word}") for word in edge.split()] for edge in edges]
    literals = [pyoxigraph.Literal("1990"), pyoxigraph.Literal(1990), pyoxigraph.Literal("x", language="en")]
    values = [(triples[number][0], triples[number][1], value) for number, value in enumerate(literals)]
    label = pyoxigraph.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    return Graph([*map(tuple, triples), *values, (triples[0][0], label, pyoxigraph.Literal("Kismet"))])


def _read_by_pyoxigraph(parsed: ParsedPathQueries) -> int:
    """How many of the expressions are property paths of SPARQL; DisagreementError if one is not for pyoxigraph.

    IRIs are in full: not all that SPARQL allows in prefixed names is known to pyoxigraph, nor is ``!()``.
    """
    texts = [print_path_expression(query.expression) for query in parsed.queries]
    of_sparql = [text for text in texts if not any(ours in text for ours in ("{", "[", "!()"))]
    for text in of_sparql:
        _read(f"ASK {{ ?start {text} ?end }}")
    return len(of_sparql)


def _read(text: str) -> None:
    try:
        pyoxigraph.Store().query(text)
    except SyntaxError as error:
        raise DisagreementError(f"pyoxigraph does not read {text!r:.300}: {error!s:.200}") from None


def seeds() -> list[bytes]:
    """The queries of the tests with and without mistakes, and random ones."""
    cases = sorted((ROOT / "tests" / "language" / "paths").glob("*/*.txt"))
    texts = [path.read_bytes().partition(b"\n=====")[0] for path in cases]
    worlds = [random_world(seed).text.encode() for seed in range(80)]
    return [b"QUERY q FROM :a ALL WALK :p/^:q", *texts, *worlds, b"QUERY last ANY SHORTEST (:p|!:q)+ NOT BACK TO START"]


DOOR = Door("paths", enter, seeds, WORDS)
