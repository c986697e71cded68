"""What queries give on sources: batches of rows that are found when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import compress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow

from spaseq.errors import OptionError, OutOfMemoryError
from spaseq.exclusive import Tables, Uncopied, Use
from spaseq.streams.losses import Loss
from spaseq.tuples.core import RegisteredQuery
from spaseq.tuples.feeding import SourceFeed
from spaseq.tuples.selection.picks import called, in_order
from spaseq.tuples.streamset import Running

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")


class Read(Uncopied, Iterator[T], Generic[T]):
    """What the events of a feed come to; to be read once, by one thread at a time: BusyError for another one."""

    instead = "call match again, or copy its tables; an Engine has a snapshot()"

    def __init__(self, feed: SourceFeed) -> None:
        self._feed = feed
        self._use = Use("this result")
        self._found: Tables[Any] = Tables(self._use, type(self).__name__, feed.results())
        self._is_broken = False  # there was no memory

    @property
    def skipped(self) -> int:
        """Events that were left out because their time was wrong."""
        return self._feed.skipped

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Within, results are made; if there is no memory for one, none come after it."""
        if self._is_broken:
            raise OutOfMemoryError("out of memory earlier: these results cannot go on")
        try:
            yield
        except MemoryError as error:
            self._is_broken = True
            raise OutOfMemoryError(str(error) or "out of memory: these results cannot go on") from error


class Results(Read[pyarrow.RecordBatch]):
    """The results of one query in batches, each found when it is asked for; to be read once.

    One thread at a time reads them: BusyError for another one.

    ``schema`` is that of the batches, ``variables`` are its columns that have positions.
    """

    def __init__(self, feed: SourceFeed) -> None:
        super().__init__(feed)
        (self._query,) = feed.core.queries.values()
        self.schema: pyarrow.Schema = self._running.schema
        self.variables: tuple[str, ...] = self._running.variables
        self._ahead: deque[pyarrow.RecordBatch] = deque()  # found to be shown, and not given yet

    @property
    def found(self) -> int:
        """How many results there were so far."""
        return self._running.found

    @property
    def events(self) -> int:
        """Events that were read so far, without those that were left out."""
        return 0 if self._query.streamset is None else self._query.streamset.events

    @property
    def time(self) -> int | None:
        """The time of the last of them, in microseconds; None if they have none."""
        return None if self._query.streamset is None else self._query.streamset.time

    def losses(self) -> list[Loss]:
        """What no match could have so far: events that were left out, are in no partition, or in no window."""
        return self._feed.losses(self._query.name)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables and types for which there was no event so far, whatever came before it."""
        return unmatched(self._query)

    @property
    def _running(self) -> Running:
        return running_of(self._query)

    @abstractmethod
    def _next(self) -> pyarrow.RecordBatch:
        """The next batch that is found; StopIteration at the end."""

    def __next__(self) -> pyarrow.RecordBatch:
        """The next batch; OutOfMemoryError: there is no memory for it, or was none earlier."""
        if self._ahead:
            return self._ahead.popleft()
        with self._sound():
            return self._next()

    def count(self) -> int:
        """How many results are left."""
        return sum(batch.num_rows for batch in self)

    def _left_ahead(self) -> int:
        """How many of those left are found already."""
        left: int = sum(batch.num_rows for batch in self._ahead)
        self._ahead.clear()
        return left

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self.schema.names)}; {self.found} found so far>"

    def _repr_html_(self) -> str:
        """A table of the next results, which are found for this and are still given afterwards."""
        from spaseq.tuples.html import to_html

        if not self._ahead:
            with suppress(StopIteration):
                self._ahead.append(self._next())
        return to_html(self.schema.names, self._ahead[0] if self._ahead else None, self.found)

    def to_arrow(self) -> pyarrow.Table:
        """All that are left as one table."""
        return pyarrow.Table.from_batches(list(self), self.schema)

    def to_pandas(self) -> pandas.DataFrame:
        """All that are left as a data frame; OptionError if pandas is not installed."""
        check_pandas()
        return self.to_arrow().to_pandas()


def check_pandas() -> None:
    """OptionError if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise OptionError("to_pandas needs pandas; install it with: pip install 'spaseq[pandas]'") from error


def running_of(query: RegisteredQuery) -> Running:
    """What a query that has begun runs on."""
    assert query.entry is not None
    return query.entry.running


def unmatched(query: RegisteredQuery) -> tuple[str, ...]:
    """The variables and types of a query for which there was no event so far, whatever came before it."""
    plan = query.plan or query.prepared.plan
    met = 0 if query.entry is None else query.entry.running.met
    names = called(query.prepared.query, plan)
    states = [any(met >> atom & 1 for atom in state.atoms) for state in plan.automaton.states]
    some = frozenset[str]().union(*compress(names, states))
    return tuple(name for name in in_order(names) if name not in some)
