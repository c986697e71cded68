"""Tables as data frames of events: read with a mapping, as a whole and as they come, without Java."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.streaming.datasource import ReadAllAvailable

from spaseq import Mapped
from spaseq.errors import OptionError, QueryError, QuerySyntaxError, StreamError
from spaseq.spark.sources.growing import FilesStreamReader
from spaseq.spark.sources.options import read_options
from spaseq.spark.sources.tables import table_events
from spaseq.streams import WireOptions, WireReport
from tests.mapped.test_doors import FILES, LINES, MAPPING, TABLE, TRADES
from tests.spark.test_reading import reader, rows_of
from tests.transports.scripted import Scripted, Topic

MAPPED = {"mapping": str(MAPPING)}
WHOLE = rows_of(reader(TRADES, **MAPPED))


def test_a_row_is_an_event() -> None:
    assert len(WHOLE) == TABLE.num_rows and {row["stream"] for row in WHOLE} == {"stock"}
    assert b"<https://spaseq.org/data/stock/company/NORD>" in WHOLE[0]["graph"]


@pytest.mark.parametrize("kind", FILES)
def test_the_rows_of_any_files(kind: str, tmp_path: Path) -> None:
    reading = reader(FILES[kind](tmp_path), **MAPPED)
    assert [row["time"] for row in rows_of(reading)] == [row["time"] for row in WHOLE]
    assert len(reading.partitions()) == 1  # as they are small


def test_terms_of_rows_that_were_read_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.spark.sources.tables.MOST_TERMS", 0)
    assert [row["graph"] for row in rows_of(reader(FILES["parquet"](tmp_path), **MAPPED))] == [
        row["graph"] for row in WHOLE
    ]


def test_all_partitions_of_what_comes_in_messages() -> None:
    parts = {str(number): Scripted(LINES[number::3], 4) for number in range(3)}
    found = table_events(Mapped(Topic(parts), MAPPING), "stock", WireOptions(), WireReport())
    assert sum(map(len, found)) == len(WHOLE)


def test_how_csv_is_written(tmp_path: Path) -> None:
    mapping, table = tmp_path / "m.map", tmp_path / "t.csv"
    mapping.write_text("AT ?t CONSTRUCT { <urn:x> <urn:v> ?v ; <urn:w> ?w }")
    table.write_text("1;2;a\n2;-;b\n3;,;c\n")
    given = {"mapping": str(mapping), "columns": "t, v, w", "separator": ";", "nulls": '-,","'}
    assert [row["graph"].count(b"\n") for row in rows_of(reader(table, **given))] == [2, 1, 1]
    table.write_text("1\t2\ta\n")
    assert len(rows_of(reader(table, **{**given, "separator": "tab"}))) == 1


def test_files_that_come_into_a_folder(tmp_path: Path) -> None:
    reading = FilesStreamReader(read_options(CaseInsensitiveDict({"path": str(tmp_path), "stream": "stock", **MAPPED})))
    header, *rows = TRADES.read_text().splitlines(keepends=True)
    at, found = reading.initialOffset(), []
    for name, some in (("a.csv", rows[:30]), ("b.csv", rows[30:]), ("_c.csv", rows[:5])):
        (tmp_path / name).write_text("".join([header, *some]))
        end = reading.latestOffset(at, ReadAllAvailable())
        found += [row for part in reading.partitions(at, end) for one in reading.read(part) for row in one.to_pylist()]
        at = end
    assert [row["time"] for row in found] == [row["time"] for row in WHOLE]


def test_rows_that_are_no_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.csv"
    table.write_text(TRADES.read_text() + '"NORD",no time\n')
    with pytest.raises(StreamError, match=r"t\.csv:62: error: the number of values is 2"):
        rows_of(reader(table, **MAPPED))
    assert rows_of(reader(table, onError="skip", **MAPPED)) == WHOLE
    assert "spaseq: 1 malformed event of <stock> was skipped: mend the source; first at " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({**MAPPED, "separator": ";;"}, OptionError, "the delimiter of CSV is one ASCII character"),
        ({"separator": ";"}, OptionError, "columns, separator and nulls are about tables"),
        ({**MAPPED, "follow": "true"}, OptionError, "tables are read when they are complete"),
        ({"mapping": str(TRADES)}, QuerySyntaxError, r"trades\.csv:1:1"),
        ({"mapping": "nowhere.map"}, OptionError, "nowhere.map"),
        ({"maping": "m"}, OptionError, "rdfstream has no option maping; did you mean mapping"),
    ],
)
def test_options_that_make_no_sense(given: dict[str, str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        reader(TRADES, **given)


def test_what_is_not_there(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(TRADES.read_text().replace("volume", "volum"))
    with pytest.raises(
        QueryError, match=r"trades\.map:7:90: error: the table has no column volume\n(.*\n)*hint: did you mean"
    ):
        rows_of(reader(table, **MAPPED))
    with pytest.raises(StreamError, match="cannot read: no such file"):
        reader(tmp_path / "nothing.csv", **MAPPED).partitions()
