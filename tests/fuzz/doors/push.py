"""Events pushed as text: read natively, by pyoxigraph and as background knowledge, alone and in a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyoxigraph import Quad, RdfFormat, parse

from spaseq import Engine, Match
from spaseq.errors import SpaseqError
from tests.fuzz.door import Door, same
from tests.fuzz.doors.reading import is_deep
from tests.fuzz.doors.words import TERMS, TURTLE, examples, w3c

QUERIES = (
    "SELECT ?s ?p ?o FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }",
    "SELECT ?o (?o + 1 AS ?n) (STRLEN(STR(?o)) AS ?l) FROM STREAM s <urn:s> WHERE "
    "{ SEQ(A) DEFINE GPM A ON s { ?s ?p ?o FILTER(?o > 0 || isIRI(?o)) } }",
)
Shown = list[str]


def enter(data: bytes) -> str:
    """Push the text in all ways."""
    found = _pushed(data)
    if not is_deep(data):
        graph = _parsed(data)
        same(isinstance(found, Exception), graph is None, "it is refused")
        if graph is not None:
            same(found, _pushed(graph), "pushed as quads")
            same(found, _pushed(data, "pyoxigraph"), "evaluated by pyoxigraph")
        same(found if isinstance(found, list) else [], _in_batch(data), "in a batch")
    known = _outcome(lambda: Engine({"urn:kb": data}))
    if isinstance(found, Exception):
        raise found
    return f"{len(found).bit_length()} {isinstance(known, Exception)}"


def _engine(gpm: str = "auto") -> Engine:
    engine = Engine(gpm=gpm)
    for query in QUERIES:
        engine.register(query)
    return engine


def _pushed(graph: Any, gpm: str = "auto") -> Shown | Exception:
    """What an event gives, or why it is none."""
    found = _outcome(lambda: _engine(gpm).push("s", graph, 5))
    return found if isinstance(found, Exception) else _shown(found)


def _in_batch(data: bytes) -> Shown:
    """What the event gives as the second of three; nothing if it is refused."""
    other = b"<urn:other> <urn:p> 0 ."
    items = [(1, other), (2, data), (3, other)]
    found = _outcome(lambda: [m for m in _engine().push_batch("s", items) if m.microseconds[0] == 2])
    return [] if isinstance(found, Exception) else _shown(found)


def _outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except SpaseqError as error:
        str(error)
        return error


def _shown(matches: Sequence[Match]) -> Shown:
    """What matches say, without names of blank nodes and events."""
    return sorted(repr(_nameless(match.to_dict()["bindings"])) for match in matches)


def _nameless(bindings: dict[str, dict[str, str]]) -> dict[str, object]:
    return {
        name: "_" if term["type"] == "bnode" else term if term["type"] != "triple" else "<<>>"
        for name, term in sorted(bindings.items())
    }


def _parsed(data: bytes) -> list[Quad] | None:
    """The quads of a text in either syntax, if they are one graph."""
    for syntax in (RdfFormat.N_QUADS, RdfFormat.TRIG):
        try:
            quads = list(parse(data, syntax))
        except SyntaxError:
            continue
        return quads if quads and len({quad.graph_name for quad in quads}) == 1 else None
    return None


def seeds() -> list[bytes]:
    """The W3C's tests that are one graph, and some graphs of examples."""
    files = [*w3c("rdf-trig", ".trig"), *w3c("rdf-n-triples", ".nt"), *examples("*-kb.ttl", 12)]
    return [data for data in files if len(data) < 3_000]


DOOR = Door("push", enter, seeds, (*TERMS, *TURTLE))
