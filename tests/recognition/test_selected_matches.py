"""NEXT, LAST and MAX where filters compare events, and MAX of matches without number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow
import pytest

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.events.recognizer import Recognizer
from spaseq.tuples import match
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.recognition.test_strategies import best_of_ends

COMPARING = [
    "A AS a ; B+ AS b ; C AS c FILTER c[price > b.price]",
    "A AS a ; B+ AS b ; C AS c FILTER b[price > a.price] AND c[price > b.price]",
    "A+ AS a ; B AS b ; C AS c FILTER b[price > a.price]",
    "(A AS a ; B AS b FILTER b[price > a.price])+ ; C AS c",
    "((A AS a ; B AS b FILTER b[price != a.price]) OR A AS b)+ ; C AS c",
    "A AS a ; (B OR C)+ AS b ; C AS c FILTER c[price = a.price]",
    "A+ AS a ; B AS b ; C AS c FILTER b[price + volume > a.price]",
    "A+ AS a ; B+ AS b ; C AS c FILTER c[price + 2 > a.price + b.volume]",
    "A AS a ; B AS b ; C AS c FILTER b[price > a.price] AND c[price > b.price]",
    "A AS a : B AS b ; (B OR C)+ AS c FILTER b[price >= a.price] AND c[price != b.price]",
]


def matches(query: str, table: pyarrow.Table) -> Iterator[ComplexEvent]:
    for batch in match(query, table):
        for row in batch.to_pylist():
            yield ComplexEvent(row["start"], row["end"], frozenset(row["positions"]))


def events(kinds: str, seed: int = 0, rows: int | None = None) -> pyarrow.Table:
    """Events of these types with random numbers, in parts of so many rows."""
    chance = np.random.default_rng(seed)
    prices, volumes = chance.integers(0, 9, len(kinds)), chance.integers(0, 3, len(kinds))
    table = pyarrow.table({"type": list(kinds), "price": prices, "volume": volumes})
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)


@pytest.mark.parametrize("formula", COMPARING)
@pytest.mark.parametrize("selected", ["*", "a", "b, c"])
def test_what_strategies_keep_where_filters_compare_events(formula: str, selected: str) -> None:
    """Of all results, which the oracle judges elsewhere, on longer streams: views, both kinds of groups, windows."""
    for seed in range(8):
        chance = np.random.default_rng(seed)
        table = events("".join(chance.choice(list("AABBBCC"), 50)), seed, 17)
        text = f"FROM S WHERE {formula} WITHIN {chance.integers(5, 12)} EVENTS"
        if seed % 4 == 3:
            text = f"FROM S WHERE {formula} PARTITION BY volume WITHIN 5 EVENTS"
        found = list(matches(f"SELECT {selected} {text}", table))
        assert len(found) == len(set(found))
        for strategy in ("NEXT", "LAST", "MAX"):
            answers = list(matches(f"SELECT {strategy} {selected} {text}", table))
            assert len(answers) == len(set(answers))
            assert set(answers) == best_of_ends(strategy, found), (strategy, seed)


def expected_of_kleene(kinds: str) -> list[tuple[int, ...]]:
    """Of A ; B+ ; C: an A, all B after it, the C, if no other A has the same B."""
    return [
        (start, *[at for at in range(start, end) if kinds[at] == "B"], end)
        for end in range(len(kinds)) if kinds[end] == "C"
        for start in range(end) if kinds[start] == "A" and "B" in kinds[start:end]
    ]  # fmt: skip


@pytest.mark.parametrize("filter_", ["", " FILTER b[price > a.volume - 9]", " FILTER c[price + 9 > b.price]"])
def test_maximal_matches_of_300_events(filter_: str) -> None:
    """Each A has one of 2³⁰⁰, also where events are compared, in views or merged groups."""
    kinds = "AA" + "B" * 100 + "A" + "B" * 200 + "CC"
    query = f"SELECT MAX * FROM S WHERE A AS a ; B+ AS b ; C AS c{filter_}"
    found = {one.positions for one in matches(query, events(kinds))}
    assert found == {frozenset(one) for one in expected_of_kleene(kinds)}


@pytest.mark.parametrize("strategy", ["NEXT", "LAST"])
def test_the_best_of_compared_events(strategy: str) -> None:
    """One of 2³⁰⁰ matches, in views or merged groups."""
    kinds = "A" + "B" * 300 + "C"
    for filter_ in ("b[price > a.volume - 9]", "c[price + 9 > b.price]"):
        query = f"SELECT {strategy} * FROM S WHERE A AS a ; B+ AS b ; C AS c FILTER {filter_}"
        (found,) = matches(query, events(kinds))
        assert found.positions == frozenset(range(302))


@pytest.mark.parametrize("times", [2, 60])
def test_ways_without_results_are_gone_once(times: int) -> None:
    """The second way has 2⁶⁰ matches, each of them a part of one that the first way has."""
    kinds = "ABD" * times + "C"
    query = "SELECT MAX * FROM S WHERE ((A OR B OR D)+ ; C) OR (((A OR B) ; D)+ ; C)"
    (found,) = matches(query, events(kinds))
    assert found.positions == frozenset(range(len(kinds)))


def test_results_of_different_starts_are_kept() -> None:
    """One set of positions, wherever it starts; what only starts earlier is no greater set."""
    found = list(matches("SELECT MAX b FROM S WHERE A ; B+ AS b ; C", events("ABABC")))
    assert {(one.start, one.positions) for one in found} == {(0, frozenset({1, 3}))}
    found = list(matches("SELECT MAX b FROM S WHERE A ; B+ AS b ; C", events("AABBC")))
    assert {(one.start, one.positions) for one in found} == {(0, frozenset({2, 3})), (1, frozenset({2, 3}))}


def test_maximal_matches_come_a_few_at_a_time() -> None:
    """With a limit, too; no snapshot is taken while some wait."""
    a, b = PickState((0,), initial=True, after=(1,)), PickState((1,), after=(0,))
    automaton = ComplexEventAutomaton((a, b, PickState((2,), final=True, after=(1,))))
    symbols = np.array([1, 1, 2, 2, 1, 1, 2, 2, 3, 3], np.uint32)
    times = np.arange(len(symbols), dtype=np.int64)
    for limit in (None, 5):
        recognizer = Recognizer(automaton, strategy="MAX", limit=limit)
        recognizer.know_symbols([1, 2, 4])
        at, ends, found = 0, [], set()
        while at < len(symbols):
            at = recognizer.feed(symbols, times, times - 100, None, at, 3)
            if at < len(symbols):
                with pytest.raises(ValueError, match="results"):
                    recognizer.snapshot()
            results = recognizer.take()
            ends += results.ends.tolist()
            found |= {tuple(one) for one in np.split(results.positions, results.offsets[1:-1])}
        assert ends == ([8] * (limit or 16) + [9] * (limit or 16))
        assert len(found) == len(ends)
