"""Events as named graphs of a fresh pyoxigraph Store.

A fresh Store for every run of events, because a reused one never frees what was removed from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import repeat

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Store

from gpm.lines import QuadLines
from gpm.native.staging import stage_lines
from gpm.parsing import parse
from gpm.rows import EventGraph
from gpm.terms import event_label, scoped

PREFIX = "urn:e:"

Graph = NamedNode | BlankNode


def stage(events: Sequence[EventGraph], predicates: Collection[str] | None) -> Store:
    """A Store in which event n is the graph ``<urn:e:n>``; None keeps the triples of all predicates.

    Blank nodes get the labels under which they are known outside of their event.
    """
    store = _from_lines(events, predicates)
    if store is not None:
        return store
    wanted = None if predicates is None else frozenset(map(NamedNode, predicates))
    text = "".join(
        f"{part.triple if isinstance(part, Quad) else part} <{PREFIX}{n}> .\n"
        for n, event in enumerate(events)
        for part in event.triples
        if wanted is None or part.predicate in wanted
    )
    store = _from_text(text, events)
    if store is None:
        store = Store()
        store.extend(quad for n, event in enumerate(events) for quad in quads(event, NamedNode(f"{PREFIX}{n}"), wanted))
    for n, event in enumerate(events):
        if not event.triples:
            store.add_graph(NamedNode(f"{PREFIX}{n}"))
    return store


def _from_lines(events: Sequence[EventGraph], predicates: Collection[str] | None) -> Store | None:
    """The fastest way, for events that are still text; None if some are not, or have triple terms."""
    lines = [event.triples.data for event in events if isinstance(event.triples, QuadLines)]
    if len(lines) < len(events):
        return None
    wanted = None if predicates is None else frozenset(f"<{one}>".encode() for one in predicates)
    staged = stage_lines(lines, wanted, PREFIX, [event_label(event.scope, "").encode() for event in events])
    if staged is None:
        return None
    text, has_blank_nodes = staged
    store = Store()
    if has_blank_nodes:  # `load` would give them new labels
        store.extend(parse(text, RdfFormat.N_QUADS, lenient=True))
    else:
        store.load(text, format=RdfFormat.N_QUADS, lenient=True)
    for n, line in enumerate(lines):
        if not line:
            store.add_graph(NamedNode(f"{PREFIX}{n}"))
    return store


def _from_text(text: str, events: Sequence[EventGraph]) -> Store | None:
    """The fast way; None if it would go wrong.

    That is with triple terms, which may hide blank nodes, and with a term that is none by the book, such as an IRI with
    a space that a lenient parser let pass.
    """
    store = Store()
    try:
        if "_:" not in text:
            store.load(text.encode(), format=RdfFormat.N_QUADS)
        elif "<<(" in text:
            return None
        else:  # `load` would give blank nodes new labels
            scoped_lines = map(_scoped_line, text.split("\n"), repeat(events))
            store.extend(parse("\n".join(scoped_lines).encode(), RdfFormat.N_QUADS))
    except SyntaxError:
        return None
    return store


def _scoped_line(line: str, events: Sequence[EventGraph]) -> str:
    """A staged N-Quads line, without its end, in which blank nodes have their outside labels."""
    if "_:" not in line:
        return line
    prefix = f"_:{event_label(events[int(line[line.rindex(':') + 1 : -3])].scope, '')}"
    if line.startswith("_:"):
        line = prefix + line[2:]
    subject, predicate, rest = line.split(" ", 2)
    return f"{subject} {predicate} {prefix}{rest[2:]}" if rest.startswith("_:") else line


def quads(event: EventGraph, graph: Graph, wanted: frozenset[NamedNode] | None = None) -> Iterator[Quad]:
    """The triples of an event in a graph, blank nodes scoped, other predicates than ``wanted`` left out."""
    scope = event.scope
    for part in event.triples:
        if wanted is None or part.predicate in wanted:
            subject, object_ = part.subject, part.object
            if isinstance(subject, BlankNode):
                subject = scoped(subject, scope)
            if not isinstance(object_, NamedNode | pyoxigraph.Literal):
                object_ = scoped(object_, scope)
            yield Quad(subject, part.predicate, object_, graph)
