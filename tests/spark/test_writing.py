"""Each batch of results is in its folder once, whatever fails between writing and committing."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import StructType

import spaseq
from gpm.algebra import XSD_DECIMAL
from spaseq.errors import OptionError, StreamError
from spaseq.results.formats import Layout, open_writer
from spaseq.results.table import MatchTable
from spaseq.results.terms import Value
from spaseq.spark import RdfStream, match, register
from spaseq.spark.packing import RESULT
from spaseq.spark.results import result_rows
from spaseq.spark.sources.writing import FilesStreamWriter, FilesWriter, PartMessage, Written
from tests.docs.console import ROOT
from tests.spark.session import session, why_not
from tests.spark.test_reading import STOCKS, events_in

AS_RESULTS = [
    "'v' AS query", "time AS first", "time AS last", "map('A', array(event)) AS events",
    "map('a', '<urn:a>') AS bindings",
    "CAST(NULL AS struct<stream: string, time: timestamp, event: string, graph: string>) AS derived",
]  # fmt: skip
QUERY = (ROOT / "examples/stocks/v_shape.spaseq").read_text()


@pytest.fixture(scope="module")
def results() -> pyarrow.RecordBatch:
    return rows_of(tables())


@cache
def tables(example: str = "v_shape") -> list[MatchTable]:
    query = spaseq.prepare((ROOT / f"examples/stocks/{example}.spaseq").read_text())
    return list(spaseq.run({"v": query}, {"stock": str(STOCKS)}).tables())


def rows_of(found: Iterable[MatchTable]) -> pyarrow.RecordBatch:
    whole = pyarrow.Table.from_batches([result_rows(table, {}) for table in found])
    return whole.combine_chunks().to_batches()[0]


def wanted(format: str = "jsonl", several: bool = False, found: Iterable[MatchTable] | None = None) -> list[str]:
    """The lines of ``spaseq run``."""
    output = io.StringIO()
    writer = open_writer(format, output, Layout(several=several))
    for table in tables() if found is None else found:
        writer.write(table)
    writer.close()
    return output.getvalue().splitlines(keepends=True)


def source(path: Path, **options: str) -> RdfStream:
    return RdfStream(CaseInsensitiveDict({"path": str(path), **options}))


def schema() -> StructType:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(RESULT)


def stream_writer(path: Path, **options: str) -> FilesStreamWriter:
    found = source(path, **options).streamWriter(schema(), overwrite=False)
    assert isinstance(found, FilesStreamWriter)
    return found


def visible(path: Path) -> list[str]:
    """What readers of the folder see."""
    return sorted(str(file.relative_to(path)) for file in path.rglob("*") if file.is_file() and "/_" not in f"/{file}")


def lines_in(path: Path) -> list[str]:
    files = sorted(file for file in path.rglob("part-*") if "_temporary" not in str(file))
    return [line for file in files for line in file.read_text().splitlines(keepends=True)]


def test_batches_are_written_once(tmp_path: Path, results: pyarrow.RecordBatch) -> None:
    """Whatever ends an attempt: nobody sees half of a batch, and each batch comes once."""
    for seed in range(8):
        chance, home = random.Random(seed), tmp_path / str(seed)
        batches = [results[start : start + 4] for start in range(0, 20, 4)]
        for number, rows in enumerate(batches):
            done = False
            while not done or chance.random() < 0.3:  # a batch that was committed may be done again
                before = lines_in(home)
                writer = stream_writer(home)
                messages = [writer.write(iter([rows[:2]])), writer.write(iter([])), writer.write(iter([rows[2:]]))]
                assert lines_in(home) == before
                if chance.random() < 0.3:
                    continue  # killed
                if chance.random() < 0.3:
                    stream_writer(home).abort([messages[0], None, messages[2]], number)
                    continue
                stream_writer(home).commit(messages, number)
                done = True
        assert lines_in(home) == wanted(several=True)[:20]
        assert visible(home)[:2] == ["batch=0/part-00000.jsonl", "batch=0/part-00001.jsonl"]
        writer.commit([writer.write(iter([]))], len(batches))
        assert not (home / "_temporary").exists()  # what was killed has left nothing


def test_a_commit_that_fails_between(
    tmp_path: Path, results: pyarrow.RecordBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends before or behind the one step that makes the batch visible."""
    writer, steps = stream_writer(tmp_path), 0

    def failing(path: Path, target: Path) -> Path:
        if steps and target.name.startswith("batch="):
            raise OSError("the machine stopped")
        return rename(path, target)

    rename = Path.rename
    monkeypatch.setattr(Path, "rename", failing)
    steps = 1
    with pytest.raises(OSError, match="stopped"):
        writer.commit([writer.write(iter([results[:3]]))], 0)
    assert lines_in(tmp_path) == []
    steps = 0
    for _ in range(2):
        writer.commit([writer.write(iter([results[:3]]))], 0)
        assert len(lines_in(tmp_path)) == 3
    writer.commit([writer.write(iter([]))], 1)
    assert visible(tmp_path) == ["batch=0/part-00000.jsonl"]


