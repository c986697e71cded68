"""Aggregators and aggregations in the midst of small streams: their snapshots, and what becomes of changed ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from nfa_native.events.aggregates import Aggregator
from nfa_native.joins.totals import SemiringAggregation
from nfa_native.match_totals import MatchTotals
from tests.kernel.driver import Driver, Happening
from tests.kernel.test_totals import happening, plan_of, rows
from tests.recognition.test_aggregates import World, given
from tests.snapshots.forger import forged_archive, mutated, signed

SEQUENCES = ("A : B", "A ; B:+ ; C", "A , B", "A : B! : C", "(A & B) : C", "A : B:+ : C", "A ; (B | C)")
WINDOWS = ("", "WITHIN 4 SECONDS SLIDING", "WITHIN 5 SECONDS", "WITHIN 6 EVENTS SLIDING", "WITHIN 5 EVENTS")
AGGREGATES = "(COUNT(*) AS ?n) (SUM(?a) AS ?sum) (MAX(?a) AS ?most)"
DIGEST = 32
Case = tuple[int, bytes]  # the number of a world, and a snapshot of what was fed half of it


# ── aggregators ──────────────────────────────────────────────────────────────────────────────────────────
def aggregated(world: World, cuts: Sequence[int], restores: bool) -> list[Any]:
    """All rows, in batches that end at the cuts; maybe with a snapshot and a new aggregator after each call."""
    aggregator, found = world.aggregator(), []
    aggregator.know_symbols(world.masks)
    for begin, end in pairwise([0, *sorted(cuts), world.count]):
        at = 0
        while at < end - begin:
            at = aggregator.feed(*world.batch(slice(begin, end)), at, 2)
            found += given(aggregator.take())
            aggregator = aggregator_again(world, aggregator) if restores else aggregator
    return found


def aggregator_again(world: World, aggregator: Aggregator) -> Aggregator:
    """Another one, from the snapshot of one."""
    data = aggregator.snapshot()
    other = world.aggregator()
    other.restore(data)
    assert other.snapshot() == data
    return other


# ── aggregations ────────────────────────────────────────────────────────────────────────────────────────────
@dataclass
class Stream:
    """A random query that is totalled, and events for it."""

    chance: random.Random

    def __post_init__(self) -> None:
        chance, time = self.chance, 0
        key = chance.choice(["", "k"])
        select = f"?k {AGGREGATES}" if key else AGGREGATES
        sequence = chance.choice(SEQUENCES)
        windows = [one for one in WINDOWS if "&" not in sequence or "EVENTS" not in one]  # else nothing is totalled
        self.plan = plan_of(sequence, select, chance.choice(windows), key)
        self.events: list[Happening] = []
        for _ in range(chance.choice([8, 40])):
            time += chance.choice([0, 1, 1, 2])
            self.events.append(happening(time, chance.choice("ABC"), chance.randrange(3), chance.randint(-2, 4)))

    def totals(self, cuts: Sequence[int], restores: bool) -> list[Any]:
        """All rows, in batches that end at the cuts; maybe with a snapshot and a new aggregation after each."""
        driver, found = Driver(self.plan), []
        for begin, end in pairwise([0, *sorted(cuts), len(self.events)]):
            driver.feed(self.events[begin:end])
            found += rows(driver)
            if restores:
                swap(driver)
        driver.matcher.finish()
        return found + rows(driver)


def swap(driver: Driver) -> None:
    """Let a matcher go on with another aggregation, from the snapshot of its own."""
    data = totaller_of(driver).snapshot()
    restore_aggregation(driver, data)
    assert totaller_of(driver).snapshot() == data


def totaller_of(driver: Driver) -> SemiringAggregation:
    assert isinstance(driver.matcher, MatchTotals)
    return driver.matcher._aggregation


def restore_aggregation(driver: Driver, data: bytes) -> None:
    before = totaller_of(driver)
    spec = driver.matcher._spec
    aggregation = SemiringAggregation(before.automaton, driver.terms, spec.keys, spec.quantities)
    aggregation.restore(data, lambda words: words)
    driver.matcher._aggregation = aggregation


# ── changed ones ─────────────────────────────────────────────────────────────────────────────────────────
WORLDS = 60  # those of aggregators have even numbers, those of aggregations odd ones


@cache
def snapshots() -> list[Case]:
    """Sound ones, of all worlds."""
    return [(number, _halfway(number)) for number in range(WORLDS)]


def _halfway(number: int) -> bytes:
    if number % 2:
        return totaller_of(_driven(number)).snapshot()
    return _aggregator(_world(number)).snapshot()


@cache
def _world(number: int) -> World:
    return World(random.Random(number))


@cache
def _stream(number: int) -> Stream:
    return Stream(random.Random(number))


def _aggregator(world: World) -> Aggregator:
    aggregator = world.aggregator()
    aggregator.know_symbols(world.masks)
    if world.count > 1:
        aggregator.feed(*world.batch(slice(0, world.count // 2)))
    aggregator.take()
    return aggregator


def _driven(number: int) -> Driver:
    stream = _stream(number)
    driver = Driver(stream.plan)
    driver.feed(stream.events[: len(stream.events) // 2])
    driver.matcher.take()
    return driver


def forged(case: Case, choose: random.Random) -> Case:
    """Some columns changed."""
    number, data = case
    for _ in range(choose.choice((1, 1, 1, 2, 3, 5))):
        data = forged_archive(data, choose)
    return number, data


def damaged(case: Case, choose: random.Random) -> Case:
    """Some bytes changed."""
    return case[0], mutated(signed(case[1]), choose)[:-DIGEST]


def enter(case: Case) -> str:
    """Whether it is refused; else it is used.  Any other exception is a finding."""
    use: Callable[[int, bytes], None] = _use_aggregation if case[0] % 2 else _use_aggregator
    try:
        use(*case)
    except ValueError as error:
        assert str(error)
        return "refused"
    return "used"


def _use_aggregator(number: int, data: bytes) -> None:
    world = _world(number)
    aggregator = world.aggregator()
    aggregator.restore(data)
    aggregator.know_symbols(world.masks[aggregator.symbols - 1 :])
    aggregator.feed(*world.batch(slice(world.count // 2, world.count)))
    aggregator.take()
    aggregator_again(world, aggregator)


def _use_aggregation(number: int, data: bytes) -> None:
    driver, events = _driven(number), _stream(number).events
    restore_aggregation(driver, data)
    aggregation = totaller_of(driver)
    for event in events[len(events) // 2 :]:
        driver.feed([event])
        aggregation.youngest()
    aggregation.close_tick()
    aggregation.take()
    swap(driver)
