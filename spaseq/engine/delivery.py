"""Handing results and late events to callbacks: all are called, and what they raise loses nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from spaseq.results.match import Match

OnMatch = Callable[[Match], object]
T = TypeVar("T")


class Calls:
    """Calls of callbacks of one kind; what they raise is kept until all have been called."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._errors: list[Exception] = []

    def call(self, callback: Callable[[T], object], value: T) -> None:
        """Call it.  MemoryError alone is raised at once: there may be none for the next one either."""
        try:
            callback(value)
        except MemoryError:
            raise
        except Exception as error:
            self._errors.append(error)

    def check(self) -> None:
        """ExceptionGroup: what callbacks have raised since this was asked last."""
        errors, self._errors = self._errors, []
        if errors:
            raise ExceptionGroup(f"{self._kind} raised; all were called, and results come with the next call", errors)


class Delivery:
    """Hands matches to the callbacks of their queries, then to whoever has called the engine."""

    def __init__(self) -> None:
        self._calls = Calls("callbacks (on_match)")
        self._untold: deque[tuple[Match, OnMatch | None]] = deque()
        self._told: list[Match] = []  # nobody was given them yet

    @property
    def waits(self) -> bool:
        """Whether there are matches that a call could not give, as a callback raised."""
        return bool(self._told or self._untold)

    def deliver(self, matches: Sequence[Match], callbacks: Mapping[str, OnMatch | None]) -> list[Match]:
        """These matches, behind those that wait; ``callbacks`` are those of their queries.

        ExceptionGroup: some callbacks have raised.  All were called, and the matches come with the next call.
        """
        self._untold.extend((match, callbacks[match.query]) for match in matches)
        while self._untold:
            match, callback = self._untold.popleft()
            self._told.append(match)
            if callback is not None:
                self._calls.call(callback, match)
        self._calls.check()
        told, self._told = self._told, []
        return told
