"""Matches as the rows that a job gives, and rows as tables of matches again, for whoever writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from graphlib import TopologicalSorter

import numpy as np
import pyarrow
import pyarrow.compute
import pyoxigraph
from numpy.typing import NDArray
from pyoxigraph import RdfFormat

from gpm.parsing import parse
from gpm.terms import term_bytes
from spaseq.errors import OptionError
from spaseq.results.arrow import CODED_TEXT, DATE, DOUBLE, INSTANT, INTEGER, TEXT, TRUTH, Types, chosen, fitting_column
from spaseq.results.match import DerivedEvent, ResultShape
from spaseq.results.table import FamilyTable, MatchTable
from spaseq.results.terms import OwnTerms, native
from spaseq.spark.packing import RESULT, RESULT_DDL

DecidedTypes = Mapping[str, pyarrow.DataType]
Places = NDArray[np.int64]
_OF_SPARK = {TEXT: "string", INTEGER: "bigint", DOUBLE: "double", TRUTH: "boolean", INSTANT: "timestamp", DATE: "date"}


def result_rows(table: MatchTable, types: DecidedTypes) -> pyarrow.RecordBatch:
    """The matches of a table in the columns of ``RESULT``, in their order, and in those of variables with types.

    Those of a family are in the order of the sets of columns that it has.  A term that is no value of its type is NULL.
    """
    if not isinstance(table, FamilyTable):
        return _rows(table, pyarrow.repeat(table.query, len(table)).cast(TEXT), types)
    parts = [_rows(some, queries, types) for some, queries in _by_titles(table)]
    return parts[0] if len(parts) == 1 else pyarrow.Table.from_batches(parts).combine_chunks().to_batches()[0]


def _by_titles(table: FamilyTable) -> Iterator[tuple[MatchTable, pyarrow.Array]]:
    """The results whose columns are called alike, as one table, and of which query each is."""
    assert table.places is not None
    places, codes = np.unique(table.places, return_inverse=True)
    titles = [table.titles.get(place, table.columns) for place in places.tolist()]
    names = pyarrow.array([table.names[place] for place in places.tolist()], TEXT)
    for shown in dict.fromkeys(titles):
        own = np.flatnonzero(np.array([one == shown for one in titles])[codes])
        some = table if len(own) == len(table) else table.select(own)
        values = {one.name: getattr(some, one.name) for one in fields(MatchTable)}
        yield MatchTable(**values | {"columns": shown}), names.take(pyarrow.array(codes[own]))


def _rows(table: MatchTable, queries: pyarrow.Array, types: DecidedTypes) -> pyarrow.RecordBatch:
    """Results, each of the query of that name."""
    typed = [_typed(table, name, type_) for name, type_ in types.items()]
    return pyarrow.RecordBatch.from_arrays([queries, *_plain(table), *typed], schema=result_schema(types))


def late_rows(events: pyarrow.Table, types: DecidedTypes) -> pyarrow.RecordBatch:
    """Late events (``EVENT``), each as what would be derived, of no query."""
    rows = pyarrow.RecordBatch.from_struct_array(events.to_struct_array().combine_chunks())
    parts = [rows["stream"], rows["time"], rows["event"], rows["graph"].cast(TEXT)]
    known = {
        "first": rows["time"],
        "last": rows["time"],
        "derived": pyarrow.StructArray.from_arrays(parts, fields=list(RESULT.field("derived").type)),
    }
    schema = result_schema(types)
    columns = [known.get(each.name, pyarrow.nulls(len(rows), each.type)) for each in schema]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def misfits(rows: pyarrow.RecordBatch, types: DecidedTypes) -> int:
    """How many terms in rows of results are NULL in the columns with types, as they are no such values."""
    found = 0
    for name in types:
        bound = pyarrow.compute.map_lookup(rows["bindings"], name, "first").is_valid()
        found += pyarrow.compute.sum(pyarrow.compute.and_(bound, rows[name].is_null())).as_py() or 0
    return found


def result_types(types: Types | None, selections: Mapping[str, Sequence[str]]) -> dict[str, pyarrow.DataType]:
    """The types of variables that a user gave, as Arrow's; ``selections`` are those of SELECT queries, by name.

    OptionError: there is not one SELECT query, an unknown variable or type, or another column has the name.
    """
    if not types:
        return {}
    if len(selections) != 1:
        names = ", ".join(selections) or "none"
        raise OptionError(f"types are of the variables of one SELECT query, here are {names}")
    (shown,) = selections.values()
    found = chosen(types, list(shown))
    taken = {name.lower() for name in RESULT.names}
    for name, type_ in found.items():
        if type_ == CODED_TEXT:
            raise OptionError(f"Spark has no dictionaries: the column {name} may be of the type string")
        if name.lower() in taken:
            raise OptionError(
                f"there is a column {name.lower()} already (Spark sees no case): rename it by AS in SELECT"
            )
        taken.add(name.lower())
    return found


def result_schema(types: DecidedTypes) -> pyarrow.Schema:
    """The columns of a job's rows, for Arrow."""
    return pyarrow.schema([*RESULT, *types.items()])


