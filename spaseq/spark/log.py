"""One engine of a streaming job in one batch: its log of events is the state, of which it can always be made again.

The events that came in time are pushed first, then the watermark is promised: so nothing is decided twice, however the
engine came to be what it is.  What a replay gives was given before, and is dropped.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow

from spaseq.errors import SnapshotError
from spaseq.spark.jobs import Batches, EngineJob, ShardEngine, job_rows
from spaseq.spark.packing import packed, together, unpacked
from spaseq.streams.timestamps import GREATEST, LEAST

Key: TypeAlias = "tuple[str, int]"  # run of a streaming query, number of the engine
LIVE_EVENTS = 2_000_000  # in the logs of all engines of a worker


@dataclass(frozen=True, slots=True)
class LiveEngine:
    """An engine as it was after the batch called ``token``; ``events`` are in its log."""

    token: str
    events: int
    engine: ShardEngine


class LiveEngines:
    """The engines of one worker; the one that was used longest ago goes first when they have too many events."""

    def __init__(self, most: int = LIVE_EVENTS) -> None:
        self.most = most
        self._engines: dict[Key, LiveEngine] = {}

    def take(self, key: Key) -> LiveEngine | None:
        """The engine, which is in the worker no longer: a batch that fails half way leaves none behind."""
        return self._engines.pop(key, None)

    def put(self, key: Key, one: LiveEngine) -> None:
        """Keep an engine for the next batch."""
        self._engines[key] = one
        events = sum(live.events for live in self._engines.values())
        while events > self.most and len(self._engines) > 1:
            events -= self._engines.pop(next(iter(self._engines))).events

    def clear(self) -> None:
        """Forget all of them."""
        self._engines.clear()


LIVE = LiveEngines()


FORMAT = 1
MILLISECOND = 1000  # µs
PARTITIONS, BUCKETS = "the number of partitions", "the number of buckets"  # in the identity of a job
QUERIES = ("the query ", "the queries ")  # how names of queries begin there
SHARING = "sharing"  # the same, of jobs in which queries or rows run together
MOST_TOKENS = 64  # of past batches; an engine that is further behind is made anew


@dataclass(frozen=True, slots=True)
class LogEntry:
    """The events that one batch added to the log, or a snapshot of the engine before all later ones.

    ``last`` is the latest time of the ``events`` (µs), ``size`` how many bytes they take.
    """

    number: int
    last: int
    events: int
    size: int
    is_snapshot: bool = False


@dataclass(frozen=True, slots=True)
class Meta:
    """``watermark`` is what the engine was promised (µs); ``following`` is the number of the next entry.

    ``tokens`` are random names of the last batches, the newest at the end, each with the number that followed then.
    ``identity`` tells the job from others.  ``timers`` (milliseconds) are those that are set; None: an earlier version
    wrote the state, which did not say.
    """

    identity: Mapping[str, str]
    watermark: int = LEAST
    entries: tuple[LogEntry, ...] = ()
    following: int = 0
    tokens: tuple[tuple[str, int], ...] = field(default=())
    timers: tuple[int, ...] | None = ()

    @property
    def token(self) -> str | None:
        """The name of the last batch; None before the first."""
        return self.tokens[-1][0] if self.tokens else None

    def done(self) -> Meta:
        """The state after one more batch, which gets a name of its own."""
        oldest = self._oldest_whole
        useful = [one for one in self.tokens if one[1] >= oldest]
        return replace(self, tokens=(*useful, (secrets.token_hex(8), self.following))[-MOST_TOKENS:])

    @property
    def _oldest_whole(self) -> int:
        """The number from which on the log has the events of all entries: an engine that is behind may catch up."""
        there = {entry.number for entry in self.entries if not entry.is_snapshot}
        number = self.following
        while number - 1 in there:
            number -= 1
        return number

    def added(self, last: int, events: int, size: int) -> Meta:
        """With one more entry of so many events."""
        entries = (*self.entries, LogEntry(self.following, last, events, size))
        return replace(self, entries=entries, following=self.following + 1)

    def needed(self, since: int) -> Meta:
        """Without the entries of which no event matters any more."""
        return replace(self, entries=tuple(one for one in self.entries if one.last >= since))

    def until(self, due: int | None) -> Meta:
        """With the one timer for what is due next (µs), behind the watermark."""
        if due is None:
            return replace(self, timers=())
        following = self.watermark // MILLISECOND + 1 if self.watermark > LEAST else 1
        return replace(self, timers=(max(-(-due // MILLISECOND), following),))

    def to_bytes(self) -> bytes:
        """As JSON, with the number of the format."""
        return json.dumps({"format": FORMAT, **asdict(self)}, separators=(",", ":")).encode()

    @staticmethod
    def from_bytes(data: bytes, identity: Mapping[str, str], free: Collection[str] = ()) -> Meta:
        """What ``to_bytes`` gave; SnapshotError: another version wrote it, or it is of another job.

        What is ``free`` of the identity may have changed: then no engine that is alive has this state.
        """
        try:
            found: dict[str, Any] = json.loads(data)
            version = found.pop("format")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise SnapshotError("the state of the checkpoint is damaged") from None
        if version != FORMAT:
            raise SnapshotError(f"the checkpoint has format {version}; this version of SPAseq reads format {FORMAT}")
        changed = _changed(found["identity"], identity, free)
        entries = tuple(LogEntry(**one) for one in found["entries"])
        tokens = tuple((name, number) for name, number in found["tokens"])
        timers = found.get("timers")
        known = None if timers is None else tuple(timers)
        meta = Meta(identity, found["watermark"], entries, found["following"], tokens, known)
        return replace(meta, tokens=()).done() if changed else meta


def is_of(data: bytes, identity: Mapping[str, str], free: Collection[str]) -> bool:
    """Whether a state is of the job with this identity, but for what is free of it."""
    known: dict[str, str] = json.loads(data)["identity"]
    return all(known.get(name) == identity.get(name) for name in [*known, *identity] if name not in free)


def _changed(known: Mapping[str, str], given: Mapping[str, str], free: Collection[str]) -> bool:
    """Whether an identity is another one; SnapshotError: in something that is not free."""
    changed = [name for name in {**given, **known} if known.get(name) != given.get(name)]
    if not changed and _queries(known) != _queries(given):  # which number engines
        raise SnapshotError("the checkpoint is of another job: its queries are in another order")
    for name in sorted(changed, key=lambda name: name != SHARING):  # of which others follow
        if name not in free:
            raise SnapshotError(f"the checkpoint is of another job: {_told(name, known, given)}")
    return bool(changed)


def _queries(identity: Iterable[str]) -> list[str]:
    return [name for name in identity if name.startswith(QUERIES)]


def _told(name: str, known: Mapping[str, str], given: Mapping[str, str]) -> str:
    """What changed: of numbers, from which to which."""
    if name == SHARING:
        return f"sharing changed from {known.get(name, False)} to {given.get(name, False)} (--no-sharing)"
    if name not in (PARTITIONS, BUCKETS):
        return f"{name} changed"
    hint = " (spark.sql.shuffle.partitions)" if name == PARTITIONS else ""
    return f"{name} changed from {known.get(name)} to {given.get(name)}{hint}"


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
    they themselves if the job gives them.  ``left_out`` steps were not made, to keep work within its bound.  ``timers``
    (milliseconds) shall be set from now on, ``timers_before`` were (None: nobody knows).
    """

    how: str = "new"
    events: int = 0
    late: dict[str, int] = field(default_factory=dict)
    late_rows: list[pyarrow.RecordBatch] = field(default_factory=list)
    written: int = 0
    left_out: int = 0
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
        left_out = engine.left_out
        meta, taken = before, Taken()
        for events in together(self._taken(rows, max(before.watermark, watermark), taken, report)):
            yield from job_rows(self.job, self.number, engine.push_packed(events))
        if watermark > before.watermark:
            meta = replace(meta, watermark=watermark)
            yield from job_rows(self.job, self.number, engine.advance_tables(watermark))
        report.left_out = engine.left_out - left_out
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
            deque(engine.push_packed(events), maxlen=0)
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
