"""Tables that are not all there yet: pipes beside each other, silence, files that grow."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import IO

import pytest

from spaseq.errors import StreamError
from spaseq.graphs.graph_run import Run
from spaseq.graphs.mapped import Mapped
from spaseq.results.match import Match
from spaseq.sources.rdf.wire import WireOptions
from spaseq.sources.tables.source import CsvFormat

PATIENCE = 60  # seconds that a test waits for what must come
SHORT = timedelta(milliseconds=20)
MAPPING = "EVENT <urn:{?id}> AT ?time UNIT s CONSTRUCT { <urn:{?id}> <urn:v> ?v }"
WITHOUT_EVENT = "AT ?time UNIT s CONSTRUCT { [] <urn:v> ?v }"
ONE = "SELECT ?v WITHIN 1 SECONDS SLIDING FROM STREAM a <urn:s:a> WHERE { SEQ(A) DEFINE GPM A ON a { ?s <urn:v> ?v } }"
BOTH = """SELECT ?v ?w FROM STREAM a <urn:s:a> FROM STREAM b <urn:s:b>
WHERE { SEQ(A ; B) DEFINE GPM A ON a { ?s <urn:v> ?v } DEFINE GPM B ON b { ?r <urn:v> ?w } }"""


class Reading:
    """A run in a thread of its own, and the values of its matches as they come."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.found: queue.Queue[list[str] | BaseException | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            for match in self.run:
                self.found.put(_values(match))
            self.found.put(None)
        except BaseException as error:
            self.found.put(error)

    def next(self) -> list[str] | None:
        found = self.found.get(timeout=PATIENCE)
        if isinstance(found, BaseException):
            raise found
        return found


def _values(match: Match) -> list[str]:
    return [str(value) for value in match.bindings.values()]


@pytest.fixture
def pipes(tmp_path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Two pipes, open for writing."""
    with ExitStack() as stack:
        for name in "ab":
            os.mkfifo(tmp_path / name)
        opened = [os.open(tmp_path / name, os.O_RDWR) for name in "ab"]
        yield tuple(stack.enter_context(os.fdopen(file, "wb", buffering=0)) for file in opened)  # type: ignore[misc]


def write(file: IO[bytes], text: str) -> None:
    file.write(text.encode())


def test_a_row_is_an_event_when_it_is_there(tmp_path: Path, pipes: tuple[IO[bytes], IO[bytes]]) -> None:
    run = Run(ONE, {"a": Mapped(str(tmp_path / "a"), WITHOUT_EVENT)}, idle_advance=SHORT)
    write(pipes[0], "time,v\n1,1\n")
    reading = Reading(run)
    assert reading.next() == ["1"]
    write(pipes[0], "2,2\n3,")
    assert reading.next() == ["2"]
    write(pipes[0], "3\n")
    assert reading.next() == ["3"]
    run.stop()


def test_pipes_are_read_side_by_side(tmp_path: Path, pipes: tuple[IO[bytes], IO[bytes]]) -> None:
    streams = {name: Mapped(str(tmp_path / name), WITHOUT_EVENT) for name in "ab"}
    reading = Reading(Run(BOTH, streams, idle_advance=SHORT))
    write(pipes[1], "time,v\n")  # a header alone holds nothing back
    write(pipes[0], "time,v\n1,1\n2,2\n")
    write(pipes[1], "3,3\n")
    assert sorted([reading.next(), reading.next()]) == [["1", "3"], ["2", "3"]]
    reading.run.stop()


def test_an_event_is_complete_when_nothing_came_for_long(tmp_path: Path, pipes: tuple[IO[bytes], IO[bytes]]) -> None:
    run = Run(ONE, {"a": Mapped(str(tmp_path / "a"), MAPPING)}, idle_advance=SHORT, options=WireOptions(skip=True))
    reading = Reading(run)
    write(pipes[0], "id,time,v\n1,1,1\n1,1,2\n")
    assert [reading.next(), reading.next()] == [["1"], ["2"]]
    write(pipes[0], "1,1,3\n2,2,4\n")
    assert reading.next() == ["4"]
    (loss,) = run.losses()
    assert "urn:1 goes on after it counted as complete" in loss.line()
    run.warns = False
    run.stop()


@pytest.mark.parametrize("names", [None, ("id", "time", "v")])
def test_a_file_is_read_as_it_grows_and_what_replaces_it(tmp_path: Path, names: tuple[str, ...] | None) -> None:
    file, other = tmp_path / "a.csv", tmp_path / "b.csv"
    header = "id,time,v\n" if names is None else ""
    file.write_text(f"{header}1,1,1\n")
    mapped = Mapped(file, MAPPING, csv=CsvFormat(names=names))
    reading = Reading(Run(ONE, {"a": mapped}, idle_advance=SHORT, follow=True))
    assert reading.next() == ["1"]
    with file.open("a") as more:
        more.write("2,2,2\n")
    assert reading.next() == ["2"]
    other.write_text(f"{header}3,3,3\n")
    other.rename(file)
    assert reading.next() == ["3"]
    reading.run.stop()


def test_only_text_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").touch()
    with pytest.raises(StreamError, match=r"a\.parquet cannot be followed as it grows: it is no text"):
        Run(ONE, {"a": Mapped(tmp_path / "a.parquet", MAPPING)}, follow=True)


def test_files_of_a_folder_are_merged_by_time(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,time,v\n1,1,1\n3,3,3\n")
    (tmp_path / "b.csv").write_text("v,id,time\n2,2,2\n4,4,4\n")
    (tmp_path / "notes.txt").write_text("no table")
    for path in (tmp_path, str(tmp_path / "*.csv")):
        assert [_values(match) for match in Run(ONE, {"a": Mapped(path, MAPPING)})] == [["1"], ["2"], ["3"], ["4"]]


def test_what_is_cast_is_of_that_type_in_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("time,price\n1,12.10\n2,1e2\n3,0.1234567890123456789\n")
    mapping = f"""PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
        {WITHOUT_EVENT} WHERE {{ BIND(xsd:decimal(?price) AS ?v) }}"""
    run = Run(ONE, {"a": Mapped(tmp_path / "a.csv", mapping)})
    with pytest.raises(StreamError, match="column price is declared decimal") as caught:
        list(run)
    assert caught.value.location.line == 4
