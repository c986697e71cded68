"""Matches as the rows that a job gives: terms in N-Triples, maps of what is bound and picked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.results.table import MatchTable
from spaseq.spark.schemas import RESULT


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
            _maps(gpms, picked, RESULT.field("events").type, len(table)),
            _maps(table.columns, variables, RESULT.field("bindings").type, len(table)),
            _derived(columns[after + has_events :], len(table)),
        ],
        schema=RESULT,
    )


def _maps(
    names: Sequence[str], columns: Sequence[pyarrow.Array], type_: pyarrow.MapType, rows: int
) -> pyarrow.MapArray:
    """For each row the names of the columns that are not NULL there, with their values."""
    valid = np.zeros((rows, len(columns)), np.bool_)
    for number, column in enumerate(columns):
        valid[:, number] = column.is_valid().to_numpy(zero_copy_only=False)
    offsets = np.append(0, np.cumsum(valid.sum(axis=1))).astype(np.int32)
    places = (np.arange(rows)[:, None] + rows * np.arange(len(columns)))[valid]  # of all values, column by column
    which = np.broadcast_to(np.arange(len(columns)), valid.shape)[valid]
    keys = pyarrow.array(list(names), pyarrow.string()).take(pyarrow.array(which.astype(np.int32)))
    values = pyarrow.concat_arrays([column.cast(type_.item_type) for column in columns]) if columns else None
    found = pyarrow.nulls(0, type_.item_type) if values is None else values.take(pyarrow.array(places))
    return pyarrow.MapArray.from_arrays(pyarrow.array(offsets), keys, found).cast(type_)


def _derived(columns: Sequence[pyarrow.Array], rows: int) -> pyarrow.StructArray:
    """The derived events of CONSTRUCT: their stream, IRI and graph."""
    type_ = RESULT.field("derived").type
    if not columns:
        return pyarrow.nulls(rows, type_)
    stream, event, triples = columns
    graphs = pyarrow.compute.binary_join(triples, "\n")
    return pyarrow.StructArray.from_arrays([stream, event, graphs], fields=list(type_))
