"""Malformed rows of CSV that are left out: the others stay, and each is told in its line."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

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
