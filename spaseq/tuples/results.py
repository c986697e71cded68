"""What queries give on sources: batches of rows that are found when they are asked for, of one query or of several."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow

from spaseq.errors import OptionError, OutOfMemoryError
from spaseq.results.table import MOST_SHOWN, html_table
from spaseq.runtime.core import How
from spaseq.runtime.guards import Tables, Uncopied, Use
from spaseq.runtime.message_sources import PartitionState
from spaseq.streams.losses import Loss
from spaseq.tuples.feeding import SourceFeed
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.row_pattern_query import RunningRowPattern

if TYPE_CHECKING:
    import pandas


T = TypeVar("T")


class Read(Uncopied, Iterator[T], Generic[T]):
    """What the events of a feed come to; to be read once, by one thread at a time: BusyError for another one."""

    instead = "call match again, or copy its tables; an Engine has a snapshot()"

    def __init__(self, feed: SourceFeed, how: How[AnyTupleQuery] | None = None) -> None:
        self._feed = feed
        self._use = Use("this result")
        self._found = self._read_as(how)
        self._is_broken = False  # there was no memory

    def _read_as(self, how: How[AnyTupleQuery] | None) -> Tables[Any]:
        """What queries find in the events that are left, in some form."""
        return Tables(self._use, type(self).__name__, self._feed.results(how))

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

    def __init__(self, feed: SourceFeed, how: How[AnyTupleQuery] | None = None) -> None:
        super().__init__(feed, how)
        (self._query,) = feed.kind.core.running.values()
        self._input = feed.kind.input_of(self._query)
        self.schema: pyarrow.Schema = self._query.result_schema
        self.variables: tuple[str, ...] = self._query.variables
        self._ahead: deque[pyarrow.RecordBatch] = deque()  # found to be shown, and not given yet

    @property
    def found(self) -> int:
        """How many results there were so far."""
        return self._query.results

    @property
    def events(self) -> int:
        """Events that were read so far, without those that were left out."""
        return self._input.events

    @property
    def time(self) -> int | None:
        """The time of the last of them, in microseconds; None if they have none."""
        return self._input.time

    @property
    def complete(self) -> bool:
        """Whether nothing was left out so far, to keep work within its bound."""
        return self._feed.kind.complete

    def losses(self) -> list[Loss]:
        """What no match could have so far: events that were left out, are in no partition, or in no window."""
        return self._feed.losses(self._query.name)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables and types for which there was no event so far, whatever came before it."""
        return self._query.unmatched

    def _next(self) -> pyarrow.RecordBatch:
        """The next batch that is found; StopIteration at the end."""
        batch: pyarrow.RecordBatch = next(self._found)[1]
        return batch

    def rows(self) -> pyarrow.Table:
        """The picked rows of all results: those of ``Matches`` have some.  OptionError: these have none."""
        if isinstance(self._query, RunningRowPattern):
            raise OptionError("results in SQL have no rows(): ALL ROWS PER MATCH gives each row of a match")
        raise OptionError("rows() is for results that pick events: aggregates and rows of parameters have none")

    def statistics(self) -> dict[str, Any]:
        """What it runs on did so far: events, nodes and their room, and the like; what a ``bound`` cost."""
        self._use.check("statistics")
        return self._query.statistics() | self._query.shed.statistics() | self._input.told()

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


def counted(query: AnyTupleQuery) -> Iterator[Any]:
    """How many results a query has, part by part, instead of these."""
    return query.counts()


