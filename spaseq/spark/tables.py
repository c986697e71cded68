"""Rows of results as tables of matches again, for whoever writes them: all formats are there once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter

import numpy as np
import pyarrow
import pyarrow.compute
import pyoxigraph
from numpy.typing import NDArray
from pyoxigraph import RdfFormat

from gpm.parsing import parse
from gpm.terms import term_bytes
from spaseq.results.match import DerivedEvent, ResultShape
from spaseq.results.table import MatchTable
from spaseq.results.terms import OwnTerms
from spaseq.spark.packing import RESULT

Columns = Mapping[str, Sequence[str]]
_LINE = "<urn:s> <urn:p> {} .\n"


def match_tables(rows: pyarrow.Table, columns: Columns | None = None) -> Iterator[MatchTable]:
    """The matches in rows of ``RESULT``, a table for each query, in their order; rows of no query are left out.

    ``columns`` are the selected variables by query; of others, those that are bound somewhere.  When a match was
    ``decided`` is not in its row: the time of the derived event, or that of the last event, stands there.
    """
    rows = rows.select(RESULT.names).cast(RESULT)
    for query in rows["query"].unique().drop_null().to_pylist():
        own = rows.filter(pyarrow.compute.equal(rows["query"], query))
        yield _table(query, own.combine_chunks(), (columns or {}).get(query))


def _table(query: str, rows: pyarrow.Table, columns: Sequence[str] | None) -> MatchTable:
    variables, texts, places, codes = _entries(_whole(rows["bindings"]))
    names = tuple(columns if columns is not None else variables)
    words = np.zeros((len(rows), len(names)), np.uint64)
    column_of = np.array([names.index(name) for name in variables], np.int64)
    words[places, column_of[codes[0]]] = codes[1] + 1
    gpms, events, offsets, atoms, picks = _picks(_whole(rows["events"]))
    first, last = (_whole(rows[name]).cast(pyarrow.int64()).to_numpy() for name in ("first", "last"))
    derived = derived_events(rows["derived"]) if rows["derived"].null_count < len(rows) else None
    decided = last if derived is None else np.array([event.timestamp for event in derived], np.int64)
    return MatchTable(
        query, names, words, first, last, decided, offsets, atoms, picks, tuple(gpms), events.__getitem__,
        OwnTerms(tuple(map(term_bytes, _terms(texts)))), ResultShape(gpms), derived,
    )  # fmt: skip


def _whole(column: pyarrow.ChunkedArray) -> pyarrow.Array:
    """A column in one piece that begins with its first row."""
    return pyarrow.concat_arrays(column.chunks) if column.chunks else pyarrow.array([], column.type)


def _entries(
    maps: pyarrow.MapArray,
) -> tuple[list[str], list[str], NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The distinct keys in order and the distinct values of maps; the row, and the numbers of both, of each entry."""
    offsets = maps.offsets.to_numpy()
    keys, values = (part.slice(offsets[0], offsets[-1] - offsets[0]) for part in (maps.keys, maps.items))
    coded_keys, coded_values = keys.dictionary_encode(), values.dictionary_encode()
    places, numbers = np.repeat(np.arange(len(maps)), np.diff(offsets)), _numbers(coded_keys)
    known = coded_keys.dictionary.to_pylist()
    names = in_order(known, numbers, places)
    renamed = np.array([names.index(name) for name in known], np.int64)
    return names, coded_values.dictionary.to_pylist(), places, (renamed[numbers], _numbers(coded_values))


def in_order(names: Sequence[str], numbers: NDArray[np.int64], rows: NDArray[np.int64]) -> list[str]:
    """The names in an order that each row keeps, given their numbers row by row."""
    steps = np.unique(np.stack([numbers[:-1], numbers[1:]], axis=1)[rows[:-1] == rows[1:]], axis=0)
    sorter = TopologicalSorter({name: [] for name in names})
    for before, after in steps.tolist():
        sorter.add(names[after], names[before])
    return list(sorter.static_order())


def _picks(
    maps: pyarrow.MapArray,
) -> tuple[list[str], list[str], NDArray[np.int64], NDArray[np.uint16], NDArray[np.uint64]]:
    """The GPMs and events that are there; and, as of ``MatchColumns``, what each match picked."""
    offsets = maps.offsets.to_numpy()
    keys = maps.keys.slice(offsets[0], offsets[-1] - offsets[0]).dictionary_encode()
    lists = maps.items.slice(offsets[0], offsets[-1] - offsets[0])
    sizes = np.diff(lists.offsets.to_numpy()).astype(np.int64)
    events = lists.flatten().dictionary_encode()
    ends = np.append(0, np.cumsum(sizes))
    pick_offsets = ends[(offsets - offsets[0]).astype(np.int64)]
    atoms = np.repeat(_numbers(keys), sizes).astype(np.uint16)
    names = events.dictionary.to_pylist()
    return keys.dictionary.to_pylist(), names, pick_offsets, atoms, _numbers(events).astype(np.uint64)


def _numbers(coded: pyarrow.DictionaryArray) -> NDArray[np.int64]:
    found: NDArray[np.int64] = coded.indices.cast(pyarrow.int64()).to_numpy()
    return found


def _terms(texts: Iterable[str]) -> Iterator[pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal]:
    """Terms in N-Triples, one by one."""
    lines = "".join(map(_LINE.format, texts)).encode()
    return (quad.object for quad in parse(lines, RdfFormat.N_TRIPLES, lenient=True))


def derived_events(column: pyarrow.ChunkedArray) -> tuple[DerivedEvent, ...]:
    """The events in a column ``derived`` that has one in each row."""
    stream, time, event, graph = _whole(column).flatten()
    columns = stream.to_pylist(), time.cast(pyarrow.int64()).to_pylist(), event.to_pylist(), map(_triples, graph)
    return tuple(map(DerivedEvent, *columns))


def _triples(graph: pyarrow.StringScalar) -> list[pyoxigraph.Triple]:
    return [quad.triple for quad in parse(graph.as_buffer().to_pybytes(), RdfFormat.N_TRIPLES, lenient=True)]
