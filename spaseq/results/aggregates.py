"""Aggregates over matches (semantics.md 3.4): one value for each group of rows, over its bound values, or from totals.

Totals are what ``nfa_native.match_totals`` gives.  Integers and decimals are exact, of any size: sums and means are not
rounded on the way.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyoxigraph
from numpy.typing import NDArray

from gpm.algebra import Aggregate, Variable
from gpm.dispersion import spread
from gpm.terms import decode, ox_term, term_bytes
from nfa_native.automata.kinds import MatchQuantity
from nfa_native.joins.totals import ranks
from nfa_native.terms.dictionary import Terms
from spaseq.errors import QueryError, StreamError
from spaseq.streams.timestamps import iso

ONE = 10**18  # decimals are counted in units of 10**-18
_INTEGER = b"Thttp://www.w3.org/2001/XMLSchema#integer\0"
_DECIMAL = b"Thttp://www.w3.org/2001/XMLSchema#decimal\0"


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of ``count`` numbers in units of 10**-18; it ``is_decimal`` if one of them is."""

    scaled: int
    is_decimal: bool
    count: int

    def total(self, terms: Terms) -> int:
        """The word of the sum: an integer if all numbers are."""
        return decimal(self.scaled, terms) if self.is_decimal else integer(self.scaled // ONE, terms)

    def mean(self, terms: Terms) -> int:
        """The word of the mean, cut after 18 digits; 0 of no numbers."""
        if not self.count:
            return integer(0, terms)
        magnitude = abs(self.scaled) // self.count
        return decimal(-magnitude if self.scaled < 0 else magnitude, terms)


def of_exact(name: str, ranks: Sequence[int], terms: Terms) -> int:
    """The word of the SUM, AVG, MIN or MAX of exact numbers, given by their ranks; 0 if it is unbound."""
    match name:
        case "MIN" | "MAX":
            return number_of_rank(min(ranks) if name == "MIN" else max(ranks), terms) if ranks else 0
    decimals = sum(rank & 1 for rank in ranks)
    result = Sum((sum(ranks) - decimals) // 2, decimals > 0, len(ranks))
    return result.mean(terms) if name == "AVG" else result.total(terms)


def number_of_rank(rank: int, terms: Terms) -> int:
    """The word of a number by its place in the order of exact numbers: twice its value, and 1 more for a decimal."""
    scaled, is_decimal = divmod(rank, 2)
    return decimal(scaled, terms) if is_decimal else integer(scaled // ONE, terms)


def decimal(scaled: int, terms: Terms) -> int:
    """The word of an xsd:decimal."""
    whole, part = divmod(abs(scaled), ONE)
    text = f"{'-' if scaled < 0 else ''}{whole}.{part:018}".rstrip("0").rstrip(".")
    return terms.intern_transient(_DECIMAL + text.encode())


def integer(value: int, terms: Terms) -> int:
    """The word of an xsd:integer, which is forgotten when no result holds it any more."""
    return terms.intern_transient(_INTEGER + str(value).encode())


# ── from totals of matches ───────────────────────────────────────────────────────────────────────────────
Words = NDArray[np.uint64]
Total = tuple[int | None, ...]
MOST_DIGITS = 4200  # of a number that can be printed


class AnyReading(Protocol):
    """A kind of quantity of a variable."""

    @property
    def kind(self) -> MatchQuantity:
        """Which."""

    @property
    def variable(self) -> str:
        """Of which variable; empty for STARTS."""

    @property
    def is_least(self) -> bool:
        """Whether it is a least value instead of a sum."""


@dataclass(frozen=True, slots=True)
class TotalledGroup:
    """All matches that are decided at a time, with equal ``key`` (words): their number, and a total per reading."""

    decided: int
    key: tuple[int, ...]
    total: Total


def grouped(
    decided: Iterable[int], keys: Iterable[Sequence[int]], totals: Iterable[Total], readings: Sequence[AnyReading]
) -> Iterator[TotalledGroup]:
    """Totals of equal times and keys together, in order of their time, then of their key."""
    found: dict[tuple[int, bytes], Total] = {}  # bytes: nobody can make them so that Python hashes them alike
    for time, key, total in zip(decided, keys, totals, strict=True):
        where = time, array("Q", key).tobytes()
        found[where] = _added(found[where], total, readings) if where in found else total
    ordered = sorted((time, tuple(array("Q", key)), total) for (time, key), total in found.items())
    return (TotalledGroup(time, key, total) for time, key, total in ordered)


def _added(one: Total, other: Total, readings: Sequence[AnyReading]) -> Total:
    least = (False, *(each.is_least for each in readings))
    return tuple(_lesser(a, b) if is_least else _sum(a, b) for a, b, is_least in zip(one, other, least, strict=True))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _lesser(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def aggregate_total(function: Aggregate, group: TotalledGroup, readings: Sequence[AnyReading], terms: Terms) -> int:
    """The word of an aggregate of a group, 0 if it is unbound.  StreamError: a number of thousands of digits."""
    if function.argument is None:
        return integer(_known(group.total[0], "COUNT(*)", group), terms)
    assert isinstance(function.argument, Variable)
    variable, name = function.argument.name, f"{function.function}(?{function.argument.name})"
    of = {each.kind: total for each, total in zip(readings, group.total[1:], strict=True) if each.variable == variable}
    match function.function:
        case "COUNT":
            return integer(_known(of[MatchQuantity.BOUND], name, group), terms)
        case "MIN":
            rank = of[MatchQuantity.LEAST]
            return 0 if rank is None else number_of_rank(rank, terms)
        case "MAX":
            rank = of[MatchQuantity.GREATEST]
            return 0 if rank is None else number_of_rank(-rank, terms)
    extremes = MatchQuantity.LEAST, MatchQuantity.GREATEST
    numbers = {kind: _known(total, name, group) for kind, total in of.items() if kind not in extremes}
    integers = numbers[MatchQuantity.POSITIVE] - numbers[MatchQuantity.NEGATIVE]
    decimals = numbers[MatchQuantity.POSITIVE_DECIMALS] - numbers[MatchQuantity.NEGATIVE_DECIMALS]
    count = numbers.get(MatchQuantity.BOUND, 0)
    result = Sum(integers * ONE + decimals, numbers[MatchQuantity.DECIMALS] > 0, count)
    return result.mean(terms) if function.function == "AVG" else result.total(terms)


def _known(number: int | None, name: str, group: TotalledGroup) -> int:
    if number is None or abs(number) >= 10**MOST_DIGITS:
        raise StreamError(
            f"{name} of the matches that end at {iso(group.decided)} has more than {MOST_DIGITS:,} digits",
            hint="a shorter window or a filter leaves fewer matches",
        )
    return number


# ── from rows ────────────────────────────────────────────────────────────────────────────────────────────
Numbers = NDArray[np.int64]

_ORDERED = frozenset({"FIRST", "LAST", "SAMPLE", "GROUP_CONCAT"})
_GROUP = pyoxigraph.NamedNode("urn:group")
_VALUE = pyoxigraph.NamedNode("urn:value")
_QUERY = "SELECT ?group ({}(?value) AS ?result) {{ ?row <urn:group> ?group ; <urn:value> ?value }} GROUP BY ?group"


def aggregate(function: Aggregate, values: Words, groups: Numbers, order: Numbers, number: int, terms: Terms) -> Words:
    """``uint64[number]``: the aggregate of the bound ``values[i]`` in each of the groups 0 … number − 1.

    ``groups[i]`` is the group of ``values[i]``, ``order[i]`` the place of its match in time: FIRST, LAST, SAMPLE (the
    first) and GROUP_CONCAT follow it, among equals the bytes of the terms, so that the result depends on nothing else.
    Of none: COUNT, SUM and AVG are 0, the others unbound; of what SPARQL cannot add up: unbound (gpm/dispersion.py).
    """
    bound = values != 0
    values, groups, order = values[bound], groups[bound], order[bound]
    if function.function in _ORDERED:
        chosen = np.lexsort((_ranks(values, terms), order))
        values, groups = values[chosen], groups[chosen]
    if function.distinct:
        _, chosen = np.unique(np.stack([groups.view(np.uint64), values]), axis=1, return_index=True)
        chosen.sort()
        values, groups = values[chosen], groups[chosen]
    match function.function:
        case "COUNT":
            return integers(np.bincount(groups, minlength=number), terms)
        case "SUM" | "AVG" | "MIN" | "MAX":
            return _of_numbers(function.function, values, groups, number, terms)
        case "STDEV" | "VARIANCE" | "MEDIAN":
            return _spread(function.function, values, groups, number, terms)
        case "FIRST" | "SAMPLE":
            return _last(values[::-1], groups[::-1], number)
        case "LAST":
            return _last(values, groups, number)
        case "GROUP_CONCAT":
            separator = " " if function.separator is None else function.separator
            return _concatenate(values, groups, number, terms, separator)
    raise QueryError(f"{function.function} cannot range over matches")


def integers(numbers: Numbers, terms: Terms) -> Words:
    """The words of xsd:integers."""
    return np.array([terms.integer(number) for number in numbers.tolist()], np.uint64)


def _ranks(values: Words, terms: Terms) -> Numbers:
    """The place of each value in the order of the terms' bytes."""
    distinct, places = np.unique(values, return_inverse=True)
    texts = [terms.bytes(word) for word in distinct.tolist()]
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks[places.reshape(-1)]


def _last(values: Words, groups: Numbers, number: int) -> Words:
    result = np.zeros(number, np.uint64)
    result[groups] = values  # the last assignment stays
    return result


def _concatenate(values: Words, groups: Numbers, number: int, terms: Terms, separator: str) -> Words:
    parts: list[list[str]] = [[] for _ in range(number)]
    failed = {-1}
    for value, group in zip(values.tolist(), groups.tolist(), strict=True):
        term = decode(terms, value)
        if isinstance(term, pyoxigraph.NamedNode | pyoxigraph.Literal):
            parts[group].append(term.value)
        else:
            failed.add(group)  # STR of a blank node is an error
    texts = (separator.join(part) for part in parts)
    words = [
        terms.intern_transient(b"S" + text.encode()) if part and group not in failed else 0
        for group, (part, text) in enumerate(zip(parts, texts, strict=True))
    ]
    return np.array(words, np.uint64)


def _spread(name: str, values: Words, groups: Numbers, number: int, terms: Terms) -> Words:
    members: list[list[object]] = [[] for _ in range(number)]
    for value, group in zip(values.tolist(), groups.tolist(), strict=True):
        members[group].append(decode(terms, value))
    found = [spread(name, some) for some in members]
    return np.array([0 if one is None else terms.intern_transient(term_bytes(one)) for one in found], np.uint64)


def _of_numbers(name: str, values: Words, groups: Numbers, number: int, terms: Terms) -> Words:
    """Exactly where all values of a group are integers and decimals, else as SPARQL does it."""
    distinct, places = np.unique(values, return_inverse=True)
    rank = ranks(terms, distinct)
    members: list[list[int | None]] = [[] for _ in range(number)]
    for place, group in zip(places.reshape(-1).tolist(), groups.tolist(), strict=True):
        members[group].append(rank[place])
    exact = [[one for one in some if one is not None] for some in members]
    others = np.array([len(one) < len(some) for one, some in zip(exact, members, strict=True)], np.bool_)
    result = np.array(
        [0 if other else of_exact(name, one, terms) for one, other in zip(exact, others.tolist(), strict=True)],
        np.uint64,
    )
    if others.any():
        theirs = others[groups]
        result[others] = _by_sparql(name, values[theirs], groups[theirs], number, terms)[others]
    return result


def _by_sparql(name: str, values: Words, groups: Numbers, number: int, terms: Terms) -> Words:
    """All groups in one query, so that numbers add up and compare exactly as SPARQL says."""
    result = np.zeros(number, np.uint64)
    store = pyoxigraph.Store()
    store.bulk_extend(_rows(values, groups, terms))
    for solution in store.query(_QUERY.format(name)):  # type: ignore[union-attr]
        value = solution["result"]
        result[int(solution["group"].value)] = terms.intern_transient(term_bytes(value)) if value is not None else 0
    return result


def _rows(values: Words, groups: Numbers, terms: Terms) -> Iterator[pyoxigraph.Quad]:
    """Every row a node of its own, so that equal values count as often as they come."""
    values_of = {word: ox_term(terms.bytes(word)) for word in set(values.tolist())}
    for number, (value, group) in enumerate(zip(values.tolist(), groups.tolist(), strict=True)):
        row = pyoxigraph.BlankNode(f"r{number}")
        yield pyoxigraph.Quad(row, _GROUP, pyoxigraph.Literal(group))
        yield pyoxigraph.Quad(row, _VALUE, values_of[value])
