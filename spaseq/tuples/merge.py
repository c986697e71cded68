"""Several sources, one of each stream, as one: merged by time, at equal times in the order of the streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

import numpy as np
import pyarrow
from pyarrow import types

from spaseq.errors import Location, QueryError, StreamError
from spaseq.tuples.kinds import Kind, kind_of_type, shown
from spaseq.tuples.sources import Source
from spaseq.tuples.timed import Timed
from spaseq.tuples.times import Clock, Times
from spaseq.tuples.usual import CODED_TEXT, usual

STREAM = "stream\n"  # the column with the names of the streams: no query can mean it


class MergedSource:
    """Sources by the names of their streams.

    A column has one type in all of them; where a source does not have it, it is NULL.  ``time`` is the column with the
    times, which each source has; ``unit`` and ``skip`` are those of ``Clock`` and ``Timed``.
    """

    def __init__(self, sources: Mapping[str, Source], time: str, unit: str, skip: bool) -> None:
        self._sources = sources
        self._time = time
        self._unit = unit
        self._skip = skip
        counts = reduce(or_, (Counter(source.names) for source in sources.values()))
        self.names: tuple[str, ...] = (*counts.elements(), STREAM)
        self._schema = pyarrow.schema([])
        self._timed: list[Timed] = []

    @property
    def skipped(self) -> int:
        """Events of all streams whose times were wrong."""
        return sum(timed.skipped for timed in self._timed)

    @property
    def first(self) -> str:
        """The first of them in the first stream that has one, as ``Timed.first``."""
        return next((timed.first for timed in self._timed if timed.skipped), "")

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; QueryError if a column is of different kinds."""
        wanted = [name for name in columns if name != STREAM]
        schemas = {
            stream: source.choose([name for name in wanted if name in source.names])
            for stream, source in self._sources.items()
        }
        fields = [(name, _common_type(name, schemas)) for name in wanted]
        self._schema = pyarrow.schema([*fields, (STREAM, CODED_TEXT)])
        clocks = [Clock(self._time, self._unit, schema) for schema in schemas.values()]
        pairs = zip(self._sources.values(), clocks, strict=True)
        self._timed = [Timed(source, clock, self._skip) for source, clock in pairs]
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All events; a batch goes as far as what has been read of each stream."""
        streams = [_Stream(iter(timed)) for timed in self._timed]
        while any(stream.is_filled() for stream in streams):
            yield self._merged([stream.taken(edge) for stream, edge in zip(streams, _edges(streams), strict=True)])

    def place(self, row: int) -> Location:
        """The number of the row from 0, among those of all streams."""
        return Location(f"<streams>, row {row}")

    def _merged(self, taken: list[tuple[Times, pyarrow.RecordBatch]]) -> pyarrow.RecordBatch:
        parts = [self._part(number, batch) for number, (_, batch) in enumerate(taken) if batch.num_rows]
        whole = pyarrow.Table.from_batches(parts, self._schema).unify_dictionaries().combine_chunks()
        order = np.argsort(np.concatenate([times for times, batch in taken if batch.num_rows]), kind="stable")
        (batch,) = whole.take(order).combine_chunks().to_batches()
        return batch

    def _part(self, number: int, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """A batch of one stream with all columns."""
        streams = list(self._sources)
        columns = [_column(batch, field, streams[number]) for field in self._schema if field.name != STREAM]
        codes = np.full(batch.num_rows, number, np.int32)
        names = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(streams))
        return pyarrow.record_batch([*columns, names], schema=self._schema)


class _Stream:
    """What has been read of a stream and not given away."""

    def __init__(self, batches: Iterator[tuple[Times, pyarrow.RecordBatch]]) -> None:
        self._batches = batches
        self.times: Times = np.empty(0, np.int64)
        self._batch = pyarrow.record_batch([])

    def is_filled(self) -> bool:
        """Whether there is something, after reading on if there was not."""
        if not len(self.times):
            self.times, self._batch = next(self._batches, (self.times, self._batch))
        return len(self.times) > 0

    def taken(self, count: int) -> tuple[Times, pyarrow.RecordBatch]:
        """Give the first events away."""
        times, batch = self.times[:count], self._batch.slice(0, count)
        self.times, self._batch = self.times[count:], self._batch.slice(count)
        return times, batch


def _edges(streams: Sequence[_Stream]) -> list[int]:
    """How many events of each stream come before all that has not been read yet."""
    filled = [(stream.times[-1], number) for number, stream in enumerate(streams) if stream.is_filled()]
    last, first = min(filled)  # what follows of that stream comes after its equals in streams before it
    return [
        int(np.searchsorted(stream.times, last, "right" if number <= first else "left"))
        for number, stream in enumerate(streams)
    ]


def _column(batch: pyarrow.RecordBatch, field: pyarrow.Field, stream: str) -> pyarrow.Array:
    if field.name not in batch.schema.names:
        return pyarrow.nulls(batch.num_rows, field.type)
    try:
        return usual(batch.column(field.name), field.type)
    except pyarrow.ArrowException as error:
        message = f"the attribute {field.name} does not become {shown(field.type)}: {error}"
        raise StreamError(message, Location(f"<stream {stream}>")) from None


def _common_type(name: str, schemas: Mapping[str, pyarrow.Schema]) -> pyarrow.DataType:
    """The type of a column in all streams that have it."""
    found = {stream: schema.field(name).type for stream, schema in schemas.items() if name in schema.names}
    given = {stream: type_ for stream, type_ in found.items() if not types.is_null(type_)}
    distinct = set(given.values())
    if len(distinct) <= 1:
        return distinct.pop() if distinct else pyarrow.null()
    kinds = {kind_of_type(type_) for type_ in distinct}
    if kinds == {Kind.NUMBER}:
        return pyarrow.float64()
    if kinds == {Kind.TEXT}:
        return CODED_TEXT
    (one, first), *others = given.items()
    other, second = next(each for each in others if kind_of_type(each[1]) is not kind_of_type(first))
    message = f"the attribute {name} is of type {shown(first)} in {one}, and of type {shown(second)} in {other}"
    raise QueryError(message, hint="a column's type can be declared")