def test_a_task_that_fails_leaves_nothing(tmp_path: Path, results: pyarrow.RecordBatch) -> None:
    def rows() -> Iterator[pyarrow.RecordBatch]:
        yield results
        raise ValueError("no more")

    writer = stream_writer(tmp_path)
    with pytest.raises(ValueError, match="no more"):
        writer.write(rows())
    without = results.set_column(0, "query", pyarrow.nulls(len(results), pyarrow.string()))
    with pytest.raises(StreamError, match="a row has no query"):
        writer.write(iter([without]))
    assert list((tmp_path / "_temporary").rglob("*.jsonl")) == []


@pytest.mark.parametrize("format", ["nquads", "trig"])
def test_derived_events(tmp_path: Path, format: str) -> None:
    found = tables("drops")
    writer = stream_writer(tmp_path, format=format)
    writer.commit([writer.write(iter([rows_of(found)]))], 0)
    assert lines_in(tmp_path) == wanted(format, found=found) != []


TEXTS = ["urn:a", "http://ex.org/é?a=b#c", 'he said "hi"', "a\\b\n\t\r\x07\x7f", "", "ends with \\", "😀", "<a>", "@en"]
KINDS = [(None, None), (XSD_DECIMAL, None), ("urn:type", None), (None, "en"), (None, "en-GB--ltr")]


def test_terms_that_need_escapes(tmp_path: Path) -> None:
    query = "SELECT ?o FROM STREAM <urn:s> WHERE { SEQ(A) DEFINE GPM A ON <urn:s> { <urn:a> <urn:p> ?o } }"
    terms = [Value("literal", text, *kind).to_ntriples() for text in TEXTS for kind in KINDS]
    terms += ["<urn:a>", "<http://ex.org/é#😀>", "_:b", '<<( <urn:a> <urn:p> "a\\"b"@en )>>']
    graph = "".join(f"<urn:a> <urn:p> {term} .\n" for term in terms)
    engine = spaseq.Engine()
    engine.register(query, 'na"me\n')
    rows = pyarrow.Table.from_pylist([{"stream": "urn:s", "time": 0, "event": "urn:e", "graph": graph}])
    found = [table for table in (*engine.push_arrow(rows), *engine.close_tables()) if len(table)]
    writer = stream_writer(tmp_path)
    writer.commit([writer.write(iter([rows_of(found)]))], 0)
    assert lines_in(tmp_path) == wanted(several=True, found=found) and len(lines_in(tmp_path)) == len(terms)


def test_bounded_jobs_add_or_replace(tmp_path: Path, results: pyarrow.RecordBatch) -> None:
    def save(rows: pyarrow.RecordBatch, overwrite: bool) -> None:
        writer = source(tmp_path, several="false").writer(schema(), overwrite)
        assert isinstance(writer, FilesWriter)
        writer.commit([writer.write(iter([rows])), writer.write(iter([]))])

    other = tmp_path / "notes.jsonl"
    save(results[:3], overwrite=False)
    other.write_text("kept")
    save(results[3:5], overwrite=False)
    assert sorted(lines_in(tmp_path)) == sorted(wanted()[:5])
    save(results[7:9], overwrite=True)
    assert lines_in(tmp_path) == wanted()[7:9]
    assert other.read_text() == "kept" and (tmp_path / "_SUCCESS").exists() and not (tmp_path / "_temporary").exists()
    failed = source(tmp_path).writer(schema(), overwrite=True)
    failed.abort([failed.write(iter([results])), None])
    assert len(lines_in(tmp_path)) == 2 and not (tmp_path / "_temporary").exists()


