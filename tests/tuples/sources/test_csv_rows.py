"""Malformed rows of CSV that are left out: the others stay, and each is told in its line."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from spaseq import tuples
from spaseq.errors import StreamError
from spaseq.sources.tables.opening import open_source

GOOD = st.tuples(st.sampled_from(["x", '"a, b"', '"two\nlines"', '"say ""so"""']), st.integers(0, 9).map(str))
BAD = st.sampled_from([("x",), ("x", "1", "2"), ("x", "one"), ('"q"', "1.5"), ("x", "1", "")])


@given(st.lists(GOOD | BAD, max_size=30), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None, max_examples=100)
def test_those_that_are_left_out_cost_themselves_alone(rows: list[tuple[str, ...]], line_end: str) -> None:
    good = [(one[0], one[1]) for one in rows if len(one) == 2 and one[1].isdigit()]
    told: list[StreamError] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(line_end.join(["text,number", *map(",".join, rows), ""]).encode())
        source = open_source(path, {"number": "int64"}, leave_out=told.append)
        source.choose(["text", "number"])
        found = [row for batch in source.batches() for row in batch.to_pylist()]
        places = [source.place(at).line for at in range(len(good))]
    assert [(row["text"], str(row["number"])) for row in found] == [(unquoted(text), number) for text, number in good]
    lines, line = {}, 2
    for at, one in enumerate(rows):
        lines[at], line = line, line + 1 + ",".join(one).count("\n")
    bad = [at for at, one in enumerate(rows) if not (len(one) == 2 and one[1].isdigit())]
    assert [(error.line, error.location.text) for error in told] == [(lines[at], ",".join(rows[at])) for at in bad]
    assert places == [lines[at] for at in range(len(rows)) if at not in bad]


def unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def test_queries_go_on(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("type,price\nT,1\nT\nT,2\nT,much\nT,3\n")
    query = "SELECT b.price FROM S WHERE T AS a : T AS b WITHIN 5 EVENTS"
    matches = tuples.match(query, tmp_path / "t.csv", types={"price": "int64"}, on_error="skip")
    assert matches.to_arrow().column("b.price").to_pylist() == [2, 3]
    assert matches.skipped == 2
    (told,) = matches.losses()
    assert "2 malformed lines were left out" in str(told) and "t.csv:3: the number of values is 1" in str(told)


@pytest.mark.parametrize("rows", [2, 200_000])
@pytest.mark.parametrize("bad", ["x,much", "x", "x,1,2"])
def test_rows_before_a_malformed_one_are_given(bad: str, rows: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    good = [f"t{number},{number}" for number in range(rows)]
    path.write_text("\n".join(["text,number", *good, "", bad, "t,3", "x,y,z", "t,4"]))
    source, found = open_source(path, {"number": "int64"}), list[int]()
    source.choose(["number"])
    with pytest.raises(StreamError, match=rf"t.csv:{rows + 3}: error: the (column number|number of values)"):
        for batch in source.batches():
            found += batch.column("number").to_pylist()
    assert found == list(range(rows))


@pytest.mark.parametrize("more", [[], [b"%d" % number for number in range(100)]])
def test_a_text_that_is_no_utf_8_costs_its_row_alone(more: list[bytes], tmp_path: Path) -> None:
    path, told = tmp_path / "t.csv", list[StreamError]()
    path.write_bytes(b"\n".join([b"text,number", b"x,1", b"\xff\xfe,2", b"y,3", *(b"t%b,4" % one for one in more)]))
    source = open_source(path, leave_out=told.append)
    source.choose(["text"])
    found = [text for batch in source.batches() for text in batch.column("text").to_pylist()]
    assert found == ["x", "y", *(f"t{one.decode()}" for one in more)]
    assert [(error.line, error.location.data) for error in told] == [(3, b"\xff\xfe,2")]
    with pytest.raises(StreamError, match=r"t.csv:3: error: the column text was string so far: invalid UTF8 data"):
        tuples.match("SELECT a.text FROM S WHERE S AS a", path, relation="S").to_arrow()


TIMES = ["2026-01-01T00:00:01Z", "x", "", "2026-01-01 00:00:02.123456789", "2026-01-01T01:00:03+01:00", "2026-01-01"]


@pytest.mark.parametrize(
    "first", [[], ["x"], ["2026-01-01T00:00:00Z"], ["9999-12-31T00:00:00.000001Z"], [""] * 150_000]
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_declared_times_have_a_zone_or_none(form: str, first: list[str], tmp_path: Path) -> None:
    path, told, is_csv = tmp_path / f"t.{form}", list[StreamError](), form == "csv"
    texts = [*first, *(text if is_csv else text[:26] for text in TIMES)]  # of CSV what is finer is cut
    rows = [
        f"{n},{text}" if is_csv else f'{{"n": {n}, "at": {json.dumps(text or None)}}}' for n, text in enumerate(texts)
    ]
    path.write_text("\n".join(["n,at", *rows, ""] if is_csv else rows))
    source = open_source(path, {"at": "timestamp"}, leave_out=told.append)
    source.choose(["at"])
    found = [time for batch in source.batches() for time in batch.column("at").to_pylist()]
    midnight = datetime(2026, 1, 1)
    one, two, three = (midnight.replace(second=second) for second in (1, 2, 3))
    assert found[-5:] == [one, None, two.replace(microsecond=123456), three, midnight]
    assert [error.line for error in told] == [at for at, text in enumerate(texts, 1 + is_csv) if text == "x"]
    assert all("is declared timestamp[us], but has 'x'" in str(error) for error in told)


def test_places_of_rows_that_were_read_last_need_no_other_look_at_the_file(tmp_path: Path) -> None:
    path, told = tmp_path / "t.csv", list[StreamError]()
    path.write_text("n,v\n" + "".join(f"{n},{'x' * 10 if n % 10 == 5 else n}\n" for n in range(20_000)))
    source = open_source(path, {"v": "int64"}, leave_out=told.append)
    source.choose(["n", "v"])
    batches = list(source.batches())
    path.unlink()
    assert sum(batch.num_rows for batch in batches) == 18_000
    assert [error.line for error in told] == [n + 2 for n in range(5, 20_000, 10)]
    assert [source.place(row).text for row in (0, 5, 17_999)] == ["0,0", "6,6", "19999,19999"]


def test_places_of_rows_that_were_read_before_are_found_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("n\n\n" + "".join(f"{n:099}\n" for n in range(50_000)))
    source = open_source(path)
    source.choose(["n"])
    assert sum(batch.num_rows for batch in source.batches()) == 50_000
    for row in (3, 4, 20_000, 7, 49_999):
        place = source.place(row)
        assert (place.line, int(place.text), int(place.data)) == (row + 3, row, row)
