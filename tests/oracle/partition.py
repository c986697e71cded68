"""PARTITION BY: the keys of an event, and the substream of each key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .graphs import ask, mappings
from .model import Event, Query
from .partial import Bindings


def substreams(query: Query, events: Sequence[Event]) -> Iterator[tuple[Bindings, tuple[Event, ...]]]:
    """Every key with the events that have it, in their order; without PARTITION BY no key and all events."""
    if query.partition is None:
        yield frozenset(), tuple(events)
        return
    keys = [keys_of(query, event) for event in events]
    for key in dict.fromkeys(key for found in keys for key in sorted(found, key=sorted)):
        yield key, tuple(event for event, found in zip(events, keys, strict=True) if key in found)


def keys_of(query: Query, event: Event) -> frozenset[Bindings]:
    """The keys of an event: solutions projected to the variables of PARTITION BY, all of which they must bind."""
    projected = (frozenset(pair for pair in solution if pair[0] in query.keys) for solution in solutions(query, event))
    return frozenset(key for key in projected if len(key) == len(query.keys))


def solutions(query: Query, event: Event) -> Iterable[Bindings]:
    """The solutions of USING on the event, or those of all GPMs on its stream."""
    assert query.partition
    if query.partition.using is not None:
        return ask(query.prefixes, query.partition.using, event.triples)
    return (found for gpm in query.gpms for found in mappings(query, gpm, event))
