"""``Bound(latency=…)``: results come in time, whatever the load; on a clock that goes on with the work that is done."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from spaseq import Bound, Engine, OptionError
from spaseq.graphs import paced_input
from spaseq.runtime.latency import PART, LatencyControl
from tests import arrivals
from tests.graphs.test_work_bound import STREAM, Item, items
from tests.kernel.bounded import text_of

EVENT, UNIT = 10e-6, 50e-9  # seconds
LATENCY = 0.02
FEW = ("A : B:+ : E : F", {"F": "FILTER(?ax + SUM(?bx) < ?ex + ?fx - 140)"})  # that are found for much work
QUERY = text_of(FEW, 1200)


class WorkClock:
    """A clock of an engine that goes on by what events and units of work take, and while nothing comes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.idle = 0.0
        self.events = 0

    def __call__(self) -> float:
        work = sum(query.shed.work for query in self.engine.core.at_work)
        return self.idle + EVENT * self.events + UNIT * work


def latencies(engine: Engine, clock: WorkClock, came: list[Item], apart: float) -> NDArray[np.float64]:
    """Of events that come so many seconds apart, and are pushed together as soon as those before are done."""
    push = lambda first, last: engine.push_batch(STREAM, came[first:last])  # noqa: E731
    return arrivals.latencies(clock, push, len(came), apart)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> WorkClock:
    engine = Engine(bound=Bound(latency=timedelta(seconds=LATENCY)))
    engine.register(QUERY, "sums")
    made = WorkClock(engine)
    monkeypatch.setattr(paced_input, "perf_counter", made)
    monkeypatch.setattr(paced_input, "thread_time", lambda: EVENT * made.events)
    return made


@cache
def exact_cost(events: int) -> float:
    """Seconds of an event, if nothing is left out."""
    engine = Engine(bound=Bound(1e9))
    engine.register(QUERY, "sums")
    clock = WorkClock(engine)
    clock.events = events
    engine.push_batch(STREAM, items(events))
    return clock() / events


@pytest.mark.parametrize("load", [2, 5])
def test_results_come_in_time(load: int, clock: WorkClock) -> None:
    found = latencies(clock.engine, clock, items(6000), exact_cost(6000) / load)
    assert np.quantile(found, 0.99) <= 1.2 * LATENCY
    assert not clock.engine.complete
    told = clock.engine.statistics()["queries"]["sums"]["latency"]
    assert 0 < told["p50"] <= told["p99"] <= told["max"]
    assert told["batches"] > 100


def test_nothing_is_left_out_where_there_is_time(clock: WorkClock) -> None:
    came = items(3000)
    latencies(clock.engine, clock, came, 20 * exact_cost(3000))
    assert clock.engine.complete


def test_it_ends_with_the_burst(clock: WorkClock) -> None:
    came, cost = items(5500), exact_cost(3000)
    latencies(clock.engine, clock, came[:2500], cost / 10)
    assert not clock.engine.complete
    latencies(clock.engine, clock, came[2500:4900], 20 * cost)
    before = clock.engine.core.at_work[0].shed.steps
    latencies(clock.engine, clock, came[4900:], 20 * cost)
    assert clock.engine.core.at_work[0].shed.steps == before


def test_work_has_its_bound_as_well() -> None:
    engine = Engine(bound=Bound(20, latency=3_600_000_000))
    engine.register(QUERY, "sums")
    engine.push_batch(STREAM, items(3000))
    assert engine.statistics()["queries"]["sums"]["bound"]["work"] < 1.1 * 20 * 3000


@pytest.mark.parametrize("latency", [0, -5, 5, timedelta(days=1), "10ms", 1.5])
def test_no_latencies(latency: Any) -> None:
    with pytest.raises(OptionError, match="a latency is a time from 10 microseconds to an hour"):
        Bound(latency=latency)


def test_neither_work_nor_latency() -> None:
    with pytest.raises(OptionError, match=r"a number of units \(work\), a time \(latency\), or both"):
        Bound()


def test_costs_are_learned() -> None:
    control, work, chance = LatencyControl(LATENCY), 0.0, np.random.default_rng(1)
    for _ in range(200):
        events = int(chance.integers(1, 200))
        allowed = control.begin(events, work)
        done = allowed * chance.uniform(0.2, 1)
        work += done
        control.took(30e-6 * events + 80e-9 * done)
    wanted = (PART * LATENCY - 100 * 30e-6) / 80e-9
    assert 0.9 * wanted < control.begin(100, work) < 1.1 * wanted
    assert control.statistics()["batches"] == 200


def test_events_that_wait_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have their turn later: nothing is left out because many wait for a stream that is behind."""
    engine = Engine(lateness=3_600_000_000, bound=Bound(latency=timedelta(seconds=LATENCY)))
    engine.register(QUERY, "sums")
    clock, came = WorkClock(engine), items(4000)
    monkeypatch.setattr(paced_input, "perf_counter", clock)
    monkeypatch.setattr(paced_input, "thread_time", lambda: 0.0)
    for start in range(0, 4000, 20):
        engine.push_batch(STREAM, came[start : start + 20])
        engine.advance(came[start][0] - 500_000)
    assert engine.complete
