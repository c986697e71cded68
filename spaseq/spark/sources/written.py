"""Results of ``match`` as lines: JSON as ``spaseq run`` writes it, or N-Quads of derived events."""

from __future__ import annotations

import numpy as np
import pyarrow
from pyarrow import compute

from gpm.algebra import XSD_DATETIME
from gpm.native.texts import times, woven
from gpm.rows import TextColumn
from spaseq.errors import StreamError
from spaseq.results.formats.rdf import GENERATED_AT
from spaseq.spark.schemas import INSTANT
from spaseq.spark.sources.texts import (
    TEXT,
    column,
    gathered,
    joined,
    json_list,
    json_object,
    json_terms,
    json_texts,
)


def several_lines(rows: pyarrow.RecordBatch) -> bytes:
    """JSON lines that name their query."""
    return woven(len(rows), [b'{"query": ', column(json_texts(rows["query"])), b", ", *_match(rows)])


def single_lines(rows: pyarrow.RecordBatch) -> bytes:
    """JSON lines of one query, which is not named."""
    return woven(len(rows), [b"{", *_match(rows)])


def quad_lines(rows: pyarrow.RecordBatch) -> bytes:
    """The derived events, each with its time before its graph; other results are left out."""
    derived = rows["derived"].filter(rows["derived"].is_valid())
    stream_time, event, graph = (derived.field(name) for name in ("time", "event", "graph"))
    lines, ends = _lines(graph)
    iris = joined("<", event, ">")
    owners = iris.take(pyarrow.array(np.repeat(np.arange(len(derived)), np.diff(ends))))
    quads = gathered(joined(compute.utf8_slice_codeunits(lines, 0, -1), owners, " .\n"), ends, "")
    time: list[bytes | TextColumn] = [
        f' {GENERATED_AT} "'.encode(),
        _times(stream_time),
        f'"^^<{XSD_DATETIME}> .\n'.encode(),
    ]
    return woven(len(derived), [column(iris), *time, column(quads)])


def _match(rows: pyarrow.RecordBatch) -> list[bytes | TextColumn]:
    """What stands in a line behind its query."""
    return [
        b'"first": "', _times(rows["first"]), b'", "last": "', _times(rows["last"]),
        b'", "events": ', column(_events(rows["events"])), b', "bindings": ', column(_bindings(rows["bindings"])),
        column(_derived(rows["derived"])), b"}\n",
    ]  # fmt: skip


def _times(column: pyarrow.Array) -> TextColumn:
    return times(column.cast(INSTANT).cast(pyarrow.int64()).to_numpy())


def _events(events: pyarrow.MapArray) -> pyarrow.Array:
    keys, lists, ends = _entries(events)
    return json_object(keys, json_list(json_texts(lists.flatten()), _ends(lists)), ends)


def _bindings(bindings: pyarrow.MapArray) -> pyarrow.Array:
    keys, terms, ends = _entries(bindings)
    return json_object(keys, json_terms(terms), ends)


def _derived(derived: pyarrow.StructArray) -> pyarrow.Array:
    """What CONSTRUCT adds to a line; nothing where there is no event."""
    found = derived.filter(derived.is_valid())
    if not len(found):
        return pyarrow.repeat(pyarrow.scalar("", TEXT), len(derived))
    stream, event = (json_texts(found.field(name)) for name in ("stream", "event"))
    lines, ends = _lines(found.field("graph"))
    texts = joined(', "stream": ', stream, ', "event": ', event, ', "triples": ', json_list(json_texts(lines), ends))
    nothing = pyarrow.repeat(pyarrow.scalar("", TEXT), len(derived))
    return compute.replace_with_mask(nothing, derived.is_valid(), texts)


def _entries(maps: pyarrow.MapArray) -> tuple[pyarrow.Array, pyarrow.Array, np.ndarray]:
    """The keys and values of all maps, and where those of each end, from 0 on."""
    offsets = maps.offsets.to_numpy()
    start, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    return maps.keys.slice(start, size), maps.items.slice(start, size), offsets - start


def _lines(graphs: pyarrow.Array) -> tuple[pyarrow.Array, np.ndarray]:
    """The lines of all graphs, and where those of each end."""
    lists = compute.split_pattern(graphs.cast(TEXT), "\n")
    return lists.flatten(), _ends(lists)


def _ends(lists: pyarrow.Array) -> np.ndarray:
    sizes = compute.list_value_length(lists).to_numpy()
    ends: np.ndarray = np.append(0, np.cumsum(sizes))
    return ends


def checked(rows: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The same rows; StreamError: one is no result of a query."""
    if rows["query"].null_count:
        raise StreamError("a row has no query: late events are no results, and are written by themselves")
    return rows
