"""Strategies that are done by construction: what they keep of all results, and that they need not see them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.events.recognizer import Recognizer
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import recognition
from spaseq.plan.formulas.glushkov import way
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import Size, random_pair
from tests.oracle.ceql.text import to_text
from tests.recognition.harness import is_recognized, run

MANY = 300


def best(strategy: str, found: set[ComplexEvent]) -> set[ComplexEvent]:
    """Those that no other contains, or of the set with the first position, or the last one, that another has not."""
    if strategy == "MAX":
        return {one for one in found if not any(one.positions < other.positions for other in found)}
    if strategy == "NEXT":
        chosen = min((*sorted(one.positions), inf) for one in found)[:-1]
    else:
        chosen = max(tuple(sorted(one.positions, reverse=True)) for one in found)
    return {one for one in found if one.positions == frozenset(chosen)}


def best_of_ends(strategy: str, found: Iterable[ComplexEvent]) -> set[ComplexEvent]:
    """What the strategy keeps of each end's results."""
    by_end = defaultdict(set)
    for one in found:
        by_end[one.end].add(one)
    return {one for some in by_end.values() for one in best(strategy, some)}


@pytest.mark.parametrize("strategy", ["NEXT", "LAST", "MAX"])
@pytest.mark.parametrize("start", range(0, 400, 50))
def test_best_of_all_results(strategy: str, start: int) -> None:
    """On longer streams than the definition can be asked for; they come in batches."""
    for seed in range(start, start + 50):
        pair = random_pair(seed, Size(operators=4, events=16, least_events=12))
        query = replace(pair.query, strategy=None, limit=None, consume=None, aggregates=(), group_by=())
        if not is_recognized(query):
            continue
        expected = best_of_ends(strategy, run(to_text(query), pair.events))
        answers = list(run(to_text(replace(query, strategy=strategy)), pair.events, (5, 9)))
        assert len(answers) == len(expected) and set(answers) == expected, seed


def chain_of_b(marked: bool = True) -> ComplexEventAutomaton:
    """A ; B+ ; A, of which B may be left out of results."""
    return ComplexEventAutomaton(
        (
            PickState((0,), initial=True),
            PickState((1,), after=(0, 1), marked=marked),
            PickState((0,), final=True, after=(1,)),
        ),
        ambiguous=not marked,
    )


@pytest.mark.parametrize("strategy", ["NEXT", "LAST"])
def test_one_of_matches_without_number(strategy: str) -> None:
    """The best of 2³⁰⁰ matches has all B."""
    recognizer = Recognizer(chain_of_b(), strategy=strategy)
    recognizer.know_symbols([0b01, 0b10])
    symbols = np.array([1, *[2] * MANY, 1], np.uint32)
    times = np.arange(len(symbols), dtype=np.int64)
    recognizer.feed(symbols, times, times - 1000)
    assert recognizer.take().positions.tolist() == times.tolist()


@pytest.mark.parametrize("strategy", ["NEXT", "LAST", "ANY"])
def test_one_of_projected_matches(strategy: str) -> None:
    """Without B there are two, whichever way they come about."""
    recognizer = Recognizer(chain_of_b(marked=False), strategy=strategy)
    recognizer.know_symbols([0b01, 0b10])
    symbols = np.array([1, *[2] * 10, 1, *[2] * 10, 1], np.uint32)
    times = np.arange(len(symbols), dtype=np.int64)
    recognizer.feed(symbols, times, times - 1000)
    found = recognizer.take()
    assert found.ends.tolist() == [11, 22]
    assert strategy == "ANY" or found.starts.tolist() == [0, 0 if strategy == "NEXT" else 11]


def test_projected_matches_are_found_once() -> None:
    """Each pair of A with B in between, in however many ways that is; a limit stops early."""
    symbols = np.tile(np.array([1, *[2] * 30], np.uint32), 30)
    times = np.arange(len(symbols), dtype=np.int64)
    for limit in (None, 7):
        recognizer = Recognizer(chain_of_b(marked=False), limit=limit)
        recognizer.know_symbols([0b01, 0b10])
        pairs = []
        at = 0
        while at < len(symbols):
            at = recognizer.feed(symbols, times, times - 1000, None, at, 11)
            pairs += recognizer.take().positions.reshape(-1, 2).tolist()
        ends = times[::31].tolist()
        if limit is None:
            assert sorted(pairs) == [[start, end] for start in ends for end in ends if start < end]
        else:
            assert len(pairs) == sum(min(limit, before) for before in range(len(ends)))


def test_the_first_start_in_the_window_is_next() -> None:
    """Each A is the best one until the window has passed it."""
    pair = ComplexEventAutomaton((PickState((0,), initial=True), PickState((1,), final=True, after=(0,))))
    recognizer = Recognizer(pair, strategy="NEXT")
    recognizer.know_symbols([0b01, 0b10])
    times = np.arange(20_000, dtype=np.int64)
    recognizer.feed(np.tile(np.array([1, 2], np.uint32), 10_000), times, times - 5)
    found = recognizer.take()
    assert found.ends.tolist() == times[1::2].tolist()
    assert (found.ends[5:] - found.starts[5:] == 5).all()


@pytest.mark.parametrize(
    ("query", "how"),
    [
        ("SELECT NEXT * FROM S WHERE A ; B", "by construction"),
        ("SELECT LAST A FROM S WHERE A ; B", "by construction"),
        ("SELECT NEXT * FROM S WHERE A AS a ; B AS b FILTER b[price > a.price]", "by construction"),
        ("SELECT ANY A FROM S WHERE A ; B", "by construction"),
        ("SELECT STRICT * FROM S WHERE A ; B+", "by construction"),
        ("SELECT STRICT A FROM S WHERE A ; B", "by filtering"),
        ("SELECT MAX * FROM S WHERE A ; B", "by construction"),
        ("SELECT MAX * FROM S WHERE A+ AS a ; B AS b FILTER b[price > a.price]", "by construction"),
        ("SELECT MAX COUNT(*) FROM S WHERE A+ OR (A ; A)", "by comparing results"),
        ("SELECT * FROM S WHERE A ; B", "by construction"),
        ("SELECT A FROM S WHERE A ; B", "by construction"),
        ("SELECT A FROM S WHERE A AS a ; B AS b FILTER b[price > a.price]", "by construction"),
    ],
)
def test_which_way_is_taken(query: str, how: str) -> None:
    parsed = parse(query)
    selected = None if parsed.query.variables is None else frozenset(parsed.query.variables)
    plan = recognition(parsed.normal_form, selected, strategy=parsed.query.strategy)
    assert way(parsed.query, plan.automaton)[0] == how
