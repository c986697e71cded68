"""Streams that may fall silent, read side by side: their events go to the engine as they come (semantics.md 3.4)."""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from spaseq.errors import OptionError, StreamError
from spaseq.runtime.core import EngineCore
from spaseq.runtime.delivery import Decided
from spaseq.sources.source import INTERVAL, Source
from spaseq.streams.batch import Batch
from spaseq.streams.clock import StreamClock

B = TypeVar("B", bound=Batch)
AHEAD = 1 << 16  # events that may wait for a slower stream before only that one is read on


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds without a byte, inf: for ever.

    After ``idle`` the open event of a source is complete, after ``advance`` a stream promises the time of the others.
    """

    idle: float = math.inf
    advance: float = math.inf

    @staticmethod
    def of(idle: int | None, advance: int | None) -> Patience:
        """Of microseconds.  OptionError: an event could be open still when its stream promises a later time."""
        if idle is not None and advance is not None and idle > advance:
            raise OptionError("idle is longer than idle_advance, so that an open event would come late")
        return Patience(_seconds(advance if idle is None else idle), _seconds(advance))


def _seconds(microseconds: int | None) -> float:
    return math.inf if microseconds is None else microseconds / 1e6


class Awaited(Protocol):
    """What a reader waits for: bytes or messages of a source.

    ``last`` is the monotonic time when something came last; ``is_idle``: nothing came for so long that the open event
    is complete, which is told to readers that ``heeds_pauses`` by ``rest``.
    """

    last: float
    is_idle: bool
    heeds_pauses: bool

    @property
    def source(self) -> Source:
        """What it comes from."""

    def ready(self) -> bool:
        """Whether something, or the end, is there."""

    def is_waited_for(self) -> bool:
        """Whether the reader can do nothing until more is there."""

    def rest(self) -> None:
        """Nothing came for long."""


class OpenSource(Generic[B]):
    """The reader of a source, and what it waits for (None: it never waits); ``clock``: its own, if it has one."""

    def __init__(self, events: Iterator[B], incoming: Awaited | None = None) -> None:
        self.events = events
        self.incoming = incoming
        self.clock: StreamClock | None = None
        self.ended = False

    def is_ready(self) -> bool:
        """Whether it can be read on without waiting."""
        return self.incoming is None or not self.incoming.is_waited_for()

    def read(self) -> list[B]:
        """What is there, in at most one portion."""
        found = next(self.events, None)
        self.ended = found is None
        return [found] if found else []

    def is_silent(self, seconds: float, now: float) -> bool:
        """Whether nothing came for so long."""
        return self.incoming is not None and now - self.incoming.last >= seconds and not self.incoming.ready()

    def becomes_idle(self, seconds: float, now: float) -> bool:
        """Tell the reader that nothing came for so long; whether it is told now, and asked to be."""
        if self.incoming is None or self.incoming.is_idle or not self.incoming.heeds_pauses:
            return False
        if self.is_silent(seconds, now):
            self.incoming.rest()
        return self.incoming.is_idle

    def deadlines(self, patience: Patience, now: float) -> Iterator[float]:
        """When it is going to be idle or silent if nothing comes."""
        if self.incoming is None:
            return
        if self.incoming.heeds_pauses and not self.incoming.is_idle:
            yield self.incoming.last + patience.idle
        if now - self.incoming.last < patience.advance:
            yield self.incoming.last + patience.advance


@dataclass(slots=True)
class LiveStream:
    """A stream, or a partition of the ``whole``; ``is_silent``: others need not wait for it, nothing came for long."""

    clock: StreamClock
    source: OpenSource[Any]
    whole: StreamClock
    is_silent: bool = False

    @property
    def is_partition(self) -> bool:
        """Whether it is one of several."""
        return self.clock is not self.whole

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is taken from it."""
        return self.clock.closed or self.whole.closed

    @property
    def reached(self) -> int:
        """The time up to which it is known: its watermark, or its newest event when it has ended."""
        return self.clock.newest if self.clock.closed else self.clock.watermark

    def read(self, patience: Patience, now: float) -> list[Any]:
        """What is there.  An event that is open is complete before the stream is silent."""
        source = self.source
        ready = source.is_ready() or source.becomes_idle(patience.idle, now)
        found = source.read() if ready else []
        self.is_silent = not source.ended and source.is_silent(patience.advance, now)
        return found


