"""In which order the elements of a group are joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from gpm.algebra import Bind, Element, Filter, Group, Minus, Optional, Triple, Triples, Values
from gpm.scope import Names, in_scope, mentioned


def in_order(group: Group, known: Iterable[str]) -> Iterator[Element]:
    """The elements but filters, one triple pattern at a time; between OPTIONAL, MINUS and BIND joins change places.

    ``known`` are the variables that may be bound before.
    """
    found = set(known)
    joins: list[Element] = []
    for element in group.elements:
        if isinstance(element, Filter):
            continue
        if not isinstance(element, Optional | Minus | Bind):
            joins.append(element)
            continue
        yield from _joins_in_order(joins, found)
        found.update(*map(in_scope, joins), in_scope(element))
        joins = []
        yield element
    yield from _joins_in_order(joins, found)


def _joins_in_order(joins: list[Element], known: set[str]) -> Iterator[Element]:
    """Triple patterns, what is known best first; then VALUES, then groups and unions."""
    triples = [triple for element in joins if isinstance(element, Triples) for triple in element.triples]
    for number in _best_first(triples, set(known)):
        yield Triples((triples[number],))
    yield from (element for element in joins if isinstance(element, Values))
    yield from (element for element in joins if not isinstance(element, Triples | Values))


def _best_first(triples: list[Triple], known: set[str]) -> Iterator[int]:
    """The numbers of the triples; always the one of which most is known, of several the first.

    What is known of a triple only grows, so it waits in the heap once more whenever more of it is known.
    """
    parts = [_Parts(*map(mentioned, (one.subject, one.predicate, one.object))) for one in triples]
    mentioning: dict[str, list[int]] = {}
    for number, part in enumerate(parts):
        for name in part.names:
            mentioning.setdefault(name, []).append(number)
    waiting = [(*part.unknown(known), number) for number, part in enumerate(parts)]
    heapify(waiting)
    left = set(range(len(triples)))
    while left:
        number = heappop(waiting)[-1]
        if number not in left:
            continue
        left.discard(number)
        yield number
        fresh = parts[number].names - known
        known |= fresh
        for other in {one for name in fresh for one in mentioning[name]} & left:
            heappush(waiting, (*parts[other].unknown(known), other))


class _Parts(NamedTuple):
    """The variables of a triple pattern, by place."""

    subject: Names
    predicate: Names
    object: Names

    @property
    def names(self) -> Names:
        return self.subject | self.predicate | self.object

    def unknown(self, known: set[str]) -> tuple[int, bool]:
        """How little of it is known: how many of its ends are not, and whether its predicate is not."""
        return (not self.subject <= known) + (not self.object <= known), not self.predicate <= known