def result_ddl(types: DecidedTypes) -> str:
    """The columns of a job's rows, for Spark."""
    return ", ".join([RESULT_DDL, *(f"`{name}` {_of_spark(type_)}" for name, type_ in types.items())])


def _of_spark(type_: pyarrow.DataType) -> str:
    return _OF_SPARK.get(type_) or f"decimal({type_.precision}, {type_.scale})"


def _typed(table: MatchTable, name: str, type_: pyarrow.DataType) -> pyarrow.Array:
    if name not in table.columns:  # of another query
        return pyarrow.nulls(len(table), type_)
    terms, words = native(table.terms, table.words)
    return fitting_column(terms, words[:, table.columns.index(name)], type_)[0]


def _plain(table: MatchTable) -> list[pyarrow.Array]:
    """The columns of ``RESULT`` behind the name of the query."""
    frame = table.to_arrow(terms="ntriples").combine_chunks()
    columns = [column.combine_chunks() for column in frame.columns]
    variables, after = columns[2 : 2 + len(table.columns)], 2 + len(table.columns)
    has_events = bool(table.shape.gpms)
    events = columns[after] if has_events else None
    return [
        columns[0],
        columns[1],
        _events(table, events),
        _bindings(table.columns, variables, len(table)),
        _derived(columns[after + has_events :], table),
    ]


def _bindings(names: Sequence[str], columns: Sequence[pyarrow.Array], rows: int) -> pyarrow.MapArray:
    """For each row the names of the columns that are not NULL there, with their values."""
    valid = np.zeros((rows, len(columns)), np.bool_)
    for number, column in enumerate(columns):
        valid[:, number] = column.is_valid().to_numpy(zero_copy_only=False)
    places, which = np.nonzero(valid)
    return _maps(names, columns, places, which, RESULT.field("bindings").type, rows)


def _events(table: MatchTable, events: pyarrow.StructArray | None) -> pyarrow.MapArray:
    """For each row the GPMs that picked events, in order of the first ones, with the lists of these."""
    type_ = RESULT.field("events").type
    if events is None:
        return _maps((), (), np.zeros(0, np.int64), np.zeros(0, np.int64), type_, len(table))
    gpms = [field.name for field in events.type]
    gpm_of = [gpms.index(name) if name in gpms else 0 for name in table.atom_names]  # negated: no pick has it
    rows = np.repeat(np.arange(len(table)), np.diff(table.pick_offsets))
    _, first = np.unique(rows * len(gpms) + np.array(gpm_of)[table.pick_atoms], return_index=True)
    first.sort()
    return _maps(gpms, events.flatten(), rows[first], np.array(gpm_of)[table.pick_atoms[first]], type_, len(table))


def _maps(
    names: Sequence[str], columns: Sequence[pyarrow.Array], places: Places, which: Places, type_: pyarrow.MapType,
    rows: int,
) -> pyarrow.MapArray:  # fmt: skip
    """Maps with an entry for each of ``places``, rows that do not fall: the value of a column there, with its name."""
    offsets = np.append(0, np.cumsum(np.bincount(places, minlength=rows))).astype(np.int32)
    keys = pyarrow.array(list(names), TEXT).take(pyarrow.array(which.astype(np.int32)))
    values = pyarrow.concat_arrays([column.cast(type_.item_type) for column in columns]) if columns else None
    found = pyarrow.nulls(0, type_.item_type) if values is None else values.take(pyarrow.array(places + rows * which))
    return pyarrow.MapArray.from_arrays(pyarrow.array(offsets), keys, found).cast(type_)


def _derived(columns: Sequence[pyarrow.Array], table: MatchTable) -> pyarrow.StructArray:
    """The derived events of CONSTRUCT: rows of events."""
    type_ = RESULT.field("derived").type
    if table.derived is None:
        return pyarrow.nulls(len(table), type_)
    stream, event, triples = columns
    times = pyarrow.array([one.timestamp for one in table.derived], pyarrow.int64()).cast(INSTANT)
    graphs = pyarrow.compute.binary_join(triples, "\n")
    return pyarrow.StructArray.from_arrays([stream, times, event, graphs], fields=list(type_))


Columns = Mapping[str, Sequence[str]]
_LINE = "<urn:s> <urn:p> {} .\n"


def match_tables(rows: pyarrow.Table, columns: Columns | None = None) -> Iterator[MatchTable]:
    """The matches in rows of ``RESULT``, a table for each query, in their order; rows of no query are left out.

    ``columns`` are the selected variables by query; of others, those that are bound somewhere.  When a match was
    ``decided`` is not in its row: the time of the derived event, or that of the last event, stands there.
    """
    rows = rows.select(RESULT.names).cast(RESULT)
    names = _whole(rows["query"]).dictionary_encode()
    codes = names.indices.fill_null(len(names.dictionary)).to_numpy()  # what is of no query stands last
    order, counts = np.argsort(codes, kind="stable"), np.bincount(codes, minlength=len(names.dictionary))
    together, end = rows.take(pyarrow.array(order)), 0
    for query, count in zip(names.dictionary.to_pylist(), counts.tolist(), strict=False):
        yield _table(query, together.slice(end, count).combine_chunks(), (columns or {}).get(query))
        end += count


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
