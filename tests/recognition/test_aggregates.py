"""The aggregator against totals over what the recognizer enumerates; numbers that are too large; memory."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import pytest

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.automata.kinds import Consumed, PathQuantity
from nfa_native.events.aggregates import MOST_MATCHES, NO_LEAST, Aggregates, Aggregator, Column, PathTotal
from nfa_native.events.recognizer import Recognizer
from spaseq.tuples import NO_PARTITION

Row = tuple[Any, ...]
FOREVER = -(2**63) + 1
PAIRS = ComplexEventAutomaton((PickState((0,), initial=True), PickState((1,), final=True, after=(0,))))  # A ; B
KLEENE = ComplexEventAutomaton(
    (PickState((0,), initial=True), PickState((1,), after=(0, 1)), PickState((2,), final=True, after=(1,)))
)  # A ; B+ ; C


@dataclass
class World:
    """A random automaton, stream, window and selection of quantities."""

    chance: random.Random
    automaton: ComplexEventAutomaton = field(init=False)

    def __post_init__(self) -> None:
        chance = self.chance
        self.automaton = automaton(chance)
        self.count = count = chance.choice([chance.randint(1, 11), chance.randint(20, 60)])
        masks = [chance.randrange(8) for _ in range(count)]
        known = {0: 0}
        self.symbols = np.array([known.setdefault(mask, len(known)) for mask in masks], np.uint32)
        self.masks = list(known)[1:]
        self.times = np.cumsum([chance.choice([0, 1, 1, 2]) for _ in range(count)])
        self.windowed = count > 11 or chance.random() < 0.8
        self.least = self.times - chance.randint(0, 4) if self.windowed else np.full(count, FOREVER)
        parts = [chance.choice([0, 0, 1, 2, NO_PARTITION]) for _ in range(count)]
        self.partitions = np.array(parts, np.uint32) if chance.random() < 0.5 else None
        self.events = chance.randint(0, 4) if self.partitions is not None and chance.random() < 0.3 else None
        self.consume = chance.choice([Consumed.NONE, *Consumed])
        some = chance.choice([3, 50])
        keys = np.array([chance.randrange(some) for _ in range(count)], np.uint32)
        self.keys = keys if chance.random() < 0.5 else None
        self.quantities = [quantity(chance, len(self.automaton.states)) for _ in range(chance.randint(0, 3))]
        self.columns = [self.column(each) for each in self.quantities]
        self.leading = [PathTotal(PathQuantity.MATCHES, ())] if chance.random() < 0.3 else []

    def column(self, quantity: PathTotal) -> Column:
        values = np.array([self.chance.randint(-3, 5) for _ in range(self.count)])
        valid = np.array([self.chance.random() < 0.8 for _ in range(self.count)])
        numbers = values.astype(np.float64) if quantity.kind == PathQuantity.SUM_OF_DOUBLES else values
        return Column(numbers, self.chance.choice([valid, None]))

    def options(self) -> dict[str, Any]:
        return {"partitioned": self.partitions is not None, "events": self.events}

    def aggregator(self) -> Aggregator:
        """One that has seen nothing, not even symbols."""
        quantities = [*self.leading, *self.quantities]
        return Aggregator(self.automaton, quantities, consume=self.consume, windowed=self.windowed, **self.options())

    def enumerated(self) -> dict[tuple[int, int], Row]:
        """By end and key what all matches come to."""
        recognizer = Recognizer(self.automaton, forgets=self.windowed, consume=self.consume.name, **self.options())
        recognizer.know_symbols(self.masks)
        recognizer.feed(self.symbols, self.times, self.least, self.partitions, 0, 1 << 40)
        found = recognizer.take()
        groups = defaultdict(list)
        edges = pairwise(found.offsets.tolist())
        for (begin, end), first, last in zip(edges, found.starts.tolist(), found.ends.tolist(), strict=True):
            picks = list(zip(found.positions[begin:end].tolist(), found.states[begin:end].tolist(), strict=True))
            groups[last, 0 if self.keys is None else int(self.keys[first])].append(picks)
        return {
            key: (len(matches), *[len(matches) for _ in self.leading], *self.totals(matches))
            for key, matches in groups.items()
        }

    def totals(self, matches: list[list[tuple[int, int]]]) -> Row:
        totals = []
        for (kind, states), (values, valid) in zip(self.quantities, self.columns, strict=True):
            held = [position for picks in matches for position, state in picks if state in states]
            numbers = [values[position].item() for position in held if valid is None or valid[position]]
            totals.append(min(numbers, default=NO_LEAST) if kind is PathQuantity.LEAST else sum(numbers))
        return tuple(totals)

    def aggregated(self) -> dict[tuple[int, int], Row]:
        """The same by the aggregator, in batches."""
        aggregator = self.aggregator()
        aggregator.know_symbols(self.masks)
        rows: list[tuple[tuple[int, int], Row]] = []
        for begin, end in pairwise([0, self.chance.randint(0, self.count), self.count]):
            at = 0
            while at < end - begin:
                at = aggregator.feed(*self.batch(slice(begin, end)), at, self.chance.choice([1, 3, 1000]))
                rows += given(aggregator.take())
        assert len(dict(rows)) == len(rows)
        return dict(rows)

    def forgotten(self) -> dict[tuple[int, int], Row]:
        """The same, and after each batch what is over is forgotten, and the rest gets new numbers."""
        aggregator, partitions, keys = self.aggregator(), Renumbering(), Renumbering()
        aggregator.know_symbols(self.masks)
        rows: dict[tuple[int, int], Row] = {}
        for begin in range(0, self.count, 3):
            symbols, times, least, columns, parts, own = self.batch(slice(begin, begin + 3))
            parts = None if parts is None else partitions.numbered(parts)
            own = np.zeros(len(symbols), np.uint32) if own is None else keys.numbered(own)
            aggregator.feed(symbols, times, least, columns, parts, own)
            rows |= {(end, keys.value(key)): row for (end, key), row in given(aggregator.take())}
            if self.partitions is not None:
                kept = aggregator.living(int(least[-1]))
                aggregator.keep(kept)
                partitions.keep(kept)
            if self.keys is not None:
                aggregator.renumber(keys.keep(np.unique(aggregator.keys())))
        return rows

    def batch(self, some: slice) -> tuple[Any, ...]:
        columns = [Column(each.values[some], None if each.valid is None else each.valid[some]) for each in self.columns]
        partitions, keys = (None if each is None else each[some] for each in (self.partitions, self.keys))
        return self.symbols[some], self.times[some], self.least[some], columns, partitions, keys


@dataclass
class Renumbering:
    """Numbers for values from 0 on, until they are forgotten."""

    values: list[int] = field(default_factory=list)

    def numbered(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        new = [value for value in dict.fromkeys(values.tolist()) if value not in (*self.values, NO_PARTITION)]
        self.values += new
        numbers = {value: number for number, value in enumerate(self.values)} | {NO_PARTITION: NO_PARTITION}
        return np.array([numbers[value] for value in values.tolist()], np.uint32)

    def value(self, number: int) -> int:
        return self.values[number] if self.values else 0

    def keep(self, kept: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The new numbers by those before."""
        numbers = np.full(len(self.values), NO_PARTITION, np.uint32)
        numbers[kept] = np.arange(len(kept))
        self.values = [self.values[number] for number in kept.tolist()]
        return numbers


