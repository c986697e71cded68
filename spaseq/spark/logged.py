"""One engine of a streaming job in one batch: its log of events is the state, from which it can always be made again.

The events that came in time are pushed first, then the watermark is promised: so nothing is decided twice, however the
engine came to be what it is.  What a replay gives was given before, and is dropped.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import pyarrow

from spaseq.spark.kinds import Batches, EngineJob, ShardEngine, job_rows
from spaseq.spark.live import Key, LiveEngine, LiveEngines
from spaseq.spark.meta import Meta
from spaseq.spark.packing import packed, together, unpacked
from spaseq.streams.timestamps import GREATEST, LEAST

LENGTH = 8  # bytes before each part of an entry: how many it has
LEAST_SNAPSHOT = 1 << 20  # bytes of log that a snapshot may take the place of


class EngineState(Protocol):
    """The state of one engine, to be read."""

    def meta(self) -> bytes | None:
        """What ``keep_meta`` was given last."""

    def entry(self, number: int) -> bytes:
        """An entry of the log."""


class EngineStore(EngineState, Protocol):
    """The state of one engine, which Spark keeps."""

    def keep_meta(self, data: bytes) -> None:
        """Put ``data`` in its place."""

    def keep_entry(self, number: int, data: bytes) -> None:
        """Add an entry."""

    def drop_entry(self, number: int) -> None:
        """Remove an entry."""


@dataclass(slots=True)
class Report:
    """What a batch did: ``how`` the engine came to be (``new``, ``hit``, ``catch-up``, ``rebuilt``); bytes written.

    ``events`` are those that count here and were in time, ``late`` the others by stream, ``late_rows`` (of the results)
    they themselves if the job gives them.  ``timers`` (milliseconds) shall be set from now on, ``timers_before`` were
    (None: nobody knows).
    """

    how: str = "new"
    events: int = 0
    late: dict[str, int] = field(default_factory=dict)
    late_rows: list[pyarrow.RecordBatch] = field(default_factory=list)
    written: int = 0
    timers: tuple[int, ...] = ()
    timers_before: tuple[int, ...] | None = ()


@dataclass(slots=True)
class Taken:
    """What a batch brought that is not late: packed events, how many, and the latest of their times (µs)."""

    parts: list[bytes] = field(default_factory=list)
    events: int = 0
    last: int = LEAST


@dataclass(slots=True)
class LoggedEngine:
    """The engine with a ``number`` of a job, whose ``state`` is kept and which may be alive in this worker."""

    job: EngineJob
    number: int
    state: EngineState
    live: LiveEngines
    run: str

    def step(self, rows: Iterable[bytes], watermark: int, store: EngineStore, report: Report) -> Batches:
        """Take packed events, then the promise that none comes before ``watermark`` (µs); gives what they decide.

        That promise was made with the batches before this one, so earlier events are late in it already.

        The state is written to ``store`` when all results were taken; ``report`` says then which timers are to be set.
        """
        data = self.state.meta()
        before = Meta(self.job.identity) if data is None else self._kept(data)
        engine = self._engine(before, report)
        meta, taken = before, Taken()
        for events in together(self._taken(rows, max(before.watermark, watermark), taken, report)):
            yield from job_rows(self.job, self.number, engine.push_rows(events))
        if watermark > before.watermark:
            meta = replace(meta, watermark=watermark)
            yield from job_rows(self.job, self.number, engine.advance_tables(watermark))
        if taken.parts:
            meta = meta.added(taken.last, taken.events, sum(map(len, taken.parts)))
        self._write(store, before, meta, taken.parts, engine, report)

    def finish(self) -> Batches:
        """What the end of all streams decides, beyond what was given before."""
        data = self.state.meta()
        if data is not None:
            engine = self._engine(self._kept(data), Report())
            yield from job_rows(self.job, self.number, engine.close_tables())

    def _kept(self, data: bytes) -> Meta:
        return Meta.from_bytes(data, self.job.identity, self.job.free)

    # ── the engine ───────────────────────────────────────────────────────────────────────────────────────
    @property
    def _key(self) -> Key:
        return self.run, self.number

    def _engine(self, meta: Meta, report: Report) -> ShardEngine:
        """The engine as it was after the last batch: alive, or some batches behind, or made of the log."""
        found = self.live.take(self._key)
        known = dict(meta.tokens)
        if meta.token is None:
            return self.job.started(self.number)
        if found is not None and found.token == meta.token:
            report.how = "hit"
            return found.engine
        if found is not None and found.token in known and _has_all(meta, known[found.token]):
            report.how = "catch-up"
            return self._replayed(found.engine, meta, known[found.token])
        report.how = "rebuilt"
        return self._rebuilt(meta)

    def _rebuilt(self, meta: Meta) -> ShardEngine:
        first = next((one for one in meta.entries if one.is_snapshot), None)
        if first is None:
            return self._replayed(self.job.started(self.number), meta, 0)
        engine = self.job.restored(self.number, self.state.entry(first.number))
        return self._replayed(engine, meta, first.number + 1)

    def _replayed(self, engine: ShardEngine, meta: Meta, start: int) -> ShardEngine:
        """The engine after the entries from ``start`` on; what it gives was given before."""
        for events in together(self._logged(meta, start)):
            deque(engine.push_rows(events), maxlen=0)
        if meta.watermark > LEAST:
            deque(engine.advance_tables(meta.watermark), maxlen=0)
        return engine

    # ── the log ──────────────────────────────────────────────────────────────────────────────────────────
    def _logged(self, meta: Meta, start: int) -> Iterator[pyarrow.Table]:
        """The events of the entries from ``start`` on."""
        for entry in meta.entries:
            if entry.number >= start and not entry.is_snapshot:
                yield from map(unpacked, parted(self.state.entry(entry.number)))

    def _taken(self, rows: Iterable[bytes], watermark: int, taken: Taken, report: Report) -> Iterator[pyarrow.Table]:
        """The events of packed rows that are in time; they are noted in ``taken``."""
        for row in rows:
            events, part = self._in_time(row, watermark, report)
            if len(events):
                taken.parts.append(part)
                taken.last = max(taken.last, int(self._times(events).max()))
                taken.events += len(events)
                yield events

    def _in_time(self, row: bytes, watermark: int, report: Report) -> tuple[pyarrow.Table, bytes]:
        """The events of a packed row that are not late, also packed; a log must not have others."""
        events = unpacked(row)
        late = self._times(events) < watermark
        if late.any():
            self._note_late(events.filter(pyarrow.array(late)), report)
            events = events.filter(pyarrow.array(~late))
            row = packed(events)
        report.events += self.job.form.number(events)
        return events, row

    def _note_late(self, events: pyarrow.Table, report: Report) -> None:
        """These are late; each is told where it counts, by its stream ("" is the one that has no name)."""
        form = self.job.form
        if form.counted is not None:
            events = events.filter(events[form.counted])
        streams = [("", len(events))] if form.stream is None else Counter(events[form.stream].to_pylist()).items()
        for stream, count in streams:
            report.late[stream] = report.late.get(stream, 0) + count
        if self.job.late and len(events):
            report.late_rows.append(self.job.late_rows(events))

    def _times(self, events: pyarrow.Table) -> np.ndarray:
        """The times of events, in microseconds."""
        found: np.ndarray = events[self.job.form.time].cast(pyarrow.int64()).to_numpy()
        return found

    def _write(
        self,
        store: EngineStore,
        before: Meta,
        meta: Meta,
        parts: list[bytes],
        engine: ShardEngine,
        report: Report,
    ) -> None:
        """Keep what is needed to make the engine again, and the engine."""
        since = engine.needed_since()
        meta = self._shortened(meta, engine) if since is None else meta.needed(since)
        meta = meta.done()
        kept = {entry.number for entry in meta.entries}
        for entry in before.entries:
            if entry.number not in kept:
                store.drop_entry(entry.number)
        for entry in meta.entries[-1:] if parts else ():
            if entry.number >= before.following:
                data = engine.snapshot() if entry.is_snapshot else joined(parts)
                store.keep_entry(entry.number, data)
                report.written += len(data)
        meta = meta.until(engine.due())
        data = meta.to_bytes()
        store.keep_meta(data)
        report.written += len(data)
        report.timers, report.timers_before = meta.timers or (), before.timers
        assert meta.token is not None
        self.live.put(self._key, LiveEngine(meta.token, sum(entry.events for entry in meta.entries), engine))

    def _shortened(self, meta: Meta, engine: ShardEngine) -> Meta:
        """A log that reaches back for ever ends in a snapshot when it has outgrown one."""
        logged = sum(entry.size for entry in meta.entries if not entry.is_snapshot)
        snapshot = sum(entry.size for entry in meta.entries if entry.is_snapshot)
        if logged <= max(LEAST_SNAPSHOT, 4 * snapshot):
            return meta
        size = len(engine.snapshot())
        last = replace(meta.entries[-1], last=GREATEST, size=size, is_snapshot=True)
        return replace(meta, entries=(last,))


def _has_all(meta: Meta, start: int) -> bool:
    """Whether the log still has the events of all entries from that number on."""
    there = {one.number for one in meta.entries if not one.is_snapshot}
    return there.issuperset(range(start, meta.following))


def joined(parts: Iterable[bytes]) -> bytes:
    """Parts as one entry of a log."""
    return b"".join(len(part).to_bytes(LENGTH, "little") + part for part in parts)


def parted(data: bytes) -> Iterator[bytes]:
    """The parts of an entry."""
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + LENGTH], "little")
        yield data[at + LENGTH : at + LENGTH + size]
        at += LENGTH + size
