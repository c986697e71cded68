"""Events: RDF graphs of streams with their times, one by one and as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from gpm.encoder import encode_graphs, renewed, single_batch, text_column
from gpm.native.assembly import Encoder
from gpm.native.single import SingleEvent
from gpm.native.texts import taken
from gpm.rows import EventBatch, EventGraph, Numbers, TextColumn, Triples, is_slack
from spaseq.errors import OptionError

if TYPE_CHECKING:
    import pyarrow


class Event(NamedTuple):
    """An event as semantics.md 1 has it.

    ``stream`` and ``name`` are IRIs (``name`` is empty where the event has none), ``timestamp`` counts microseconds
    since 1970 (UTC), ``triples`` has at least one element; the graph name of a quad in it means nothing.
    """

    stream: str
    timestamp: int
    name: str
    triples: Triples


Scope: TypeAlias = "Callable[[Event], int | None]"  # the number for an event's blank nodes


class EventIris(Sequence[str]):
    """The IRIs of n events, empty where one has none: ``text[ends[i]:ends[i + 1]]`` each, in UTF-8."""

    def __init__(self, text: bytes, ends: Numbers) -> None:
        self._column: TextColumn = ends, text

    @property
    def column(self) -> TextColumn:
        """Them as a column of texts."""
        return self._column

    @property
    def text(self) -> bytes:
        """All of them, one after the other."""
        return self.column[1]

    @property
    def ends(self) -> Numbers:
        """Where the first begins, and where each ends (n + 1)."""
        return self.column[0]

    @staticmethod
    def of(names: Iterable[str]) -> EventIris:
        """Names from texts."""
        encoded = [name.encode() for name in names]
        return EventIris(b"".join(encoded), np.cumsum([0, *map(len, encoded)]))

    @staticmethod
    def ending(text: bytes, stops: Numbers) -> EventIris:
        """Names that follow each other, of which the first begins at 0 and each ends at its number of ``stops``."""
        ends = np.zeros(len(stops) + 1, np.int64)
        ends[1:] = stops
        return EventIris(text, ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, number: Any) -> Any:
        return self.text[self.ends[number] : self.ends[number + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def missing(self) -> Numbers:
        """The numbers of the events without a name."""
        return np.flatnonzero(self.ends[1:] == self.ends[:-1])

    def part(self, start: int, stop: int) -> EventIris:
        """Names ``start`` … ``stop − 1``, without copying."""
        return EventIris(self.text, self.ends[start : stop + 1])

    def take(self, chosen: Numbers) -> EventIris:
        """The names with these indices, in their order."""
        ends, text = taken((self.ends, self.text), chosen)
        return EventIris(text, ends)

    def compact(self) -> EventIris:
        """The same names, holding on to at most twice the memory that they need."""
        needed = int(self.ends[-1] - self.ends[0])
        return self.take(np.arange(len(self))) if 2 * needed < len(self.text) or is_slack(self.ends) else self

    @staticmethod
    def join(parts: Sequence[EventIris]) -> EventIris:
        """Several columns, one after the other."""
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        if isinstance(first, NumberedIris) and all(map(first.is_like, parts)):
            return first.joined(parts)
        ends, text, total = [np.zeros(1, np.int64)], [], 0
        for part in parts:
            ends.append(part.ends[1:] - part.ends[0] + total)
            text.append(part.text[part.ends[0] : part.ends[-1]])
            total += len(text[-1])
        return EventIris(b"".join(text), np.concatenate(ends))


class NumberedIris(EventIris):
    """Names that follow from n numbers: made when somebody asks for them, for most events nobody does."""

    def __init__(self, name: Callable[[int], str], numbers: Numbers) -> None:
        self._name = name
        self._numbers = numbers

    @cached_property
    def column(self) -> TextColumn:
        """See ``EventIris``."""
        return EventIris.of(self).column

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, number: Any) -> Any:
        return self._name(int(self._numbers[number]))

    def missing(self) -> Numbers:
        """None is."""
        return np.empty(0, np.int64)

    def part(self, start: int, stop: int) -> EventIris:
        """See ``EventIris``."""
        return NumberedIris(self._name, self._numbers[start:stop])

    def take(self, chosen: Numbers) -> EventIris:
        """See ``EventIris``."""
        return NumberedIris(self._name, self._numbers[chosen])

    def compact(self) -> EventIris:
        """See ``EventIris``; of the texts, if they were made, nothing is kept."""
        return NumberedIris(self._name, self._numbers.copy() if is_slack(self._numbers) else self._numbers)

    def is_like(self, other: EventIris) -> bool:
        """Whether both call a number the same."""
        return isinstance(other, NumberedIris) and other._name == self._name

    def joined(self, parts: Sequence[EventIris]) -> EventIris:
        """All of them, which are like this one."""
        numbers = [part._numbers for part in parts if isinstance(part, NumberedIris)]
        return NumberedIris(self._name, np.concatenate(numbers))


@dataclass(frozen=True, slots=True, eq=False)
class Events(Sequence[Event]):
    """Events of one stream as columns."""

    stream: str
    graphs: EventBatch
    names: EventIris

    @staticmethod
    def of(stream: str, events: Iterable[Event], encoder: Encoder, scope: Scope = lambda _: None) -> Events:
        """Events given one by one, which are all of ``stream``; ``scope`` numbers them, else ``encoder`` does."""
        given = list(events)
        graphs = encode_graphs(encoder, [EventGraph(event.triples, event.timestamp, scope(event)) for event in given])
        return Events(stream, graphs, EventIris.of(event.name for event in given))

    @staticmethod
    def of_single(stream: str, encoder: Encoder, *events: SingleEvent) -> Events:
        """Single events, one at least, as columns."""
        return Events(stream, single_batch(encoder, *events), EventIris.of(event.name for event in events))

    @property
    def times(self) -> Numbers:
        """The timestamps, microseconds (n)."""
        return self.graphs.times

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, number: Any) -> Any:
        graph = self.graphs.graph(range(len(self))[number])
        return Event(self.stream, graph.timestamp, self.names[range(len(self))[number]], graph.triples)

    def __iter__(self) -> Iterator[Event]:
        return map(self.__getitem__, range(len(self)))

    def to_arrow(self, pruned: bool = True) -> pyarrow.RecordBatch:
        """The events as rows for ``Engine.push_arrow``.

        Columns: ``stream``, ``time``, ``event`` (null: it has no name), ``graph`` (N-Quads).  ``pruned``: of each graph
        only the lines that a query of their engine can use, one at least; an engine with the same queries finds the
        same in them.  All lines are kept where any may be used: of patterns that look at every triple, after
        ``Engine.update_background``, or when the engine has gone.  To prune is up to the thread that the engine belongs
        to.  OptionError: pyarrow is not installed.
        """
        try:
            from spaseq.sources.rdf.arrow import rows_of
        except ImportError as error:
            raise OptionError("this needs pyarrow; install it with: pip install 'spaseq[arrow]'") from error
        return rows_of(self.stream, self.times, self.names.column, text_column(self.graphs, pruned))

    def named(self, name: Callable[[int], str]) -> Events:
        """The same events; those without a name get one by their number here."""
        missing = set(self.names.missing().tolist())
        if not missing:
            return self
        names = EventIris.of(name(number) if number in missing else known for number, known in enumerate(self.names))
        return Events(self.stream, self.graphs, names)

    def numbered(self, name: Callable[[int], str], first: int) -> Events:
        """``named``, but by numbers from ``first`` on; a name is made when somebody asks for it."""
        if len(self.names.missing()) < len(self):
            return self.named(lambda number: name(first + number))
        return Events(self.stream, self.graphs, NumberedIris(name, np.arange(first, first + len(self))))

    def renewed(self, encoder: Encoder) -> Events:
        """The same events with all triples that are wanted by now."""
        graphs = renewed(encoder, self.graphs)
        return self if graphs is self.graphs else Events(self.stream, graphs, self.names)

    def seeing(self, knowledge: int) -> Events:
        """The same events next to this version of the background."""
        if not knowledge:  # the version that all events see at first
            return self
        return Events(self.stream, self.graphs.seeing(knowledge), self.names)

    def part(self, start: int, stop: int) -> Events:
        """Events ``start`` … ``stop − 1``, without copying."""
        if start == 0 and stop == len(self):
            return self
        return Events(self.stream, self.graphs.part(start, stop), self.names.part(start, stop))

    def take(self, chosen: Numbers) -> Events:
        """The events with these indices, in their order."""
        return Events(self.stream, self.graphs.take(chosen), self.names.take(chosen))

    def compact(self) -> Events:
        """The same events for a long time: they hold on to at most twice the memory that they need."""
        return Events(self.stream, self.graphs.compact(), self.names.compact())

    @staticmethod
    def join(parts: Sequence[Events]) -> Events:
        """Several columns of one stream, one after the other."""
        if len(parts) == 1:
            return parts[0]
        graphs = EventBatch.join([part.graphs for part in parts])
        return Events(parts[0].stream, graphs, EventIris.join([part.names for part in parts]))

    def is_like(self, other: Events) -> bool:
        """They are: all have these columns."""
        return True

    def joined(self, others: Sequence[Events]) -> Events:
        """These events, then those of other columns of the stream."""
        return Events.join([self, *others])
