"""Columns with the times of events: what is taken, what is refused where, and what can be skipped, in every way in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import time as time_of_day
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import csv, parquet

from spaseq.errors import QueryError, SpaseqError, StreamError
from spaseq.tuples import Engine, match

QUERY = "SELECT x, y FROM S WHERE A AS x ; A AS y WITHIN 10 SECONDS"
ISO = ["2017-10-12T10:00:00", "2017-10-12 10:00:01.5", "2017-10-12T12:00:05+02:00", "2017-10-12T10:00:06Z"]
Way = Callable[[pyarrow.Table, Path], Any]


def as_csv(table: pyarrow.Table, folder: Path) -> Path:
    csv.write_csv(table, folder / "t.csv")
    return folder / "t.csv"


def as_parquet(table: pyarrow.Table, folder: Path) -> Path:
    parquet.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


WAYS: dict[str, Way] = {
    "csv": as_csv,
    "parquet": as_parquet,
    "arrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "rows": lambda table, _: iter(table.to_pylist()),
}
PUSHES: dict[str, Way] = {"pushed": lambda table, _: table, "pushed rows": lambda table, _: table.to_pylist()}


def table_of(times: Any) -> pyarrow.Table:
    return pyarrow.table({"type": ["A"] * len(times), "t": times})


def found(way: str, times: Any, folder: Path, **options: Any) -> tuple[int, int, str]:
    """The number of results, of events left out, and the place of the first of these."""
    table = table_of(times)
    if way in WAYS:
        matches = match(QUERY, WAYS[way](table, folder), time="t", **options)
        count = matches.count()
        losses = matches.losses()
        return count, matches.skipped, losses[0].first if losses else ""
    engine = Engine(time="t", **options)
    engine.register(QUERY, name="q")
    results = [*engine.push(PUSHES[way](table, folder)), *engine.close()]
    counters = engine.statistics()["streams"][""]
    return sum(len(table) for _, table in results), counters.get("skipped", 0), counters.get("first_skipped", "")


EVERY = pytest.mark.parametrize("way", [*WAYS, *PUSHES])


@EVERY
def test_texts_of_iso_8601(way: str, tmp_path: Path) -> None:
    assert found(way, ISO, tmp_path)[:2] == (6, 0)
    assert found(way, ["2017-10-12", "2017-10-13"], tmp_path)[:2] == (0, 0)


@EVERY
@pytest.mark.parametrize("text", ["2017-13-10", "10.12.2017", "soon", "2017-10-12T25:00:00", "20171012T100000"])
def test_a_text_that_is_no_time_has_a_place(way: str, text: str, tmp_path: Path) -> None:
    times = [*ISO[:2], text, *ISO[2:]]
    with pytest.raises(StreamError, match=re.escape(f"the time t is '{text}', which is no time")) as caught:
        found(way, times, tmp_path)
    assert re.search(r"t\.csv:4:|row [23]: error", str(caught.value))
    assert 'on_error="skip"' in caught.value.hint


@EVERY
@pytest.mark.parametrize("text", ["2017-13-10", "10.12.2017", "soon"])
def test_and_can_be_skipped(way: str, text: str, tmp_path: Path) -> None:
    count, skipped, first = found(way, [*ISO[:2], text, *ISO[2:], text], tmp_path, on_error="skip")
    assert (count, skipped) == (6, 2)
    assert f"the time t is '{text}', which is no time" in first


FORMED = ["10.12.2017", "31.12.2017 23:59", "12/31/2017", "2017/12/31 10:00:00", "2017-13-10", "20171231", "10:00:00"]
OF_CSV = FORMED[:-2]  # it has the others as integers, and as times of day


@pytest.mark.parametrize(
    ("way", "text"), [(way, text) for way in (*WAYS, *PUSHES) for text in (OF_CSV if way == "csv" else FORMED)]
)
def test_the_hint_helps(way: str, text: str, tmp_path: Path) -> None:
    """Where no text is a time, the hint names a form that is right."""
    with pytest.raises(StreamError) as caught:
        found(way, [text, text], tmp_path)
    said = dict(re.findall(r'(time_format)="(.*?)"', caught.value.hint)) or {"types": {"t": "int64"}}
    assert found(way, [text, text], tmp_path, **said)[:2] == (1, 0)


@EVERY
def test_declared_times_that_are_texts_can_be_skipped_too(way: str, tmp_path: Path) -> None:
    """What the hint of old said: the next error was without a place."""
    declared = {"types": {"t": "timestamp"}}
    assert found(way, ISO, tmp_path, **declared)[:2] == (6, 0)
    assert found(way, [*ISO, "2017-13-10"], tmp_path, on_error="skip", **declared)[:2] == (6, 1)


@pytest.mark.parametrize("way", WAYS)
def test_doubles_that_count_seconds(way: str, tmp_path: Path) -> None:
    """To the nearest microsecond: a double of today's seconds is exact to a quarter of one."""
    seconds = [1700000000.000001, 1700000000.25, 1700000010.0, 1700000010.000002]
    assert found(way, seconds, tmp_path, unit="s")[0] == 5  # all but the widest, by a microsecond
    assert found(way, [1000 * one for one in seconds], tmp_path, unit="ms")[0] == 5


