"""Events that wait in a merged input, as the columns of a snapshot, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import RdfFormat

from gpm.encoder import encode_graphs, encode_texts, text_column
from gpm.native.assembly import Encoder
from gpm.parsing import parse
from gpm.rows import EventGraph, EventTexts, TextColumn
from nfa_native.core import archive
from nfa_native.core.arrays import Arrays, column, read_store
from spaseq.sources.rdf.events import EventIris, Events

WAITING_VERSION = 1  # of the store of events that wait


def pack_waiting(events: Events, ages: Sequence[int] = ()) -> bytes:
    """Time, scope and name of each event, and the lines that a query can use.

    ``ages`` are versions from which on rows see events: then also how many of them each event has come to.
    """
    graphs, names = events.graphs, events.names
    columns = {
        "times": graphs.times,
        "scopes": graphs.scopes,
        **_packed("name", (names.ends, names.text)),
        **_packed("graph", text_column(graphs, pruned=True)),
        **({"ages": np.searchsorted(ages, graphs.knowledge, side="right").astype(np.int64)} if ages else {}),
    }
    return archive.pack({"waiting": (WAITING_VERSION, columns)})


def unpack_waiting(
    state: Mapping[str, Any], place: str, sections: Mapping[str, bytes], encoder: Encoder
) -> Iterator[Events]:
    """The waiting events of a merged input, whose sections are named after its ``place``.

    SnapshotError, ValueError, SyntaxError, LookupError: they are damaged.
    """
    for waiting in state["waiting"]:
        if isinstance(waiting, str):
            yield _unpacked(waiting, sections[section(place, waiting)], encoder)
        else:
            yield _unpacked_old(waiting, encoder)


def section(place: str, stream: str) -> str:
    """The name of the section with the events of a stream that wait in the merged input at this place."""
    return f"waiting {place} {stream}"


def _packed(name: str, texts: TextColumn) -> dict[str, NDArray[Any]]:
    """A column of texts: their sizes, and their bytes."""
    ends, data = texts
    return {f"{name} sizes": ends[1:] - ends[:-1], f"{name} bytes": np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]}


def _unpacked(stream: str, data: bytes, encoder: Encoder) -> Events:
    columns = read_store(data, "waiting", WAITING_VERSION)
    times = column(columns, "times", np.int64)
    scopes = column(columns, "scopes", np.uint64, len(times))
    graphs = encode_texts(encoder, EventTexts(times, _texts(columns, "graph", len(times)), scopes=scopes))
    ends, names = _texts(columns, "name", len(times))
    _check_utf8(ends, names)
    if "ages" in columns:
        graphs = dataclasses.replace(graphs, knowledge=column(columns, "ages", np.int64, len(times), 0))
    return Events(stream, graphs, EventIris(names, ends))


def _texts(columns: Arrays, name: str, count: int) -> TextColumn:
    """So many texts; ValueError: their bytes are not all there."""
    data = column(columns, f"{name} bytes", np.uint8).tobytes()
    sizes = column(columns, f"{name} sizes", np.int64, count, 0)
    if int(sizes.max(initial=0)) > len(data) or int(sizes.sum()) != len(data):
        raise ValueError(f"the texts of column {name} do not fit their sizes")
    return np.append(np.zeros(1, np.int64), np.cumsum(sizes)), data


def _check_utf8(ends: NDArray[np.int64], data: bytes) -> None:
    """ValueError: some text is not in UTF-8."""
    data.decode()
    begins = np.frombuffer(data, np.uint8)[ends[ends < len(data)]]
    if (begins & 0xC0 == 0x80).any():
        raise ValueError("a name ends within a character")


def _unpacked_old(state: Mapping[str, Any], encoder: Encoder) -> Events:
    """The events of a snapshot of version 8, where they are in the header."""
    graphs = [
        EventGraph([quad.triple for quad in parse(text.encode(), RdfFormat.N_TRIPLES)], timestamp, scope)
        for timestamp, scope, _, text in state["events"]
    ]
    names = EventIris.of(name for _, _, name, _ in state["events"])
    return Events(state["stream"], encode_graphs(encoder, graphs), names)
