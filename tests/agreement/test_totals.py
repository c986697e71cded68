"""Totals of matches are what one gets by enumerating them, and what the oracle says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from numpy.typing import NDArray

from nfa_native.match_totals import MatchTotals
from nfa_native.terms.dictionary import Terms
from spaseq.results.projection import Projector
from tests.agreement.counting import counting_pair, make_counting_pair
from tests.agreement.harness import Run, plan_for, run
from tests.oracle.evaluate import Result, evaluate, streamset
from tests.oracle.generate import Pair
from tests.oracle.strategies import Drawn
from tests.oracle.text import to_text
from tests.oracle.values import UnsupportedTermError
from tests.slices import first


def is_totalled(pair: Pair) -> bool:
    totals = plan_for(to_text(pair.query)).totals
    assert totals is not None
    return totals.why_not is None


def difference(pair: Pair, cuts: Sequence[int] = (), restores: bool = False) -> str:
    """Empty if totals and enumeration give the same, else a report."""
    found = restored(pair, cuts) if restores else run(pair.query, pair.events, cuts=cuts)
    wanted = run(pair.query, pair.events, enumerates=True)
    if sorted(found, key=repr) == sorted(wanted, key=repr):
        return ""
    lines = [to_text(pair.query), *(f"{e.time:>12} {e.stream} {e.name} {e.triples}" for e in pair.events)]
    lines += [f"missing {one}" for one in wanted if one not in found]
    lines += [f"extra   {one}" for one in found if one not in wanted]
    return "\n".join(lines)


def restored(pair: Pair, cuts: Sequence[int]) -> list[Result]:
    """All results, with a snapshot and a new table of terms at every cut."""
    ordered = streamset(pair.query, list(pair.events))
    one = Run(pair.query)
    for start, end in pairwise([0, *cuts, len(ordered)]):
        one.feed(ordered[start:end])
        other = Run(pair.query)
        other.terms.intern(b"Iurn:shift")
        other.names, other.results = one.names, one.results
        move(one, other)
        one = other
    return one.finish()


def move(one: Run, other: Run) -> None:
    """Take the state of one run over into another one, whose words are other ones."""
    held = np.unique(np.concatenate([one.matcher.trace(), one.projector.trace()]))
    words = {0: 0} | {word: other.terms.intern(one.terms.bytes(word)) for word in held[held != 0].tolist()}

    def word_map(old: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return np.array([words[word] for word in old.tolist()], np.uint64)

    data = one.matcher.snapshot()
    assert one.matcher.snapshot() == data
    other.matcher = other.plan.restore(other.terms, data, word_map)
    other.projector = Projector(other.plan, other.terms, lambda handle: other.names[handle])
    other.projector.restore(one.projector.snapshot(), word_map)


@pytest.mark.parametrize("start", first(4, range(0, 800, 100)))
def test_totals_of_small_streams(start: int) -> None:
    for number in range(start, start + 100):
        pair = counting_pair(number)
        cuts = sorted({number % 3, number % 5} & set(range(len(pair.events))))
        assert not difference(pair, cuts, restores=number % 2 == 0), number


@pytest.mark.parametrize("start", first(2, range(0, 200, 50)))
def test_totals_in_windows_that_slide_for_long(start: int) -> None:
    for number in range(start, start + 50):
        pair = counting_pair(10**6 + number, 60)
        if is_totalled(pair):
            assert not difference(pair, [len(pair.events) // 2], restores=number % 2 == 0), number


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    return make_counting_pair(Drawn(draw))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(pairs())
def test_hypothesis_examples(pair: Pair) -> None:
    assert not difference(pair, [len(pair.events) // 2])


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_the_oracle_agrees(start: int) -> None:
    for number in range(start, start + 100):
        pair = counting_pair(number)
        if is_totalled(pair):
            check_with_oracle(pair)


def check_with_oracle(pair: Pair) -> None:
    try:
        wanted = evaluate(pair.query, pair.events)
    except UnsupportedTermError:
        return  # a double
    if '"a"' not in repr(pair.events):  # strings are compared by SPARQL, not by the oracle
        assert set(run(pair.query, pair.events)) == set(wanted)


def test_most_of_the_examples_are_totalled() -> None:
    pairs = [counting_pair(number) for number in range(200)]
    totalled = [pair for pair in pairs if is_totalled(pair)]
    assert len(totalled) > 100
    assert sum(bool(run(pair.query, pair.events)) for pair in totalled) > 30


def test_what_totals_cannot_tell_is_enumerated() -> None:
    """Some streams have an event with several solutions, or a value that is no exact number."""
    assert any(enumerates(counting_pair(number)) for number in range(300))


def enumerates(pair: Pair) -> bool:
    one = Run(pair.query, Terms())
    one.feed(streamset(pair.query, list(pair.events)))
    return isinstance(one.matcher, MatchTotals) and one.matcher.enumerates


@pytest.mark.deep
@pytest.mark.parametrize("start", range(0, 6_000, 1000))
def test_many_pairs(start: int) -> None:
    for number in range(start, start + 1000):
        pair = counting_pair(number, 9 if number % 4 else 40)
        assert not difference(pair, [len(pair.events) // 2], restores=number % 2 == 0), number
        if number % 4 and is_totalled(pair):
            check_with_oracle(pair)