def automaton(chance: random.Random) -> ComplexEventAutomaton:
    """Up to four states on three atoms, with any transitions."""
    numbers = range(chance.randint(1, 4))
    states = []
    for _ in numbers:
        after = tuple(number for number in numbers if chance.random() < 0.5)
        directly = tuple(number for number in numbers if number not in after and chance.random() < 0.3)
        atoms = tuple({chance.randrange(3) for _ in range(2)})
        states.append(PickState(atoms, chance.random() < 0.5, chance.random() < 0.5, after, directly))
    return ComplexEventAutomaton(tuple(states))


def quantity(chance: random.Random, states: int) -> PathTotal:
    kinds = [PathQuantity.SUM, PathQuantity.LEAST, PathQuantity.SUM_OF_DOUBLES]
    return PathTotal(chance.choice(kinds), tuple(number for number in range(states) if chance.random() < 0.6))


def given(found: Aggregates) -> list[tuple[tuple[int, int], Row]]:
    """By end and key the number of matches and the totals."""
    totals = [whole(each) if isinstance(each, tuple) else each.tolist() for each in found.totals]
    ends = zip(found.ends.tolist(), found.keys.tolist(), strict=True)
    return list(zip(ends, zip(found.counts.tolist(), *totals, strict=True), strict=True))