class Live:
    """Feeds an engine from the sources of streams, by IRI, until all have ended.  Those with clocks are partitions.

    ``note`` is told what is fed; ``wait`` calls what waits, and says whether to go on; ``wake`` is asked before that
    after how many seconds somebody wants to be called, all results so far being taken.  ``may_go_on``: a later run may
    find more where sources have ended, so that what their end means is left to who knows that all have.
    """

    def __init__(
        self,
        core: EngineCore[Any, Any],
        push: Callable[[Sequence[Any]], Decided],
        streams: Mapping[str, Sequence[OpenSource[Any]]],
        patience: Patience,
        note: Callable[[Sequence[Any]], None],
        wait: Callable[[Callable[[], None]], bool],
        wake: Callable[[], float] = lambda: math.inf,
        may_go_on: bool = False,
    ) -> None:
        self._core = core
        self._push = push
        self._streams = [
            LiveStream(source.clock or core.clocks[iri], source, core.clocks[iri])
            for iri, sources in streams.items()
            for source in sources
        ]
        self._partitions = {stream.whole.iri: stream.whole for stream in self._streams if stream.is_partition}
        core.partitioned |= self._partitions.keys()
        self._patience = patience
        self._note = note
        self._wait_by = wait
        self._wake = wake
        self._may_go_on = may_go_on
        self._woken = math.inf  # when that is

    def steps(self) -> Iterator[Decided]:
        """What is decided, step by step.  StreamError, after the results of what was before it."""
        while self._open():
            columns, error = self._read(time.monotonic())
            if columns:
                self._note(columns)
                yield self._push(columns)
            if error is not None:
                raise error
            for iri in self._ended():
                yield self._core.close(iri)
            if self._promise():
                yield self._push([])
            if not columns and self._open():
                self._woken = time.monotonic() + self._wake()
                if not self._wait_by(self._wait):
                    return

    def _ended(self) -> Iterator[str]:
        """Streams to be closed: they have ended, with all their partitions, and no later run goes on with them."""
        for stream in self._streams:
            if self._may_go_on or not stream.source.ended or stream.is_closed:
                continue
            if stream.is_partition:
                stream.clock.close()
            if not any(other.whole is stream.whole for other in self._open()):
                yield stream.whole.iri

    def _open(self) -> list[LiveStream]:
        return [stream for stream in self._streams if not (stream.is_closed or stream.source.ended)]

    def _wanted(self) -> list[LiveStream]:
        """The streams to be read: all, or the slowest ones if too much waits for them already."""
        streams = self._open()
        if self._core.most_waiting() <= AHEAD:
            return streams
        least = min(stream.clock.watermark for stream in streams)
        return [stream for stream in streams if stream.clock.watermark == least]

    def _read(self, now: float) -> tuple[list[Any], StreamError | None]:
        """What is there of all streams, up to an error."""
        columns: list[Any] = []
        for stream in self._streams:
            stream.is_silent = False
        for stream in self._wanted():
            try:
                columns += self._in_time(stream, stream.read(self._patience, now))
            except StreamError as error:
                return columns, error
        return columns, None

    def _in_time(self, stream: LiveStream, batches: list[Any]) -> list[Any]:
        """The events that are not late by the clock of their partition; the core sees to those of a whole stream."""
        if not stream.is_partition:
            return batches
        in_time = (self._core.in_time_of(batch, stream.clock) for batch in batches)
        return [batch for batch in in_time if len(batch)]

    def _promise(self) -> bool:
        """Let silent streams promise the time of the others, and partitioned ones what all of their partitions do.

        Whether that says anything new.
        """
        ended = [stream for stream in self._streams if stream.source.ended and not stream.is_closed]
        silent = [*ended, *(stream for stream in self._open() if stream.is_silent)]
        others = [stream.reached for stream in self._open() if not stream.is_silent]
        promised = min(others) if others else max(stream.reached for stream in self._streams)
        before = [stream.reached for stream in silent]
        for stream in silent:
            stream.clock.promise(promised)
        is_new = self._promise_wholes()
        return is_new or before != [stream.reached for stream in silent]

    def _promise_wholes(self) -> bool:
        """Let partitioned streams promise what all of their partitions do; whether that says anything new."""
        before = [clock.watermark for clock in self._partitions.values()]
        for whole in self._partitions.values():
            own = (stream for stream in self._streams if stream.whole is whole)
            watermarks = [stream.clock.watermark for stream in own if not stream.is_closed]
            whole.promise(min(watermarks, default=whole.watermark))
        return before != [clock.watermark for clock in self._partitions.values()]

    def _wait(self) -> None:
        """Wait until something can be read, or time has run out for a source."""
        wait_for([stream.source for stream in self._wanted()], self._woken, self._patience)


def wait_for(sources: Sequence[OpenSource[Any]], until: float, patience: Patience = Patience()) -> None:
    """Wait until one of the sources can be read, or time has run out for one, or it is ``until`` (monotonic)."""
    if any(source.is_ready() for source in sources):
        return
    poll, now = select.poll(), time.monotonic()
    deadlines = [when for source in sources for when in source.deadlines(patience, now)]
    deadlines.append(until)
    for source in sources:
        descriptor = None if source.incoming is None else source.incoming.source.descriptor()
        if descriptor is None:
            deadlines.append(now + INTERVAL)
        else:
            poll.register(descriptor, select.POLLIN)
    seconds = min(deadlines, default=math.inf) - now
    poll.poll(None if seconds == math.inf else max(1, math.ceil(seconds * 1000)))
