"""One generated event and its text on the wire: N-Quads, a named graph per event, its time right after the graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

PROV_TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

START = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z: the first moment of every generated stream
MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND


class Event(NamedTuple):
    """``stream`` is the stream's short name, ``name`` the graph's IRI without brackets, ``time`` in microseconds since
    the epoch (UTC); ``triples`` hold subjects, predicates and objects as N-Quads writes them.
    """

    stream: str
    name: str
    time: int
    triples: list[tuple[str, str, str]]


def about(stream: str, name: str, time: int, statements: list[tuple[str, str]]) -> Event:
    """The event whose triples all have the event itself as their subject."""
    subject = f"<{name}>"
    return Event(stream, name, time, [(subject, predicate, value) for predicate, value in statements])


def text(event: Event) -> bytes:
    """The event as N-Quads lines: its graph, then its time in the default graph."""
    graph = f"<{event.name}>"
    quads = "".join([f"{s} {p} {o} {graph} .\n" for s, p, o in event.triples])
    return f'{quads}{graph} {PROV_TIME} "{iso(event.time)}"^^<{_XSD}dateTime> .\n'.encode()


def iso(time: int) -> str:
    """Microseconds since the epoch as an ISO 8601 UTC string, as short as it can be."""
    second, fraction = divmod(time, SECOND)
    digits = f".{fraction:06d}".rstrip("0") if fraction else ""
    return f"{_second(second)}{digits}Z"


@lru_cache(maxsize=64)
def _second(second: int) -> str:
    return (_EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S")


def decimal(value: float, digits: int = 2) -> str:
    """An xsd:decimal literal with ``digits`` places."""
    return f'"{value:.{digits}f}"^^<{_XSD}decimal>'


def integer(value: int) -> str:
    """An xsd:integer literal."""
    return f'"{value}"^^<{_XSD}integer>'


def iri(namespace: str, name: object) -> str:
    """An IRI in angle brackets."""
    return f"<{namespace}{name}>"
