"""PARTITION BY: the results are those of the substreams, each by itself."""

from __future__ import annotations

from random import Random

import pytest

import spaseq
from spaseq.errors import QueryError
from tests.graphs.substreams import SECOND, Case, Event, random_case, results

pytestmark = pytest.mark.filterwarnings("ignore")


def has_meaning(case: Case) -> bool:
    try:
        spaseq.parse(case.query())
        spaseq.parse(case.query("k1"))
    except QueryError:
        return False
    return True


def expected(case: Case) -> list[str]:
    apart = [one for key in case.keys for one in results(case.query(key), case.substream(key))]
    return sorted(apart) if "COUNT" in case.select else sorted(set(apart))


@pytest.mark.parametrize("seed", range(8))
def test_substreams_by_themselves(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        case = random_case(random)
        if has_meaning(case):
            assert results(case.query(), case.events) == expected(case), case


@pytest.mark.parametrize("seed", range(4))
def test_snapshots_anywhere(seed: int) -> None:
    random = Random(100 + seed)
    for _ in range(12):
        case = random_case(random)
        cuts = frozenset(range(len(case.events)))
        if has_meaning(case):
            assert results(case.query(), case.events, cuts) == results(case.query(), case.events), case


def rising(window: str, keys: int) -> tuple[spaseq.Engine, list[spaseq.Match]]:
    """2,000 events, each with a key of its own or one of few."""
    query = Case("B , C", window, "?k", {}, False, ()).query()
    engine, found = spaseq.Engine(), []
    engine.register(query, "q")
    for number in range(2_000):
        event = Event(number * SECOND, number, ("b", "c"), (f"k{number % keys}",), number)
        found += engine.push("S", event.graph, event.time)
    return engine, found


def test_silent_keys_are_forgotten() -> None:
    engine, found = rising("WITHIN 10 SECONDS SLIDING", 2_000)
    assert found == []
    counters = engine.statistics()["queries"]["q"]
    assert counters["stored_events"] < 1_100
    assert [state["groups"] < 1_100 for state in counters["states"]] == [True]


def test_a_matcher_for_each_key_is_forgotten_when_nobody_waits() -> None:
    query = Case("A ; B", "WITHIN 5 EVENTS SLIDING", "?k", {}, False, ()).query()
    engine = spaseq.Engine()
    engine.register(query, "q")
    for number in range(100):
        event = Event(number * SECOND, number, ("b",), (f"k{number}",), number)
        engine.push("S", event.graph, event.time)
    assert engine.statistics()["queries"]["q"]["partitions"] == 0
    engine.push("S", Event(100 * SECOND, 100, ("a",), ("k0",), 0).graph, 100 * SECOND)
    engine.advance(101 * SECOND)
    assert engine.statistics()["queries"]["q"]["partitions"] == 1


def test_keys_that_meet_again() -> None:
    _, found = rising("WITHIN 10 SECONDS SLIDING", 7)
    assert len(found) == 2_000 - 7


def test_statistics_say_what_contiguity_dropped() -> None:
    engine = spaseq.Engine()
    engine.register(Case("A , B", "WITHIN 10 SECONDS SLIDING", "?k", {}, False, ()).query(), "q")
    for number, kind in enumerate("acb"):
        engine.push("S", Event(number * SECOND, number, (kind,), ("k1",), 0).graph, number * SECOND)
    engine.close()
    found = engine.statistics()["queries"]["q"]
    assert [state["dropped_by_contiguity"] for state in found["states"]] == [1]
    assert any("strict contiguity dropped 1 group" in why for why in found["why"])
