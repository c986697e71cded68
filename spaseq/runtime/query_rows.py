"""The rows of a query with parameters, as users of an engine see them: they come and go while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol


class RowEngine(Protocol):
    """An engine with such queries."""

    def add_rows(self, name: str, rows: Any) -> int:
        """See ``QueryRows.add``."""

    def remove_rows(self, name: str, rows: Any) -> int:
        """See ``QueryRows.remove``."""

    def row_count(self, name: str) -> int:
        """How many there are."""

    def rows_of(self, name: str) -> Sequence[dict[str, Any]]:
        """The rows of the query of that name."""


class QueryRows:
    """The rows of a query with parameters, which come and go while it runs; made by ``Engine.given``.

    A row is a query of its own, which sees the events pushed after it was added.  ``len`` tells how many there are;
    they are iterated over as dictionaries: of terms for a query on graphs, of values for one on tuples.
    """

    def __init__(self, engine: RowEngine, name: str) -> None:
        self._engine = engine
        self._name = name

    def add(self, rows: Any) -> int:
        """Let rows of a table (``RowSource``, as of ``register``) run that are not there yet; how many these were.

        OptionError, StreamError: as of ``register``, and no row is added.
        """
        return self._engine.add_rows(self._name, rows)

    def remove(self, rows: Any) -> int:
        """Forget rows, with all that they hold; how many of them were there.  Errors as of ``add``."""
        return self._engine.remove_rows(self._name, rows)

    def __len__(self) -> int:
        return self._engine.row_count(self._name)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._engine.rows_of(self._name))
