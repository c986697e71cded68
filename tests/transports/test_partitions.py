"""A stream of several partitions: each is in an order of its own, and nothing of one is late because of another."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies

import spaseq
from spaseq.errors import OptionError
from spaseq.graphs.graph_run import Run
from spaseq.runtime.run import RunState
from tests.transports.scripted import Scripted, Topic, event

PAIRS = """
SELECT ?a ?b WITHIN 1 HOUR SLIDING FROM STREAM s <urn:s>
WHERE { SEQ(A , B) DEFINE GPM A ON s { ?a <urn:value> ?v } DEFINE GPM B ON s { ?b <urn:value> ?w } }
"""
ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
MINUTE = 60_000_000


def pairs(run: Run) -> list[tuple[str, str]]:
    run.warns = False
    return [(str(one.bindings["a"])[4:], str(one.bindings["b"])[4:]) for one in run]


def topic(*times: list[int], at_once: int = 1) -> Topic:
    """A partition for each list of times (in minutes), whose events are called by partition and time."""
    scripts = {
        str(number): Scripted([event(f"p{number}t{time}", time * MINUTE) for time in some], at_once)
        for number, some in enumerate(times)
    }
    return Topic(scripts)


def test_they_are_merged_by_time() -> None:
    run = spaseq.run(PAIRS, {"s": topic([1, 4], [2, 3])})
    assert pairs(run) == [("p0t1", "p1t2"), ("p1t2", "p1t3"), ("p1t3", "p0t4")]
    assert run.losses() == []


def test_one_that_is_behind_makes_nothing_late() -> None:
    behind = Topic(
        {
            "0": Scripted([event(f"new{time}", time * MINUTE) for time in range(10, 20)], at_once=100),
            "1": Scripted([None] * 20 + [event(f"old{time}", time * MINUTE) for time in range(10)]),
        }
    )
    run = spaseq.run(PAIRS, {"s": behind})
    names = [*(f"old{n}" for n in range(10)), *(f"new{n}" for n in range(10, 20))]
    assert pairs(run) == list(pairwise(names))
    assert run.losses() == []


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_what_is_late_is_late_in_its_partition(at_once: int) -> None:
    late: list[spaseq.Event] = []
    run = spaseq.run(ALL, {"s": topic([5, 1, 6], [2, 3], at_once=at_once)}, on_late=late.append)
    found = sorted(str(one.bindings["a"]) for one in run)
    assert [one.name for one in late] == ["urn:p0t1"]
    assert found == ["urn:p0t5", "urn:p0t6", "urn:p1t2", "urn:p1t3"]
    assert run.statistics()["streams"]["urn:s"]["late"] == 1


@pytest.mark.parametrize(("patience", "late"), [(None, 0), (timedelta(0), 1)])
def test_one_without_events_holds_the_others_back_unless_it_counts_as_silent(
    patience: timedelta | None, late: int
) -> None:
    silent = Topic(
        {"0": Scripted([event("a", 3), event("b", 4), *[None] * 9]), "1": Scripted([*[None] * 8, event("c", 1)])}
    )
    late_ones: list[spaseq.Event] = []
    run = spaseq.run(PAIRS, {"s": silent}, on_late=late_ones.append, idle_advance=patience)
    found = pairs(run)
    assert len(late_ones) == late
    assert found == ([("a", "b")] if late else [("c", "a"), ("a", "b")])


def read_to(state: RunState | None, stream: Topic, steps: int) -> tuple[list[tuple[str, str]], RunState | None]:
    """What a run finds until so many steps were made, and its state then; None: it has ended."""
    left, states = steps, list[RunState]()

    def on_step() -> float:
        nonlocal left
        left -= 1
        if not left:
            states.append(run.state())
            run.stop()
        return float("inf")

    run = Run(PAIRS, {"s": stream}, state=state, on_step=on_step)
    found = pairs(run)
    return found, states[0] if states else None


PARTITIONS = strategies.lists(strategies.lists(strategies.integers(0, 30), max_size=6), min_size=1, max_size=3)


@settings(max_examples=15)
@given(PARTITIONS)
def test_how_they_are_interleaved_changes_nothing(times: list[list[int]]) -> None:
    """Nor does what is late: an event is late in its own partition, or not at all."""
    late = sum(time < max(some[:place], default=0) for some in times for place, time in enumerate(some))
    found = []
    for at_once in (1, 2, 100):
        run = Run(PAIRS, {"s": topic(*times, at_once=at_once)})
        found.append((sorted(pairs(run)), run.statistics()["streams"]["urn:s"]["late"]))
    assert found[0] == found[1] == found[2]
    assert found[0][1] == late


@settings(max_examples=15)
@given(PARTITIONS, strategies.integers(1, 3), strategies.integers(1, 5))
def test_a_run_that_stops_anywhere_goes_on(times: list[list[int]], at_once: int, steps: int) -> None:
    expected = pairs(Run(PAIRS, {"s": topic(*times, at_once=at_once)}))
    found, state = read_to(None, topic(*times, at_once=at_once), steps)
    while state is not None:
        some, state = read_to(state, topic(*times, at_once=at_once), steps)
        found += some
    assert found == expected


def test_other_partitions_are_refused() -> None:
    _, state = read_to(None, topic([1, 2, 3], [1, 2, 3]), 2)
    with pytest.raises(OptionError, match="had 2 partitions when the checkpoint was written, and has 3 now"):
        Run(PAIRS, {"s": topic([1], [2], [3])}, state=state)


def test_what_is_worked_out_is_released() -> None:
    only = Scripted([event("a", 1), event("b", 2), event("c", 3)])
    run = Run(ALL, {"s": only})
    next(run)
    next(run)
    assert only.released[-1] == 0  # the next one is asked for, so that all of the one before was taken
    list(run)
    assert only.released[-1] == 2
