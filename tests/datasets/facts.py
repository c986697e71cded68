"""Events and background knowledge as plain rows and facts, without namespaces."""

from __future__ import annotations

import pyoxigraph

from spaseq.datasets import Workload
from spaseq.datasets.event import Event
from tests.datasets.reference import Row


def local(term: str) -> str:
    """The lexical form of a literal; of an IRI in brackets ``kind/number`` if it is data, else the local name."""
    if term.startswith('"'):
        return term.split('"')[1]
    parts = term.strip("<>").replace("#", "/").split("/")
    return "/".join(parts[-2:] if "data" in parts else parts[-1:])


def flat(event: Event) -> Row:
    """Local names of predicates → local names of objects (the event's own properties)."""
    values = {local(predicate): local(value) for _, predicate, value in event.triples}
    return {"stream": event.stream, "time": event.time, "key": None} | values


def knowledge(workload: Workload) -> list[tuple[str, str, str]]:
    """The background knowledge as local names."""
    assert workload.knowledge is not None
    quads = pyoxigraph.parse(input=workload.knowledge(), format=pyoxigraph.RdfFormat.TURTLE)
    return [(local(str(q.subject)), local(str(q.predicate)), local(str(q.object))) for q in quads]
