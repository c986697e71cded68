"""What goes into the evaluation of graph patterns, and what comes out: events in, rows of words out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyoxigraph

from gpm.lines import QuadLines
from gpm.native.texts import pieced
from nfa_native.terms.dictionary import Terms

if TYPE_CHECKING:
    from gpm.native.assembly import Batches

Words = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
TextColumn: TypeAlias = tuple[Numbers, bytes]  # text i of n is bytes[offsets[i]:offsets[i + 1]], in UTF-8
# Text i of n is bytes starts[i]:starts[i + 1] of a buffer: n + 1 starts of 32 or 64 bits, and the buffer.
TextRows: TypeAlias = tuple[npt.NDArray[np.int32] | Numbers, bytes | memoryview]
Triples: TypeAlias = Sequence[pyoxigraph.Triple | pyoxigraph.Quad]


class EventGraph(NamedTuple):
    """The graph of one event: ``timestamp`` in microseconds, ``scope`` a number of its own for its blank nodes.

    Without a scope it gets one when it is encoded.
    """

    triples: Triples
    timestamp: int
    scope: int | None = None


def is_slack(column: Numbers) -> bool:
    """Whether the column is less than half of what it is a part of."""
    return isinstance(column.base, np.ndarray) and 2 * column.nbytes < column.base.nbytes


class GraphMaker(ABC):
    """Makes graphs of events when somebody asks for them."""

    @abstractmethod
    def triples(self, number: int) -> Triples:
        """The triples of the event of that number."""

    @abstractmethod
    def lines(self, numbers: Numbers) -> TextColumn:
        """Those of several events (n, ascending), as lines of N-Triples."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Where n events can be read in full: bytes ``starts[i]:stops[i]`` of ``blocks[block[i]]``.

    The bytes, which may be those of a buffer, are N-Quads lines, of which those without graph do not count if some have
    one.  Of a block that makes graphs, ``starts[i]`` is the number of the event; any other is the triples of an event.
    """

    blocks: tuple[bytes | memoryview | GraphMaker | Triples, ...]
    block: Numbers
    starts: Numbers
    stops: Numbers

    def __getitem__(self, number: int) -> Triples:
        block = self.blocks[int(self.block[number])]
        if isinstance(block, GraphMaker):
            return block.triples(int(self.starts[number]))
        if not isinstance(block, bytes | memoryview):
            return block
        return QuadLines(bytes(block[self.starts[number] : self.stops[number]]))

    def take(self, chosen: Any) -> Texts:
        """The texts of some events: a slice, or an array of indices."""
        return Texts(self.blocks, self.block[chosen], self.starts[chosen], self.stops[chosen])

    def compact(self) -> Texts:
        """The same texts without blocks that nobody reads; what takes less than half of its block is copied out."""
        used, block = np.unique(self.block, return_inverse=True)
        blocks = [self.blocks[number] for number in used.tolist()]
        sizes = np.array([len(one) if isinstance(one, bytes | memoryview) else 0 for one in blocks], np.int64)
        lengths = self.stops - self.starts
        copied = np.flatnonzero((2 * np.bincount(block, lengths, len(blocks)) < sizes)[block])
        if not len(copied):
            return Texts(tuple(blocks), block, self.starts.copy(), self.stops.copy())
        text = pieced(tuple(blocks), block[copied], self.starts[copied], self.stops[copied])
        return self.moved(copied, lengths[copied], text)

    def moved(self, copied: Numbers, lengths: Numbers, text: bytes) -> Texts:
        """The same texts, where those of some events follow each other in ``text``; blocks without events are left."""
        block, starts, stops = self.block.copy(), self.starts.copy(), self.stops.copy()
        stops[copied] = np.cumsum(lengths)
        starts[copied] = np.append(0, stops[copied][:-1])
        block[copied] = len(self.blocks)
        used, block = np.unique(block, return_inverse=True)
        blocks = (*self.blocks, text)
        return Texts(tuple(blocks[number] for number in used.tolist()), block, starts, stops)

    @staticmethod
    def join(parts: Sequence[Texts]) -> Texts:
        """The texts of several batches, one after the other."""
        shifts = np.cumsum([0, *(len(part.blocks) for part in parts)])
        blocks = tuple(block for part in parts for block in part.blocks)
        block = np.concatenate([part.block + shift for part, shift in zip(parts, shifts, strict=False)])
        starts = np.concatenate([part.starts for part in parts])
        return Texts(blocks, block, starts, np.concatenate([part.stops for part in parts]))


@dataclass(frozen=True, slots=True, eq=False)
class EventTexts:
    """n events as texts, see ``Assembler.add_many``: ``times`` are microseconds, ``scopes`` numbers for blank nodes."""

    times: Numbers
    graphs: TextRows
    names: TextRows | None = None
    scopes: Words | None = None

    def graph(self, number: int) -> bytes:
        """The text of a graph."""
        return text_of(self.graphs, number)


def text_of(texts: TextRows, number: int) -> bytes:
    """One of the texts."""
    starts, data = texts
    return bytes(data[starts[number] : starts[number + 1]])


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class EventBatch:
    """The graphs of n events as columns.

    ``times`` (n, int64) are microseconds, ``scopes`` (n) numbers for their blank nodes; ``triples`` (3, m) are the
    words of the subjects, predicates and objects that a registered pattern can use, those of event i in columns
    ``offsets[i]:offsets[i + 1]``; ``texts`` has all triples.  ``version``: of the encoder's demand when they were
    chosen.  ``knowledge`` (n) is the version of the background that each event sees.  A batch is in ``home``, the
    batches of its encoder, as long as it lives, so that its words do.
    """

    times: Numbers
    scopes: Words
    offsets: Positions
    triples: Words
    texts: Texts
    knowledge: Numbers
    version: int
    home: Batches = field(repr=False)

    def __post_init__(self) -> None:
        self.home.add(self)

    def __len__(self) -> int:
        return len(self.times)

    def words(self) -> Words:
        """The words of its own triples: of a part of a batch, those of the part (3, m)."""
        return self.triples[:, self.offsets[0] : self.offsets[-1]]

    def graph(self, number: int) -> EventGraph:
        """One event with its triples."""
        return EventGraph(self.texts[number], int(self.times[number]), int(self.scopes[number]))

    def graphs(self) -> list[EventGraph]:
        """All events with their triples."""
        return [self.graph(number) for number in range(len(self))]

    def part(self, start: int, stop: int) -> EventBatch:
        """Events ``start`` … ``stop − 1``, without copying."""
        chosen, offsets = slice(start, stop), self.offsets[start : stop + 1]
        texts = self.texts.take(chosen)
        knowledge, version = self.knowledge[chosen], self.version
        times, scopes = self.times[chosen], self.scopes[chosen]
        return EventBatch(times, scopes, offsets, self.triples, texts, knowledge, version, self.home)

    def seeing(self, knowledge: int) -> EventBatch:
        """The same events next to another version of the background."""
        return replace(self, knowledge=np.full(len(self), knowledge))

    def take(self, chosen: Numbers) -> EventBatch:
        """The events with these indices, in their order."""
        counts = (self.offsets[1:] - self.offsets[:-1])[chosen]
        offsets = np.zeros(len(chosen) + 1, np.uint32)
        np.cumsum(counts, out=offsets[1:])
        columns = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][chosen].astype(np.int64) - offsets[:-1], counts)
        triples, texts = np.ascontiguousarray(self.triples[:, columns]), self.texts.take(chosen)
        knowledge, version = self.knowledge[chosen], self.version
        times, scopes = self.times[chosen], self.scopes[chosen]
        return EventBatch(times, scopes, offsets, triples, texts, knowledge, version, self.home)

    def compact(self) -> EventBatch:
        """The same events, holding on to at most twice the memory that they need: batches that wait are made so."""
        own = int(self.offsets[-1]) - int(self.offsets[0])
        if is_slack(self.times) or 2 * own < self.triples.shape[1]:
            return replace(self.take(np.arange(len(self))), texts=self.texts.compact())
        return replace(self, texts=self.texts.compact())

    @staticmethod
    def join(parts: Sequence[EventBatch]) -> EventBatch:
        """Several batches of one engine, one after the other."""
        if len(parts) == 1:
            return parts[0]
        sizes = [int(part.offsets[-1]) - int(part.offsets[0]) for part in parts]
        shifts = np.cumsum([0, *sizes])
        ends = [
            part.offsets[1:].astype(np.int64) - part.offsets[0] + shift
            for part, shift in zip(parts, shifts, strict=False)
        ]
        return EventBatch(
            np.concatenate([part.times for part in parts]),
            np.concatenate([part.scopes for part in parts]),
            np.concatenate([[0], *ends]).astype(np.uint32),
            np.concatenate([part.words() for part in parts], axis=1),
            Texts.join([part.texts for part in parts]),
            np.concatenate([part.knowledge for part in parts]),
            min(part.version for part in parts),
            parts[0].home,
        )


@dataclass(frozen=True, slots=True)
class AtomRows:
    """The solutions of one atom on a run of events, a set per event.

    ``row_event`` (r, ascending) is the event's index in the run, ``columns`` (slots, r) holds words, 0 where unbound.
    """

    row_event: Positions
    columns: Words

    @staticmethod
    def of(row_event: Positions, columns: Words) -> AtomRows:
        """Sorts the rows by event and removes duplicates of one event."""
        if not len(row_event):
            return AtomRows(row_event, columns)
        order = np.lexsort((*columns[::-1], row_event))
        row_event, columns = row_event[order], columns[:, order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (row_event[1:] != row_event[:-1]) | (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        return AtomRows(row_event, columns) if new.all() else AtomRows(row_event[new], columns[:, new])

    @staticmethod
    def join(parts: Sequence[AtomRows]) -> AtomRows:
        """Rows of different events of one run."""
        row_event = np.concatenate([part.row_event for part in parts])
        order = np.argsort(row_event, kind="stable")
        return AtomRows(row_event[order], np.concatenate([part.columns for part in parts], axis=1)[:, order])

    def only(self, events: npt.NDArray[np.bool_]) -> AtomRows:
        """The rows of some events of the run, which are one by themselves."""
        chosen = events[self.row_event]
        places = (np.cumsum(events) - 1)[self.row_event[chosen]]
        return AtomRows(places.astype(self.row_event.dtype), np.ascontiguousarray(self.columns[:, chosen]))

    def of_event(self, event: int) -> list[tuple[int, ...]]:
        """The rows of one event."""
        low, high = np.searchsorted(self.row_event, [event, event + 1])
        return [tuple(row) for row in self.columns[:, low:high].T.tolist()]

    def by_terms(self, terms: Terms) -> AtomRows:
        """Those of each event in order of their terms: as words they follow the numbers that terms happen to have."""
        same = self.row_event[1:] == self.row_event[:-1]
        if not same.any():
            return self
        several = np.append(same, False) | np.insert(same, 0, False)
        texts = {word: terms.bytes(word) if word else b"" for word in np.unique(self.columns[:, several]).tolist()}
        table, events = self.columns.T.tolist(), self.row_event.tolist()
        chosen, order = np.flatnonzero(several).tolist(), np.arange(len(events))
        order[several] = sorted(chosen, key=lambda at: (events[at], [texts[word] for word in table[at]]))
        return AtomRows(self.row_event, np.ascontiguousarray(self.columns[:, order]))

    def with_events(self, rows: AtomRows, events: Positions) -> AtomRows:
        """These rows and ``rows``, whose event i is ``events[i]`` here and has no rows here."""
        return AtomRows.join([self, AtomRows(events[rows.row_event], rows.columns)])