def whole(halves: tuple[Any, Any]) -> list[int]:
    return [(high << 64) + low for high, low in zip(halves[0].tolist(), halves[1].tolist(), strict=True)]


@pytest.mark.parametrize("start", range(0, 1000, 200))
def test_random_automata(start: int) -> None:
    for seed in range(start, start + 200):
        world = World(random.Random(seed))
        wanted = world.enumerated()
        assert world.aggregated() == wanted, seed
        assert world.forgotten() == wanted, seed


@pytest.mark.deep
@pytest.mark.parametrize("start", range(1000, 21_000, 1000))
def test_many_random_automata(start: int) -> None:
    for seed in range(start, start + 1000):
        world = World(random.Random(seed))
        wanted = world.enumerated()
        assert world.aggregated() == wanted, seed
        assert world.forgotten() == wanted, seed


def counts(automaton: ComplexEventAutomaton, symbols: list[int], window: int | None = None) -> dict[int, int]:
    """The number of matches by end, where symbol n is atom n - 1."""
    aggregator = Aggregator(automaton, windowed=window is not None)
    aggregator.know_symbols([1, 2, 4])
    times = np.arange(len(symbols))
    least = np.full(len(symbols), FOREVER) if window is None else times - window
    aggregator.feed(np.array(symbols, np.uint32), times, least)
    found = aggregator.take()
    return dict(zip(found.ends.tolist(), found.counts.tolist(), strict=True))


@pytest.mark.parametrize("window", [None, 1000])
def test_counts_are_exact_up_to_64_bits(window: int | None) -> None:
    """A ; B+ ; C has 2ⁿ - 1 matches with n events B; from 2⁶⁴ - 1 on they are many."""
    for middle in (1, 40, 63, 64, 300):
        expected = min(2**middle - 1, MOST_MATCHES)
        assert counts(KLEENE, [1, *[2] * middle, 3], window) == {middle + 1: expected}


def test_what_was_too_large_leaves_the_window() -> None:
    """No total is ever taken back from another one."""
    symbols = [1, *[2] * 200, 3, *[0] * 500, 1, 2, 2, 3]
    assert counts(KLEENE, symbols, 300) == {201: MOST_MATCHES, len(symbols) - 1: 3}


def test_long_chains() -> None:
    """All sets of 8 neighbours in the window that end with its last event."""
    chain = ComplexEventAutomaton(
        tuple(PickState((0,), number == 0, number == 7, (number - 1,) if number else ()) for number in range(8))
    )
    found = counts(chain, [1] * 300, 99)
    assert found == {end: comb(min(end, 99), 7) for end in range(7, 300)}


def test_sums_of_128_bits() -> None:
    """Exact beyond 64 bits; what does not fit in 128 is not known."""
    for middle, known in ((40, True), (55, True), (64, False)):
        symbols = np.array([1, *[2] * middle, 3], np.uint32)
        times = np.zeros(len(symbols), np.int64)
        values = np.full(len(symbols), -(2**63))
        aggregator = Aggregator(KLEENE, [PathTotal(PathQuantity.SUM, (1,)), PathTotal(PathQuantity.LEAST, (1,))])
        aggregator.know_symbols([1, 2, 4])
        aggregator.feed(symbols, times, times, [Column(values), Column(values)])
        (_, row), *_ = given(aggregator.take())
        total = -(2**63) * middle * 2 ** (middle - 1)
        assert row == (min(2**middle - 1, MOST_MATCHES), total if known else -(2**127), -(2**63))


