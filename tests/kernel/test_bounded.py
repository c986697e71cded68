"""Load shedding on longer streams: what of it is found, what it takes, and that it goes on from snapshots."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.automata.kinds import Evaluating
from nfa_native.core import archive
from nfa_native.joins.matcher import Matcher
from tests.kernel.bounded import SUM, SUM_OF_TWO, BoundedRun, Shape, stream
from tests.snapshots.forger import forged_archive

Words = NDArray[np.uint64]
WINDOW, EVENTS, ENOUGH = 1200, 6000, 1e12


@pytest.mark.parametrize("shape", [SUM, SUM_OF_TWO])
def test_most_is_found_with_half_of_the_work(shape: Shape) -> None:
    exact = BoundedRun.of(shape, WINDOW, ENOUGH)
    exact.feed(stream(EVENTS), 0, EVENTS)
    half = BoundedRun.of(shape, WINDOW, exact.matcher.work / EVENTS / 2)
    half.feed(stream(EVENTS), 0, EVENTS)
    assert 0.85 * exact.matcher.count <= half.matcher.count <= exact.matcher.count
    assert half.matcher.work <= 0.55 * exact.matcher.work
    assert half.matcher.shed()[0].sum() > 1000
    assert not exact.matcher.shed()[0].any()


def test_snapshots_and_cuts_change_nothing() -> None:
    events, bound = stream(EVENTS), 100.0
    whole, cut = BoundedRun.of(SUM, WINDOW, bound), BoundedRun.of(SUM, WINDOW, bound)
    whole.feed(events, 0, EVENTS)
    for start, end in pairwise([*range(0, 1000, 50), *range(1000, EVENTS + 1, 500)]):  # it begins to learn at 650
        cut.feed(events, start, end, batch=7)
        cut = cut.restored()
    assert cut.matcher.count == whole.matcher.count
    assert cut.matcher.work == whole.matcher.work
    assert learned(cut) == learned(whole)


def learned(run: BoundedRun) -> list[bytes]:
    columns = archive.unpack(run.matcher.snapshot())["shedding"][1]
    return [columns[name].tobytes() for name in ("allowance", "yields", "probing", "classes", "values")]


def test_it_ends_when_there_is_less_to_do() -> None:
    """Ten times the events of one key at once, then as before: within two windows nothing is dropped any more."""
    kinds, keys, values = (column.copy() for column in stream(12_000))
    keys[2000:4000] %= 3
    run = BoundedRun.of(SUM, 600, 400.0)
    run.feed((kinds, keys, values), 0, 4000)
    assert run.matcher.shed()[0].any()
    run.feed((kinds, keys, values), 4000, 5200)
    before = run.matcher.shed()[0].sum()
    run.feed((kinds, keys, values), 5200, 12_000)
    assert run.matcher.shed()[0].sum() == before


def test_forged_archives_are_refused_or_harmless() -> None:
    run, events, choose = BoundedRun.of(SUM, 300, 30.0), stream(2000), random.Random(1)
    run.feed(events, 0, 1500)
    data = run.matcher.snapshot()
    found = Counter(used(run, forged_archive(data, choose)) for _ in range(300))
    assert found["refused"] > 50
    assert found["used"] > 50


def only(known: Words) -> Callable[[Words], Words]:
    """Words as they are; ValueError: one is another, which a snapshot's terms would not have."""

    def word_map(words: Words) -> Words:
        if not np.isin(words, np.append(known, np.uint64(0))).all():
            raise ValueError("other words")
        return words

    return word_map


def used(run: BoundedRun, data: bytes) -> str:
    old = run.matcher
    try:
        matcher = Matcher.restore(old.automaton, old.terms, data, only(old.trace()))
    except ValueError:
        return "refused"
    matcher.tallies = matcher.count_only = True
    again = BoundedRun(run.plan, matcher, run.words)
    try:
        again.feed(stream(2000), 1500, 1600)
    except (ValueError, OverflowError):
        return "refused"
    return "used"


def test_what_a_bound_may_be() -> None:
    matcher = BoundedRun.of(SUM, 300, 0).matcher
    assert matcher.work_bound == 0
    assert matcher.shed()[1] == 0
    with pytest.raises(ValueError, match=r"a bound of -1\.0 is none"):
        matcher.work_bound = -1
    with pytest.raises(ValueError, match="work has no bound"):
        matcher.reckless = 0.5
    matcher.work_bound = 5
    with pytest.raises(ValueError, match=r"a chance of 2\.0 is none"):
        matcher.reckless = 2
    with pytest.raises(ValueError, match="steps are made when they can be"):
        matcher.evaluation = Evaluating.LAZY


def test_another_bound_within_an_event() -> None:
    """As where a batch comes while results of the one before wait."""
    run, events = BoundedRun.of(SUM_OF_TWO, 300, 1000.0), stream(3000)
    run.matcher.tallies = run.matcher.count_only = False
    run.matcher.bound(1, 1)
    paused, found = 0, 0
    for start in range(0, 3000, 50):
        numbers = np.arange(start, start + 50)
        run.matcher.feed(numbers * 1000, numbers.astype(np.uint64), list(run.rows(events, numbers)))
        while run.matcher.unfinished:
            run.matcher.work_bound = 1000.0 + paused
            run.matcher.most_at_once = 10_000.0
            paused += 1
            run.matcher.go_on()
            found += len(run.matcher.take().first)
        found += len(run.matcher.take().first)
    assert paused > 100
    assert found == run.matcher.count > 100
