"""Sources that are read to their end, whatever their data are: in steps, between two of which a run has a state.

A step is what some events decide.  Somebody may be told whenever all results of one were taken (``on_step``): then the
run can tell its state.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from spaseq.errors import OptionError, StreamError
from spaseq.runtime.core import EngineCore
from spaseq.runtime.delivery import Decided
from spaseq.runtime.guards import Uncopied, reading
from spaseq.runtime.live import Live, OpenSource, Patience
from spaseq.runtime.message_sources import MessageSource, PartitionState
from spaseq.sources.merge import merge
from spaseq.streams.batch import Batch
from spaseq.streams.timestamps import LEAST

B = TypeVar("B", bound=Batch)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunState:
    """A run between two steps, all results of which were taken.

    ``engine`` is its snapshot; ``positions`` the number of events of each stream, by IRI, that it was given;
    ``origins`` what its encoder had counted before there were sources; ``time`` the latest time read, in microseconds.
    If the input had ``ended``, the engine's state is that before it was told so.  ``partitions`` are those of streams
    that come in messages, by their names; ``types`` those of columns of texts, as they are stored, by stream and table.
    """

    engine: bytes
    positions: Mapping[str, int]
    origins: int
    time: int
    ended: bool = False
    partitions: Mapping[str, Mapping[str, PartitionState]] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)


class Steps:
    """What is read in steps, and may be stopped between two of them."""

    def __init__(self, on_step: Callable[[], float] | None) -> None:
        self.reading = False  # while it is true, KeyboardInterrupt does no harm: all that was read is worked out
        self.stopped = False
        self._is_between = True  # two steps
        self._on_step = on_step

    def stop(self) -> None:
        """Read no further: what is decided by the events read is still given, as if the input paused here."""
        self.stopped = True

    @property
    def can_tell_state(self) -> bool:
        """Whether ``state`` can be asked for: all results so far were taken, and nothing is half done."""
        return self._is_between

    def _step(self, results: Iterable[T]) -> Iterator[T]:
        """The results of one step; when all are taken, whoever wants to be called is."""
        self._is_between = False
        yield from results
        self._is_between = True
        self._wake()

    def _wake(self) -> float:
        """All results so far were taken: after how many seconds somebody wants to be called again."""
        return math.inf if self._on_step is None else self._on_step()

    def _wait(self, wait: Callable[[], None]) -> bool:
        """Wait for events; False when it has been stopped."""
        self.reading = True  # before the look whether it was stopped: then a signal ends the waiting
        try:
            if not self.stopped:
                wait()
        finally:
            self.reading = False
        return not self.stopped

    def _next(self, batches: Iterator[T]) -> T | None:
        """The next events; None at the end, or when it has been stopped."""
        self.reading = True  # before the look whether it was stopped: then a signal ends the reading
        try:
            return None if self.stopped else next(batches, None)
        finally:
            self.reading = False


class Positions(Generic[B]):
    """How many events of each stream were given on, and those that were given on before, which are passed over."""

    def __init__(self, streams: Sequence[str], before: Mapping[str, int]) -> None:
        self._left = {stream: before.get(stream, 0) for stream in streams}
        self._given = dict(self._left)

    def given(self) -> dict[str, int]:
        """How many of each stream were given on, those before included."""
        return dict(self._given)

    def fresh(self, batches: Sequence[B]) -> list[B]:
        """Those that are new."""
        found = []
        for events in batches:
            passed = min(self._left[events.stream], len(events))
            self._left[events.stream] -= passed
            if passed < len(events):
                found.append(events.part(passed, len(events)) if passed else events)
        return found

    def resumes(self, stream: str) -> None:
        """What was given of this stream before does not come again."""
        self._left[stream] = 0

    def count(self, batches: Sequence[B]) -> None:
        """These are given on."""
        for events in batches:
            self._given[events.stream] += len(events)

    def passing(self, batches: Iterator[B]) -> Iterator[B]:
        """The events of one stream, without those that are passed over."""
        for some in batches:
            fresh = self.fresh([some]) if len(some) else []
            yield fresh[0] if fresh else some.part(0, 0)

    def check(self, streams: Collection[str]) -> None:
        """StreamError: one of these streams has ended before what it had given before."""
        for stream, left in self._left.items():
            if left and stream in streams:
                had = self._given[stream]
                message = f"the stream <{stream}> has {had - left:,} events now, and had {had:,}: it has changed"
                raise StreamError(message)


class SourceRun(Steps, Uncopied, Generic[B]):
    """Feeds the core of an engine from the sources of streams, merged by time, until these end or queries are over.

    ``events`` were read so far, ``time`` is the latest of theirs in microseconds.  With the state of an earlier run the
    first events of each stream are passed over, which that was given.  ``origins``: see ``RunState``.
    """

    def __init__(
        self,
        core: EngineCore[B, Any],
        streams: Sequence[str],
        patience: Patience,
        origins: int,
        state: RunState | None,
        on_step: Callable[[], float] | None,
    ) -> None:
        super().__init__(on_step)
        self._core = core
        self._use = core.use
        self._patience = patience
        self._origins = origins
        self._positions: Positions[B] = Positions(streams, {} if state is None else state.positions)
        self._opened = {stream for stream, clock in core.clocks.items() if not clock.closed}
        self._ended = state if state is not None and state.ended else None
        self._sources: dict[str, list[OpenSource[B]]] = {}  # by stream
        self._partitions: dict[str, Sequence[MessageSource[B]]] = {}  # of the streams that come in messages
        self._from_files = True  # nothing that could fall silent
        self.events = sum(self._positions.given().values())
        self.time = LEAST if state is None else state.time

    @abstractmethod
    def _push(self, batches: Iterable[B], promise: int | None = None) -> Decided:
        """See ``EngineCore.push``."""

    @abstractmethod
    def _snapshot(self) -> bytes:
        """That of the engine."""

    @reading
    def state(self) -> RunState:
        """Where the run is, for another one to go on.  OptionError: not all results so far were taken."""
        if self._ended is not None:
            return self._ended
        if not self._is_between:
            raise OptionError("a run tells its state between two steps, when all results so far were taken")
        partitions = {stream: {one.name: one.state() for one in some} for stream, some in self._partitions.items()}
        given, types = self._positions.given(), self._types()
        return RunState(self._snapshot(), given, self._origins, self.time, partitions=partitions, types=types)

    def _types(self) -> dict[str, dict[str, bytes]]:
        """See ``RunState``."""
        return {}

    def release(self) -> None:
        """All that was given so far is in a checkpoint: messages of it need not come again."""
        for some in self._partitions.values():
            for one in some:
                one.release()

    @property
    def held_back_by(self) -> str | None:
        """The IRI of a stream that holds results back, None if there is none; as in ``statistics``."""
        slowest = (merged.held_back_by() for merged in self._core.inputs)
        return next((clock.iri for clock in slowest if clock is not None), None)

    def _steps(self) -> Iterator[Decided]:
        """The results of one batch after the other; what came before an error is worked on before it is raised."""
        try:
            for decided in self._read():
                yield from self._step([decided])
                if self.stopped:
                    return
                if self._is_over:
                    break
            else:
                yield from self._end()
        finally:
            if self._on_step is None:
                self.close()
        self._told()

    def close(self) -> None:
        """Receive no further messages.

        Who asks a run for its state closes it, too: before, they can still say that they have it (``release``).
        """
        for some in self._partitions.values():
            for one in some:
                one.arrivals.close()

    def _told(self) -> None:
        """All was given."""

    def _wake(self) -> float:
        if self._on_step is None:
            self.release()
        return super()._wake()

    def _end(self) -> Iterator[Decided]:
        """What is decided by the end of the input, unless that was decided before."""
        if self.stopped or self._is_over:
            return
        self._positions.check(self._opened)
        if self._ended is not None:
            return
        ended = self.state() if self._on_step is not None else None
        self._is_between = False
        yield self._core.close()
        self._is_between = True
        self._ended = None if ended is None else replace(ended, ended=True)

    @property
    def _is_over(self) -> bool:
        """Whether all queries have as many results as were asked for."""
        return all(query.is_over for query in self._core.running.values())

    def _read(self) -> Iterator[Decided]:
        sources = [source for some in self._sources.values() for source in some]
        if not any(source.incoming for source in sources):
            return self._merged([source.events for source in sources])
        streams = {stream: self._live_sources(some) for stream, some in self._sources.items()}
        live = Live(
            self._core, self._push, streams, self._patience, self._note, self._wait, self._wake,
            may_go_on=self._on_step is not None,
        )  # fmt: skip
        return live.steps()

    def _live_sources(self, sources: Sequence[OpenSource[B]]) -> Sequence[OpenSource[B]]:
        """The sources of a stream: partitions, each with its own position, or one."""
        return sources if any(isinstance(one, MessageSource) for one in sources) else [self._one_source(sources)]

    def _one_source(self, sources: Sequence[OpenSource[B]]) -> OpenSource[B]:
        """One source of a stream, which passes over what was given before; several are files."""
        if len(sources) == 1:
            return OpenSource(self._positions.passing(sources[0].events), sources[0].incoming)
        batches = merge([source.events for source in sources], eager=True)
        return OpenSource(self._positions.passing(events for batch in batches for events in batch))

    def _merged(self, sources: Sequence[Iterator[B]]) -> Iterator[Decided]:
        """The results of sources that do not fall silent, or are alone."""
        batches = merge(sources, eager=self._from_files)
        while (batch := self._next(batches)) is not None:
            if not (batch := self._positions.fresh(batch)):
                continue
            self._note(batch)
            # Sources are merged by time: no stream is further behind than the lateness, silent ones neither.
            yield self._push(batch, promise=max(LEAST, self.time - self._core.lateness))

    def _note(self, batches: Sequence[B]) -> None:
        """Count events that are fed to the engine."""
        self._ended = None
        self._positions.count(batches)
        self.events += sum(map(len, batches))
        self.time = max(self.time, *(int(events.times.max()) for events in batches))
