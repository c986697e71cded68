"""A bound on the work of CEQL queries: laws on random queries, what is refused, and what is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow
import pytest
from click.testing import CliRunner

from nfa_native.events.recognizer import drawn_positions
from spaseq import Bound, OptionError
from spaseq.cli import main
from spaseq.tuples import Engine, Matches, match
from tests.tuples.bounded import BOUNDS, bounded_pair, check_part, in_parts

SUMS = "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c FILTER a[a.v + b.v < c.v * 0.4] WITHIN 200 EVENTS"
KEYS = (
    "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c FILTER a[a.v + b.v < c.v * 0.4] PARTITION BY [k] WITHIN 9 SECONDS"
)
FLOOD = "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c WITHIN 40 EVENTS"


def table(count: int, seed: int = 1) -> pyarrow.Table:
    chance = Random(seed)
    return pyarrow.table(
        {
            "type": [chance.choice("ABC") for _ in range(count)],
            "v": [chance.randint(1, 300) for _ in range(count)],
            "k": [chance.randint(1, 3) for _ in range(count)],
            "time": [20_000 * number for number in range(count)],
        }
    )


EVENTS = table(6000)


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("start", range(0, 600, 100))
def test_what_is_found_is_part_of_what_there_is(start: int) -> None:
    for seed in range(start, start + 100):
        check_part(bounded_pair(seed), BOUNDS[seed % 4], seed)


@pytest.mark.deep
@pytest.mark.parametrize("start", range(10_000, 15_000, 2_500))
def test_so_in_many_cases(start: int) -> None:
    dropped = sum(
        not check_part(bounded_pair(seed), BOUNDS[seed % 4], seed).complete for seed in range(start, start + 2500)
    )
    assert dropped > 300


@pytest.mark.parametrize("query", [SUMS, KEYS, FLOOD])
@pytest.mark.parametrize(("units", "sample"), [(1, 0), (30, 0), (60, 0.05), (1e9, 0.05)])
def test_the_same_wherever_it_is_cut_or_goes_on(query: str, units: float, sample: float) -> None:
    bound = Bound(units, sample=sample)
    found, left_out = in_parts(query, EVENTS, bound, Random(int(units)))
    whole = match(query, EVENTS, time="time", bound=bound)
    assert found == whole.to_arrow().to_pylist()
    assert left_out == whole.statistics()["bound"]
    assert left_out["complete"] == whole.complete == (units == 1e9 or (query == FLOOD and units > 1))


def test_a_bound_that_is_never_met_changes_nothing() -> None:
    for query in (SUMS, KEYS):
        exact, bounded = match(query, EVENTS, time="time"), match(query, EVENTS, time="time", bound=Bound(1e9))
        assert exact.to_arrow().equals(bounded.to_arrow())
        assert bounded.complete and exact.complete
        assert "bound" not in exact.statistics()


# ── what it finds ────────────────────────────────────────────────────────────────────────────────────────
def recall(units: float, query: str = SUMS, events: pyarrow.Table = EVENTS) -> float:
    found = match(query, events, bound=Bound(units)).count()
    return found / match(query, events).count()


def test_what_brings_most_for_its_work_is_found() -> None:
    whole = match(SUMS, EVENTS, bound=Bound(1e9))
    whole.count()
    units = whole.statistics()["bound"]["work"] / len(EVENTS)
    assert recall(units / 2) > 0.97
    assert recall(units / 4) > 0.8
    half = match(SUMS, EVENTS, bound=Bound(units / 4))
    half.count()
    assert half.statistics()["bound"]["work"] / len(EVENTS) < 1.1 * units / 4


def test_events_with_many_results_have_as_many_as_they_may_take_units() -> None:
    matches = match(FLOOD, EVENTS, bound=Bound(1.0))
    ends = matches.to_arrow()["end"].to_pylist()
    assert max(ends.count(end) for end in set(ends)) == 64
    assert not matches.complete
    assert matches.statistics()["bound"]["events_curtailed"] > 300
    (loss,) = matches.losses()
    assert "results of" in loss.cause
    counted = match(FLOOD, EVENTS, bound=Bound(1.0))
    assert counted.count() == len(ends)


def test_queries_share_a_bound_by_priority() -> None:
    found = {}
    for priorities in ({}, {"first": 9.0}, {"second": 9.0}):
        matches = match({"first": SUMS, "second": SUMS}, EVENTS, bound=Bound(40, priorities))
        found[tuple(priorities)] = matches.counts()
        assert not matches.complete
    assert found[()]["first"] == found[()]["second"]
    assert found["first",]["first"] > 1.5 * found[()]["first"] > 2 * found["first",]["second"]
    assert found["second",]["second"] == found["first",]["first"]


def test_rows_share_what_their_query_may_take() -> None:
    query = SUMS.replace("WHERE", "GIVEN $part WHERE").replace("0.4", "$part")
    rows = [{"part": 0.4}, {"part": 0.3}]
    exact = match(query, EVENTS, given=rows).count()
    matches = match(query, EVENTS, given=rows, bound=Bound(40))
    found = matches.to_arrow()
    assert 0.3 * exact < len(found) < exact
    assert set(found["part"].to_pylist()) == {0.3, 0.4}
    assert not matches.complete
    assert matches.statistics()["bound"]["work"] < 1.3 * 40 * len(EVENTS)


def test_a_query_that_comes_later_takes_its_share_from_then_on() -> None:
    engine = Engine(bound=Bound(40))
    engine.register(SUMS, "first")
    engine.push(EVENTS.slice(0, 3000))
    before = engine.statistics()["queries"]["first"]["bound"]["work"]
    engine.register(SUMS, "second")
    engine.push(EVENTS.slice(3000))
    after = engine.statistics()["queries"]["first"]["bound"]["work"] - before
    assert after < 0.7 * before
    engine.unregister("first")
    engine.push(EVENTS.slice(0, 3000))
    assert engine.statistics()["queries"]["second"]["bound"]["work"] > 1.5 * after


# ── which part of all that is ──
def test_a_sample_has_all_that_begins_with_its_events() -> None:
    starts = np.array(match(SUMS, EVENTS).to_arrow()["start"])
    matches = match(SUMS, EVENTS, bound=Bound(1e9, sample=0.1))
    assert isinstance(matches, Matches)
    assert matches.count() == len(starts)
    sample = matches._selection._sample
    assert sample is not None
    drawn = starts[drawn_positions(starts, 0.1, sample._salt)]
    assert 0.05 * len(starts) < len(drawn) < 0.2 * len(starts)
    each = np.unique(drawn, return_counts=True)[1]
    assert sample.sums[:4] == (len(each), len(drawn), len(drawn), float(each @ each))


def test_recall_is_estimated() -> None:
    events, held = table(12_000), 0
    exact = match(SUMS, events).count()
    for number in range(8):
        query = SUMS.replace(" AS b", f" AS b{number}").replace("b.v", f"b{number}.v")  # another sample each
        matches = match(query, events, bound=Bound(60, sample=0.03))
        found = matches.count() / exact
        recall = matches.statistics()["bound"]["recall"]
        assert recall["ticks"] >= 30
        held += recall["low"] <= found <= recall["high"]
        (loss,) = matches.losses()
        assert "of the results about" in loss.remedy
    assert held >= 7


def test_a_sample_that_makes_too_much_work_is_halved() -> None:
    matches = match(SUMS, EVENTS, bound=Bound(20, sample=1.0))
    matches.count()
    told = matches.statistics()["bound"]
    assert told["work"] < 1.4 * 20 * len(EVENTS)
    assert told["recall"] is None or told["recall"]["since_position"] % 1024 == 0


@pytest.mark.parametrize("count", [1000, 1024, 3000, 5120, 6000])
def test_a_sample_goes_on_also_where_it_is_given_up(count: int) -> None:
    bound = Bound(0.5, sample=1.0)
    engine = Engine(bound=bound)
    engine.register(SUMS, "q")
    engine.push(EVENTS.slice(0, count))
    other = Engine.restore(engine.snapshot(), {"q": SUMS}, bound=bound)
    for one in (engine, other):
        one.push(EVENTS)
    told, again = (one.statistics()["queries"]["q"]["bound"] for one in (engine, other))
    assert told == again
    assert told["recall"] is None


def test_a_query_that_comes_later_is_told_of_whole() -> None:
    engine = Engine(bound=Bound(1e9, sample=0.5))
    engine.register(FLOOD, "first")
    engine.push(EVENTS.slice(0, 100))
    engine.register(SUMS, "second")
    engine.push(EVENTS.slice(100))
    assert "since_position" not in engine.statistics()["queries"]["second"]["bound"]["recall"]


@pytest.mark.parametrize("query", [SUMS.replace("SELECT", "SELECT ANY"), f"{SUMS} LIMIT 2"])
def test_where_some_are_chosen_recall_is_not_told(query: str) -> None:
    matches = match(query, EVENTS, bound=Bound(60, sample=0.1))
    matches.count()
    assert "recall" not in matches.statistics()["bound"]


# ── what is told and refused ─────────────────────────────────────────────────────────────────────────────
def test_it_may_end_and_what_was_left_out_stays_told() -> None:
    engine = Engine(bound=Bound(20))
    engine.register(SUMS, "q")
    engine.push(EVENTS)
    told = engine.statistics()["queries"]["q"]["bound"]
    assert told["dropped"] and not told["complete"]
    free = Engine.restore(engine.snapshot(), {"q": SUMS})
    assert free.statistics()["queries"]["q"]["bound"] == told
    again = Engine.restore(free.snapshot(), {"q": SUMS})
    assert not again.complete
    exact = Engine()
    exact.register(SUMS, "q")
    exact.push(EVENTS)
    late = table(3000, 2)
    left = sum(found.num_rows for _, found in again.push(late))
    assert 0.9 < left / sum(found.num_rows for _, found in exact.push(late)) <= 1


REFUSED = {
    "SELECT NEXT * FROM S WHERE A ; B WITHIN 9 EVENTS": "NEXT takes the earliest",
    "SELECT LAST * FROM S WHERE A ; B WITHIN 9 EVENTS": "LAST takes the latest",
    "SELECT MAX * FROM S WHERE A ; B WITHIN 9 EVENTS": "MAX takes matches",
    "SELECT STRICT * FROM S WHERE A ; B WITHIN 9 EVENTS": "STRICT wants no event in between",
    "SELECT * FROM S WHERE A ; B WITHIN 9 EVENTS CONSUME BY ANY": "consume events",
    "SELECT COUNT(*) FROM S WHERE A ; B WITHIN 9 EVENTS": "aggregates",
    "SELECT * FROM S WHERE A ; B": "no WITHIN",
    "SELECT * FROM S WHERE A ; B WITHIN 9 [v]": "measures v",
    "SELECT * FROM S WHERE A ; B PARTITION BY [k] WITHIN 9 EVENTS": "events of each partition",
}


def _matched(query: str) -> None:
    match(query, EVENTS, time="time", bound=Bound(9))


def _registered(query: str) -> None:
    engine = Engine(time="time", bound=Bound(9))
    try:
        engine.register(query, "q")
    finally:
        assert engine.queries == ()


@pytest.mark.parametrize("door", [_matched, _registered])
@pytest.mark.parametrize("query", REFUSED)
def test_queries_that_some_missing_match_would_make_wrong_are_refused(query: str, door: Callable[[str], None]) -> None:
    with pytest.raises(OptionError, match=r"the work of \w+( \w+)? may have no bound: .*" + REFUSED[query]):
        door(query)


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        (9, r"given as Bound\(work=…\)"),
        (Bound(9, {"p": 2}), "no query p to have a priority"),
    ],
)
def test_bounds_that_are_none(bound: Any, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        match({"q": SUMS}, EVENTS, bound=bound)


def test_what_ran_together_begins_anew_with_a_bound() -> None:
    texts = {
        f"q{number}": f"SELECT * FROM S WHERE A ; B FILTER A[v > {number}] WITHIN 5 EVENTS" for number in range(40)
    }
    engine = Engine()
    for name, text in texts.items():
        engine.register(text, name)
    engine.push(EVENTS.slice(0, 10))
    with pytest.raises(OptionError, match="run together in the snapshot"):
        Engine.restore(engine.snapshot(), texts, bound=Bound(9))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    query, events = tmp_path / "sums.ceql", tmp_path / "events.csv"
    query.write_text(SUMS)
    events.write_text(
        "\n".join([",".join(EVENTS.column_names), *(",".join(map(str, row.values())) for row in EVENTS.to_pylist())])
    )
    return str(query), str(events)


def test_from_the_command_line(files: tuple[str, str]) -> None:
    query, events = files
    run = ["tuples", query, "--events", events, "--count"]
    done = CliRunner().invoke(main, [*run, "--work-bound", "20"])
    assert int(done.stdout) == match(SUMS, EVENTS, bound=Bound(20)).count()
    assert "steps of sums were left out to keep work within its bound: some results may be missing" in done.stderr
    assert CliRunner().invoke(main, [*run, "--work-bound", "20", "--strict"]).exit_code == 1
    assert CliRunner().invoke(main, [*run, "--work-bound", "1e9", "--strict"]).exit_code == 0
    assert "no query sum to have" in CliRunner().invoke(main, [*run, "--work-bound", "9", "--priority", "sum=2"]).stderr
    explained = CliRunner().invoke(main, ["explain", query, "--bounded"]).stdout
    assert explained.endswith("partial matches that bring least for their work may be left out of states 0, 1\n")


@pytest.mark.parametrize("query", REFUSED)
def test_the_command_line_refuses_the_same(query: str, files: tuple[str, str], tmp_path: Path) -> None:
    path, (_, events) = tmp_path / "refused.ceql", files
    path.write_text(query)
    for command in (
        ["tuples", str(path), "--events", events, "--time", "time", "--work-bound", "9"],
        ["check", "--bounded", str(path)],
    ):
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 2
        assert "may have no bound" in done.stderr and REFUSED[query] in done.stderr


def test_a_run_goes_on_from_its_checkpoint_with_the_same_bound_alone(files: tuple[str, str], tmp_path: Path) -> None:
    query, events = files
    run = [
        "tuples",
        query,
        "--events",
        events,
        "--output",
        str(tmp_path / "out.csv"),
        "--checkpoint",
        str(tmp_path / "c"),
    ]
    assert CliRunner().invoke(main, [*run, "--work-bound", "20"]).exit_code == 0
    other = CliRunner().invoke(main, [*run, "--work-bound", "30"])
    assert other.exit_code == 2
    assert "work_bound" in other.stderr or "--work-bound" in other.stderr
