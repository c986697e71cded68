"""JSON lines: what is a row, which types columns have, and what one malformed line costs."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings, strategies as st

from tests.tuples.sources.json_rows import one_by_one, read

BOTH = [read, one_by_one]

# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
VALUES: dict[str, tuple[str, str | None, str, list[Any]]] = {  # lines of a; its declared type; its type, and its values
    "integers": ("1 -5 0 -0", None, "int64", [1, -5, 0, 0]),
    "integers and others are doubles": ("1 2.5 1e2", None, "double", [1.0, 2.5, 100.0]),
    "12.10 is a double": ("12.10", None, "double", [12.1]),
    "integers beyond 64 bits are doubles": ("1 9223372036854775808", None, "double", [1.0, 2.0**63]),
    "unless they are declared": (
        "1 18446744073709551615", "decimal(38,0)", "decimal128(38, 0)", [Decimal(1), Decimal(2**64 - 1)],
    ),
    "decimals are exact": (
        "12.10 0.1 1e1 123456789012345678.25", "decimal(20,2)", "decimal128(20, 2)",
        [Decimal("12.10"), Decimal("0.10"), Decimal("10.00"), Decimal("123456789012345678.25")],
    ),
    "decimals in texts": ('"12.10" 3', "decimal(20,2)", "decimal128(20, 2)", [Decimal("12.10"), Decimal("3.00")]),
    "numbers in texts": ('"12.10" "3" 4', "double", "double", [12.1, 3.0, 4.0]),
    "texts of numbers": ('12.10 "x" 1E5 true', "string", "string", ["12.10", "x", "1E5", "true"]),
    "texts": ('"x" null "\\u00e9\\n\\ud83d\\ude00" ""', None, "string", ["x", None, "é\n😀", ""]),
    "truth values": ("true false null", None, "bool", [True, False, None]),
    "nulls": ("null null", None, "null", [None, None]),
    "numbers that are none": ("1.5 NaN -Infinity", None, "double", [1.5, math.nan, -math.inf]),
    "days": ('"2026-01-31" null', None, "date32[day]", [date(2026, 1, 31), None]),
    "times": (
        '"2026-01-31T10:00:00" "2026-01-31"', None, "timestamp[us]", [datetime(2026, 1, 31, 10), datetime(2026, 1, 31)],
    ),
    "times with a zone are in UTC": (
        '"2026-01-31T10:00:00+02:00" "2026-01-31T10:00:00.5Z"', None, "timestamp[us]",
        [datetime(2026, 1, 31, 8), datetime(2026, 1, 31, 10, 0, 0, 500_000)],
    ),
    "times with and without a zone": (
        '"2026-01-31T10:00:00Z" "2026-01-31T10:00:00"', None, "string",
        ["2026-01-31T10:00:00Z", "2026-01-31T10:00:00"],
    ),
    "times that are declared texts": ('"2026-01-31"', "string", "string", ["2026-01-31"]),
    "declared times may be cut": (
        '"2026-01-31T10:00:00.123456789"', "timestamp", "timestamp[us]", [datetime(2026, 1, 31, 10, 0, 0, 123456)],
    ),
    "objects": (
        '{"x":1} null {"y":{"z":[]}} {}', None, "struct<x: int64, y: struct<z: list<item: null>>>",
        [{"x": 1, "y": None}, None, {"x": None, "y": {"z": []}}, {"x": None, "y": None}],
    ),
    "empty objects": ("{} null {}", None, "struct<>", [{}, None, {}]),
    "arrays": ("[1,2.5] [] null [null]", None, "list<item: double>", [[1.0, 2.5], [], None, [None]]),
    "times within": (
        '{"d":["2026-01-31"],"t":null} null', None, "struct<d: list<item: date32[day]>, t: null>",
        [{"d": [date(2026, 1, 31)], "t": None}, None],
    ),
}  # fmt: skip


def lines(values: str) -> bytes:
    return "".join(f'{{"a":{value}}}\n' for value in values.split(" ")).encode()


@pytest.mark.parametrize("reading", BOTH)
@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, reading: Any) -> None:
    values, declared, type_, wanted = VALUES[name]
    found = reading(lines(values), None if declared is None else {"a": declared})
    assert found.said == []
    assert found.types == {"a": type_}
    assert repr([row["a"] for row in found.rows]) == repr(wanted)


def test_types_of_members_are_declared_by_their_paths() -> None:
    data = b'{"a":{"p":12.10,"q":[{"r":1e1},{}]}}\n{"a":{"s":null}}\n'
    found = read(data, {"a.p": "decimal(10,3)", "a.q.r": "string", "a.s": "int64"})
    assert found.types == {"a": "struct<p: decimal128(10, 3), q: list<item: struct<r: string>>, s: int64>"}
    assert found.rows[0] == {"a": {"p": Decimal("12.100"), "q": [{"r": "1e1"}, {"r": None}], "s": None}}


def test_columns_are_members_in_order_of_their_first_line() -> None:
    found = read(b'{"b":1,"a":2}\n{"c":3,"a":4,"\\ud800":5}\n')
    assert list(found.types) == ["b", "a", "c"]
    assert found.rows == [{"b": 1, "a": 2, "c": None}, {"b": None, "a": 4, "c": 3}]


def test_what_is_declared_is_a_column() -> None:
    found = read(b'{"a":1}\n', {"b": "string"})
    assert found.rows == [{"a": 1, "b": None}]
    with FIRST_ALONE:
        assert read(b'{"z":1}\n' * 100 + b'{"z":1,"b":"x"}\n', {"b": "string"}).rows[-1] == {"z": 1, "b": "x"}


def test_columns_that_are_not_read_may_have_anything() -> None:
    data = b'{"a":1,"b":1}\n{"a":2,"b":"x","b":3}\n{"a":3,"b":1e400}\n{"a":4,"b":"\xff"}\n{"a":5,"b":"\\ud800"}\n'
    assert [row["a"] for row in read(data, columns=["a"]).rows] == [1, 2, 3, 4, 5]
    assert len(read(data, columns=["b"], skip=True).said) == 4


def test_lines() -> None:
    data = b'\xef\xbb\xbf{"a":1}\r\n\r\n \t\n {"a":2} \r\n\n{"a":3}'
    for reading in BOTH:
        assert reading(data).rows == [{"a": 1}, {"a": 2}, {"a": 3}]


# ── what is wrong ────────────────────────────────────────────────────────────────────────────────────────
def test_columns_of_errors_are_those_of_the_file() -> None:
    assert read(b'{"a":1}\n    x\n').said == ["<stream>:2:5: error: this is no JSON: expecting value\n      x\n      ^"]


MALFORMED: dict[str, tuple[str, str]] = {  # a line, and what is said of it
    "no JSON": ('{"a":1', "<stream>:2:7: error: this is no JSON: expecting ',' delimiter\n"),
    "a comma too many": ('{"a":1,}', "<stream>:2:8: error: this is no JSON"),
    "two objects": ('{"a":1}{"a":2}', "<stream>:2:8: error: this is no JSON: extra data"),
    "an array": ('[{"a":1}]', "<stream>:2:1: error: a line has an object, as in {…}, and not an array"),
    "a number": ("5", "error: a line has an object, as in {…}, and not 5"),
    "null": ("null", "error: a line has an object, as in {…}, and not null"),
    "an object that goes on": ("{", "error: an object has a line of its own, and here something goes on in the next"),
    "a number that is none": ('{"a":01}', "<stream>:2:7: error: this is no JSON"),
    "a constant of others": ('{"a":Inf}', "<stream>:2:6: error: this is no JSON"),
    "a comment": ('{"a":1} // one', "error: this is no JSON: extra data"),
    "a null character": ('{"a":1}\0}', "error: this is no JSON: extra data"),
    "a tab in a text": ('{"a":"\t"}', "error: this is no JSON: invalid control character at"),
    "a mark of byte order": ('\ufeff{"a":1}', "error: this is no JSON"),
    "a text": ('{"a":"x"}', "error: the column a was int64 so far, but has 'x'\n"),
    "a fraction": ('{"a":1.5}', 'was int64 so far, but has 1.5\n  {"a":1.5}\nhint: declare its type: {"a": "double"}'),
    "an integer beyond 64 bits": ('{"a":9223372036854775808}', 'hint: declare its type: {"a": "double"}'),
    "a truth value": ('{"a":true}', "was int64 so far, but has true"),
    "an object": ('{"a":{"b":1}}', "was int64 so far, but has an object"),
    "a member twice": ('{"a":1,"a":1}', "error: the member a is there twice"),
    "a text where nothing was": ('{"n":"x"}', 'was null so far, but has \'x\'\n  {"n":"x"}\nhint: declare its type'),
    "a number where times were": ('{"t":5}', "the column t was timestamp[us] so far, but has 5"),
    "a text that is no time": ('{"t":"soon"}', "the column t was timestamp[us] so far, but has 'soon'"),
    "a double that is too large": ('{"d":1e400}', "the column d was double so far, but has 1e400"),
    "a lone surrogate": ('{"s":"\\ud800"}', "the column s has a text that is no UTF-8: '\\ud800'"),
    "in an object": ('{"o":{"p":"x"}}', 'the column o.p was int64 so far, but has \'x\'\n  {"o":{"p":"x"}}\nhint: '),
    "in an object, not as declared": ('{"o":{"q":"x"}}', "error: the column o.q is declared int64, but has 'x'"),
    "in an array": ('{"l":[1,"x"]}', "error: the elements of l were int64 so far, but one is 'x'"),
    "twice in an object": ('{"o":{"p":1,"p":1}}', "error: the member o.p is there twice"),
    "not as declared": ('{"e":"x"}', "error: the column e is declared decimal128(4, 2), but has 'x'"),
    "too many digits": ('{"e":1.234}', "error: the column e is declared decimal128(4, 2), but has 1.234"),
    "deep": ('{"z":' + "[" * 100 + "]" * 100 + "}", "error: objects and arrays are nested deeper than 100"),
}  # fmt: skip
FIRST = b'{"a":1,"n":null,"t":"2026-01-31T10:00:00","d":1.5,"s":"x","o":{"p":1},"l":[1],"e":1}\n'
DECLARED = {"e": "decimal(4,2)", "o.q": "int64"}
FIRST_ALONE = patch("spaseq.sources.tables.raw.BLOCK", len(FIRST))  # is what types are inferred from


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_line_ends_the_rows_before_it(name: str) -> None:
    line, said = MALFORMED[name]
    with FIRST_ALONE:
        found = read(FIRST + line.encode() + b'\n{"a":3}\n', DECLARED)
    assert [row["a"] for row in found.rows] == [1]
    assert found.said[0].startswith("<stream>:2") and said in found.said[0]


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_line_costs_itself_alone(name: str) -> None:
    line, said = MALFORMED[name]
    with FIRST_ALONE:
        found = read(FIRST + line.encode() + b'\n{"a":3}\n', DECLARED, skip=True)
    assert [row["a"] for row in found.rows] == [1, 3]
    assert len(found.said) == 1 and said in found.said[0]


def test_bytes_that_are_no_text() -> None:
    found = read(FIRST + b'{"s":"\xff"}\n{"a":3}\n', DECLARED, skip=True)
    assert [row["a"] for row in found.rows] == [1, 3]
    assert "the column s has a text that is no UTF-8" in found.said[0]


@pytest.mark.parametrize("name", ["no JSON", "a fraction", "deep"])
def test_of_a_file_the_line_is_told(name: str, tmp_path: Path) -> None:
    """Wherever it is: here far behind what is read first."""
    path, many = tmp_path / "events.jsonl", 13_000
    path.write_bytes(FIRST * many + b"\n" + MALFORMED[name][0].encode())
    found = read(path, DECLARED)
    assert len(found.rows) == many
    assert found.said[0].startswith(f"{path}:{many + 2}")


def test_files_without_any_row(tmp_path: Path) -> None:
    for content in (b"", b"\n \n"):
        (tmp_path / "a.jsonl").write_bytes(content)
        assert read(tmp_path / "a.jsonl").said == [
            f"{tmp_path}/a.jsonl: error: the file is empty: no line has an object"
        ]
        assert read(tmp_path / "a.jsonl", {"a": "int64"}) == ({"a": "int64"}, [], [])
    (tmp_path / "a.json").touch()
    assert read(b"{}\n{}\n").rows == [{}, {}]
    assert "not an array" in read(b'[{"a":1}]').said[0]
    assert "of JSON one object a line is read" in read(tmp_path / "a.json").said[0]


def test_declared_types_that_json_has_not() -> None:
    assert "values of JSON do not become duration[us]" in read(lines("1"), {"a": "duration[us]"}).said[0]


def test_a_line_that_has_no_end() -> None:
    with patch("spaseq.sources.tables.json_lines.MOST", 1000), patch("spaseq.sources.tables.raw.BLOCK", 100):
        assert "a line has more than 1,000 bytes" in read(b'{"a":1}\n{"a":"' + b"x" * 2000).said[0]


def test_many_malformed_lines_have_their_numbers(tmp_path: Path) -> None:
    """Rows are found again in a file of which lines were left out."""
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f'{{"a":{number}}}\n' if number % 3 else "\nx\n" for number in range(60)))
    with patch("spaseq.sources.tables.raw.BLOCK", 64):
        found = read(path, skip=True)
        from spaseq.sources.tables.opening import open_source

        source = open_source(path, leave_out=lambda _: None)
        source.choose(source.names)
        assert sum(batch.num_rows for batch in source.batches()) == len(found.rows) == 40
    texts = path.read_text().split("\n")
    for number, row in enumerate(found.rows):
        place = source.place(number)
        assert json.loads(place.text) == row == json.loads(texts[place.line - 1])


# ── two ways to read, and dictionaries ───────────────────────────────────────────────────────────────────
PIECES = [
    "{", "}", "[", "]", ":", ",", '"', '"a"', '"b"', '{"a":1}', '{"a":2.5,"b":"x"}', '{"b":null}', '{"b":{"c":1}}',
    '"a":1', '"b":[]', '{"a":NaN}', '{"a":Infinity}', '{"b":"2026-01-31"}', "true", "null", "1", "-", "1e400", " ",
    "\r", "\t", "\\", "\\ud800", "\\u0041", "\0", "\ufeff", "é", "\x0b", "12.10", '{"a":"7"}', '{"b":"]}{["}',
]  # fmt: skip
LINES = st.lists(st.one_of(st.sampled_from(PIECES[9:13]), st.lists(st.sampled_from(PIECES)).map("".join)), max_size=12)
TYPES = st.sampled_from(
    [None, {"a": "string"}, {"a": "decimal(5,2)"}, {"a": "int64", "b": "string"}, {"b.c": "string"}]
)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([40, 1 << 20]), TYPES)
@settings(max_examples=150, deadline=None)
def test_what_arrow_reads_is_what_is_read_one_by_one(
    texts: list[str], end: str, block: int, types: dict[str, str] | None
) -> None:
    data = b'{"a":1}' + f"{end}{end.join(texts)}".encode()
    with patch("spaseq.sources.tables.raw.BLOCK", block):
        for skip in (True, False):
            assert repr(read(data, types, skip=skip)) == repr(one_by_one(data, types, skip=skip))


TEXTS = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not text[:4].isdigit())
SCALARS = st.sampled_from([
    st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), TEXTS,
])  # fmt: skip
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)


def objects(members: st.SearchStrategy[st.SearchStrategy[Any]]) -> st.SearchStrategy[st.SearchStrategy[Any]]:
    """Of kinds of values those of objects that have them: kinds are strategies."""
    return st.dictionaries(NAMES, members, min_size=1, max_size=4).map(
        lambda kinds: st.fixed_dictionaries({}, optional={name: _or_null(kind) for name, kind in kinds.items()})
    )


def _or_null(kind: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), kind)


KINDS = st.recursive(SCALARS, lambda kinds: st.one_of(objects(kinds), kinds.map(lambda one: st.lists(_or_null(one)))))
ROWS = objects(KINDS).flatmap(lambda row: st.lists(row, min_size=1, max_size=8))


@given(ROWS, st.booleans(), st.sampled_from([(",", ":"), (" , ", "\t: ")]))
@settings(max_examples=40, deadline=None)
def test_rows_are_those_of_dictionaries(rows: list[dict[str, Any]], ascii: bool, separators: tuple[str, str]) -> None:
    data = "\n".join(json.dumps(row, ensure_ascii=ascii, separators=separators) for row in rows).encode()
    (types, found, said), wanted = read(data), read(rows)
    if not wanted.said:
        assert said == [] and types == wanted.types
        assert repr(found) == repr(wanted.rows) == repr(one_by_one(data).rows)
