"""An engine, whatever its data are: the verbs that all have, one thread at a time, as long as there is memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from spaseq.runtime import core
from spaseq.runtime.guards import ANOTHER_ENGINE, Soundness, Uncopied, exclusive, in_steps, whole_or_broken
from spaseq.streams.timestamps import Time


class Engine(Uncopied):
    """Runs queries on what is pushed.  A kind of data adds how queries are registered, events pushed, and its state."""

    instead = ANOTHER_ENGINE

    def _hold(self, held: core.EngineCore[Any, Any]) -> None:
        self.core = held  # who takes it locks it: ``core.use``
        self._use = held.use

    @property
    def soundness(self) -> Soundness:
        """Whether there was always memory."""
        return self.core.soundness

    @property
    def lateness(self) -> int:
        """How much older than the newest event of its stream an event may be, in microseconds."""
        return self.core.lateness

    def _advance(self, time: Time, stream: str | None) -> Iterator[Any]:
        return self.core.advance(time, stream)

    def _close(self, stream: str | None) -> Iterator[Any]:
        return self.core.close(stream)

    def _due(self) -> int | None:
        return core.due(self.core)

    def _needed_since(self) -> int | None:
        return core.needed_since(self.core)

    @abstractmethod
    def _delivered(self, decided: Iterator[Any]) -> list[Any]:
        """All that a call has decided, as the engine's results."""

    @exclusive
    @whole_or_broken
    def advance(self, time: Time, stream: str | None = None) -> list[Any]:
        """Promise that no event before ``time`` will come on ``stream`` (None: on any); returns what this decides."""
        return self._delivered(self._advance(time, stream))

    @in_steps
    @whole_or_broken
    def advance_tables(self, time: Time, stream: str | None = None) -> Iterator[Any]:
        """``advance``, the results as tables of bounded size, found as the iterator goes on."""
        return self._advance(time, stream)

    @exclusive
    @whole_or_broken
    def close(self, stream: str | None = None) -> list[Any]:
        """The end of ``stream`` (None: of all); returns what this decides."""
        return self._delivered(self._close(stream))

    @in_steps
    @whole_or_broken
    def close_tables(self, stream: str | None = None) -> Iterator[Any]:
        """``close``, the results as tables of bounded size, found as the iterator goes on."""
        return self._close(stream)

    @exclusive
    @whole_or_broken
    def due(self) -> int | None:
        """The least promise (microseconds) with which ``advance`` would decide a result, or let an event go that waits.

        A lesser one gives nothing.  None: no promise gives anything, as long as nothing else comes.  Now and then the
        promise only ends the events of one time, and the next one decides: ``while (t := engine.due()) is not None:
        engine.advance(t)`` gives all that promises alone decide.
        """
        return self._due()

    @exclusive
    @whole_or_broken
    def needed_since(self) -> int | None:
        """No event before this time (microseconds) matters for any result that is still to come.

        A new engine of the same queries goes on as this one would, whatever comes, if the events since this time are
        pushed to it in the order in which they came: those that were in time, and others beside them as one likes.
        Then it is promised what was promised, stream by stream.  What it gives up to there was given before: drop it.
        Positions, where results have them, count from the first event that it was given.

        None: every event may matter, since a query has no window in time, consumes, or only ``max_results`` of its
        results are asked.  2**63 - 1: none does.  -2**63: a stream has promised nothing, so all do.  It depends on
        windows and promises alone, not on what came.  OptionError: an iterator of results was begun and not taken to
        its end.
        """
        return self._needed_since()
