"""Events as programs give them, one by one or read together as columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TypeAlias, TypeVar

import numpy as np

from gpm.encoder import add_graph, add_texts, event_batch
from gpm.errors import PatternError
from gpm.native.assembly import Assembler, Encoder
from gpm.rows import EventTexts, TextRows, Triples
from spaseq.errors import OptionError, StreamError
from spaseq.sources.merge import in_lists
from spaseq.sources.rdf.events import Event, EventIris, Events
from spaseq.sources.rdf.graphs import LONGEST_TEXT, Graph, read_graph
from spaseq.streams.timestamps import Time, to_microseconds

BATCH = "<batch>"  # as errors name the items of one call
T = TypeVar("T")
Item = tuple[Time, Graph] | tuple[Time, Graph, str | None]


def as_event(iri: str, item: Item) -> Event:
    """An event of the stream ``iri`` from ``(timestamp, graph)`` or ``(timestamp, graph, event IRI)``."""
    timestamp, graph, name = unpacked(item)
    triples, name = read_graph(graph, name)
    return Event(iri, to_microseconds(timestamp), name, triples)


def unpacked(item: Item) -> tuple[Time, Graph, str | None]:
    """Timestamp, graph and IRI of an event; OptionError if they are given in another form."""
    if not isinstance(item, tuple) or len(item) not in (2, 3):
        raise OptionError(f"an event is (timestamp, graph) or (timestamp, graph, event IRI), not {item!r:.80}")
    return item if len(item) == 3 else (*item, None)


def of_item(source: str, number: int, error: OptionError | StreamError) -> OptionError | StreamError:
    """The error of an item, which says which one of its source it is, from 0."""
    place = f"{source}, item {number}"
    if isinstance(error, StreamError):
        return StreamError(error.message, replace(error.location, path=place), error.expected, error.hint)
    return OptionError(f"{place}: {error}")


def each_of(given: Iterable[T], kind: type[T]) -> Iterator[T]:
    """All of them; OptionError for anything else."""
    if not isinstance(given, Iterable):
        raise OptionError(f"events are given as a list of {kind.__name__}, not {given!r:.80}")
    for one in given:
        if not isinstance(one, kind):
            raise OptionError(f"events are given as a list of {kind.__name__}, which {one!r:.80} is not")
        yield one


_SURROGATE = re.compile("[\ud800-\udfff]")
JOINED, JOINED_BYTES = 4096, 1 << 22  # items whose texts become one buffer, and bytes after which it is full

# An item whose form has been looked at: its time (µs), graph and name.  A text, which cannot change, waits to be read;
# its name is empty if it has none, or that of its graph.  All else has been read.
Taken: TypeAlias = tuple[int, bytes | Triples, str]


def taken(item: Item) -> Taken:
    """See ``Taken``.  OptionError, StreamError: it is no event, as far as can be seen without reading a text."""
    timestamp, graph, name = unpacked(item)
    time = to_microseconds(timestamp)
    if isinstance(graph, bytes) and (name is None or _is_text(name)):
        return time, graph, name or ""
    return time, *read_graph(graph, name)


def _is_text(name: object) -> bool:
    """Whether a name is a text, not empty, that has an encoding."""
    return isinstance(name, str) and name != "" and (name.isascii() or _SURROGATE.search(name) is None)


def read_items(iri: str, encoder: Encoder, items: Sequence[Item]) -> Events:
    """All of them as events of a stream.  OptionError, StreamError: one is no event, and says which."""
    reader, scope = ItemReader(iri, encoder, BATCH), encoder.next_scope
    try:
        for some in in_lists(reader.taken(items), JOINED, math.inf, JOINED):
            reader.add(some)
    except BaseException:
        encoder.next_scope = scope
        raise
    return reader.events()


def items_as_they_come(iri: str, encoder: Encoder, items: Iterable[Item]) -> Iterator[Events]:
    """Items as events of a stream, more at once as they go on or as fast as they come (``in_lists``).

    OptionError, StreamError: one is no event, and says which; those before it have been given, as they have before any
    error of the iterable.
    """
    reader = ItemReader(iri, encoder, f"<{iri}>")
    for some in in_lists(reader.taken(items)):
        try:
            reader.add(some)
        except (OptionError, StreamError):
            yield reader.events()
            raise
        yield reader.events()


class ItemReader:
    """Reads the items of one stream; ``source`` is what they are items of, as errors name it."""

    def __init__(self, iri: str, encoder: Encoder, source: str) -> None:
        self._iri = iri
        self._source = source
        self._assembler = Assembler(encoder, (), largest=LONGEST_TEXT)
        self._added = 0  # items

    def events(self) -> Events:
        """What was added since the last call."""
        columns = self._assembler.take()
        names = EventIris.ending(columns["names"], columns["name_ends"])
        return Events(self._iri, event_batch(self._assembler, columns), names)

    def taken(self, items: Iterable[Item]) -> Iterator[Taken]:
        """All items ``taken``, in their order; the error of one says which it is."""
        for number, item in enumerate(items):
            try:
                yield taken(item)
            except (OptionError, StreamError) as error:
                raise of_item(self._source, number, error) from None

    def add(self, items: Sequence[Taken]) -> None:
        """Add the next items, up to one that is no event: OptionError, StreamError."""
        for some in _of_bounded_size(items):
            self._add(some)
            self._added += len(some)

    def _add(self, items: Sequence[Taken]) -> None:
        bad: list[OptionError | StreamError] = []

        def alone(row: int) -> bool:
            try:
                self._add_alone(items[row])
            except (OptionError, StreamError) as error:
                bad.append(of_item(self._source, self._added + row, error))
            return not bad

        add_texts(self._assembler, np.arange(len(items)), _columns(items), alone)
        if bad:
            raise bad[0]

    def _add_alone(self, item: Taken) -> None:
        """Add what are triples, or a text that is no plain lines."""
        time, triples, name = item
        if isinstance(triples, bytes):
            triples, name = read_graph(triples, name or None)
        try:
            add_graph(self._assembler, triples, time, name.encode())
        except PatternError as error:
            raise OptionError(str(error)) from None


def _of_bounded_size(items: Sequence[Taken]) -> Iterator[Sequence[Taken]]:
    """The items in parts of about so many bytes."""
    start = size = 0
    for number, (_, graph, _) in enumerate(items):
        size += len(graph)
        if size > JOINED_BYTES:
            yield items[start : number + 1]
            start, size = number + 1, 0
    yield items[start:]


def _columns(items: Sequence[Taken]) -> EventTexts:
    """The items as columns of texts; in place of triples stands an empty one, which is no event."""
    times, graphs, names = zip(*items, strict=True)
    texts = [graph if isinstance(graph, bytes) else b"" for graph in graphs]
    named = _joined([*map(str.encode, names)]) if any(names) else None
    return EventTexts(np.array(times, np.int64), _joined(texts), named)


def _joined(texts: Sequence[bytes]) -> TextRows:
    return np.array([0, *accumulate(map(len, texts))], np.int64), b"".join(texts)
