"""Events as rows of Arrow: read where their columns lie, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute, types

from gpm.rows import EventTexts, Numbers, TextColumn, TextRows, text_of
from spaseq.errors import OptionError
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.text import did_you_mean

REQUIRED, OPTIONAL = ("stream", "time", "graph"), ("event",)
_TEXT = "string or large_string"
_WORTH = {"s": 1_000_000, "ms": 1_000, "us": 1}  # microseconds of a unit; a nanosecond is less than one
Flags = NDArray[np.bool_]


def read_table(data: Any) -> pyarrow.Table:
    """A table, batch or reader of rows that say events, or what has Arrow's C stream, as a table.

    OptionError: it is nothing of the kind, a column is missing, or has another type.
    """
    table = _without_views(_table(data))
    for name in table.column_names:
        if name not in REQUIRED + OPTIONAL:
            raise OptionError(f"events have no column {name:.80}; {did_you_mean(name, REQUIRED + OPTIONAL)}")
    for name in REQUIRED:
        if name not in table.column_names:
            raise OptionError(f"there is no column {name}: events have the columns stream, time, event and graph")
    for name in table.column_names:
        if table.column_names.count(name) > 1:
            raise OptionError(f"there are {table.column_names.count(name)} columns {name}")
        _check_type(name, table.schema.field(name).type)
    return table


def _table(data: Any) -> pyarrow.Table:
    if isinstance(data, pyarrow.Table):
        return data
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([data])
    if isinstance(data, pyarrow.RecordBatchReader):
        return data.read_all()
    if hasattr(data, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(data).read_all()
    raise OptionError(f"rows are a RecordBatch, a Table, or what has Arrow's C stream, not {data!r:.80}")


def _without_views(table: pyarrow.Table) -> pyarrow.Table:
    """The same texts in one piece, as frames of polars have none."""
    whole = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
    schema = pyarrow.schema([field.with_type(whole.get(field.type, field.type)) for field in table.schema])
    return table if schema == table.schema else table.cast(schema)


def _check_type(name: str, type_: pyarrow.DataType) -> None:
    """OptionError: a column of this name cannot have this type."""
    fits, wanted = _TYPES[name]
    if not fits(type_):
        raise OptionError(f"the column {name} is of type {wanted}, not {type_}")


def _is_text(type_: pyarrow.DataType) -> bool:
    return bool(types.is_string(type_) or types.is_large_string(type_))


def _is_name(type_: pyarrow.DataType) -> bool:
    plain = type_.value_type if types.is_dictionary(type_) else type_
    return _is_text(plain) or bool(types.is_string_view(plain))


# Whether a type is one that the column of that name can have, and which these are.
_TYPES: dict[str, tuple[Callable[[pyarrow.DataType], bool], str]] = {
    "stream": (_is_name, f"{_TEXT}, or a dictionary of them"),
    "time": (lambda type_: types.is_timestamp(type_) or types.is_int64(type_), "timestamp, or int64 (microseconds)"),
    "event": (lambda type_: _is_text(type_) or types.is_null(type_), _TEXT),
    "graph": (
        lambda type_: _is_text(type_) or types.is_binary(type_) or types.is_large_binary(type_),
        f"binary, large_binary, {_TEXT}",
    ),
}


class EventColumns:
    """The n rows of a batch of such a table.

    ``streams`` (n) are numbers in ``stream_names``, −1 where there is none; ``events`` are theirs, without meaning
    where there is a problem.
    """

    def __init__(self, batch: pyarrow.RecordBatch) -> None:
        """OptionError: its buffers do not fit each other, so that reading would go beyond them."""
        try:
            batch.validate()
        except pyarrow.ArrowInvalid as error:
            raise OptionError(f"a batch of Arrow is damaged: {error}") from None
        self.streams, self.stream_names = _coded(batch.column("stream"))
        times, self._is_beyond = _microseconds(batch.column("time"))
        names = batch.column("event") if "event" in batch.schema.names else None
        has_names = names is not None and names.null_count < len(names)
        name_texts = _texts(compute.fill_null(_sound(names), "")) if has_names else None
        self.events = EventTexts(times, _texts(batch.column("graph")), name_texts)
        self._nulls = {name: _nulls(batch.column(name)) for name in batch.schema.names}

    def name(self, row: int) -> str | None:
        """The name that a row gives its event, if there is one."""
        names = self.events.names
        return None if names is None or self._nulls["event"][row] else text_of(names, row).decode("utf-8", "replace")

    def problems(self) -> Iterator[tuple[Flags, str]]:
        """What can be wrong with rows by the look of single columns: in which rows it is, and the message."""
        yield self._nulls["time"], "the time is missing"
        yield self._is_beyond, "the time is outside the range of 64-bit microseconds"
        yield self._nulls["graph"], "the graph is missing"
        if self.events.names is not None:
            starts = self.events.names[0]
            yield (
                (starts[1:] == starts[:-1]) & ~self._nulls["event"],
                "the event's name is empty: it is an IRI, or null",
            )


def _nulls(column: pyarrow.Array) -> Flags:
    if not column.null_count:
        return np.zeros(len(column), np.bool_)
    found: Flags = column.is_null().to_numpy(zero_copy_only=False)
    return found


def _texts(column: pyarrow.Array) -> TextRows:
    """A column of texts, one at least, without copying."""
    data = _sound(column).buffers()[2]
    return _offsets(column), memoryview(data or b"").cast("B")


def _sound(column: pyarrow.Array) -> pyarrow.Array:
    """The column.  OptionError: its texts end before they begin, so that reading them would go beyond."""
    offsets = _offsets(column)
    if (offsets[1:] < offsets[:-1]).any():
        raise OptionError("a batch of Arrow is damaged: texts end before they begin")
    return column


def _offsets(column: pyarrow.Array) -> Numbers | NDArray[np.int32]:
    """Where each text begins, and the last one ends."""
    wide = types.is_large_string(column.type) or types.is_large_binary(column.type)
    offsets = np.frombuffer(column.buffers()[1], np.int64 if wide else np.int32)
    return offsets[column.offset : column.offset + len(column) + 1]  # type: ignore[return-value]


def _coded(column: pyarrow.Array) -> tuple[Numbers, list[str | None]]:
    """The number of each text among the distinct ones, −1 where it is null, and these."""
    coded = column if types.is_dictionary(column.type) else column.dictionary_encode()
    codes = compute.fill_null(coded.indices.cast(pyarrow.int64()), -1).to_numpy()
    if codes.min() < -1 or codes.max() >= len(coded.dictionary):
        raise OptionError("a batch of Arrow is damaged: its dictionary does not have the text of some row")
    return codes, coded.dictionary.to_pylist()


def _microseconds(column: pyarrow.Array) -> tuple[Numbers, Flags]:
    """Times in microseconds, digits beyond them cut, 0 where there is none, and which are out of their range."""
    unit = column.type.unit if types.is_timestamp(column.type) else "us"
    given: Numbers = compute.fill_null(column.view(pyarrow.int64()), 0).to_numpy()
    if unit == "ns":
        return given // 1000, np.zeros(len(given), np.bool_)
    worth = _WORTH[unit]
    beyond = (given > (GREATEST - 1) // worth) | (given < -(-(LEAST + 1) // worth))
    return np.where(beyond, 0, given) * worth, beyond


# ── events as rows ───────────────────────────────────────────────────────────────────────────────────────
SCHEMA = pyarrow.schema([
    ("stream", pyarrow.string()), ("time", pyarrow.timestamp("us", "UTC")), ("event", pyarrow.large_string()),
    ("graph", pyarrow.large_binary()),
])  # fmt: skip


def rows_of(stream: str, times: Numbers, names: TextColumn, graphs: TextColumn) -> pyarrow.RecordBatch:
    """See ``Events.to_arrow``."""
    streams = pyarrow.repeat(pyarrow.scalar(stream), len(times))
    instants = pyarrow.array(times).view(SCHEMA.field("time").type)
    texts = _text_column(graphs, pyarrow.large_binary())
    return pyarrow.RecordBatch.from_arrays([streams, instants, _names(names), texts], schema=SCHEMA)


def _names(names: TextColumn) -> pyarrow.Array:
    """The names, null where one is empty."""
    ends = names[0]
    named = ends[1:] > ends[:-1]
    present = None if named.all() else pyarrow.py_buffer(np.packbits(named, bitorder="little"))
    return _text_column(names, pyarrow.large_string(), present)


def _text_column(column: TextColumn, type_: pyarrow.DataType, present: pyarrow.Buffer | None = None) -> pyarrow.Array:
    """The column in Arrow's form, without copying."""
    ends, text = column
    buffers = [present, pyarrow.py_buffer(np.ascontiguousarray(ends, np.int64)), pyarrow.py_buffer(text)]
    return pyarrow.Array.from_buffers(type_, len(ends) - 1, buffers)
