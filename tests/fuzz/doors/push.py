"""Events pushed as text: read natively, by pyoxigraph and as background knowledge, alone, in a batch and as rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pyarrow
from pyoxigraph import Quad, RdfFormat, parse

from spaseq import Engine, Match, parse as parse_query
from spaseq.errors import LocatedError, SpaseqError
from spaseq.graphs.arrow_rows import read_rows
from spaseq.sources.rdf.items import read_items
from tests.fuzz.door import Door, same
from tests.fuzz.doors.reading import is_deep
from tests.fuzz.doors.words import TERMS, TURTLE, examples, w3c

QUERIES = (
    "SELECT ?s ?p ?o FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }",
    "SELECT ?o (?o + 1 AS ?n) (STRLEN(STR(?o)) AS ?l) FROM STREAM s <urn:s> WHERE "
    "{ SEQ(A) DEFINE GPM A ON s { ?s ?p ?o FILTER(?o > 0 || isIRI(?o)) } }",
)
OFTEN = 500  # events of an engine
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
    same(_place(found) if isinstance(found, Exception) else found, _as_row(data), "as a row")
    same(_told(found), _told(_as_item(data)), "as an item among many")
    known = _outcome(lambda: Engine({"urn:kb": data}))
    if isinstance(found, Exception):
        raise found
    return f"{len(found).bit_length()} {isinstance(known, Exception)}"


class _Pushing:
    """An engine that many inputs are pushed to, each at a later time; now and then it is a new one."""

    def __init__(self, gpm: str) -> None:
        self._gpm = gpm
        self._begin()

    def _begin(self) -> None:
        self.engine, self.time = Engine(gpm=self._gpm), 0
        for query in _parsed_queries():
            self.engine.register(query)

    def next_time(self) -> int:
        """The time of the next event."""
        if self.time > OFTEN:
            self._begin()
        self.time += 1
        return self.time


@cache
def _parsed_queries() -> list[Any]:
    return [parse_query(query) for query in QUERIES]


@cache
def _pushing(gpm: str) -> _Pushing:
    return _Pushing(gpm)


def _pushed(graph: Any, gpm: str = "auto") -> Shown | Exception:
    """What an event gives, or why it is none."""
    pushing = _pushing(gpm)
    time = pushing.next_time()
    found = _outcome(lambda: pushing.engine.push("s", graph, time))
    return found if isinstance(found, Exception) else _shown(found)


def _in_batch(data: bytes) -> Shown:
    """What the event gives as the second of three; nothing if it is refused."""
    pushing, other = _pushing("auto"), b"<urn:other> <urn:p> 0 ."
    time = pushing.next_time()
    items = [(time, other), (time + 1, data), (time + 2, other)]
    pushing.time += 2
    found = _outcome(lambda: [m for m in pushing.engine.push_batch("s", items) if m.microseconds[0] == items[1][0]])
    return [] if isinstance(found, Exception) else _shown(found)


def _place(error: Exception) -> str:
    """Where in a text an error is."""
    return f"{error.line}:{error.column}" if isinstance(error, LocatedError) else "0:0"


def _as_item(data: bytes) -> Shown | Exception:
    """What the event gives as the second of three items that are read at once, or why it is none."""
    pushing, other = _pushing("auto"), b"<urn:other> <urn:p> 0 ."
    time = pushing.next_time()
    pushing.time += 2
    kind, items = pushing.engine.kind, [(time, other), (time + 1, data), (time + 2, other)]
    read = _outcome(lambda: read_items("urn:s", kind.encoders["urn:s"], items))
    if isinstance(read, Exception):
        return read
    found = [match for some in pushing.engine.push_columns([read]) for match in some]
    return _shown([match for match in found if match.microseconds[0] == time + 1])


def _told(found: Shown | Exception) -> object:
    """The same, of an error what it says but for which item it is about, and for labels that a parser makes up."""
    if isinstance(found, LocatedError):
        return found.message, found.line, found.column, found.location.text
    told = str(found).removeprefix("<batch>, item 1: ")
    return found if isinstance(found, list) else sorted(re.split(", |: ", re.sub("_:[0-9a-f]{20,}", "_", told)))


def _as_row(data: bytes) -> Shown | str:
    """What the lines of the event that can be used give, as the second row of three; or where it is none."""
    pushing, other = _pushing("auto"), b"<urn:other> <urn:p> 0 ."
    time = pushing.next_time()
    pushing.time += 2
    times, graphs = [time, time + 1, time + 2], [other, data, other]
    table = pyarrow.table({"stream": ["s"] * 3, "time": times, "graph": graphs})
    read = _outcome(lambda: read_rows(pushing.engine.kind, table, False)[0])
    if isinstance(read, Exception):
        return _place(read)
    found = [match for some in pushing.engine.push_arrow(read.to_arrow()) for match in some]
    return _shown([match for match in found if match.microseconds[0] == time + 1])


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
