"""Small worlds with PARTITION BY: all expressions of at most two operators, all streams of at most three events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, product

from .exhaustive import RDF_TYPE, queries, with_streams
from .generate import BASE, SECOND, SOURCES, Pair
from .model import Atom, Event, Gpm, Partition, Query, Window, walk_nodes
from .values import XSD

Keys = tuple[int, ...]
Kind = tuple[str, Keys]
Triple = tuple[str, str, str]
KEYS: tuple[Keys, ...] = ((0,), (1,), (0, 1))
SWAPPED: dict[Keys, Keys] = {(0,): (1,), (1,): (0,), (0, 1): (0, 1)}
BY_GPMS = Partition(("k",))
BY_USING = Partition(("k",), "[] :in ?k")


def pairs(
    operators: int = 2,
    events: int = 3,
    using: bool = False,
    window: Window | None = None,
    any_order: bool = False,
) -> Iterator[Pair]:
    """Every expression with every stream of the types it uses, whose events have one of two keys, or both.

    GPM X is `?k :X ?x` and gives the key itself, or with using `[] :X ?x`. A type that an expression mentions twice has
    no ?x, which two events would never join on.
    """
    asked = map(by_using if using else by_gpms, queries(operators, window, any_order))
    return with_streams(asked, lambda names: streams(names, events, using))


def by_gpms(query: Query) -> Query:
    """The query, whose GPMs give the key."""
    return replace(query, partition=BY_GPMS)


def by_using(query: Query) -> Query:
    """The query with GPMs that say nothing of the key."""
    mentions = Counter(node.gpm for node in walk_nodes(query.sequence) if isinstance(node, Atom))
    gpms = tuple(_keyless(name, count) for name, count in mentions.items())
    return replace(query, gpms=gpms, partition=BY_USING)


def _keyless(name: str, mentions: int) -> Gpm:
    low = name.lower()
    return Gpm(name, "s", f"[] :{name} ?{low}", (low,)) if mentions == 1 else Gpm(name, "s", f"[] a :{name}", ())


def streams(names: Sequence[str], events: int = 3, using: bool = False) -> Iterator[tuple[Event, ...]]:
    """All streams of 1 to `events` events, each simultaneous with the one before or a second later.

    An event has one of the types and one or both keys. Of streams that differ only in the names of keys or in the order
    of simultaneous events, one.
    """
    kinds = list(product(names, KEYS))
    made = _keyed_event if using else _event
    for count in range(1, events + 1):
        for chosen, gaps in product(product(kinds, repeat=count), product((0, 1), repeat=count - 1)):
            times = [sum(gaps[:number]) for number in range(count)]
            if list(chosen) == min(_sorted(chosen, times), _sorted([_swap(kind) for kind in chosen], times)):
                yield tuple(made(*kind, times[number], number) for number, kind in enumerate(chosen))


def _swap(kind: Kind) -> Kind:
    return kind[0], SWAPPED[kind[1]]


def _sorted(kinds: Sequence[Kind], times: Sequence[int]) -> list[Kind]:
    """The kinds, simultaneous ones in their order."""
    ordered = groupby(zip(times, kinds, strict=True), key=lambda pair: pair[0])
    return [kind for _, group in ordered for kind in sorted(kind for _, kind in group)]


def _event(name: str, keys: Keys, time: int, number: int) -> Event:
    """An event whose subjects are its keys."""
    return _made([f"<{BASE}k{key}>" for key in keys], name, [], time, number)


def _keyed_event(name: str, keys: Keys, time: int, number: int) -> Event:
    """An event with a subject of its own, which says of itself which keys it has."""
    own = f"<{BASE}e{number}>"
    return _made([own], name, [(own, f"<{BASE}in>", f"<{BASE}k{key}>") for key in keys], time, number)


def _made(subjects: Sequence[str], name: str, more: Sequence[Triple], time: int, number: int) -> Event:
    kind, value = f"<{BASE}{name}>", f'"{number}"^^<{XSD}integer>'
    triples = [triple for one in subjects for triple in ((one, kind, value), (one, RDF_TYPE, kind))]
    return Event(SOURCES["s"], time * SECOND, f"e{number}", (*triples, *more))
