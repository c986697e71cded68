"""A matcher with a sample of the ticks: what it tells, when the sample is too much, and its snapshots."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.core import archive
from nfa_native.joins.matcher import Matcher
from nfa_native.joins.sampled_matcher import MEASURED_EVERY, SampledMatcher, SampleSums, without_sample
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from tests.kernel.bounded import SUM, SUM_OF_TWO, VALUES, BoundedRun, Shape, plan_of, stream, text_of
from tests.snapshots.forger import forged_archive

WINDOW, EVENTS, ENOUGH = 600, 6 * MEASURED_EVERY, 1e12


def run_of(shape: Shape, bound: float, part: float, since: int = 0, plan: Plan | None = None) -> BoundedRun:
    terms, plan = Terms(), plan or plan_of(shape, WINDOW)
    matcher = SampledMatcher(plan.for_bounded(plan.automaton(terms)), terms)
    matcher.count_only = True
    matcher.work_bound = bound
    matcher.begin_sample(7, part, since)
    return BoundedRun(plan, matcher, np.array([terms.integer(number) for number in range(VALUES + 1)], np.uint64))


def measured(run: BoundedRun, first: int = 0, last: int = EVENTS, batch: int = MEASURED_EVERY) -> SampledMatcher:
    """Its matcher behind these events, measured as an engine does it."""
    assert isinstance(run.matcher, SampledMatcher)
    for start in range(first, last, MEASURED_EVERY):
        run.feed(stream(EVENTS), start, min(start + MEASURED_EVERY, last), batch)
        if start + MEASURED_EVERY <= last:
            run.matcher.measure()
            run.matcher.work_bound = run.matcher.work_bound
    return run.matcher


def restored(run: BoundedRun) -> BoundedRun:
    old = run.matcher
    matcher = SampledMatcher.restore(old.automaton, old.terms, old.snapshot(), lambda words: words)
    assert matcher.snapshot() == old.snapshot()
    matcher.count_only = True
    return BoundedRun(run.plan, matcher, run.words)


@pytest.mark.parametrize("shape", [SUM, SUM_OF_TWO])
def test_all_ticks_tell_all(shape: Shape) -> None:
    exact = measured(run_of(shape, ENOUGH, 1))
    assert exact.sample_sums.all == exact.sample_sums.found == exact.count
    assert exact.work > 1.9 * measured(run_of(shape, ENOUGH, 0.001)).work
    some = measured(run_of(shape, 4 * exact.work / EVENTS, 1))
    some.reckless = 0
    assert some.sample_sums.all == exact.count
    assert some.sample_sums.found == some.count


def test_a_part_of_the_ticks_is_a_part_of_the_matches() -> None:
    whole, part = measured(run_of(SUM, ENOUGH, 1)).sample_sums, measured(run_of(SUM, ENOUGH, 0.25)).sample_sums
    assert 0.15 * whole.ticks < part.ticks < 0.35 * whole.ticks
    assert 0.7 * whole.all < part.all < 1.4 * whole.all  # each tick stands for four
    late = measured(run_of(SUM, ENOUGH, 0.25, EVENTS // 2 * 1000)).sample_sums
    assert 0.3 * part.ticks < late.ticks < 0.7 * part.ticks


def test_cuts_and_snapshots_change_nothing() -> None:
    whole, cut = run_of(SUM, 30.0, 0.5), run_of(SUM, 30.0, 0.5)
    measured(whole)
    for start in range(0, EVENTS, MEASURED_EVERY):
        middle = start + random.Random(start).randrange(1, MEASURED_EVERY)
        cut.feed(stream(EVENTS), start, middle, batch=7)
        cut = restored(cut)
        cut.feed(stream(EVENTS), middle, start + MEASURED_EVERY, batch=100)
        assert isinstance(cut.matcher, SampledMatcher)
        cut.matcher.measure()
        cut.matcher.work_bound = 30.0
        cut = restored(cut)
    assert isinstance(cut.matcher, SampledMatcher) and isinstance(whole.matcher, SampledMatcher)
    assert cut.matcher.sampled_part == whole.matcher.sampled_part < 0.5
    assert cut.matcher.sample_sums == whole.matcher.sample_sums != SampleSums()
    assert (cut.matcher.count, cut.matcher.work) == (whole.matcher.count, whole.matcher.work)


def test_a_sample_that_takes_too_much_is_halved_until_it_does_not() -> None:
    matcher = measured(run_of(SUM, 20.0, 1))
    assert matcher.sampled_part < 0.5
    assert matcher.sampled_since > 0
    assert matcher.work < 2 * 20 * EVENTS


def test_it_is_given_up_where_windows_are_counted_from_the_first_event() -> None:
    tumbling = compile_plan(parse(text_of(SUM, WINDOW).replace("SLIDING", "")).query)
    matcher = measured(run_of(SUM, 5.0, 1, plan=tumbling))
    assert matcher.sampled_part == 0
    assert matcher.work < 2 * 5 * EVENTS
    assert matcher.sample_sums == SampleSums()


def test_what_is_of_no_part() -> None:
    matcher = run_of(SUM, 10.0, 1).matcher
    for part in (0.0, 1.5, -1.0):
        with pytest.raises(ValueError, match="no part of the ticks"):
            matcher.sample_ticks(0, part, 0, True)
    plain = Matcher(matcher.automaton, matcher.terms)
    with pytest.raises(ValueError, match="nothing is sampled"):
        plain.sampled_until = 5.0
    assert not plain.has_ended


# ── snapshots ────────────────────────────────────────────────────────────────────────────────────────────
def test_a_snapshot_without_its_sample() -> None:
    run = run_of(SUM, 60.0, 0.5)
    measured(run, 0, 2500)
    matcher = Matcher.restore(
        run.matcher.automaton, run.matcher.terms, without_sample(run.matcher.snapshot()), lambda words: words
    )
    assert matcher.count == run.matcher.count
    assert without_sample(matcher.snapshot()) == matcher.snapshot()


def damages() -> Iterator[tuple[str, NDArray[Any]]]:
    yield "numbers", np.array([0.5] * 7).view(np.uint64)
    yield "numbers", np.array([0.5, 5, 60, 0, 0, 0, 0, 0]).view(np.uint64)
    yield "numbers", np.array([0.5, 0.5, np.nan, 0, 0, 0, 0, 0]).view(np.uint64)
    yield "over", np.array([1.0, 1, 1, 1, 1, -1]).view(np.uint64)
    yield "counts", np.array([1.0, 2.0, 3.0]).view(np.uint64)
    yield "begun", np.zeros(1000, np.int64)
    yield "exact", np.zeros(5, np.uint8)
    yield "times", np.zeros(1, np.int64)
    yield "salt", np.zeros(0, np.uint64)


@pytest.mark.parametrize(("title", "value"), [*damages()])
def test_damaged_snapshots(title: str, value: NDArray[Any]) -> None:
    run = run_of(SUM, 60.0, 0.5)
    measured(run, 0, 2500)
    version, columns = archive.unpack(run.matcher.snapshot())["sampled"]
    data = archive.pack({"sampled": (version, {**columns, title: value})})
    with pytest.raises(ValueError):
        SampledMatcher.restore(run.matcher.automaton, run.matcher.terms, data, lambda words: words)


def test_forged_snapshots() -> None:
    run, chance = run_of(SUM, 60.0, 0.5), random.Random(5)
    measured(run, 0, 2500)
    data = run.matcher.snapshot()
    for _ in range(150):
        try:
            matcher = SampledMatcher.restore(
                run.matcher.automaton, run.matcher.terms, forged_archive(data, chance), lambda words: words
            )
        except ValueError:
            continue
        again = BoundedRun(run.plan, matcher, run.words)
        again.matcher.count_only = True
        try:
            measured(again, 2500, 3000)
        except ValueError:
            continue
