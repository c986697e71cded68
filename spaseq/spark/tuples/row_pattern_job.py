"""What a streaming job with a query in SQL is, and its engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.runtime.guards import Soundness, in_steps, whole_or_broken
from spaseq.runtime.snapshot.container import TUPLES, flattened, inflated
from spaseq.runtime.snapshot.validation import validated
from spaseq.sources.tables.types import exact_name, exact_type, usual_type
from spaseq.spark.jobs import Batches, PackedForm
from spaseq.spark.log import BUCKETS, PARTITIONS
from spaseq.spark.shards import labels
from spaseq.spark.tuples.map_stage import INSTANT, ONLY, TIME, Places, buckets_of, hashes, sift, whole_column
from spaseq.spark.tuples.results import late_rows
from spaseq.spark.tuples.row_pattern_reading import RowPatternReading, sql_results
from spaseq.spark.tuples.table_shard import TableShard
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.kind import TableKind
from spaseq.tuples.queries import ReadingOptions
from spaseq.tuples.state import core_state, restore_core

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class RowPatternStreamReading:
    """How rows of a stream are ``read`` for a query in SQL, which have times; ``options`` say how.

    ``max_steps``: of a search from one row (0: any number).
    """

    read: RowPatternReading
    options: ReadingOptions
    max_steps: int = 0

    @property
    def time(self) -> str:
        """See ``RowsReading``."""
        assert self.read.time is not None
        return self.read.time

    @property
    def asked(self) -> tuple[str, ...]:
        """See ``RowsReading``: the keys."""
        return tuple(dict.fromkeys(self.read.meaning.partition))

    def types(self) -> ColumnTypes:
        """See ``RowsReading``."""
        return ColumnTypes({name: usual_type(self.read.given.field(name).type) for name in self.asked})

    def known(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """See ``RowsReading``."""
        return self.read.known(batch)

    @cached_property
    def packed(self) -> pyarrow.Schema:
        """The columns of packed rows: the time as such, and what is given."""
        rest = [field for field in self.read.given if not (field.type == INSTANT and field.name == self.time)]
        return pyarrow.schema([pyarrow.field(TIME, INSTANT), *rest])

    def place(self, name: str) -> str:
        """Where packed rows have a column."""
        return name if name in self.packed.names else TIME

    def batch(self, rows: pyarrow.Table) -> pyarrow.RecordBatch:
        """Packed rows as an engine reads them."""
        own = {exact_name(name): self.read.exact(whole_column(rows[self.place(name)]), name) for name in self.read.read}
        return pyarrow.RecordBatch.from_pydict(own | {TIME: whole_column(rows[TIME]).cast(pyarrow.timestamp("us"))})

    def tables(self) -> TableKind:
        """What runs the query, which is still to be registered."""
        types = {exact_name(name): exact_type(self.read.given.field(name).type) for name in self.read.read}
        setting = ReadingOptions(relation="row", time=TIME).setting(has_names=False)
        known = ColumnTypes(types | {TIME: pyarrow.timestamp("us")})
        return TableKind(setting, known, Soundness("this engine"), max_steps=self.max_steps)

    def begun(self) -> TableKind:
        """The query at work."""
        tables = self.tables()
        query = tables.query(ONLY, self.read.query)
        tables.register(query)
        tables.hear_of(ONLY, self.read.names)
        tables.core.clock(ONLY)
        tables.begin(query, tables.input_of(query))
        return tables


class RowPatternShard(TableShard):
    """Runs a query in SQL on the rows of one bucket."""

    def __init__(self, reading: RowPatternStreamReading, tables: TableKind | None = None) -> None:
        """A new one, or one that goes on with the ``tables`` of another."""
        super().__init__(reading.begun() if tables is None else tables)
        self._reading = reading

    @in_steps
    @whole_or_broken
    def push_packed(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[pyarrow.RecordBatch]:
        """See ``ShardEngine``."""
        if len(rows):
            self._take(self._reading.batch(rows))
        if promise is not None:
            self._clock.promise(promise)
        return self._results()

    def _results(self) -> Iterator[pyarrow.RecordBatch]:
        for _, found in self.core.tables():
            yield found

    def snapshot(self) -> bytes:
        """See ``ShardEngine``."""
        sections: dict[str, bytes] = {}
        return TUPLES.pack(flattened({"core": core_state(self._tables)}, sections), sections)

    @staticmethod
    def restored(reading: RowPatternStreamReading, snapshot: bytes) -> RowPatternShard:
        """The engine as it was when the snapshot was taken; SnapshotError: it is damaged."""
        with validated():
            state: dict[str, Any] = inflated(*TUPLES.unpack(snapshot))
            tables = reading.tables()
            restore_core(tables, state["core"], {ONLY: reading.read.query})
        return RowPatternShard(reading, tables)


@dataclass(frozen=True)
class KeyRouter:
    """Routes rows by their ``keys`` into ``buckets``; without keys all go to one engine."""

    keys: tuple[str, ...]
    buckets: int

    def route(self, rows: pyarrow.RecordBatch) -> Iterator[tuple[int, Places]]:
        """See ``RowRouting``."""
        if not self.keys:
            yield 0, np.arange(rows.num_rows)
            return
        of = buckets_of([_digests(rows[key]) for key in self.keys], self.buckets)
        for bucket in np.unique(of).tolist():
            yield bucket, np.flatnonzero(of == bucket)


def _digests(column: pyarrow.Array) -> pyarrow.Array:
    """A number for each value, equal wherever values are one key: NULLs are, NaNs are, and both zeros."""
    if pyarrow.types.is_floating(column.type):
        column = pyarrow.compute.if_else(pyarrow.compute.is_nan(column), float("nan"), column)
    found = np.zeros(len(column), np.uint64)
    found[column.is_valid().to_numpy(zero_copy_only=False)] = hashes(column.drop_null())
    return pyarrow.array(found.view(np.int64))


@dataclass(frozen=True)
class RowPatternJob:
    """A query in SQL on a stream, cut by its keys into ``buckets`` unless it is kept ``whole``; see ``EngineJob``.

    ``results`` are the columns of what comes out; ``late``: the last one has late rows.  It pickles.
    """

    reading: RowPatternStreamReading
    results: StructType
    buckets: int
    partitions: int
    whole: bool = False
    late: bool = False

    @property
    def _keys(self) -> tuple[str, ...]:
        return () if self.whole else self.reading.asked

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The label of each engine by number."""
        return labels(self.buckets if self._keys else 1, self.partitions)

    def router(self) -> KeyRouter:
        """See ``RowReader``."""
        return KeyRouter(self._keys, self.buckets)

    @property
    def form(self) -> PackedForm:
        """See ``EngineJob``."""
        return PackedForm(self.reading.packed, TIME)

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """The columns of results, in Arrow."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.results, timezone="UTC")

    @property
    def inputs(self) -> tuple[str, ...]:
        """See ``EngineJob``: the stream has no name."""
        return ()

    @property
    def free(self) -> frozenset[str]:
        """See ``EngineJob``."""
        return frozenset()

    @cached_property
    def identity(self) -> dict[str, str]:
        """See ``EngineJob``."""
        return {
            "the query": self.reading.read.query.fingerprint,
            "what columns are for": repr(self.reading.time),
            "the columns": ", ".join(f"{field.name}: {field.type}" for field in self.reading.packed),
            PARTITIONS: str(self.partitions),
            BUCKETS: str(self.buckets),  # which follow from partitions
            "what is whole": str(self.whole),
        }

    def sift(self, batches: Iterable[pyarrow.RecordBatch], ticks: bool = False) -> Batches:
        """See ``EngineJob``."""
        return sift(self, batches, ticks)

    def started(self, number: int) -> RowPatternShard:
        """See ``EngineJob``."""
        return RowPatternShard(self.reading)

    def restored(self, number: int, snapshot: bytes) -> RowPatternShard:
        """See ``EngineJob``."""
        return RowPatternShard.restored(self.reading, snapshot)

    def rows(self, number: int, found: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """See ``EngineJob``."""
        return sql_results(found, self.schema)

    def late_rows(self, rows: pyarrow.Table) -> pyarrow.RecordBatch:
        """See ``EngineJob``."""
        return late_rows(rows, self.reading, self.schema)

    def misfits(self, results: pyarrow.RecordBatch) -> int:
        """See ``EngineJob``: values have the types of their columns."""
        return 0
