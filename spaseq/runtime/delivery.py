"""Results on their way out: to callbacks, and to whoever has called the engine.  What callbacks raise loses nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

OnResult = Callable[[Any], object]
T = TypeVar("T")
Merge = Callable[[Sequence[Iterable[Any]], Sequence[int]], Iterator[T]]  # sources, and their places


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
    """Hands results to the callbacks of their queries, then to whoever has called the engine."""

    def __init__(self) -> None:
        self._calls = Calls("callbacks (on_match)")
        self._untold: deque[tuple[Any, OnResult | None]] = deque()
        self._told: list[Any] = []  # nobody was given them yet

    @property
    def waits(self) -> bool:
        """Whether there are results that a call could not give, as a callback raised."""
        return bool(self._told or self._untold)

    def deliver(self, results: Sequence[Any], callbacks: Mapping[str, OnResult | None]) -> list[Any]:
        """These results, behind those that wait; ``callbacks`` are those of their queries.

        ExceptionGroup: some callbacks have raised.  All were called, and the results come with the next call.
        """
        self._untold.extend((result, callbacks[result.query]) for result in results)
        while self._untold:
            result, callback = self._untold.popleft()
            self._told.append(result)
            if callback is not None:
                self._calls.call(callback, result)
        self._calls.check()
        told, self._told = self._told, []
        return told


class Decided(Iterator[Any]):
    """What one call decides: tables one after the other, each of one query; or all of it in one order.

    It is found as it is asked for, in one of these ways.  What is not taken comes with a later call.
    """

    def __init__(self, tables: Iterator[Any], merged_by: Callable[[Merge[Any]], Iterator[Any]]) -> None:
        self._tables = tables
        self.merged_by = merged_by  # gives all of it as a function merges the tables of each query

    def __iter__(self) -> Iterator[Any]:
        return self._tables

    def __next__(self) -> Any:
        return next(self._tables)
