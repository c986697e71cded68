"""One engine of a job with a query in CEQL: packed rows in, results as rows out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, TypeAlias

import pyarrow

from spaseq.exclusive import in_steps
from spaseq.pattern.formulas.query import TimeWindow
from spaseq.snapshots.container import TUPLES
from spaseq.snapshots.doubt import doubted
from spaseq.snapshots.tree import flattened, inflated
from spaseq.soundness import whole_or_broken
from spaseq.spark.kinds import ShardEngine
from spaseq.spark.packing import packed, unpacked
from spaseq.spark.tuples.reading import ONLY, ROW, TIME, TableReading
from spaseq.spark.tuples.showing import AggregatedRows, SelectedRows
from spaseq.spark.tuples.store import RowStore
from spaseq.streams.timestamps import LEAST, Time, to_microseconds
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.kind import TableKind
from spaseq.tuples.query import Evaluation, TupleQuery
from spaseq.tuples.restoring import core_state, restore_core
from spaseq.tuples.selection.selecting import SelectingQuery

Found: TypeAlias = "SelectedRows | AggregatedRows"


class TupleShard(ShardEngine):
    """Runs a query on the rows of one bucket, whose order is that of time; ``schema`` is that of its results."""

    def __init__(self, reading: TableReading, schema: pyarrow.Schema, tables: TableKind | None = None) -> None:
        """A new one, or one that goes on with the ``tables`` of another."""
        self._reading = reading
        self._schema = schema
        self._tables = reading.begun()[0] if tables is None else tables
        self._hold(self._tables.core)
        self._clock = self.core.clock(ONLY)
        self.store = RowStore()

    @in_steps
    @whole_or_broken
    def push_rows(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[Found]:
        """See ``ShardEngine``."""
        if len(rows):
            numbers = self.store.add(rows) if self._reading.kept else None
            batch = self._reading.batch(rows, numbers)
            times = batch[TIME].cast(pyarrow.int64()).to_numpy()
            self._clock.events += len(rows)
            self._tables.take(ONLY, times, batch)
        if promise is not None:
            self._clock.promise(promise)
        return self._results()

    def _advance(self, time: Time, stream: str | None) -> Iterator[Found]:
        self._clock.promise(to_microseconds(time))
        return self._results()

    def _close(self, stream: str | None) -> Iterator[Found]:
        self._clock.close()
        return self._results()

    def _delivered(self, decided: Iterator[Found]) -> list[Found]:
        return list(decided)

    def snapshot(self) -> bytes:
        """See ``ShardEngine``."""
        sections: dict[str, bytes] = {}
        state = {
            "core": core_state(self._tables),
            "following": self.store.following,
            "rows": [[first, packed(rows)] for first, rows in self.store.rows()],
        }
        return TUPLES.pack(flattened(state, sections), sections)

    @staticmethod
    def restored(reading: TableReading, schema: pyarrow.Schema, snapshot: bytes) -> TupleShard:
        """The engine as it was when the snapshot was taken; SnapshotError: it is damaged."""
        with doubted():
            state: dict[str, Any] = inflated(*TUPLES.unpack(snapshot))
            tables = reading.tables()
            restore_core(tables, state["core"], {ONLY: reading.query}, reading.kept)
            engine = TupleShard(reading, schema, tables)
            engine.store = RowStore(state["following"])
            for first, rows in state["rows"]:
                engine.store.restore(first, unpacked(rows))
        return engine

    def _results(self) -> Iterator[Found]:
        """What is decided; then rows that no later result shows are forgotten."""
        for _, found in self.core.tables(how=self._found):
            yield found
        self.store.forget(self._shown_since())

    def _found(self, query: TupleQuery) -> Iterator[tuple[str, Found]]:
        return iter(()) if query.evaluation is None else query.each(partial(self._found_in, query.evaluation))

    def _found_in(self, evaluation: Evaluation, batch: EncodedBatch) -> Iterator[Found]:
        if isinstance(evaluation, SelectingQuery):
            for found in evaluation.recognized(batch):
                yield SelectedRows(found, batch, evaluation, self.store, self._reading, self._schema)
        else:
            for rows in evaluation.batches(batch):
                yield AggregatedRows(rows, batch, self._schema)

    def _shown_since(self) -> int:
        """No row before this time is in a result that is still to come."""
        query = self._reading.query.query
        if isinstance(query.window, TimeWindow):
            return max(LEAST, self._clock.watermark - query.window.microseconds)
        return LEAST if not query.forgets else self._oldest()

    def _oldest(self) -> int:
        """The time of the first row that is remembered, in the order of times."""
        (query,), (merged,) = self.core.running.values(), self._tables.inputs
        running = query.evaluation
        if not isinstance(running, SelectingQuery) or not merged.position:
            return LEAST
        number = running.past.values(ROW, pyarrow.array([running.past.oldest])).to_numpy()
        return int(self.store.take(number, [TIME])[TIME].cast(pyarrow.int64())[0].as_py())