@pytest.mark.parametrize("middle", [1, 64, 65, 127, 128, 300])
def test_counts_go_on_in_128_bits(middle: int) -> None:
    """And sums with them: n events B are in 2ⁿ⁻¹ matches each."""
    symbols = np.array([1, *[2] * middle, 3] * 2, np.uint32)
    times = np.arange(len(symbols))
    aggregator = Aggregator(KLEENE, [PathTotal(PathQuantity.MATCHES, ()), PathTotal(PathQuantity.SUM, (1,))])
    aggregator.know_symbols([1, 2, 4])
    aggregator.feed(symbols, times, times - middle - 1, [Column(np.full(len(symbols), -3))])
    matches, sums = 2**middle - 1, -3 * middle * 2 ** (middle - 1)
    most = 2**127
    row = tuple(number if -most < number < most else -most for number in (matches, sums))
    assert [found for _, found in given(aggregator.take())] == [(min(matches, MOST_MATCHES), *row)] * 2


def test_the_number_of_matches_comes_first() -> None:
    with pytest.raises(ValueError, match="comes first"):
        Aggregator(KLEENE, [PathTotal(PathQuantity.SUM, (1,)), PathTotal(PathQuantity.MATCHES, ())])


def test_sums_of_doubles_do_not_drift() -> None:
    """What was huge and has left the window leaves nothing behind."""
    aggregator = Aggregator(PAIRS, [PathTotal(PathQuantity.SUM_OF_DOUBLES, (0,))])
    aggregator.know_symbols([1, 2])
    symbols = np.array([1, 2] * 1000, np.uint32)
    times = np.arange(len(symbols))
    values = np.where(times % 100 == 0, 1e300, 0.1)
    aggregator.feed(symbols, times, times - 10, [Column(values)])
    found = aggregator.take()
    near = [values[max(end - 10, 0) : end : 1][symbols[max(end - 10, 0) : end] == 1].sum() for end in found.ends]
    assert found.totals[0].tolist() == pytest.approx(near, rel=1e-12)


def test_memory_follows_the_window() -> None:
    aggregator = Aggregator(KLEENE)
    aggregator.know_symbols([1, 2, 4])
    symbols = np.random.default_rng(2).integers(0, 4, 100_000).astype(np.uint32)
    for number in range(5):
        times = np.arange(number * 100_000, (number + 1) * 100_000)
        aggregator.feed(symbols, times, times - 1000)
        assert aggregator.statistics()["log"] <= 2000
        assert aggregator.statistics()["starts"] <= 1000


def test_a_stream_of_seldom_matches_is_not_remembered() -> None:
    """Only what comes after a start in the window is."""
    aggregator = Aggregator(PAIRS)
    aggregator.know_symbols([1, 2])
    symbols = np.full(100_000, 2, np.uint32)
    symbols[0] = 1
    times = np.arange(len(symbols))
    aggregator.feed(symbols, times, times - 10)
    assert aggregator.statistics()["log"] == 0
    assert aggregator.take().ends.tolist() == list(range(1, 11))


def test_wrong_calls() -> None:
    aggregator = Aggregator(PAIRS, [PathTotal(PathQuantity.SUM, (0,))])
    aggregator.know_symbols([1])
    times = np.zeros(2, np.int64)
    two = np.array([1, 1], np.uint32)
    with pytest.raises(ValueError, match="symbol 3 is not known"):
        aggregator.feed(np.array([1, 3], np.uint32), times, times, [Column(times)])
    with pytest.raises(ValueError, match="2 symbols came with 2 starts and 1 windows"):
        aggregator.feed(two, times, times[:1], [Column(times)])
    with pytest.raises(ValueError, match="2 symbols came with 1 values"):
        aggregator.feed(two, times, times, [Column(times[:1])])
    with pytest.raises(ValueError, match="there are no partitions"):
        aggregator.feed(two, times, times, [Column(times)], np.zeros(2, np.uint32))
    with pytest.raises(ValueError, match="2 symbols came with 1 keys"):
        aggregator.feed(two, times, times, [Column(times)], None, np.zeros(1, np.uint32))
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        aggregator.feed(two, times, times)
    with pytest.raises(ValueError, match="paths of an ambiguous automaton"):
        Aggregator(ComplexEventAutomaton((PickState((0,), initial=True, final=True),), ambiguous=True))
