"""Aggregates over matches from totals of them: what ``nfa_native.match_totals`` gives, as values of SELECT."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Aggregate, Variable
from nfa_native.automata.kinds import MatchQuantity
from nfa_native.terms.words import Terms
from spaseq.errors import StreamError
from spaseq.pattern.times import iso
from spaseq.results.exact import ONE, Sum, integer, number_of_rank

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
