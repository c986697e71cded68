"""Files that come into a folder, and files that grow, in microbatches: offsets, bounds, restarts, replays."""

from __future__ import annotations

import json
import os
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, ReadMaxFiles

from spaseq.errors import OptionError, StreamError
from spaseq.spark import register
from spaseq.spark.sources.growing import FilesStreamReader
from spaseq.spark.sources.options import read_options
from tests.docs.console import ROOT
from tests.spark.session import session, why_not
from tests.spark.test_reading import STOCKS, events_in, reader, rows_of, shown

Offset = dict[str, Any]
TEXT = STOCKS.read_bytes()


def stream_reader(path: object, **options: str) -> FilesStreamReader:
    return FilesStreamReader(read_options(CaseInsensitiveDict({"path": str(path), "stream": "stock", **options})))


def batch(reading: FilesStreamReader, start: Offset, end: Offset) -> list[dict[str, Any]]:
    found = (rows for part in reading.partitions(start, end) for rows in reading.read(part))
    return [row for rows in found for row in rows.to_pylist()]


class Consumer:
    """What Spark does with a source: offsets go through JSON, some batches are planned twice, readers are made anew."""

    def __init__(self, path: object, chance: random.Random, **options: str) -> None:
        self.make = lambda: stream_reader(path, **options)
        self.reading = self.make()
        self.chance = chance
        self.offsets = [self.reading.initialOffset()]
        self.rows: list[dict[str, Any]] = []

    def trigger(self, limit: ReadLimit | None = None) -> int:
        if self.chance.random() < 0.3:
            self.reading = self.make()
        return self.step(limit)

    def step(self, limit: ReadLimit | None = None) -> int:
        limit = limit or self.reading.getDefaultReadLimit()
        start = self.offsets[-1]
        end = json.loads(json.dumps(self.reading.latestOffset(start, limit)))
        if end == start:
            return 0
        self.offsets.append(end)
        rows = batch(self.reading, start, end)
        self.rows += rows
        return len(rows)

    def drain(self) -> None:
        """A last run with ``availableNow``."""
        self.reading = self.make()
        self.reading.prepareForTriggerAvailableNow()
        while self.offsets[-1] != self.reading.latestOffset(self.offsets[-1], self.reading.getDefaultReadLimit()):
            self.step()

    def replayed(self) -> list[dict[str, Any]]:
        return [row for pair in pairwise(self.offsets) for row in batch(self.make(), *pair)]


@pytest.mark.parametrize("seed", range(6))
def test_files_that_grow(tmp_path: Path, seed: int) -> None:
    """Bytes come in pieces that end anywhere; each event comes once, as soon as the next has begun."""
    chance = random.Random(seed)
    options = [{}, {"maxBytesPerTrigger": "3k"}, {"partitionBytes": "1k"}][seed % 3]
    consumer = Consumer(tmp_path, chance, follow="true", **options)
    assert consumer.trigger() == 0
    texts = {"a.nq": TEXT, "b.nq": TEXT.replace(b"quote/", b"other/")}
    written = dict.fromkeys(texts, 0)
    while any(written[name] < len(text) for name, text in texts.items()):
        name = chance.choice(list(texts))
        size = chance.choice([1, 100, 3000, 20_000])
        with (tmp_path / name).open("ab") as file:
            file.write(texts[name][written[name] :][:size])
        written[name] = min(len(texts[name]), written[name] + size)
        consumer.trigger()
    whole = rows_of(reader(tmp_path))
    while consumer.trigger():
        pass
    assert len(consumer.rows) == len(whole) - 2  # the open events
    consumer.drain()
    assert sorted(map(str, consumer.rows)) == sorted(map(str, whole))
    assert consumer.replayed() == consumer.rows
    for name in texts:  # in the order of each file
        own = [row for row in consumer.rows if (b"quote/" in row["graph"]) == (name == "a.nq")]
        assert own == rows_of(reader(tmp_path / name))


def test_new_files_of_a_folder(tmp_path: Path) -> None:
    consumer = Consumer(tmp_path, random.Random(1))
    bounded = Consumer(tmp_path, random.Random(2), maxFilesPerTrigger="1")
    lines = TEXT.splitlines(keepends=True)
    quotes = [b"".join(line for line in lines if b"/quote/%d>" % n in line) for n in range(6)]
    for number, quote in enumerate(quotes):
        path = tmp_path / f"{9 - number}.nq"
        (tmp_path / ".hidden.nq").write_bytes(quote[:100])
        (tmp_path / "part.nq.tmp").write_bytes(quote[:100])
        path.write_bytes(quote)
        os.utime(path, (number, number))
        if number % 2:
            assert consumer.trigger() == 2
    assert [bounded.trigger() for _ in range(7)] == [1, 1, 1, 1, 1, 1, 0]
    assert consumer.rows == bounded.rows == consumer.replayed()
    assert [row["event"].rpartition("/")[2] for row in consumer.rows] == list("012345")
    (tmp_path / "9.nq").unlink()
    (tmp_path / "new.nq").write_bytes(quotes[0])
    assert consumer.trigger() == 1
    assert str(tmp_path / "9.nq") not in consumer.offsets[-1]["files"]
    with pytest.raises(StreamError, match="No such file"):
        consumer.replayed()


