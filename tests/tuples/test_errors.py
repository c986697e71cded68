"""What users read when a source, a query or an option is wrong.

``SPASEQ_UPDATE_GOLDEN=1`` writes the golden file anew; read the difference before committing it.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from spaseq.errors import SpaseqError
from spaseq.pattern.formulas.predicates import Arithmetic, Attribute, Comparison, Constant, In, IsNull, Like, Predicate
from spaseq.tuples import Atom, Roles, encode

GOLDEN = Path(__file__).parent / "errors.json"
LONG = "".join(f"{n},{n}\n" for n in range(200_000))
A = Roles(relation="A", keep=("a",))


def file(text: str | bytes, roles: Roles = A, **options: Any) -> Callable[[], object]:
    """Encodes a CSV file."""

    def run() -> object:
        Path("rows.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(encode("rows.csv", [Atom("A")], roles, **options))

    return run


def rows(data: Any, roles: Roles = A, **options: Any) -> Callable[[], object]:
    """Encodes other data."""
    return lambda: list(encode(data, [Atom("A")], roles, **options))


def query(predicate: Predicate) -> Callable[[], object]:
    """Checks a query, and reads no event."""
    data = b"name,price,open,at,volume\nx,1.5,true,2025-01-01T00:00:00,3\n"
    return lambda: encode(io.BytesIO(data), [Atom("A", None, predicate)], Roles(relation="A"))


def compare(operator: str, name: str, value: float | str | bool) -> Callable[[], object]:
    return query(Comparison(operator, Attribute(name), Constant(value)))


CASES: dict[str, Callable[[], object]] = {
    "csv: a float among integers": file("a,b\n" + LONG + "1.5,2\n"),
    "csv: a text among integers": file("a,b\n" + LONG + "x,2\n"),
    "csv: a value after nulls": file("a,b\n" + ",0\n" * 400_000 + "3,0\n"),
    "csv: not as declared": file('a,b\n1,2\n\n"x\ny",3\n', types={"a": "int64"}),
    "csv: declared a time": file("a,b\n2025-01-31,1\nsoon,2\n", types={"a": "timestamp"}),
    "csv: a text where times were": file("a,b\n" + "2025-01-31T12:00:00,1\n" * 60_000 + "soon,2\n"),
    "csv: a time without a zone": file("a,b\n" + "2025-01-31T12:00:00Z,1\n" * 60_000 + "2025-01-31T12:00:00,2\n"),
    "csv: no UTF-8": file(b"a,b\n" + b"x,1\n" * 400_000 + b"\xff,2\n"),
    "csv: a text stream": rows(io.StringIO("a,b\n1,2\n")),
    "csv: too few values": file("a,b\n1,2\n3\n"),
    "csv: time falls": file('a,b\n5,2\n\n7,"x\ny"\n6,2\n', Roles(relation="A", time="a")),
    "csv: time is NULL": file("a,b\n5,2\n,2\n", Roles(relation="A", time="a")),
    "csv: time is too large": file(f"a,b\n5,2\n{2**62},2\n", Roles(relation="A", time="a", unit="ms")),
    "csv: empty": file(""),
    "csv: a column twice": file("a,a\n1,2\n"),
    "csv: no such file": lambda: encode("nowhere.csv", [], A),
    "parquet: no such file": lambda: encode("nowhere.parquet", [], A),
    "parquet: something else": lambda: (Path("rows.parquet").write_text("a,b\n1,2\n"), encode("rows.parquet", [], A)),
    "rows: a float among integers": rows([{"a": 1}] * 5000 + [{"a": 1.5}]),
    "rows: a text among integers": rows([{"a": 1}] * 3 + [{"a": "x"}]),
    "rows: a huge integer": rows([{"a": 1}] * 5000 + [{"a": 2**70}]),
    "rows: not as declared": rows([{"a": 1}, {"a": "x"}], types={"a": "int64"}),
    "rows: no dictionary": rows([{"a": 1}, 3]),
    "stream: time falls": rows(io.BytesIO(b"a,b\n5,2\n4,2\n"), Roles(relation="A", time="a")),
    "batches: other columns": rows([pyarrow.record_batch({"a": [1]}), pyarrow.record_batch({"b": [1]})]),
    "table: not as declared": rows(pyarrow.table({"a": ["1", "x"]}), types={"a": "int64"}),
    "table: integers that are no doubles": rows(pyarrow.table({"a": [1, 2**53 + 1]}), types={"a": "double"}),
    "table: partition by a list": rows(pyarrow.table({"a": [[1]]}), Roles(relation="A", partition=("a",))),
    "no source": rows(5),
    "option: no type": file("a,b\n1,2\n", Roles()),
    "option: two types": file("a,b\n1,2\n", Roles(relation="A", type="a")),
    "option: types are numbers": file("a,b\n1,2\n", Roles(type="a")),
    "option: unit": file("a,b\n1,2\n", Roles(relation="A", time="a", unit="h")),
    "option: unknown type": file("a,b\n1,2\n", types={"a": "number"}),
    "option: declared an unknown column": file("a,b\n1,2\n", types={"aa": "double"}),
    "option: on_error": file("a,b\n1,2\n", on_error="ignore"),
    "time: of floats": file("a,b\n1.5,2\n", Roles(relation="A", time="a")),
    "time: unknown": file("a,b\n1.5,2\n", Roles(relation="A", time="aa")),
    "window: a text": file("a,b\nx,2\n", Roles(relation="A", measure="a")),
    "query: unknown attribute": compare("=", "prize", 3),
    "query: number with text": compare("=", "price", "x"),
    "query: text with number": compare("<", "name", 3),
    "query: text with truth value": compare("=", "name", True),
    "query: time with number": compare("=", "at", 3),
    "query: time with text": compare("=", "at", "yesterday"),
    "query: two columns": query(Comparison("<", Attribute("name"), Attribute("price"))),
    "query: IN": query(In(Attribute("price"), (Constant(3), Constant("x")))),
    "query: LIKE": query(Like(Attribute("price"), "1%")),
    "query: IS NULL": query(IsNull(Attribute("prise"))),
    "query: arithmetic with text": query(
        Comparison("=", Arithmetic("+", Attribute("name"), Constant(1)), Attribute("volume"))
    ),
    "query: calculated number with text": query(
        Comparison("=", Arithmetic("+", Attribute("volume"), Constant(1)), Attribute("name"))
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_error(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpaseqError) as caught:
        CASES[case]()
    said = [type(caught.value).__name__, *str(caught.value).splitlines()]
    golden = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        golden[case] = said
        GOLDEN.write_text(json.dumps(golden, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
    assert said == golden[case]


def test_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, "x"]})
    with pytest.raises(SpaseqError, match="<frame>: error: the column a has values of several types"):
        rows(frame)()
    with pytest.raises(SpaseqError, match="<frame>, row 1: error: the column a is declared int64, but has 'x'"):
        rows(frame, types={"a": "int64"})()
