"""All case files as one job: each case has streams, queries and a background graph of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import pyarrow

import spaseq
from spaseq.errors import StreamError
from spaseq.graphs.queries import Prepared
from spaseq.pattern.sequences import Selection
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from spaseq.sources.rdf.events import Event
from spaseq.spark.packing import EVENT
from tests.cases.loader import BASE, Case
from tests.cases.runner import as_event, inputs
from tests.spark.cutting import FOREVER, Engines

Row = tuple[Any, ...]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class OwnCase:
    """A case among others: what it names is its own."""

    case: Case

    def renamed(self, text: str) -> str:
        """A text with the streams and the background of this case."""
        text = text.replace(f"{BASE}stream/", f"{BASE}stream/{self.case.label}/")
        return text.replace("GRAPH :kb ", f"GRAPH <{BASE}kb> ").replace(f"<{BASE}kb>", f"<{BASE}kb-{self.case.label}>")

    @cached_property
    def queries(self) -> dict[str, Prepared]:
        given = self.case.queries.items()
        return {f"{self.case.label} {name}": spaseq.prepare(self.renamed(text)) for name, text in given}

    @property
    def background(self) -> dict[str, Any]:
        return {f"{iri}-{self.case.label}": graph for iri, graph in self.case.background.items()}

    @cached_property
    def events(self) -> list[Event]:
        """Its events, but for those of streams that nobody reads or that a query derives."""
        given = inputs(self.case)
        events = [as_event(word) for word in self.case.words if word.name and word.stream in given]
        return [event._replace(stream=self.renamed(event.stream)) for event in events]

    def has_several_keys(self, buckets: int) -> bool:
        """Whether an event of a query that would be cut has several keys."""
        return has_several_keys(self.queries, self.background, self.events, buckets)


def has_several_keys(
    queries: Mapping[str, Prepared], background: Mapping[str, Any], events: Iterable[Event], buckets: int
) -> bool:
    """Whether an event of a query that would be cut has several keys."""
    job = Engines(queries, buckets, background)
    try:
        for event in events:
            job.push([event])
    except StreamError:
        return True
    return False


def table_of(events: Iterable[Event]) -> pyarrow.Table:
    """Events as rows."""
    rows = [
        {"stream": event.stream, "time": event.timestamp, "event": event.name, "graph": graph_of(event)}
        for event in events
    ]
    return pyarrow.Table.from_pylist(rows, EVENT)


def graph_of(event: Event) -> bytes:
    """The triples of an event in N-Triples."""
    triples = (one.triple if hasattr(one, "triple") else one for one in event.triples)
    return "".join(f"{triple} .\n" for triple in triples).encode()


def in_process(queries: Mapping[str, Prepared], background: Mapping[str, Any], rows: pyarrow.Table) -> Counter[Row]:
    """What one engine gives for these rows."""
    engine = spaseq.Engine(background, lateness=FOREVER)
    for name, query in queries.items():
        engine.register(query, name)
    tables = [*engine.push_arrow(rows), *engine.close_tables()]
    return counted((row for table in tables for row in rows_of(table)), queries)


def rows_of(table: MatchTable) -> Iterator[dict[str, Any]]:
    """The results of a table as a job gives them, made one by one."""
    for number, match in enumerate(table):
        times = {name: EPOCH + timedelta(microseconds=getattr(match.microseconds, name)) for name in ("first", "last")}
        bindings = {name: value.to_ntriples() for name, value in table.row(number) if value is not None}
        derived = match.derived and derived_row(match.derived)
        yield {"query": match.query, **times, "events": match.events, "bindings": bindings, "derived": derived}


def derived_row(event: DerivedEvent) -> dict[str, Any]:
    """A derived event as a job gives it."""
    graph = "\n".join(f"{triple} ." for triple in event.triples)
    time = EPOCH + timedelta(microseconds=event.timestamp)
    return {"stream": event.stream, "time": time, "event": event.name, "graph": graph}


def counted(rows: Iterable[Mapping[str, Any]], queries: Mapping[str, Prepared]) -> Counter[Row]:
    """Results that may be compared: which events stand for a row of DISTINCT is free."""
    return Counter(_seen(row, queries[row["query"]]) for row in rows)


def _seen(row: Mapping[str, Any], query: Prepared) -> Row:
    form = query.query.form
    events = {} if isinstance(form, Selection) and form.distinct else dict(row["events"])
    first = None if isinstance(form, Selection) and form.distinct else row["first"]
    derived = row["derived"] and tuple(sorted(_lines(row["derived"])))
    return row["query"], first, row["last"], _frozen(events), _frozen(dict(row["bindings"])), derived


def _lines(derived: Mapping[str, Any]) -> Iterator[str]:
    yield derived["stream"]
    yield str(derived["time"])
    yield derived["event"]
    yield from derived["graph"].split("\n")


def _frozen(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(
        sorted((key, tuple(sorted(value)) if isinstance(value, list) else value) for key, value in mapping.items())
    )