def test_folders_of_others_are_refused(tmp_path: Path, results: pyarrow.RecordBatch) -> None:
    writer = stream_writer(tmp_path, several="false")

    def of(run: str) -> PartMessage:
        message = writer.write(iter([results[:1]]))
        assert isinstance(message, PartMessage)
        part = message.part
        return PartMessage(Written(part.path, part.size, run, part.queries))

    writer.commit([of("one")], 0)
    with pytest.raises(StreamError, match="the folder has batches of another streaming query"):
        writer.commit([of("another")], 0)
    renamed = results[:1].set_column(0, "query", pyarrow.array(["w"]))
    message: Any = writer.write(iter([renamed]))
    with pytest.raises(OptionError, match='results of "v" and "w" come together'):
        writer.commit([PartMessage(Written(message.part.path, message.part.size, "one", message.part.queries))], 1)
    assert len(lines_in(tmp_path)) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [({"format": "xml"}, "format is jsonl or nquads or trig, not xml"), ({"stream": "s"}, "no option stream")],
)
def test_wrong_options(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        source(tmp_path, **options).writer(schema(), overwrite=False)
    with pytest.raises(OptionError, match="the column query is missing"):
        source(tmp_path).streamWriter(StructType(), overwrite=False)
    with pytest.raises(OptionError, match="append"):
        source(tmp_path).streamWriter(schema(), overwrite=True)


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
class TestWithSpark:
    def test_read_match_write(self, tmp_path: Path) -> None:
        """The lines of ``spaseq run``."""
        register(session())
        queries = {"v": spaseq.prepare(QUERY)}
        reading = session().read.format("rdfstream").option("stream", "stock").option("partitionBytes", "30k")
        bounded = match(reading.load(str(STOCKS)), queries, buckets=2)
        writing = bounded.write.format("rdfstream").option("several", "false").mode("append")
        writing.save(str(tmp_path))
        assert sorted(lines_in(tmp_path)) == sorted(wanted())

    @pytest.mark.deep
    def test_batches_of_a_job_that_is_killed(self, tmp_path: Path) -> None:
        """A job ends between the commit of the sink and that of Spark, and goes on; each event is in one line."""
        register(session())
        events = STOCKS.read_text().splitlines(keepends=True)
        half = next(number for number, line in enumerate(events) if "/quote/40>" in line)
        stream = session().readStream.format("rdfstream").option("stream", "stock").option("follow", "true")
        found = stream.load(str(tmp_path / "a.nq")).selectExpr(*AS_RESULTS)
        writer = found.writeStream.format("rdfstream").option("several", "false").trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(tmp_path / "state"))
        for some in (events[:half], events[half:]):
            with (tmp_path / "a.nq").open("a") as file:
                file.writelines(some)
            writer.start(str(tmp_path / "out")).awaitTermination()
            before = visible(tmp_path / "out")
            newest = max((tmp_path / "state/commits").glob("[0-9]*"), key=lambda path: int(path.name))
            for path in (newest, newest.with_name(f".{newest.name}.crc")):
                path.unlink()
            writer.start(str(tmp_path / "out")).awaitTermination()
            assert visible(tmp_path / "out") == before
        given = session().read.json(str(tmp_path / "out"))
        assert given.count() == given.distinct().count() == len(events_in(STOCKS)) and "batch" in given.columns
        query = writer.option("checkpointLocation", str(tmp_path / "new")).start(str(tmp_path / "out"))
        with pytest.raises(Exception, match="the folder has batches of another streaming query"):
            query.awaitTermination()
