"""Rows of any columns become events, as they do without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.graphs.mapped import parsed_mapping
from spaseq.spark import from_rows, match
from spaseq.spark.packing import EVENT
from spaseq.spark.row_events import read_rows
from tests.docs.console import ROOT
from tests.spark.session import session, why_not

MAPPING = "EVENT <urn:{?id}> AT ?time UNIT s CONSTRUCT { <urn:{?id}> <urn:v> ?v }"
TRADES = str(ROOT / "examples" / "tuples" / "trades.csv")
TRADES_MAP = ROOT / "examples" / "tables" / "trades.map"
V_SHAPE = ROOT / "examples" / "stocks" / "v_shape.spaseq"


def made(*batches: list[dict[str, Any]], skip: bool = False) -> list[dict[str, Any]]:
    tables = [pyarrow.RecordBatch.from_pylist(rows) for rows in batches]
    found = list(read_rows(parsed_mapping(MAPPING), "s", skip, tables))
    assert all(batch.schema == EVENT for batch in found)
    return [row for batch in found for row in batch.to_pylist()]


def test_rows_of_one_event_may_be_in_two_batches() -> None:
    found = made([{"id": 1, "time": 1, "v": 1}], [{"id": 1, "time": 1, "v": 2}, {"id": 2, "time": 2, "v": 3}])
    assert [(row["stream"], row["event"], row["graph"].count(b"\n")) for row in found] == [
        ("s", "urn:1", 2),
        ("s", "urn:2", 1),
    ]
    assert made() == []


def test_rows_that_are_no_events(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": 1, "time": None, "v": 1}, {"id": 2, "time": 2, "v": 3}]
    with pytest.raises(StreamError, match=r"row 0: error: the row is no event: \?time is unbound"):
        made(rows)
    assert [row["event"] for row in made(rows, skip=True)] == ["urn:2"]
    assert "1 malformed event of <s> was skipped" in capsys.readouterr().err


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_with_spark(tmp_path: Path) -> None:
    rows = session().read.csv(TRADES, header=True, inferSchema=True)
    expected = sorted(
        str(dict(one.bindings)) for one in spaseq.run(V_SHAPE, {"stock": spaseq.Mapped(TRADES, TRADES_MAP)})
    )
    assert match(rows, V_SHAPE, mapping=TRADES_MAP).count() == len(expected)
    with pytest.raises(QueryError, match="the table has no column volume"):
        match(rows.drop("volume"), V_SHAPE, mapping=TRADES_MAP)
    with pytest.raises(OptionError, match="mapping is about one stream, and these are read"):
        match(rows, ROOT / "examples" / "vessels" / "no_permit.spaseq", mapping=TRADES_MAP)
    with pytest.raises(OptionError, match="a stream is named by a text"):
        from_rows(rows, TRADES_MAP, 7)  # type: ignore[arg-type]
