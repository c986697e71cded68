"""Events of a stream of edges: what comes in, from files, folders and pipes too, as columns of encoded terms."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pyoxigraph import Quad, Triple

from gpm.edges import triples_of
from gpm.encoder import forget_terms
from gpm.errors import PatternError
from gpm.native.assembly import Encoder
from gpm.rows import EventBatch, Texts, Words
from gpm.terms import is_rdflib_graph, ox_term
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.sources.files import check_path, live_source
from spaseq.sources.incoming import Incoming
from spaseq.sources.merge import merge
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.sources.rdf.files import check_readable, expand, files_to_follow, read_source
from spaseq.sources.rdf.items import as_event
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.streams.timestamps import to_microseconds

IRI = "urn:spaseq:edges"
FEW_TERMS, FEW_BYTES = 1 << 16, 1 << 26  # terms that are kept without a thought, and the bytes of them


class EdgeEvent(NamedTuple):
    """Edges that came together: microseconds, the event's IRI (empty: it has none), and terms of pyoxigraph."""

    time: int
    name: str
    edges: tuple[tuple[Any, ...], ...]


class EdgeEvents:
    """Makes events of edges.  Blank nodes are those of their event; terms are forgotten when nobody has them."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.encoder = Encoder(terms)
        self.encoder.want([(0, 0, 0)])
        self._most_terms, self._most_bytes = FEW_TERMS, FEW_BYTES

    def of_items(self, items: Iterable[tuple[Any, Any]]) -> Events:
        """Events from (time, edges).  OptionError, StreamError: one is none."""
        return Events.of(IRI, [as_event(IRI, (time, _graph(edges))) for time, edges in items], self.encoder)

    def of_columns(self, times: Any, words: Words) -> Events:
        """An event of one edge each; ``words`` is uint64[3, n].  OptionError: times are none."""
        whens = microseconds(times)
        if len(whens) != words.shape[1]:
            raise OptionError(f"{len(whens)} times came for {words.shape[1]} edges")
        none = np.zeros(len(whens), np.int64)
        offsets = np.arange(len(whens) + 1, dtype=np.uint32)
        graphs = EventBatch(
            whens, none.view(np.uint64), offsets, words, Texts(((),), none, none, none), none, self.encoder.version,
            self.encoder.batches,
        )  # fmt: skip
        return Events(IRI, graphs, EventIris(b"", np.zeros(len(whens) + 1, np.int64)))

    def event(self, events: Events, number: int) -> EdgeEvent:
        """One of the events."""
        graphs = events.graphs
        start, stop = int(graphs.offsets[number]), int(graphs.offsets[number + 1])
        edges = [
            tuple(ox_term(self.terms.bytes(word)) for word in words)
            for words in graphs.triples[:, start:stop].T.tolist()
        ]
        return EdgeEvent(int(graphs.times[number]), events.names[number], tuple(edges))

    def forget(self, held: Callable[[], Words]) -> None:
        """Forget terms but for those that are ``held`` and those of events that are alive, if there are many."""
        if len(self.terms) <= self._most_terms and self.terms.memory() <= self._most_bytes:
            return
        forget_terms(self.encoder, [held()])
        self._most_terms = max(FEW_TERMS, 2 * len(self.terms))
        self._most_bytes = max(FEW_BYTES, 2 * self.terms.memory())


def microseconds(times: Any) -> Any:
    """int64[n]: times from an array of microseconds or of datetime64, or a sequence of both.  OptionError."""
    column = np.asarray(times)
    if column.dtype.kind == "M":
        if np.isnat(column).any():
            raise OptionError("a time is missing")
        return column.astype("datetime64[us]").astype(np.int64)
    if column.dtype.kind in "iu":
        return np.ascontiguousarray(column, np.int64)
    return np.array([to_microseconds(time) for time in times], np.int64)


def _graph(edges: Any) -> Any:
    """Edges as a graph; tuples of three terms become triples."""
    if isinstance(edges, bytes | str) or not isinstance(edges, Iterable) or is_rdflib_graph(edges):
        return edges
    if _is_one_edge(edges):
        raise OptionError(f"an event is an iterable of edges, as in push([edge], time), not one edge: {edges!r:.200}")
    try:
        return list(triples_of(edges))
    except (PatternError, TypeError, ValueError) as error:
        raise OptionError(f"an edge is a triple of terms of RDF ({error}); names are pushed by push_table") from None


def _is_one_edge(edges: Any) -> bool:
    is_row = isinstance(edges, tuple) and len(edges) == 3 and not isinstance(edges[0], tuple | Quad | Triple)
    return is_row or isinstance(edges, Quad | Triple)


# ── files, folders and pipes ─────────────────────────────────────────────────────────────────────────────
def edge_sources(path: str | os.PathLike[str], follow: bool) -> list[str]:
    """The files that ``path`` means.  StreamError: one cannot be read; OptionError: it cannot be followed."""
    check_path(os.fspath(path))
    given = Path(path) if not isinstance(path, str) else path
    files = files_to_follow(given) if follow else expand(given)
    for file in files:
        check_readable(file)
    return files


def read_events(
    files: list[str], options: WireOptions, report: WireReport, encoder: Encoder, follow: bool, idle: float | None
) -> Iterator[Events]:
    """The events of files as they come, merged by time.  StreamError, after the events before it.

    The open event of a pipe, or of a file that is followed, is complete when nothing came for ``idle`` seconds.
    """
    sources = []
    for file in files:
        incoming = live_source(file, follow)
        events = read_source(file, IRI, options, report, encoder.apart(), incoming)
        sources.append(events if incoming is None or idle is None else _with_rests(events, incoming, idle))
    if len(sources) == 1:
        return sources[0]
    return (events for batch in merge(sources, eager=True) for events in batch)


def _with_rests(events: Iterator[Events], incoming: Incoming, idle: float) -> Iterator[Events]:
    """The events of a source, whose reader is told when nothing came for so long."""
    for some in events:
        yield some
        while incoming.heeds_pauses and not incoming.is_idle and incoming.is_waited_for():
            left = incoming.last + idle - time.monotonic()
            if left <= 0:
                incoming.rest()
            else:
                incoming.rests_for(left)
