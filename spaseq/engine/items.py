"""Events as users of the engine give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from spaseq.engine.graphs import Graph, read_graph
from spaseq.errors import OptionError, StreamError
from spaseq.streams.event import Event
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
