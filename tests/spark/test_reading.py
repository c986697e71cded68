"""Files as data frames of Spark: partitions, options and filters without Java, and read by Spark."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import datasource as ds
from pyspark.sql.datasource import CaseInsensitiveDict, InputPartition

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.spark import RdfStream, match, register
from spaseq.spark.sources.files import FilesReader, FilteringReader
from spaseq.spark.sources.options import read_options
from spaseq.streams import WireOptions, WireReport, read_source, to_datetime
from tests.docs.console import ROOT
from tests.spark.session import session, why_not
from tests.spark.whole_suite import counted, rows_of as match_rows

needs_spark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
STOCKS = ROOT / "examples/streams/stocks.nq"
STREAMS = ROOT / "examples/streams"
COLUMNS = ["stream", "time", "event", "graph"]


def reader(path: object, kind: type[FilesReader] = FilesReader, **options: str) -> FilesReader:
    return kind(read_options(CaseInsensitiveDict({"path": str(path), "stream": "stock", **options})))


def rows_of(reading: FilesReader) -> list[dict[str, Any]]:
    batches = (batch for part in reading.partitions() for batch in reading.read(part))
    return [row for batch in batches for row in batch.to_pylist()]


def events_in(*paths: Path) -> list[tuple[datetime, str | None]]:
    """The times and names of the events in some files."""
    found = []
    for path in paths:
        for events in read_source(str(path), "stock", WireOptions(), WireReport()):
            found += [(to_datetime(one.timestamp), one.name or None) for one in events]
    return found


def shown(rows: Iterable[dict[str, Any]]) -> list[tuple[datetime, str | None]]:
    return [(row["time"], row["event"]) for row in rows]


def test_a_file_cut_into_small_parts(tmp_path: Path) -> None:
    whole = reader(STOCKS)
    assert len(whole.partitions()) == 1
    for size in (1000, 4000, 30_000):
        small = reader(STOCKS, partitionBytes=str(size))
        found = [piece for part in small.partitions() for piece in part.pieces]
        assert len(found) > 1 and [one.start for one in found[1:]] == [one.stop for one in found[:-1]]
        assert rows_of(small) == rows_of(whole)
    assert shown(rows_of(whole)) == events_in(STOCKS)
    packed = tmp_path / "stocks.nq.gz"
    packed.write_bytes(gzip.compress(STOCKS.read_bytes()))
    assert len(reader(packed, partitionBytes="1k").partitions()) == 1
    assert rows_of(reader(packed, partitionBytes="1k")) == rows_of(whole)


def test_all_formats_folders_and_patterns(tmp_path: Path) -> None:
    files = sorted(STREAMS.glob("*.trig"))
    assert shown(rows_of(reader(STREAMS / "*.trig"))) == events_in(*files)
    (tmp_path / "a.ttl").write_text('@message .\n<urn:a> <http://www.w3.org/ns/prov#generatedAtTime> 5 ; <urn:p> "x" .')
    (tmp_path / "b.nq").write_text(
        '_:g <http://www.w3.org/ns/prov#generatedAtTime> "6"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        "<urn:a> <urn:p> <urn:b> _:g .\n"
    )
    (tmp_path / "c.jsonld").write_text('{"@id": "urn:c", "http://www.w3.org/ns/prov#generatedAtTime": 7}\n')
    (tmp_path / "d.txt").write_text("no stream")
    (tmp_path / "e.nq").write_text("")
    found = rows_of(reader(tmp_path, timeUnit="s"))
    assert [row["event"] for row in found] == ["urn:a", None, "urn:c"]
    assert found[0]["time"] == datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)
    assert {row["stream"] for row in found} == {"stock"}
    with pytest.raises(StreamError, match="no file fits"):
        reader(tmp_path / "*.none").partitions()
    with pytest.raises(StreamError, match="cannot read"):
        reader(tmp_path / "none.nq").partitions()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stream": ""}, "the option stream is missing"),
        ({"onError": "ignore"}, "onError is stop or skip, not ignore"),
        ({"timeUnit": "h"}, "timeUnit is us or ms or s, not h"),
        ({"cut": "no"}, "cut is true or false, not no"),
        ({"partitionBytes": "many"}, "partitionBytes is a number from 1 on"),
        ({"maxFilesPerTrigger": "0"}, "maxFilesPerTrigger is a number from 1 on"),
        ({"maxFilesPerTrigger": "1", "maxBytesPerTrigger": "1"}, "do not go together"),
        ({"follow": "true", "cut": "false"}, "does not go together"),
        ({"straem": "s"}, "no option straem; did you mean stream?"),
        ({"path": "s3://bucket/a.nq"}, "under the same path alone"),
        ({"path": "-"}, "does not read standard input"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        RdfStream(CaseInsensitiveDict({"path": "a.nq", "stream": "s", **options})).schema()


def test_what_cannot_be_read_is_skipped_or_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = STOCKS.read_text().splitlines()
    bad = tmp_path / "bad.nq"
    bad.write_text("\n".join([*lines[:100], "<urn:a> <urn:b> .", *lines[100:]]))
    with pytest.raises(StreamError) as caught:
        rows_of(reader(bad, partitionBytes="2k"))
    assert caught.value.line == 101
    found = rows_of(reader(bad, partitionBytes="2k", onError="SKIP"))
    assert len(found) == len(events_in(STOCKS)) - 1
    assert "1 malformed event of <stock> was skipped: mend the source; first at" in capsys.readouterr().err
    assert found == rows_of(reader(bad, onError="skip"))


def test_filters_on_stream_and_time() -> None:
    whole = rows_of(reader(STOCKS))
    middle = whole[len(whole) // 2]["time"]
    reading = reader(STOCKS, FilteringReader)
    other = ds.StringContains(("event",), "x")
    naive = ds.LessThan(("time",), middle.replace(tzinfo=None))
    given = [ds.IsNotNull(("time",)), ds.GreaterThan(("time",), middle), ds.EqualTo(("stream",), "stock"), other, naive]
    assert reading.pushFilters(given) == [other, naive]
    assert rows_of(reading) == [row for row in whole if row["time"] > middle]
    nothing = reader(STOCKS, FilteringReader)
    assert nothing.pushFilters([ds.In(("stream",), ("a", "b"))]) == []
    assert nothing.partitions() == [] and list(nothing.read(InputPartition(None))) == []


class TestWithSpark:
    pytestmark = needs_spark

    def test_read_and_match(self, tmp_path: Path) -> None:
        queries = {"v": spaseq.prepare((ROOT / "examples/stocks/v_shape.spaseq").read_text())}
        register(session())
        reading = session().read.format("rdfstream").option("STREAM", "stock").option("partitionBytes", "10k")
        df = reading.load(f"file://{STOCKS}")
        assert df.rdd.getNumPartitions() > 1
        found = match(df, queries).toArrow().to_pylist()
        tables = spaseq.run(queries, {"stock": str(STOCKS)}).tables()
        assert counted(found, queries) == counted(chain.from_iterable(map(match_rows, tables)), queries) and found

    def test_several_paths_and_filters(self) -> None:
        spark = session()
        register(spark)
        paths = sorted(str(path) for path in STREAMS.glob("traffic-*.trig"))
        df = spark.read.format("rdfstream").option("stream", "traffic").load(paths)
        assert sorted(shown(df.toArrow().to_pylist())) == sorted(events_in(*map(Path, paths)))
        assert df.where("stream = 'other'").count() == 0
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
        try:
            register(spark)
            df = spark.read.format("rdfstream").option("stream", "traffic").load(paths)
            middle = df.selectExpr("percentile_approx(time, 0.5)").first()[0]
            late = df.where(df.time > middle)
            assert "Filter " not in late._jdf.queryExecution().executedPlan().toString()
            assert late.count() == sum(time.replace(tzinfo=None) > middle for time, _ in events_in(*map(Path, paths)))
        finally:
            spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
            register(spark)

    def test_errors_on_the_driver(self) -> None:
        register(session())
        reading = session().read.format("rdfstream")
        with pytest.raises(Exception, match="the option stream is missing"):
            reading.load(str(STOCKS))
        with pytest.raises(Exception, match="no file fits this pattern"):
            reading.option("stream", "s").load("/nowhere/*.nq").count()
