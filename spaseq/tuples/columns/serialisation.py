"""Columns as bytes, in the format of Arrow streams, and back: what is read is checked as a whole before it is used."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.ipc

from spaseq.errors import SnapshotError
from spaseq.sources.tables.types import types_read, types_stored
from spaseq.tuples.columns.vectors import Column, Vector


def rows_stored(batch: pyarrow.RecordBatch) -> bytes:
    """A batch as bytes."""
    out = io.BytesIO()
    with pyarrow.ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)
    return out.getvalue()


def rows_read(data: bytes, schema: pyarrow.Schema | None = None) -> pyarrow.RecordBatch:
    """The batch; SnapshotError: the bytes are damaged, or it has another schema."""
    try:
        with pyarrow.ipc.open_stream(data) as reader:
            batch: pyarrow.RecordBatch = reader.read_next_batch()
        batch.validate(full=True)
    except (pyarrow.ArrowException, OSError, StopIteration, MemoryError) as error:  # of no size that is there
        raise damaged(f"rows cannot be read: {error}") from None
    if any(column.offset or len(column) != batch.num_rows for column in batch.columns):
        raise damaged("rows are not all there")
    if schema is not None and not batch.schema.equals(schema):
        raise damaged("rows have other columns")
    return batch


def column_stored(column: pyarrow.Array) -> bytes:
    """One column."""
    return rows_stored(pyarrow.record_batch([column], names=["values"]))


def column_read(data: bytes, type_: pyarrow.DataType) -> pyarrow.Array:
    """The column of this type; SnapshotError: it is none, or has NULL."""
    column = rows_read(data, pyarrow.schema([("values", type_)])).column(0)
    if column.null_count:
        raise damaged("a value is missing")
    return column


def schema_stored(types: Mapping[str, pyarrow.DataType]) -> bytes:
    """Types by name."""
    return types_stored(types)


def schema_read(data: bytes) -> dict[str, pyarrow.DataType]:
    """Types by name, each of them once; SnapshotError: the bytes are damaged."""
    try:
        schema = types_read(data)
    except ValueError as error:
        raise damaged(f"types cannot be read: {error}") from None
    distinct(schema.names)
    return {field.name: field.type for field in schema}


def numbers_stored(numbers: npt.NDArray[np.generic]) -> bytes:
    """Integers or doubles (n)."""
    return column_stored(pyarrow.array(numbers))


def integers_read(data: bytes, count: int | None = None) -> npt.NDArray[np.int64]:
    """Integers of 64 bits (n), of which there are so many if that is known; SnapshotError."""
    found: npt.NDArray[np.int64] = np.array(column_read(data, pyarrow.int64()))
    if count is not None and len(found) != count:
        raise damaged("numbers are missing")
    return found


def marks_read(data: bytes, first: int, end: int, forgets: bool) -> npt.NDArray[np.int64]:
    """What rows that are kept, from position ``first`` on and before ``end``, are known by (n); SnapshotError.

    Those that are forgotten in their order by their starts, as all are there; others by their positions.
    """
    marks = integers_read(data)
    if len(marks) == end - first:
        return marks if forgets else np.arange(first, end)
    rising = len(marks) > 0 and marks[0] == first and marks[-1] < end and bool((marks[1:] > marks[:-1]).all())
    require(not forgets and rising, "rows that were kept are missing")
    return marks


def vector_stored(vector: Vector) -> bytes:
    """A vector; Python's integers as texts."""
    missing = None if vector.valid is None else ~vector.valid
    values = vector.values if vector.valid is None else np.where(vector.valid, vector.values, 0)
    if values.dtype == object:
        return column_stored(pyarrow.array([str(value) for value in values.tolist()], pyarrow.string(), mask=missing))
    return column_stored(pyarrow.array(values, mask=missing))


def vector_read(data: bytes, count: int, missing: int = 0) -> Vector:
    """The vector of so many numbers, with ``missing`` where there is none; SnapshotError."""
    (column,) = rows_read(data).columns
    if len(column) != count:
        raise damaged("numbers are missing")
    valid = None if not column.null_count else np.array(column.is_valid())
    return Vector(_values(column, missing), valid)


def _values(column: pyarrow.Array, missing: int) -> Column:
    if column.type == pyarrow.string():
        return np.array([_whole(text) for text in column.fill_null(str(missing)).to_pylist()], object)
    if column.type not in (pyarrow.int64(), pyarrow.float64()):
        raise damaged("values are no numbers")
    return np.array(column.fill_null(missing))


def _whole(text: str) -> int:
    """An integer of at most 128 bits."""
    if len(text) > 40 or not text.removeprefix("-").isdecimal():
        raise damaged("a number is none")
    return int(text)


def distinct(values: Sequence[object]) -> None:
    """SnapshotError: a value is there twice."""
    if len(set(values)) < len(values):
        raise damaged("a value has two numbers")


def damaged(what: str) -> SnapshotError:
    """The error of a snapshot whose content cannot be."""
    return SnapshotError(f"the snapshot is damaged: {what}")


def require(holds: bool, what: str) -> None:
    """SnapshotError, unless it holds."""
    if not holds:
        raise damaged(what)


def met_of(text: str, atoms: int) -> int:
    """A set of so many atoms, as ``hex`` gives it; SnapshotError."""
    try:
        met = int(text[: 3 + atoms // 4], 16)
    except ValueError:
        raise damaged("a set of atoms is none") from None
    require(0 <= met < 1 << atoms, "a set of atoms is none")
    return met
