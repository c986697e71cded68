"""The events of the streams that some queries read, in one order, and these queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.errors import Location, QueryError, StreamError
from spaseq.snapshots.shapes import COUNT, TIME, AnyNames, Shape
from spaseq.sources.tables.types import CODED_TEXT
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Loss
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.columns.rows import FewRows, Rows
from spaseq.tuples.columns.schema import STREAM
from spaseq.tuples.columns.serialisation import require
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.encoding.encoder import ENCODER, BatchEncoder, Encoded, Forgetful, QueryReading
from spaseq.tuples.encoding.symbol_groups import Naming
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.waiting import WAITING, Waiting, WaitingRun, joined

STREAMSET: Shape = {
    "streams": [str], "position": COUNT, "time": [TIME], "events": COUNT, "entries": [str],
    "waiting": AnyNames(WAITING), "encoder": ENCODER,
}  # fmt: skip


class Running(Forgetful, Protocol):
    """A query at work."""

    found: int

    @property
    def schema(self) -> pyarrow.Schema:
        """That of the batches of its results."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns that have positions."""

    @property
    def met(self) -> int:
        """The set of its atoms that some event had so far."""

    def batches(self, batch: EncodedBatch) -> Iterator[pyarrow.RecordBatch]:
        """The results that end in a batch."""

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """How many these are, part by part."""

    def statistics(self) -> dict[str, int]:
        """Counters of what it runs on."""

    def state(self) -> dict[str, Any]:
        """What the future depends on, for a snapshot."""


@dataclass(slots=True, eq=False)
class Entry:
    """A query of a streamset; ``error`` says why it could not go on."""

    name: str
    running: Running
    reading: QueryReading
    schema: pyarrow.Schema  # of the events
    first: int = 0  # the position of the first event that it sees
    error: str = ""
    is_over: bool = False


@dataclass(slots=True, eq=False)
class Unit:
    """Events that are in order, and the queries that see them."""

    times: Times
    batch: Rows
    position: int
    entries: tuple[Entry, ...]


Found = tuple[str, object]


