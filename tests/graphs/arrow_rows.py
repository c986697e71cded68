"""Events as rows of Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow
from pyoxigraph import Quad, RdfFormat, parse

import spaseq
from spaseq.streams import Event
from tests.cases.loader import Case, Word

Row = tuple[str | None, int | None, str | None, bytes | None]  # stream, time, event, graph
SCHEMA = pyarrow.schema([
    ("stream", pyarrow.string()), ("time", pyarrow.timestamp("us", "UTC")), ("event", pyarrow.string()),
    ("graph", pyarrow.binary()),
])  # fmt: skip


def table(rows: Iterable[Row], schema: pyarrow.Schema = SCHEMA) -> pyarrow.Table:
    """The rows as a table."""
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    return pyarrow.table([pyarrow.array(one, type_) for one, type_ in zip(columns, schema.types, strict=True)], schema)


def lines(graph: bytes) -> bytes:
    """Turtle or TriG as N-Triples."""
    quads = parse(graph, RdfFormat.TRIG)
    return "".join(f"{quad.triple} .\n" for quad in quads).encode()


def row(word: Word) -> Row:
    """The event of a case."""
    return word.stream, word.time, word.iri, lines(word.turtle.encode())


def event_row(event: Event) -> Row:
    triples = (part.triple if isinstance(part, Quad) else part for part in event.triples)
    return event.stream, event.timestamp, event.name, "".join(f"{triple} .\n" for triple in triples).encode()


def pushed(engine: spaseq.Engine, rows: Sequence[Row], **options: Any) -> list[spaseq.Match]:
    return [match for found in engine.push_arrow(table(rows), **options) for match in found]


def started(case: Case, gpm: str = "auto") -> spaseq.Engine:
    engine = spaseq.Engine(case.background, gpm=gpm)
    for name, query in case.queries.items():
        engine.register(query, name)
    return engine
