"""One engine of a job with a query in CEQL: packed rows in, results as rows out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import pyarrow

from spaseq.pattern.formulas.query import TimeWindow
from spaseq.snapshots.container import TUPLES
from spaseq.snapshots.doubt import doubted
from spaseq.snapshots.tree import flattened, inflated
from spaseq.spark.packing import packed, unpacked
from spaseq.spark.tuples.reading import ONLY, ROW, TIME, TableReading
from spaseq.spark.tuples.showing import AggregatedRows, SelectedRows
from spaseq.spark.tuples.store import RowStore
from spaseq.streams.timestamps import LEAST
from spaseq.tuples import promises
from spaseq.tuples.core import TupleCore
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.restoring import core_state, restore_core
from spaseq.tuples.selection.selecting import SelectingQuery
from spaseq.tuples.streamset import Running

Found: TypeAlias = "SelectedRows | AggregatedRows"


class TupleEngine:
    """Runs a query on the rows of one bucket, whose order is that of time; ``schema`` is that of its results."""

    def __init__(self, reading: TableReading, schema: pyarrow.Schema, core: TupleCore | None = None) -> None:
        """A new one, or one that goes on with the ``core`` of another."""
        self._reading = reading
        self._schema = schema
        self._core = reading.begun()[0] if core is None else core
        self._core.step = self._step
        self.store = RowStore()

    def push(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[Found]:
        """See ``JobEngine``."""
        if len(rows):
            numbers = self.store.add(rows) if self._reading.kept else None
            batch = self._reading.batch(rows, numbers)
            times = batch[TIME].cast(pyarrow.int64()).to_numpy()
            self._core.clock(ONLY).events += len(rows)
            self._core.take(ONLY, times, batch)
        if promise is not None:
            self._core.clock(ONLY).promise(promise)
        return self._results()

    def advance(self, time: int) -> Iterator[Found]:
        """See ``JobEngine``."""
        self._core.clock(ONLY).promise(time)
        return self._results()

    def close(self) -> Iterator[Found]:
        """See ``JobEngine``."""
        self._core.clock(ONLY).close()
        return self._results()

    def needed_since(self) -> int | None:
        """See ``JobEngine``."""
        return promises.needed_since(self._core)

    def due(self) -> int | None:
        """See ``JobEngine``."""
        return promises.due(self._core)

    def snapshot(self) -> bytes:
        """See ``JobEngine``."""
        sections: dict[str, bytes] = {}
        state = {
            "core": core_state(self._core),
            "following": self.store.following,
            "rows": [[first, packed(rows)] for first, rows in self.store.rows()],
        }
        return TUPLES.pack(flattened(state, sections), sections)

    @staticmethod
    def restored(reading: TableReading, schema: pyarrow.Schema, snapshot: bytes) -> TupleEngine:
        """The engine as it was when the snapshot was taken; SnapshotError: it is damaged."""
        with doubted():
            state: dict[str, Any] = inflated(*TUPLES.unpack(snapshot))
            core = reading.core()
            restore_core(core, state["core"], {ONLY: reading.query}, reading.kept)
            engine = TupleEngine(reading, schema, core)
            engine.store = RowStore(state["following"])
            for first, rows in state["rows"]:
                engine.store.restore(first, unpacked(rows))
        return engine

    def _results(self) -> Iterator[Found]:
        """What is decided; then rows that no later result shows are forgotten."""
        self._core.settle()
        for _, found in self._core.results():
            yield found  # type: ignore[misc]
        self.store.forget(self._shown_since())

    def _step(self, running: Running, batch: EncodedBatch) -> Iterator[Found]:
        if isinstance(running, SelectingQuery):
            for found in running.recognized(batch):
                yield SelectedRows(found, batch, running, self.store, self._reading, self._schema)
        else:
            for rows in running.batches(batch):
                yield AggregatedRows(rows, batch, self._schema)

    def _shown_since(self) -> int:
        """No row before this time is in a result that is still to come."""
        query = self._reading.query.query
        if isinstance(query.window, TimeWindow):
            return max(LEAST, self._core.clock(ONLY).watermark - query.window.microseconds)
        return LEAST if not query.forgets else self._oldest()

    def _oldest(self) -> int:
        """The time of the first row that is remembered, in the order of times."""
        entry = self._core.queries[ONLY].entry
        if entry is None or not isinstance(entry.running, SelectingQuery) or not self._core.streamsets[0].position:
            return LEAST
        running = entry.running
        number = running.past.values(ROW, pyarrow.array([running.past.oldest])).to_numpy()
        return int(self.store.take(number, [TIME])[TIME].cast(pyarrow.int64())[0].as_py())
