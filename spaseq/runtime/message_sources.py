"""Streams that come in messages: a transport that is read, or several that are partitions of one stream.

Each partition is in an order of its own, and has a clock of its own; the stream is as far as the slowest of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from spaseq.errors import OptionError
from spaseq.runtime.live import OpenSource
from spaseq.sources.transports.transport import Arrivals, Position, Transport
from spaseq.streams.batch import Batch
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import counted
from spaseq.streams.timestamps import LEAST

B = TypeVar("B", bound=Batch)


@dataclass(frozen=True, slots=True)
class PartitionState:
    """How far a partition was read: behind ``position``, with its clock.

    ``scope`` is the number of its next event among those whose blank nodes are told apart.
    """

    position: Position
    watermark: int = LEAST
    newest: int = LEAST
    scope: int = 0


class ScopeCounter(Protocol):
    """What numbers events, so that blank nodes of one are not those of another."""

    next_scope: int


class MessageSource(OpenSource[B]):
    """The events of a transport.  If it is one of several of its stream, it has a clock of its own."""

    def __init__(self, arrivals: Arrivals, events: Iterator[B], scopes: ScopeCounter, state: PartitionState | None):
        super().__init__(events, arrivals)
        self.arrivals = arrivals
        self._scopes = scopes
        self._state = state or PartitionState(arrivals.position)
        if state is not None:
            scopes.next_scope = state.scope

    @property
    def name(self) -> str:
        """That of the partition."""
        return self.arrivals.source.name

    def apart(self, iri: str) -> None:
        """It is one of several of this stream."""
        state = self._state
        self.clock = StreamClock(f"{iri}[{self.name}]", state.watermark, state.newest)

    def state(self) -> PartitionState:
        """How far the events are read that were given."""
        clock = self.clock or StreamClock("")
        position = self.arrivals.source.state(self.arrivals.position)
        return PartitionState(position, clock.watermark, clock.newest, self._scopes.next_scope)

    def release(self) -> None:
        """What was given need not come again."""
        self.arrivals.source.release(self.arrivals.position)


def opened_partitions(source: Transport, states: Mapping[str, PartitionState] | None) -> Sequence[Transport]:
    """The partitions of a source, ready to be read; those of an earlier run go on where it was.

    OptionError: there are other ones now.  StreamError: there is no such thing, or it cannot be reached.
    """
    found = source.partitions()
    if states is None:
        return found
    names = {one.name for one in found}
    if names != states.keys():
        before = counted(len(states), "partition")
        message = f"{source.url} had {before} when the checkpoint was written, and has {len(names):,} now"
        raise OptionError(f"{message}: which event is in which may have changed; begin anew without the checkpoint")
    for one in found:
        one.go_on(states[one.name].position)
    return found