@dataclass(slots=True, eq=False)
class TupleStreamset:
    """Events of some streams (none: of all) in the order of time, at equal times in that of streams, then of arrival.

    Those of other streams are left out where a column (``of_column``) has the streams.  ``position`` is that of the
    next event, ``time`` that of the last one in microseconds (None: they have none).
    """

    streams: tuple[str, ...]
    naming: Naming
    position: int = 0
    of_column: bool = False
    time: int | None = None
    entries: list[Entry] = field(default_factory=list)
    units: int = 0  # that are not done with
    events: int = 0
    waiting: dict[str, Waiting] = field(default_factory=dict)
    encoder: BatchEncoder = field(init=False)

    def __post_init__(self) -> None:
        """No query is there yet."""
        self.encoder = BatchEncoder(self.naming)

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def may_be_joined(self) -> bool:
        """Whether a new query sees what the others see from now on."""
        return not self.units and not self.waits

    @property
    def waits(self) -> int:
        """How many events wait for their turn."""
        return sum(map(len, self.waiting.values())) if self.waiting else 0

    def state(self) -> dict[str, Any]:
        """What is known of the events, as STREAMSET."""
        return {
            "streams": list(self.streams),
            "position": self.position,
            "time": [] if self.time is None else [self.time],
            "events": self.events,
            "entries": [entry.name for entry in self.entries],
            "waiting": {stream: waiting.state() for stream, waiting in self.waiting.items() if len(waiting)},
            "encoder": self.encoder.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken, with the same queries; SnapshotError: it cannot be."""
        self.events = state["events"]
        self.encoder.restore(state["encoder"])
        for stream, waiting in state["waiting"].items():
            require(self.reads(stream), "events wait that nobody reads")
            self.waiting[stream] = Waiting()
            self.waiting[stream].restore(waiting, LEAST if self.time is None else self.time)

    def check_time(self, clocks: Mapping[str, StreamClock]) -> None:
        """SnapshotError: events may come that are older than what has had its turn."""
        order = self._order(clocks)
        require(self.waiting.keys() <= clocks.keys(), "events wait of a stream that there is not")
        require(
            self.time is None or all(clocks[name].watermark >= self.time for name in order),
            "events had their turn too early",
        )

    def add(self, entry: Entry) -> None:
        """A query sees the events from now on."""
        self.encoder.add(entry.reading, entry.schema)
        self.entries.append(entry)

    def remove(self, entry: Entry) -> None:
        """It does so no longer."""
        if entry in self.entries:
            self.entries.remove(entry)
            self.encoder.remove(entry.reading)
        entry.is_over = True

    def losses(self, entry: Entry) -> list[Loss]:
        """The events that a query can have in no match."""
        return [] if entry.is_over else self.encoder.losses(entry.reading, self.events)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def reads(self, stream: str) -> bool:
        """Whether events of a stream belong to it."""
        return self.of_column or not self.streams or stream in self.streams

    def add_events(self, stream: str, times: Times, batch: Rows) -> None:
        """Events of a stream came, whose turn may not be now."""
        self.waiting.setdefault(stream, Waiting()).add(times, batch)

    def lets_pass(self, stream: str, times: Times, clocks: Mapping[str, StreamClock]) -> bool:
        """Whether events of a stream, which come now, have their turn at once and as they are."""
        if self.waits or times[-1] > self._bounds(clocks)[stream]:
            return False
        return len(times) == 1 or bool((times[1:] >= times[:-1]).all())

    def held_back_by(self, clocks: Mapping[str, StreamClock]) -> str | None:
        """The stream that the others wait for; None: there is one alone."""
        order = self._order(clocks)
        return min(order, key=lambda name: clocks[name].watermark) if len(order) > 1 else None

    def due(self, clocks: Mapping[str, StreamClock]) -> dict[str, int]:
        """By streams with events whose turn it is, up to which time; ``clocks`` are in the order of streams."""
        if not self.waits:
            return {}
        bounds = self._bounds(clocks)
        return {
            name: bound for name, bound in bounds.items() if name in self.waiting and self.waiting[name].is_due(bound)
        }

    def least_promise(self, clocks: Mapping[str, StreamClock]) -> int | None:
        """The least promise about all streams by which an event would have its turn; None: none waits."""
        first = [(waiting.first, name) for name, waiting in self.waiting.items() if len(waiting)]
        needed = [time + (self._bounds(clocks, time)[name] < time) for time, name in first]
        return min(needed, default=None)

    @property
    def is_open(self) -> bool:
        """Whether a stream that is not known yet would belong to it."""
        return not self.of_column and not self.streams

    def watermarks(self, clocks: Mapping[str, StreamClock]) -> list[int]:
        """Those of its streams."""
        return [clocks[name].watermark for name in self._order(clocks)]

    def _bounds(self, clocks: Mapping[str, StreamClock], promise: int = LEAST) -> dict[str, int]:
        """By stream, up to which time its events have their turn, if ``promise`` is made, too."""
        order = self._order(clocks)
        if len(order) == 1:
            return {order[0]: max(clocks[order[0]].watermark, promise)}
        bounds = _bounds([max(clocks[name].watermark, promise) for name in order])
        return dict(zip(order, bounds, strict=True))

    def taken(self, due: Mapping[str, int]) -> list[WaitingRun]:
        """The events whose turn it is, in runs: those of one time in their order."""
        return [run for stream, bound in due.items() for run in self.waiting[stream].taken(bound)]

    def _order(self, clocks: Mapping[str, StreamClock]) -> list[str]:
        """Its streams in their order."""
        return list(clocks) if self.of_column or not self.streams else [name for name in self.streams if name in clocks]

    def unit(self, times: Times | None, batch: Rows) -> Unit | None:
        """Events whose turn it is, numbered; None: none of them are of its streams."""
        if self.of_column and self.streams:
            times, batch = self._of_streams(times, batch)
        if not batch.num_rows:
            return None
        first, self.position = self.position, self.position + batch.num_rows
        self.events += batch.num_rows
        if times is not None:
            self.time = int(times[-1])
        times = np.arange(first, self.position, dtype=np.int64) if times is None else times
        self.units += 1
        return Unit(times, batch, first, tuple(self.entries))

    def run(
        self,
        unit: Unit,
        step: Callable[[Running, EncodedBatch], Iterable[object]],
        errors: list[StreamError | QueryError],
    ) -> Iterator[Found]:
        """What ``step`` makes of a unit for each query; ``errors`` get those of queries that cannot go on."""
        try:
            encoded = self.encoder.encoded(unit.times, unit.batch, unit.position)
            for entry in unit.entries:
                yield from self._of_entry(entry, encoded, step, errors)
            self.encoder.forget()
        finally:
            self.units -= 1

    def _of_entry(
        self,
        entry: Entry,
        encoded: Encoded,
        step: Callable[[Running, EncodedBatch], Iterable[object]],
        errors: list[StreamError | QueryError],
    ) -> Iterator[Found]:
        """The same for one of them."""
        try:
            if not entry.is_over:
                for found in step(entry.running, encoded.of(entry.reading)):
                    yield entry.name, found
        except (StreamError, QueryError) as error:
            self.remove(entry)
            entry.error = error.message
            error.location = error.location if error.location.path else Location(entry.name)
            errors.append(error)

    def _of_streams(self, times: Times | None, batch: Rows) -> tuple[Times | None, Rows]:
        """The events of the streams that there are."""
        column = batch.column(self.naming.stream_column)
        if pyarrow.types.is_null(column.type):
            return times, batch.slice(0, 0)
        chosen = pyarrow.compute.is_in(column, pyarrow.array(self.streams))
        return None if times is None else times[chosen.to_numpy(zero_copy_only=False)], batch.filter(chosen)


def in_order(runs: Sequence[WaitingRun]) -> WaitingRun:
    """The events of several runs: those of one time in the order of the runs."""
    return joined(list(runs))


def with_stream(batch: Rows, stream: str) -> Rows:
    """The batch with the name of its stream as a column."""
    if isinstance(batch, FewRows):
        return batch.with_column(pyarrow.field(STREAM, CODED_TEXT), stream)
    codes = np.zeros(batch.num_rows, np.int32)
    names = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array([stream]))
    return pyarrow.record_batch([*batch.columns, names], names=[*batch.schema.names, STREAM])


def _bounds(watermarks: Sequence[int]) -> list[int]:
    """For each stream the greatest time before whose end nothing can come that has its turn before: at equal times
    events of a stream before it do."""
    least = min(watermarks, default=0)
    first = watermarks.index(least) if watermarks else 0
    return [least if number <= first else max(least - 1, LEAST) for number in range(len(watermarks))]
