"""What promises are good for (``tuples.Engine.due``), and since when rows matter (``needed_since``)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

import spaseq
from spaseq.tuples import Engine
from tests.oracle.ceql.generate import Pair, Size, random_pair
from tests.oracle.ceql.text import to_text
from tests.tuples.aggregated import pair_of, text_of
from tests.tuples.pushed import TYPES, arrival, rows

SECOND = 1_000_000
FAR, NONE, ALL = 10**17, 2**63 - 1, -(2**63)
QUERY = "SELECT * FROM S WHERE A ; B WITHIN 5 SECONDS"
LONG = Size(events=14, least_events=7)
Results = Counter[Any]


def engine_of(*texts: str, **options: Any) -> Engine:
    engine = Engine(time="time", types={"type": "string", "time": "int64"}, **options)
    for text in texts:
        engine.register(text)
    return engine


def push(engine: Engine, word: str, stream: str | None = None) -> Results:
    """``A3 B7``: an A at 3 and a B at 7 seconds."""
    given = [{"type": one[0], "time": int(one[1:]) * SECOND} for one in word.split()]
    return seen(engine.push(given, stream))


def seen(found: list[tuple[str, Any]]) -> Results:
    return Counter((name, str(row)) for name, table in found for row in table.to_pylist())


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass
class Logged:
    """An engine that is made anew of the rows that it needs, next to one that is not."""

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)  # what the engine was given, as it came
    forgotten: int = 0

    def __post_init__(self) -> None:
        self.engine = self.new()

    def new(self) -> Engine:
        engine = Engine(time="time", types=TYPES, lateness=2**60)
        engine.register(self.text, "q")
        return engine

    def push(self, row: dict[str, Any]) -> Results:
        self.rows.append(row)
        return self.told(self.engine.push([row]))

    def promise(self, time: int) -> Results:
        return self.told(self.engine.advance(time))

    def close(self) -> Results:
        return self.told(self.engine.close())

    def told(self, found: list[tuple[str, Any]]) -> Results:
        """Results, their positions as the rows there."""
        order = sorted(self.rows, key=lambda row: row["time"])
        return Counter(str(in_rows(row, order)) for _, table in found for row in table.to_pylist())

    def anew(self, promised: int) -> None:
        since = self.engine.needed_since()
        if since is not None:
            kept = [row for row in self.rows if row["time"] >= since]
            self.forgotten += len(self.rows) - len(kept)
            self.rows, self.engine = kept, self.new()
            self.engine.push(kept)
            self.engine.advance(promised)


def in_rows(result: dict[str, Any], order: list[dict[str, Any]]) -> Any:
    """What a result shows, but for which of several ways to one set it was found in."""
    if "positions" in result:
        return [order[position]["id"] for position in result["positions"]]
    return order[result["end"]]["id"], [value for name, value in result.items() if name != "end"]


def is_free(pair: Pair) -> bool:
    """Whether it is free which results are given."""
    return pair.query.strategy == "ANY" or pair.query.limit is not None


def check_replay(pair: Pair, chance: random.Random) -> tuple[int, int]:
    """How many rows were forgotten, and how many results there were."""
    text = text_of(pair.query) if pair.query.aggregates else to_text(pair.query)
    whole, current, promised, results = Logged(text), Logged(text), ALL, 0
    order = arrival(pair.events, chance, lateness=2 * SECOND)
    for number, row in enumerate(rows(order.arriving)):
        named, newest = row | {"id": number}, max(promised + order.lateness, row["time"])
        wanted, found = whole.push(named), current.push(named)
        promised = max(promised, newest - order.lateness)
        if chance.random() < 0.7:
            wanted, found = wanted + whole.promise(promised), found + current.promise(promised)
            assert whole.engine.needed_since() == current.engine.needed_since()
            current.anew(promised)
        assert wanted.total() == found.total() if is_free(pair) else wanted == found, text
        results += wanted.total()
    last = whole.close()
    left = current.close()
    assert last.total() == left.total() if is_free(pair) else last == left
    return current.forgotten, results + last.total()


def timed(pair: Pair) -> bool:
    return "SECONDS" in to_text(pair.query)


def test_replays() -> None:
    told = [
        check_replay(pair, random.Random(seed))
        for seed in range(250)
        for pair in (random_pair(seed, LONG), pair_of(seed))
        if timed(pair)
    ]
    assert len(told) > 60
    assert sum(forgotten for forgotten, _ in told) > 100 and sum(results for _, results in told) > 150


@pytest.mark.deep
def test_many_replays() -> None:
    for seed in range(250, 2000):
        for pair in (random_pair(seed, LONG), pair_of(seed)):
            if timed(pair):
                check_replay(pair, random.Random(seed))


def test_dues() -> None:
    """A lesser promise than the one that is due gives nothing, and those that are due give all that promises decide."""
    for seed in range(100):
        pair, chance = random_pair(seed), random.Random(seed)
        text, engine = to_text(pair.query), Logged(to_text(pair.query)).engine
        for row in rows(arrival(pair.events, chance, 2 * SECOND).arriving):
            engine.push([row])
            check_due(engine, text)
            if chance.random() < 0.5:
                engine.advance(row["time"] - 2 * SECOND)
                check_due(engine, text)


def check_due(engine: Engine, text: str) -> None:
    copies = [Engine.restore(engine.snapshot(), {"q": text}) for _ in range(3)]
    wanted, due = seen(copies[0].advance(FAR)), engine.due()
    if due is None:
        assert not wanted and not waiting(engine)
        return
    assert copies[1].advance(due - 1) == [] and waiting(copies[1]) == waiting(engine)
    found: Results = Counter()
    while (due := copies[2].due()) is not None:
        found += seen(copies[2].advance(due))
    assert found == wanted


def waiting(engine: Engine) -> int:
    found: int = engine.statistics()["queries"]["q"]["waiting_events"]
    return found


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────
def test_a_row_that_waits_is_let_go_at_its_time() -> None:
    engine = engine_of(QUERY, lateness=100 * SECOND)
    assert engine.due() is None
    push(engine, "B9 A5")
    assert engine.due() == 5 * SECOND
    assert engine.advance(5 * SECOND) == [] and engine.due() == 9 * SECOND
    assert engine.advance(9 * SECOND - 1) == []
    assert seen(engine.advance(9 * SECOND)).total() == 1 and engine.due() is None


def test_another_stream_may_have_to_wait_until_nothing_comes_beside_it() -> None:
    engine = engine_of("SELECT * FROM S, T WHERE S>A ; T>B WITHIN 5 SECONDS", lateness=100 * SECOND)
    push(engine, "B5", "T")
    assert engine.due() == 5 * SECOND + 1
    push(engine, "A5", "S")
    assert engine.due() == 5 * SECOND
    engine.advance(5 * SECOND)
    assert engine.due() == 5 * SECOND + 1
    assert seen(engine.advance(5 * SECOND + 1)).total() == 1


def test_rows_without_times_do_not_wait() -> None:
    engine = Engine()
    engine.register("SELECT * FROM S WHERE A ; B WITHIN 5 EVENTS")
    engine.push([{"type": "A"}])
    assert engine.due() is None and engine.needed_since() is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (QUERY, 95),
        ("SELECT STRICT * FROM S WHERE A ; B+ WITHIN 5 SECONDS LIMIT 3", 95),
        ("SELECT COUNT(*) FROM S WHERE A ; B WITHIN 1 MINUTE", 40),
        ("SELECT * FROM S WHERE A ; B WITHIN 5 EVENTS", None),
        ("SELECT * FROM S WHERE A ; B WITHIN 5 [time]", None),
        ("SELECT * FROM S WHERE A ; B", None),
        (f"{QUERY} CONSUME BY ANY", None),
        (f"{QUERY} CONSUME BY PARTITION", None),
        (f"{QUERY} CONSUME BY NONE", 95),
    ],
)
def test_one_window_back(text: str, wanted: int | None) -> None:
    engine = engine_of(text, lateness=10 * SECOND)
    assert engine.needed_since() == (None if wanted is None else ALL)
    engine.advance(100 * SECOND)
    assert engine.needed_since() == (None if wanted is None else wanted * SECOND)
    push(engine, "A103 B109")
    assert engine.needed_since() == (None if wanted is None else wanted * SECOND)
    engine.close()
    assert engine.needed_since() == NONE


def test_the_query_that_looks_back_farthest_counts() -> None:
    engine = engine_of(QUERY, "SELECT * FROM S WHERE A ; B WITHIN 9 SECONDS")
    engine.advance(100 * SECOND)
    assert engine.needed_since() == 91 * SECOND
    engine.unregister("query2")
    assert engine.needed_since() == 95 * SECOND
    assert Engine().needed_since() == NONE


def test_streams_that_are_not_known_yet() -> None:
    engine = engine_of("SELECT * WHERE A ; B WITHIN 5 SECONDS", lateness=100 * SECOND)
    push(engine, "A10", "S")
    engine.advance(50 * SECOND, "S")
    assert engine.needed_since() == 5 * SECOND  # of another stream one may come from 10 on
    engine.advance(60 * SECOND)
    assert engine.needed_since() == 55 * SECOND


def test_results_that_wait() -> None:
    engine = engine_of(QUERY, QUERY, lateness=100 * SECOND)
    push(engine, "A1 B2")
    taken = engine.advance_tables(3 * SECOND)
    next(taken)
    with pytest.raises(spaseq.errors.BusyError):
        engine.due()
    taken.close()
    assert engine.due() == ALL + 1
    with pytest.raises(spaseq.OptionError, match="results wait"):
        engine.needed_since()
    assert seen(engine.advance(3 * SECOND)).total() == 1
    assert engine.due() is None and engine.needed_since() == -2 * SECOND
