"""Matches as the rows that a job gives: terms in N-Triples, maps of what is bound and picked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
import pyarrow.compute
from numpy.typing import NDArray

from spaseq.results.table import MatchTable
from spaseq.spark.schemas import INSTANT, RESULT


def result_rows(table: MatchTable) -> pyarrow.RecordBatch:
    """The matches of a table in the columns of ``RESULT``, in their order."""
    frame = table.to_arrow(terms="ntriples").combine_chunks()
    columns = [column.combine_chunks() for column in frame.columns]
    variables, after = columns[2 : 2 + len(table.columns)], 2 + len(table.columns)
    has_events = bool(table.shape.gpms)
    picked = columns[after].flatten() if has_events else []
    gpms = [field.name for field in columns[after].type] if has_events else []
    return pyarrow.RecordBatch.from_arrays(
        [
            pyarrow.repeat(table.query, len(table)).cast(pyarrow.string()),
            columns[0],
            columns[1],
            _maps(gpms, picked, RESULT.field("events").type, _arrival(table, gpms)),
            _maps(table.columns, variables, RESULT.field("bindings").type, _in_turn(len(table), len(variables))),
            _derived(table, columns[after + has_events :]),
        ],
        schema=RESULT,
    )


def _in_turn(rows: int, columns: int) -> NDArray[np.int64]:
    """Each row has its columns in their order."""
    return np.broadcast_to(np.arange(columns), (rows, columns))


def _arrival(table: MatchTable, gpms: Sequence[str]) -> NDArray[np.int64]:
    """For each row the numbers of GPMs in the order in which their first events came."""
    first = np.full((len(table), len(gpms)), np.iinfo(np.int64).max)
    if len(gpms) < 2:
        return _in_turn(*first.shape)
    known = {name: number for number, name in enumerate(gpms)}
    numbers = np.array([known.get(name, 0) for name in table.atom_names])  # negated ones are never picked
    rows = np.repeat(np.arange(len(table)), np.diff(table.pick_offsets))
    picks = np.arange(table.pick_offsets[0], table.pick_offsets[-1])
    first[rows[::-1], numbers[table.pick_atoms[picks]][::-1]] = picks[::-1]  # the first of each is written last
    return first.argsort(axis=1, kind="stable")


def _maps(
    names: Sequence[str], columns: Sequence[pyarrow.Array], type_: pyarrow.MapType, order: NDArray[np.int64]
) -> pyarrow.MapArray:
    """For each row the names of the columns that are not NULL there, in the order of the row, with their values."""
    rows = len(order)
    valid = np.zeros((rows, len(columns)), np.bool_)
    for number, column in enumerate(columns):
        valid[:, number] = column.is_valid().to_numpy(zero_copy_only=False)
    valid = np.take_along_axis(valid, order, axis=1)
    offsets = np.append(0, np.cumsum(valid.sum(axis=1))).astype(np.int32)
    which = order[valid]
    places = (np.arange(rows)[:, None] + rows * order)[valid]  # of all values, column by column
    keys = pyarrow.array(list(names), pyarrow.string()).take(pyarrow.array(which.astype(np.int32)))
    values = pyarrow.concat_arrays([column.cast(type_.item_type) for column in columns]) if columns else None
    found = pyarrow.nulls(0, type_.item_type) if values is None else values.take(pyarrow.array(places))
    return pyarrow.MapArray.from_arrays(pyarrow.array(offsets), keys, found).cast(type_)


def _derived(table: MatchTable, columns: Sequence[pyarrow.Array]) -> pyarrow.StructArray:
    """The derived events of CONSTRUCT: their stream, time, IRI and graph, as events of a stream."""
    type_ = RESULT.field("derived").type
    if table.derived is None:
        return pyarrow.nulls(len(table), type_)
    stream, event, triples = columns
    times = pyarrow.array([one.timestamp for one in table.derived], pyarrow.int64()).cast(INSTANT)
    graphs = pyarrow.compute.binary_join(triples, "\n")
    return pyarrow.StructArray.from_arrays([stream, times, event, graphs], fields=list(type_))
