"""What a kind of data is to the runtime: its queries at work, and what it makes of their events.

Its batches are those of ``spaseq.streams.batch``; ``MergedInput`` is what it derives from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from spaseq.streams.batch import Batch, Numbers
from spaseq.streams.clock import StreamClock


class RunningQuery(Protocol):
    """A query at work, or several as one.  It is told of events, in the way of its kind of data, and of time."""

    @property
    def names(self) -> Collection[str]:
        """What it is called, or each of them."""

    def forget(self, name: str) -> bool:
        """The query of that name is forgotten; whether nothing is left to run."""

    @property
    def into(self) -> str | None:
        """The stream that it derives."""

    @property
    def is_over(self) -> bool:
        """Whether it finds nothing more, and keeps nothing."""

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing is decided without a further event; ``GREATEST``: never."""

    def advance(self, watermark: int) -> None:
        """No event before ``watermark`` will come: ``tables`` gives what is decided then."""

    def finish(self) -> None:
        """The input has ended: ``tables`` gives the rest."""

    @property
    def pauses(self) -> bool:
        """Whether it holds less than all that is decided."""

    def at_once(self) -> Sequence[Any]:
        """What is decided, where it does not pause."""

    def tables(self) -> Iterator[Any]:
        """What is decided, in tables of bounded size; what is not taken comes the next time."""

    def needed_since(self, time: int) -> int | None:
        """No event before this matters for what is decided at ``time`` or later; None: every event may."""


class OneQuery:
    """A running query that is just one."""

    name: str

    @property
    def names(self) -> Collection[str]:
        """See ``RunningQuery``."""
        return (self.name,)

    def forget(self, name: str) -> bool:
        """See ``RunningQuery``."""
        return True


Q = TypeVar("Q", bound=RunningQuery)
P = TypeVar("P", bound=RunningQuery, contravariant=True)
B = TypeVar("B", bound=Batch)


class Kind(Protocol[B, P]):
    """A kind of data: what the core of an engine asks of it, beside the inputs that it makes."""

    results_wait: str  # what errors say where results were not taken

    def stream(self, called: str) -> str:
        """The name of a stream that queries read, by what it is called.  OptionError: there is none."""

    def opened(self, clock: StreamClock) -> None:
        """There is a stream that was not known before."""

    def arrived(self, batch: B, first: int) -> B:
        """Events that came, the first of them with that number in its stream, as whoever is told of them sees them."""

    def in_time(self, batch: B) -> B:
        """Events that are not late, as they go on."""

    def late(self, batch: B, places: Numbers, clock: StreamClock) -> None:
        """The events at these places came too late: whoever wants to know is told."""

    def derive(self, query: P) -> Iterable[B]:
        """The events that a query has derived and no stream has got yet."""

    def apart(self, tables: Iterator[Any]) -> Iterator[Any]:
        """Tables, those of several queries as one of each."""

    def rest(self) -> None:
        """All that is decided was taken: what only the past needs may go."""
