"""The results of several queries on one source."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow

from spaseq.streams.losses import Loss
from spaseq.tuples.feeding import SourceFeed
from spaseq.tuples.query import TupleQuery
from spaseq.tuples.results import Read, check_pandas

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class ResultForm:
    """The form of a query's results: the schema of their batches, and the columns that have positions of variables.

    Without variables these may be ``aggregates``.
    """

    schema: pyarrow.Schema
    variables: tuple[str, ...]
    aggregates: bool


class ManyMatches(Read["tuple[str, pyarrow.RecordBatch]"]):
    """The results of several queries, ``(name, batch)`` each, found when they are asked for; to be read once.

    A batch has results of one query, those of the first one first: all that end in some of the events.  ``forms`` has
    the form of these by name.
    """

    def __init__(self, feed: SourceFeed) -> None:
        super().__init__(feed)
        self.forms = {
            name: ResultForm(query.at_work.schema, query.at_work.variables, bool(query.prepared.query.aggregates))
            for name, query in feed.kind.core.running.items()
        }

    def __next__(self) -> tuple[str, pyarrow.RecordBatch]:
        """The next batch; OutOfMemoryError: there is no memory for it, or was none earlier."""
        with self._sound():
            found: tuple[str, pyarrow.RecordBatch] = next(self._found)
            return found

    @property
    def found(self) -> int:
        """How many results there were so far."""
        return sum(query.results for query in self._feed.kind.core.running.values())

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
        return self._feed.is_between

    def state(self) -> bytes:
        """Where it is, for ``resumed``.  OptionError: not all results so far were taken."""
        return self._feed.state()

    def counts(self) -> dict[str, int]:
        """How many results are left, by query."""
        self._found = self._read_as(TupleQuery.counts)
        with self._sound():
            counts = dict.fromkeys(self.forms, 0)
            for name, count in self._found:
                counts[name] += count
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

    def statistics(self) -> dict[str, dict[str, int]]:
        """By query, what it runs on did so far."""
        self._use.check("statistics")
        return {name: query.statistics() for name, query in self._feed.kind.core.running.items()}

    def losses(self, name: str) -> list[Loss]:
        """What no match of a query could have so far: events that were left out, are in no partition, or no window."""
        return self._feed.losses(name)

    def unmatched(self, name: str) -> tuple[str, ...]:
        """The variables and types of a query for which there was no event so far, whatever came before it."""
        return self._feed.kind.core.running[name].unmatched

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self.forms)}; {self.found} found so far>"
