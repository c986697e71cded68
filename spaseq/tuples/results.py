"""What queries give: batches of rows that are found when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from itertools import compress
from operator import or_
from typing import TYPE_CHECKING, Protocol

import pyarrow

from spaseq.errors import OptionError, OutOfMemoryError
from spaseq.exclusive import Use
from spaseq.languages.ceql.scope import named_in
from spaseq.pattern.recognition import Query
from spaseq.plan.complex_events import Recognition
from spaseq.streams.losses import Loss
from spaseq.tuples.encoding import EncodedBatch
from spaseq.tuples.partitions import Partitions
from spaseq.tuples.symbols import Symbols

if TYPE_CHECKING:
    import pandas


class Events(Protocol):
    """Batches of events, read once, and what they satisfy so far."""

    @property
    def schema(self) -> pyarrow.Schema:
        """That of the batches."""

    @property
    def symbols(self) -> Symbols:
        """The table of the symbols that the batches have."""

    @property
    def partitions(self) -> Partitions | None:
        """The table of their partitions; None: there are none."""

    @property
    def skipped(self) -> int:
        """Events that were left out."""

    @property
    def events(self) -> int:
        """Events that came so far."""

    @property
    def time(self) -> int | None:
        """The time of the last one, in microseconds; None if they have none."""

    def losses(self) -> list[Loss]:
        """What no match can have."""

    def __iter__(self) -> Iterator[EncodedBatch]: ...


class Replayed:
    """Other batches with all else that is known of ``events``."""

    def __init__(self, events: Events, batches: Iterator[EncodedBatch]) -> None:
        self._events = events
        self._batches = batches

    @property
    def schema(self) -> pyarrow.Schema:
        """Theirs."""
        return self._events.schema

    @property
    def symbols(self) -> Symbols:
        """Theirs."""
        return self._events.symbols

    @property
    def partitions(self) -> Partitions | None:
        """Theirs."""
        return self._events.partitions

    @property
    def skipped(self) -> int:
        """Events that were left out."""
        return self._events.skipped

    @property
    def events(self) -> int:
        """Theirs, whatever was read of them."""
        return self._events.events

    @property
    def time(self) -> int | None:
        """Theirs."""
        return self._events.time

    def losses(self) -> list[Loss]:
        """Theirs."""
        return self._events.losses()

    def __iter__(self) -> Iterator[EncodedBatch]:
        return self._batches


class Results(Iterator[pyarrow.RecordBatch]):
    """The results of a query in batches, each found when it is asked for; to be read once.

    One thread at a time reads them: BusyError for another one.

    ``schema`` is that of the batches, ``found`` counts the results so far.
    """

    schema: pyarrow.Schema
    variables: tuple[str, ...] = ()  # whose positions are columns

    def __init__(self, query: Query, plan: Recognition, events: Events) -> None:
        self._query = query
        self._plan = plan
        self._events = events
        self._use = Use("this result")
        self.found = 0
        self._ahead: deque[pyarrow.RecordBatch] = deque()  # found to be shown, and not given yet
        self._is_broken = False  # there was no memory

    @property
    def skipped(self) -> int:
        """Events that were left out because their time was wrong."""
        return self._events.skipped

    @property
    def events(self) -> int:
        """Events that were read so far, without those that were left out."""
        return self._events.events

    @property
    def time(self) -> int | None:
        """The time of the last of them, in microseconds; None if they have none."""
        return self._events.time

    def losses(self) -> list[Loss]:
        """What no match could have so far: events that were left out, are in no partition, or in no window."""
        return self._events.losses()

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables and types for which there was no event so far, whatever came before it."""
        met = reduce(or_, self._events.symbols.masks)
        names = called(self._query, self._plan)
        states = [any(met >> atom & 1 for atom in state.atoms) for state in self._plan.automaton.states]
        some = frozenset[str]().union(*compress(names, states))
        return tuple(name for name in in_order(names) if name not in some)

    @abstractmethod
    def _next(self) -> pyarrow.RecordBatch:
        """The next batch that is found; StopIteration at the end."""

    def __next__(self) -> pyarrow.RecordBatch:
        """The next batch; OutOfMemoryError: there is no memory for it, or was none earlier."""
        if self._ahead:
            return self._ahead.popleft()
        with self._sound():
            return self._next()

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
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise OptionError("to_pandas needs pandas; install it with: pip install 'spaseq[pandas]'") from error
        return self.to_arrow().to_pandas()


def called(query: Query, plan: Recognition) -> tuple[frozenset[str], ...]:
    """For each state the variables that AS gives its picks; where there is none, their type."""
    named = named_in(query.formula)
    types = [frozenset(plan.atoms[number].type for number in state.atoms) for state in plan.automaton.states]
    return tuple(names & named or kinds & names for names, kinds in zip(plan.variables, types, strict=True))


def in_order(names: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """All of the names of states, each where it comes first."""
    return tuple(dict.fromkeys(name for some in names for name in sorted(some)))


def free(name: str, taken: Sequence[str]) -> str:
    """The name, with underscores if it is taken."""
    return free(f"{name}_", taken) if name in taken else name