@EVERY
def test_doubles_without_a_unit(way: str, tmp_path: Path) -> None:
    with pytest.raises(SpaseqError, match=r"the time t is of type double, .*, as 1700000000\.5") as caught:
        found(way, [1700000000.5, 1700000001.0], tmp_path)
    assert re.search(r"t\.csv:2:|row [01]: error", str(caught.value))
    assert found(way, [1700000000.5, 1700000001.0], tmp_path, unit="s")[0] == 1


def test_doubles_that_are_no_times(tmp_path: Path) -> None:
    times = [1.0, float("nan"), 1e300, float("inf"), -1e300, 2.5]
    assert found("arrow", times, tmp_path, unit="s", on_error="skip")[:2] == (1, 4)
    with pytest.raises(StreamError, match="row 2: error: the time t is outside the range"):
        found("arrow", [1.0, 1.0, 1e300], tmp_path, unit="s")
    with pytest.raises(StreamError, match=r"falls: 1970-01-01T00:00:01\.500000Z after 1970-01-01T00:00:02"):
        found("arrow", [2.0, 1.5], tmp_path, unit="s")


@EVERY
def test_times_of_day(way: str, tmp_path: Path) -> None:
    with pytest.raises(SpaseqError, match=r"the time t is of type time(32|64)\[\w+\], .*, as 10:00:00") as caught:
        found(way, pyarrow.array([time_of_day(10), time_of_day(11)], pyarrow.time32("s")), tmp_path)
    assert "make one column of the day and the time" in caught.value.hint
    assert re.search(r"t\.csv:2:|row [01]: error", str(caught.value))


@pytest.mark.parametrize("times", [[True, False], [[1], [2]], [{"a": 1}, {"a": 2}]])
def test_what_is_no_time_at_all(times: list[Any], tmp_path: Path) -> None:
    with pytest.raises(
        QueryError, match=r"row 0: error: the time t is of type .*, not of timestamps, integers or texts"
    ):
        found("arrow", times, tmp_path)


@pytest.mark.parametrize("bad", ["soon", "2026-02-30T00:00:00"])
def test_behind_the_rows_by_which_types_are_known(bad: str, tmp_path: Path) -> None:
    """A megabyte of good times: then one is none, on a line that is known, and can be left out."""
    good = np.datetime_as_string(np.datetime64("2026-01-01T00:00:00") + np.arange(100_000)).tolist()
    path = tmp_path / "long.csv"
    path.write_text("type,t\n" + "".join(f"A,{text}\n" for text in [*good[:80_000], bad, *good[80_000:]]))
    with pytest.raises(StreamError, match=f"long.csv:80002: error: the time t is '{bad}', which is no time"):
        match(QUERY, path, time="t").count()
    left = match(QUERY, path, time="t", on_error="skip")
    assert (left.count(), left.skipped) == (sum(min(9, n) + (n > 9) for n in range(100_000)), 1)


def test_integers_among_which_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "i.csv"
    path.write_text("type,t\n" + "".join(f"A,{n}\n" for n in range(400_000)) + "A,soon\nA,400001\n")
    with pytest.raises(
        StreamError, match=r"i\.csv:400002: error: the time t is 'soon', which is no integer, as others"
    ):
        match(QUERY, path, time="t", unit="s").count()
    left = match(QUERY, path, time="t", unit="s", on_error="skip")
    left.count()
    assert left.skipped == 1


def test_of_texts_all_at_once_and_one_by_one_are_the_same(tmp_path: Path) -> None:
    """Arrow reads columns of proper texts; where one is none, Python reads them."""
    texts = ["2017-10-12", "2017-10-12T10", "2017-10-12 10:01", "2017-10-12T10:02:03", "2017-10-12T10:02:03.123456"]
    assert found("arrow", texts, tmp_path) == (*found("arrow", [*texts, "x"], tmp_path, on_error="skip")[:1], 0, "")


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text", ['{"ms": 1, "type": "A"}\n{"ms": 2}\n', '[{"ms": 1}]', '[\n  {"ms": 1}\n]', '\n{\n"ms": 1}', "{}\n", "[\n"]
)
def test_json_is_no_table(text: str, tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(text)
    with pytest.raises(StreamError, match="of JSON one object a line is read") as caught:
        match(QUERY, path, time="ms")
    assert "its name should end in .jsonl" in caught.value.hint
    with pytest.raises(StreamError, match="this is JSON, and no table in CSV"):
        match(QUERY, path.rename(tmp_path / "events.csv"), time="ms")


def test_what_the_hint_says_about_json_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.json").write_text('[{"ms": 1, "type": "A"},\n{"ms": 2, "type": "A"}]\n')
    with pytest.raises(StreamError) as caught:
        match(QUERY, "e.json", time="ms")
    made = re.search(r"pandas\.read_json\(.*?lines=True\)", caught.value.hint)
    assert made
    eval(made[0], {"pandas": pandas})
    assert match(QUERY, "events.jsonl", time="ms", unit="ms").count() == 1


@pytest.mark.parametrize("header", ["{name},type,ms", "[x],type,ms"])
def test_columns_may_have_brackets_in_their_names(header: str, tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text(f"{header}\n1,A,1\n2,A,2\n")
    assert match(QUERY, path, time="ms", unit="ms").count() == 1
