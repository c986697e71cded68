"""Short names for building graph patterns, and the plain evaluation that the evaluator must agree with."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Quad, Store

from gpm.algebra import (
    XSD_DECIMAL,
    XSD_INTEGER,
    Element,
    Expression,
    Group,
    Iri,
    Literal,
    Operation,
    Path,
    Term,
    Triple,
    Triples,
    Variable,
)
from gpm.background import BackgroundGraphs
from gpm.rows import AtomRows, EventGraph
from gpm.terms import encode, event_label
from nfa_native.terms.dictionary import Terms

EXAMPLES = int(os.environ.get("SPASEQ_EXAMPLES", "200"))  # random examples of each property
NS = "http://example.org/"
PREFIXES = f"PREFIX : <{NS}> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "

Row = tuple[int, ...]


def term(text: str) -> Term:
    """``?x``, ``:name``, an integer, a decimal, or a string."""
    if text.startswith("?"):
        return Variable(text[1:])
    if text.startswith(":"):
        return Iri(NS + text[1:])
    if text.lstrip("-").isdigit():
        return Literal(text, XSD_INTEGER)
    if text.replace(".", "", 1).isdigit():
        return Literal(text, XSD_DECIMAL)
    return Literal(text)


def iri(name: str) -> Iri:
    """``:name``."""
    return Iri(NS + name)


def triple(subject: str, predicate: str | Path, object_: str) -> Triple:
    """A triple pattern of short terms."""
    verb = term(predicate) if isinstance(predicate, str) else predicate
    assert isinstance(verb, Variable | Path)
    return Triple(term(subject), verb, term(object_))


def bgp(*texts: str) -> Triples:
    """``bgp("?a :p ?b", …)``."""
    return Triples(tuple(triple(*text.split()) for text in texts))


def group(*elements: Element) -> Group:
    """``{ … }``."""
    return Group(elements)


def call(name: str, *arguments: Expression | str) -> Expression:
    """An operation; strings are short terms."""
    return Operation(name, tuple(_expression(part) for part in arguments))


def _expression(part: Expression | str) -> Expression:
    if not isinstance(part, str):
        return part
    made = term(part)
    assert isinstance(made, Variable | Iri | Literal)
    return made


def event(turtle: str, timestamp: int = 0, scope: int = 0) -> EventGraph:
    """An event of Turtle triples."""
    text = f"@prefix : <{NS}> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . {turtle}"
    quads = list(pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.TURTLE))
    return EventGraph([quad.triple for quad in quads], timestamp, scope)


def plain(
    text: str,
    events: Sequence[EventGraph],
    variables: Sequence[str],
    terms: Terms,
    background: BackgroundGraphs | None = None,
) -> list[set[Row]]:
    """What ``SELECT * {text}`` gives on each event alone, next to the background; no sharing of anything."""
    found = []
    for item in events:
        store = background.copy() if background else Store()
        for part in item.triples:
            nodes = [
                BlankNode(event_label(item.scope, node.value)) if isinstance(node, BlankNode) else node
                for node in (part.subject, part.object)
            ]
            store.add(Quad(nodes[0], part.predicate, nodes[1]))
        answer = store.query(PREFIXES + f"SELECT * {{ {text} }}")
        assert isinstance(answer, pyoxigraph.QuerySolutions)
        known = {variable.value for variable in answer.variables}
        found.append({tuple(_word(terms, row[name]) if name in known else 0 for name in variables) for row in answer})
    return found


def _word(terms: Terms, value: pyoxigraph.NamedNode | BlankNode | pyoxigraph.Literal | None) -> int:
    return 0 if value is None else encode(terms, value)


def sets(rows: AtomRows, count: int) -> list[set[Row]]:
    """The rows of each event; asserts that they are sorted and that none comes twice."""
    assert (rows.row_event[1:] >= rows.row_event[:-1]).all()
    found: list[set[Row]] = [set() for _ in range(count)]
    for n, number in enumerate(rows.row_event.tolist()):
        row = tuple(rows.columns[:, n].tolist())
        assert row not in found[number]
        found[number].add(row)
    return found


def node(name: str) -> NamedNode:
    """``:name`` as pyoxigraph's object."""
    return NamedNode(NS + name)
