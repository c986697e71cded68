"""Steps of the recognizer that wait (``nfa_native/events/lazy_steps.hpp``): in each way of evaluation the same."""

from __future__ import annotations

from itertools import islice
from random import Random

import pyarrow
import pytest

from nfa_native.automata.kinds import Evaluating
from spaseq.errors import OptionError
from spaseq.tuples import Engine, match
from tests.kernel import waiting
from tests.kernel.waiting import FILTERS, FORMS, WAYS

SUM = "SELECT * WHERE A AS a ; B AS b ; C AS c FILTER a.v + b.v + 100 < c.v WITHIN 300 SECONDS"
SQUARES = SUM.replace("a.v + b.v + 100 < c.v", "(a.v - b.v) * (a.v - b.v) + (b.v - c.v) * (b.v - c.v) < 3000")


def many(count: int, kinds: str, seed: int = 1) -> pyarrow.Table:
    """So many rows with types of these, a second apart."""
    chance = Random(seed)
    values = [chance.randrange(1000) for _ in range(count)]
    types = [chance.choice(kinds) for _ in range(count)]
    return pyarrow.table({"type": types, "v": values, "k": [0] * count, "t": [n * 1_000_000 for n in range(count)]})


def engine_of(text: str, rows: pyarrow.Table, evaluation: str = "lazy") -> Engine:
    engine = Engine(time="t", evaluation=evaluation)
    engine.register(text, "q")
    engine.push(rows)
    return engine


@pytest.mark.parametrize("start", range(0, 30, 3))
def test_random_queries(start: int) -> None:
    """In batches, one by one, with snapshots, and only counted."""
    for seed in range(start, start + 3):
        compared, difference = waiting.differing(seed)
        assert not difference
        assert compared


@pytest.mark.parametrize("form", FORMS)
def test_all_filters(form: str) -> None:
    """Each with each."""
    rows = waiting.table(60, Random(form))
    for condition in FILTERS:
        text = f"SELECT * WHERE {form} FILTER {condition} WITHIN 25 SECONDS"
        wanted = waiting.found(text, rows, Evaluating.EAGER)
        for way in WAYS:
            assert waiting.found(text, rows, way) == wanted, text
            assert waiting.counted(text, rows, way) == len(wanted), text


@pytest.mark.parametrize("text", [SUM, SQUARES])
@pytest.mark.parametrize("kinds", ["ABC", "AAAAABBBBBC", "ABCCCCCCCC"])
def test_many_events(text: str, kinds: str) -> None:
    """Blocks of sets, windows that move on, and a way that is chosen."""
    text, rows = text.replace("300 SECONDS", "150 SECONDS"), many(500, kinds)
    wanted = waiting.found(text, rows, Evaluating.EAGER)
    assert wanted
    for way in WAYS:
        assert waiting.found(text, rows, way) == wanted
        assert waiting.counted(text, rows, way) == len(wanted)


# ── what waits ───────────────────────────────────────────────────────────────────────────────────────────
def test_nothing_is_made_before_it_is_asked_for() -> None:
    rows = many(600, "AB")
    eager, lazy = (engine_of(SUM, rows, way) for way in ("eager", "lazy"))
    (made,), (waits,) = (waiting.recognizers(engine) for engine in (eager, lazy))
    assert made.statistics()["nodes"] > 10 * waits.statistics()["nodes"]
    (segment,) = waits.segments
    assert segment["lazy"] and 100 < segment["waiting"] < 300
    assert made.statistics()["waiting"] == 0 < waits.statistics()["waiting"]


def test_chosen_where_the_last_one_is_rare() -> None:
    (recognizer,) = waiting.recognizers(engine_of(SUM, many(2000, "A" * 50 + "B" * 50 + "C"), "auto"))
    assert recognizer.segments[0]["lazy"]


def test_not_chosen_where_it_does_not_pay() -> None:
    narrow = SUM.replace("300 SECONDS", "10 SECONDS")
    (recognizer,) = waiting.recognizers(engine_of(narrow, many(2000, "ABCCCCC"), "auto"))
    assert not recognizer.segments[0]["lazy"]


def test_memory_follows_the_window() -> None:
    engine = engine_of(SUM, many(600, "AB"))
    (recognizer,) = waiting.recognizers(engine)
    before = recognizer.segments[0]["waiting"]
    for number in range(600, 6000, 600):
        rows = many(600, "AB", number)
        times = pyarrow.array([(number + place) * 1_000_000 for place in range(600)])
        engine.push(rows.set_column(3, "t", times))
    assert recognizer.segments[0]["waiting"] < 3 * before


@pytest.mark.parametrize(
    "text",
    [
        SUM.replace("SELECT", f"SELECT {strategy}") for strategy in ("ANY", "NEXT", "LAST")
    ] + [
        SUM + " LIMIT 3",
        SUM + " CONSUME BY ANY",
        SUM.replace("300 SECONDS", "30 EVENTS").replace("WITHIN", "PARTITION BY [k] WITHIN"),
        SUM.replace("300 SECONDS", "30 [v]"),
        SUM.replace("B AS b ; C", "B AS b : C"),
        SUM.replace("A AS a ; B", "A AS a : B"),
        SUM.replace("C AS c", "C+ AS c"),
        SUM.replace("C AS c", "C AS c ; X AS x").replace("< c.v", "< c.v AND x.v > c.v"),
        SUM.replace("a.v + b.v + 100 < c.v", "b.v < c.v"),
    ],
)  # fmt: skip
def test_what_never_waits(text: str) -> None:
    """It evaluates as always, whatever is asked for."""
    rows = many(20, "ABCX")
    (recognizer,) = waiting.recognizers(engine_of(text, rows))
    assert not recognizer.segments


def test_aggregates_are_made_at_once() -> None:
    """Sums of doubles depend on the order of matches."""
    text = SUM.replace("SELECT *", "SELECT COUNT(*), SUM(a.v)")
    rows = many(400, "ABC")
    ways = [pyarrow.Table.from_batches(match(text, rows, time="t", evaluation=way)) for way in ("lazy", "eager")]
    assert ways[0].num_rows and ways[0] == ways[1]


# ── the same at other doors ──────────────────────────────────────────────────────────────────────────────
def test_an_unknown_way() -> None:
    with pytest.raises(OptionError, match='evaluation is one of "auto", "eager", "lazy", not'):
        match(SUM, many(10, "ABC"), time="t", evaluation="soon")
    with pytest.raises(OptionError, match="evaluation is one of"):
        Engine(evaluation="soon")


def test_another_way_after_a_snapshot() -> None:
    """What waits still does; what comes later is made at once, or the other way round."""
    rows, wanted = many(500, "ABC"), match(SUM, many(500, "ABC"), time="t").count()
    for first, second in (("lazy", "eager"), ("eager", "lazy"), ("lazy", "auto")):
        engine = Engine(time="t", evaluation=first)
        engine.register(SUM, "q")
        found = sum(table.num_rows for _, table in engine.push(rows.slice(0, 250)))
        engine = Engine.restore(engine.snapshot(), {"q": SUM}, evaluation=second)
        found += sum(table.num_rows for _, table in engine.push(rows.slice(250)))
        found += sum(table.num_rows for _, table in engine.close())
        assert found == wanted


def test_count_after_some_results() -> None:
    matches = match(SUM, many(300, "ABC"), time="t", evaluation="lazy")
    some = sum(len(part.starts) for part in islice(matches.complex_events(), 1))
    assert some + matches.count() == match(SUM, many(300, "ABC"), time="t").count()