def test_a_folder_out_of_reach_is_not_forgotten(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.nq").write_bytes(TEXT)
    consumer = Consumer(tmp_path / "in", random.Random(1))
    assert consumer.step()
    (tmp_path / "in").rename(tmp_path / "away")
    with pytest.raises(StreamError, match="cannot read"):
        consumer.step()
    (tmp_path / "in").mkdir()
    assert consumer.step() == 0
    (tmp_path / "in").rmdir()
    (tmp_path / "away").rename(tmp_path / "in")
    assert consumer.step() == 0


def test_limits() -> None:
    assert stream_reader(STOCKS, maxFilesPerTrigger="2").getDefaultReadLimit() == ReadMaxFiles(2)
    assert stream_reader(STOCKS, maxBytesPerTrigger="2k").getDefaultReadLimit() == ReadMaxBytes(2048)
    assert stream_reader(STOCKS).getDefaultReadLimit() == ReadAllAvailable()
    bounded = stream_reader(STOCKS, maxBytesPerTrigger="2k", follow="true")
    start = bounded.initialOffset()
    small = bounded.latestOffset(start, bounded.getDefaultReadLimit())["files"][str(STOCKS)]
    whole = bounded.latestOffset(start, ReadAllAvailable())["files"][str(STOCKS)]
    assert 2048 <= small < 5000 < whole < len(TEXT)


def test_what_ends_a_job(tmp_path: Path) -> None:
    path = tmp_path / "a.nq"
    path.write_bytes(TEXT)
    reading = stream_reader(path)
    read = reading.latestOffset(reading.initialOffset(), ReadAllAvailable())
    path.write_bytes(TEXT + TEXT)
    with pytest.raises(StreamError, match="have files that grow read so: follow=true"):
        reading.latestOffset(read, ReadAllAvailable())
    with pytest.raises(StreamError, match=r"and [\d,]+ of it were read"):
        reading.partitions(reading.initialOffset(), read)
    with pytest.raises(OptionError, match="the checkpoint is of a source with follow=false"):
        stream_reader(path, follow="true").latestOffset(read, ReadAllAvailable())
    following = stream_reader(path, follow="true")
    read = following.latestOffset(following.initialOffset(), ReadAllAvailable())
    path.write_bytes(TEXT[:1000])
    with pytest.raises(StreamError, match="the file has 1,000 bytes"):
        following.latestOffset(read, ReadAllAvailable())
    turtle = stream_reader(ROOT / "examples/streams/stock-runs.trig", follow="true")
    with pytest.raises(OptionError, match="only N-Quads can be followed"):
        turtle.latestOffset(turtle.initialOffset(), ReadAllAvailable())
    with pytest.raises(StreamError, match="cannot read"):
        stream_reader(tmp_path / "none.nq").latestOffset(reading.initialOffset(), ReadAllAvailable())


def test_an_event_that_goes_on_after_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.nq"
    lines = TEXT.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]) + lines[-1])
    consumer = Consumer(path, random.Random(1), follow="true")
    consumer.drain()
    assert len(consumer.rows) == len(events_in(STOCKS))
    with path.open("ab") as file:
        file.write(lines[-2])
    consumer.reading = consumer.make()
    with pytest.raises(StreamError, match="goes on after it counted as complete"):
        consumer.step()


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
class TestWithSpark:
    def test_growing_folder_and_file(self, tmp_path: Path) -> None:
        """Two runs with ``availableNow``, between which files come or grow; each event comes once."""
        register(session())
        lines = TEXT.splitlines(keepends=True)
        half = next(number for number, line in enumerate(lines) if b"/quote/40>" in line)
        for follow in ("true", "false"):
            home = tmp_path / follow
            (home / "in").mkdir(parents=True)
            for number, part in enumerate((lines[:half], lines[half:])):
                with (home / "in" / ("a.nq" if follow == "true" else f"{number}.nq")).open("ab") as file:
                    file.writelines(part)
                reading = session().readStream.format("rdfstream").option("stream", "stock").option("follow", follow)
                df = reading.option("maxBytesPerTrigger", "25k").load(str(home / "in"))
                writing = df.writeStream.format("parquet").trigger(availableNow=True).option("path", str(home / "out"))
                writing.option("checkpointLocation", str(home / "state")).start().awaitTermination()
            found = session().read.parquet(str(home / "out")).toArrow().to_pylist()
            assert sorted(shown(found)) == events_in(STOCKS)

    def test_errors_end_the_query(self, tmp_path: Path) -> None:
        register(session())
        df = session().readStream.format("rdfstream").option("stream", "stock").load(str(tmp_path / "none.nq"))
        writing = df.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "state"))
        with pytest.raises(Exception, match="cannot read"):
            writing.trigger(availableNow=True).start().awaitTermination()