def check_pandas() -> None:
    """OptionError if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise OptionError("to_pandas needs pandas; install it with: pip install 'spaseq[pandas]'") from error


@dataclass(frozen=True, slots=True)
class ResultForm:
    """The form of a query's results: the schema of their batches, and the columns that have positions of variables.

    ``plain``: there are none but values, those of aggregates or of a query in SQL.
    """

    schema: pyarrow.Schema
    variables: tuple[str, ...]
    plain: bool


def _form(query: AnyTupleQuery) -> ResultForm:
    return ResultForm(query.result_schema, query.variables, query.is_plain)


class ManyMatches(Read["tuple[str, pyarrow.RecordBatch]"]):
    """The results of several queries, ``(name, batch)`` each, found when they are asked for; to be read once.

    A batch has results of one query, those of the first one first, of some of the events; those of queries that differ
    only in constants may be found together, in parts.  ``forms`` has
    the form of these by name.
    """

    def __init__(self, feed: SourceFeed) -> None:
        super().__init__(feed)
        self.forms = {name: _form(query) for name, query in feed.kind.core.running.items()}

    def __next__(self) -> tuple[str, pyarrow.RecordBatch]:
        """The next batch; OutOfMemoryError: there is no memory for it, or was none earlier."""
        with self._sound():
            found: tuple[str, pyarrow.RecordBatch] = next(self._found)
            return found

    @property
    def found(self) -> int:
        """How many results there were so far."""
        return sum(query.named(name).results for name, query in self._feed.kind.core.running.items())

    @property
    def events(self) -> int:
        """Events that were read so far, without those that were left out."""
        return self._feed.kind.events

    @property
    def time(self) -> int | None:
        """The time of the last of them, in microseconds; None if they have none."""
        times = [merged.time for merged in self._feed.kind.inputs if merged.time is not None]
        return max(times, default=None)

    @property
    def can_tell_state(self) -> bool:
        """Whether ``state`` can be asked for: all results so far were taken, and nothing is half done."""
        return self._feed.can_tell_state

    def state(self) -> bytes:
        """Where it is, for ``resumed``.  OptionError: not all results so far were taken."""
        return self._feed.state()

    @property
    def partitions(self) -> dict[str, dict[str, PartitionState]]:
        """How far messages are worked out, of the streams that come in these, by the names of their partitions."""
        return self._feed.partitions

    @property
    def untimely(self) -> dict[str, int]:
        """Events of each stream that were left out because their times were wrong, those before included."""
        return self._feed.untimely

    @property
    def reading(self) -> bool:
        """Whether it waits for events, so that KeyboardInterrupt does no harm."""
        return self._feed.reading

    def stop(self) -> None:
        """Read no further: what is decided by the events read is still given, as if the input paused here."""
        self._feed.stop()

    def release(self) -> None:
        """All that was given so far is in a checkpoint: messages of it need not come again."""
        self._feed.release()

    def close(self) -> None:
        """Receive no further messages."""
        self._feed.close()

    def counts(self, counts: dict[str, int] | None = None) -> dict[str, int]:
        """How many results are left, by query; in ``counts`` they are added up, whatever ends that."""
        self._feed.count_apart()
        self._found = self._read_as(counted)
        counts = {} if counts is None else counts
        with self._sound():
            counts |= dict.fromkeys(self.forms, 0)
            for name, count in self._found:
                counts[name] += count.num_rows if isinstance(count, pyarrow.RecordBatch) else count  # found before
            return counts

    def to_arrow(self) -> dict[str, pyarrow.Table]:
        """All that are left as a table for each query."""
        batches = defaultdict(list)
        for name, batch in self:
            batches[name].append(batch)
        return {name: pyarrow.Table.from_batches(batches[name], form.schema) for name, form in self.forms.items()}

    def to_pandas(self) -> dict[str, pandas.DataFrame]:
        """All that are left as a data frame for each query; OptionError if pandas is not installed."""
        check_pandas()
        return {name: table.to_pandas() for name, table in self.to_arrow().items()}

    def statistics(self) -> dict[str, dict[str, Any]]:
        """By query, what it runs on did so far, and what a ``bound`` cost."""
        self._use.check("statistics")
        kind = self._feed.kind
        return {
            name: query.statistics() | query.shed.statistics() | kind.input_of(query).told()
            for name, query in kind.core.running.items()
        }

    @property
    def complete(self) -> bool:
        """Whether nothing was left out so far, to keep work within its bound."""
        return self._feed.kind.complete

    def losses(self, name: str) -> list[Loss]:
        """What no match of a query could have so far: events that were left out, are in no partition, or no window."""
        return self._feed.losses(name)

    def unmatched(self, name: str) -> tuple[str, ...]:
        """The variables and types of a query for which there was no event so far, whatever came before it."""
        return self._feed.kind.core.running[name].unmatched_of(name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self.forms)}; {self.found} found so far>"


def to_html(heads: Sequence[str], batch: pyarrow.RecordBatch | None, found: int) -> str:
    """An HTML table of the first results of a batch, and how many were found so far."""
    rows = [] if batch is None else batch.slice(0, MOST_SHOWN).to_pylist()
    told = f"the next {len(rows)} results; {found} found so far" if rows else f"no more results; {found} were found"
    return html_table(heads, (map(_cell, row.values()) for row in rows), told)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
