"""``Bound(latency=…)`` on rows: results come in time, whatever the load; on a clock that goes on with the work done."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pyarrow
import pytest
from numpy.typing import NDArray

from spaseq import Bound
from spaseq.tuples import Engine, match, paced_tuple_input
from tests import arrivals

EVENT, UNIT = 2e-6, 20e-9  # seconds
LATENCY = 0.01
QUERY = "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c FILTER a[a.v + b.v < c.v * 0.4] WITHIN 800 EVENTS"


@cache
def table(count: int) -> pyarrow.Table:
    chance = Random(3)
    kinds, values = [chance.choice("ABC") for _ in range(count)], [chance.randint(1, 300) for _ in range(count)]
    return pyarrow.table({"type": kinds, "v": values})


class WorkingClock:
    """A clock of an engine that goes on by what events and units of work take, and while nothing comes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.idle = 0.0
        self.events = 0

    def worked(self) -> float:
        work = sum(query.shed.work for query in self.engine.kind.core.at_work)
        return EVENT * self.events + UNIT * work

    def __call__(self) -> float:
        return self.idle + self.worked()


def latencies(clock: WorkingClock, came: pyarrow.Table, apart: float) -> NDArray[np.float64]:
    """Of rows that come so many seconds apart, and are pushed together as soon as those before are done."""
    push = lambda first, last: clock.engine.push(came.slice(first, last - first))  # noqa: E731
    return arrivals.latencies(clock, push, len(came), apart)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> WorkingClock:
    engine = Engine(bound=Bound(latency=timedelta(seconds=LATENCY)))
    engine.register(QUERY, "sums")
    made = WorkingClock(engine)
    monkeypatch.setattr(paced_tuple_input, "thread_time", made.worked)
    return made


@cache
def exact_cost(events: int) -> float:
    """Seconds of an event, if nothing is left out."""
    found = match(QUERY, table(events), bound=Bound(1e9))
    found.count()
    return EVENT + UNIT * found.statistics()["bound"]["work"] / events


@pytest.mark.parametrize("load", [2, 5])
def test_results_come_in_time(load: int, clock: WorkingClock) -> None:
    found = latencies(clock, table(12_000), exact_cost(6000) / load)
    assert np.quantile(found, 0.99) <= 1.2 * LATENCY
    assert not clock.engine.complete
    told = clock.engine.statistics()["queries"]["sums"]["latency"]
    assert 0 < told["p50"] <= told["p99"] <= told["max"]
    assert told["batches"] > 20


def test_nothing_is_left_out_where_there_is_time(clock: WorkingClock) -> None:
    latencies(clock, table(6000), 20 * exact_cost(6000))
    assert clock.engine.complete


def test_it_ends_with_the_burst(clock: WorkingClock) -> None:
    cost = exact_cost(6000)
    latencies(clock, table(12_000).slice(0, 6000), cost / 10)
    assert not clock.engine.complete
    latencies(clock, table(12_000).slice(6000, 4000), 20 * cost)
    before = clock.engine.kind.core.at_work[0].shed.steps
    latencies(clock, table(12_000).slice(10_000), 20 * cost)
    assert clock.engine.kind.core.at_work[0].shed.steps == before


def test_work_has_its_bound_as_well() -> None:
    found = match(QUERY, table(6000), bound=Bound(60, latency=3_600_000_000))
    found.count()
    told: dict[str, Any] = found.statistics()
    assert told["bound"]["work"] < 1.2 * 60 * 6000
    assert told["latency"]["batches"] >= 0
