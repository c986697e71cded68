"""What the soak runs call growth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from benchmarks.soak import BLOCK, RUNS, SAMPLES, Sample, blocks, growth, is_sampled, is_steady, slowing
from benchmarks.soak_pushes import pushes
from benchmarks.soak_tables import BATCH as ROWS, sampled as sampled_rows
from benchmarks.soak_tuples import BATCH, QUERIES, sampled, unevenness

STEADY = [Sample(n * 250_000, 100.0 + min(n, 3), 10.0 + n, 1.0 + 2 * n) for n in range(1, SAMPLES + 1)]


def given(samples: list[Sample]) -> bool:
    def found() -> Iterator[Sample]:
        return iter(samples)

    return is_steady("given", found)


def test_a_run_that_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert given(STEADY)
    assert growth(STEADY) == pytest.approx(103 / 102)
    assert slowing(STEADY) == 1
    assert "given: CPU time by that of making, last fifth / second 1.000" in capsys.readouterr().out


def test_memory_that_grows() -> None:
    assert not given([sample._replace(memory=100.0 + n) for n, sample in enumerate(STEADY)])


def test_time_that_grows() -> None:
    assert slowing([sample._replace(seconds=n * n) for n, sample in enumerate(STEADY)]) > 2
    assert not given([sample._replace(seconds=n * n) for n, sample in enumerate(STEADY)])


def test_a_machine_that_slows_down() -> None:
    assert slowing([sample._replace(seconds=n * n, making=n * n) for n, sample in enumerate(STEADY)]) == 1


def test_twenty_samples_of_a_run() -> None:
    for events, step in ((1000, 1), (1000, 20), (300_000, 1000)):
        assert sum(is_sampled(n, events, step) for n in range(step, events + 1, step)) == SAMPLES


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if run.batch])
def test_events_are_pushed(name: str) -> None:
    step = max(BLOCK, RUNS[name].batch)
    samples = list(pushes(RUNS[name], SAMPLES * step))
    assert [sample.events for sample in samples] == list(range(step, SAMPLES * step + 1, step))
    assert all(one.seconds <= other.seconds and one.making < other.making for one, other in pairwise(samples))


def test_rows_become_events() -> None:
    samples = list(sampled_rows(SAMPLES * ROWS))
    assert [sample.events for sample in samples] == list(range(ROWS, SAMPLES * ROWS + 1, ROWS))


def test_the_stream_is_a_little_shuffled() -> None:
    run = replace(RUNS["lateness"], events=1000)
    times = [run.event(n)["time"] for n in range(1000)]
    assert times != sorted(times)
    assert max(max(times[:n]) - times[n] for n in range(1, 1000)) <= run.lateness * 1000
    assert b"".join(blocks(run, 1000)).count(b"\n") == 5000


@pytest.mark.parametrize("name", QUERIES)
def test_queries_in_ceql(name: str) -> None:
    samples = list(sampled(QUERIES[name], SAMPLES * BATCH))
    assert [sample.events for sample in samples] == list(range(BATCH, SAMPLES * BATCH + 1, BATCH))
    assert all(one.seconds <= other.seconds and one.making < other.making for one, other in pairwise(samples))


def test_memory_of_the_second_half() -> None:
    assert unevenness(STEADY) == pytest.approx(1)
    growing = [sample._replace(memory=100.0 + n) for n, sample in enumerate(STEADY)]
    assert unevenness(growing) == pytest.approx(119 / 110)
