"""What cannot be read again goes by way of a disk: whatever ends a process, the next one has all of it."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from spaseq.runtime.run import RunState
from spaseq.sources.source import Source
from spaseq.sources.transports.spool import Spool, SpooledBytes, spool_name, through_spool
from spaseq.sources.transports.spool_file import SpoolFile
from spaseq.sources.transports.transport import Message, Position, Transport
from tests.transports.scripted import Scripted, event

ALL = "SELECT ?v FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"


class Fleeting(Scripted):
    """Messages that come once."""

    resumes = False


class Chunks(Source):
    """Bytes that come once."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        super().__init__("chunks://x")
        self._chunks = iter(chunks)

    def read(self) -> bytes:
        return next(self._chunks, b"")


def all_of(spool: Spool | SpooledBytes) -> Iterator[Message]:
    while (some := spool.arrivals.take()) is not None:
        yield from some


def texts(spool: Spool) -> list[str]:
    return [one.data.decode() for one in all_of(spool)]


def through(messages: Sequence[bytes | StreamError | None], path: Path, at_once: int = 3) -> Spool:
    found = through_spool(Fleeting(messages, at_once), SpoolFile(path))
    assert isinstance(found, Spool)
    return found


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────────
def test_partitions_are_named_one_by_one(tmp_path: Path) -> None:
    class Parted(Fleeting):
        def partitions(self) -> Sequence[Transport]:
            return [Fleeting([b"1"]), Fleeting([b"2"])]

    with pytest.raises(OptionError, match="scripted://x has 2 partitions, and a spool keeps one"):
        through_spool(Parted([]), SpoolFile(tmp_path / "s.spool"))


def test_a_message_is_on_the_disk_before_it_is_acknowledged(tmp_path: Path) -> None:
    class Watched(Fleeting):
        def release(self, position: Position) -> None:
            kept = [one.position for one in file.after(0)]
            super().release(position)
            assert kept == list(range(1, len(kept) + 1)) and len(kept) == int(str(position)) + 1

    file = SpoolFile(tmp_path / "s.spool")
    source = Watched([b"%d" % n for n in range(10)], at_once=3)
    spool = Spool(source, file)
    assert texts(spool) == [str(n) for n in range(10)] and source.released == [2, 5, 8, 9]
    spool.close()


def test_messages_are_as_they_came(tmp_path: Path) -> None:
    file = SpoolFile(tmp_path / "s.spool")
    given = [Message(b"\x00\xff", None, 17, b"key", (("id", b"\xfe"), ("id", b"2"))), Message(b"", "x"), Message(b"a")]
    file.add(given)
    headers = [one.headers for one in file.after(0)]
    assert file.after(0)[0] == Message(b"\x00\xff", 1, 17, b"key", (("id", b"\xfe"), ("id", b"2")))
    assert [one.position for one in file.after(1)] == [2, 3] and headers[1:] == [(), ()]
    file.close()


@settings(max_examples=25)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_whatever_ends_processes_none_is_missing_and_none_comes_twice(counts: list[int], chance: random.Random) -> None:
    """A process takes some, has a checkpoint of some of these, and is killed; in the end all were in one."""
    with tempfile.TemporaryDirectory() as folder:
        sent = 0
        counted: list[str] = []  # in a checkpoint
        position: Position = None
        for last, count in zip([False] * (len(counts) - 1) + [True], counts, strict=True):
            spool = through([b"%d" % n for n in range(sent, sent + count)], Path(folder) / "s.spool")
            sent += count
            spool.go_on(position)
            taken = list(all_of(spool))  # all of it is on the disk now
            seen = taken if last else taken[: chance.randint(0, len(taken))]
            counted += [one.data.decode() for one in seen]
            position = seen[-1].position if seen else position
            if chance.random() < 0.7:  # else it is killed before it tells the spool
                spool.release(position)
            spool.close()
        assert counted == [str(n) for n in range(sent)]


def test_an_error_comes_behind_all_messages(tmp_path: Path) -> None:
    spool = through([b"1", b"2", StreamError("the connection was lost")], tmp_path / "s.spool")
    found = []
    with pytest.raises(StreamError, match="the connection was lost"):
        for one in all_of(spool):
            found.append(one.data)
    assert found == [b"1", b"2"]
    spool.close()


def test_it_does_not_grow(tmp_path: Path) -> None:
    path = tmp_path / "s.spool"
    file = SpoolFile(path)
    for _ in range(200):
        file.add([Message(b"x" * 1000)] * 20)
        file.release(int(file.after(0)[-1].position or 0))
    file.close()
    assert path.stat().st_size < 200_000, "4 MB went through it"


def test_a_spool_that_lacks_messages_is_not_gone_on_with(tmp_path: Path) -> None:
    file = SpoolFile(tmp_path / "s.spool")
    file.add([Message(b"a"), Message(b"b"), Message(b"c")])
    file.release(2)
    file.check(2)
    file.check(3)
    for number in (1, 4):
        with pytest.raises(OptionError, match=f"behind message {number}, and the spool has 3 to 3: go on with"):
            file.check(number)
    file.release(3)
    with pytest.raises(OptionError, match="behind message 2, and the spool has nothing"):
        file.check(2)
    file.close()


def test_errors_say_what_is_wrong_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.spool"
    first = SpoolFile(path)
    with pytest.raises(OptionError, match=r"s\.spool: another process uses this spool"):
        SpoolFile(path)
    first.close()
    SpoolFile(path).close()
    (tmp_path / "text").write_text("no database, but a text that is long enough to be seen as such" * 20)
    with pytest.raises(OptionError, match="text: this is no spool, or damaged"):
        SpoolFile(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(OptionError, match="other: this is no spool, or damaged: this is another database"):
        SpoolFile(tmp_path / "other")
    with pytest.raises(OptionError, match="no spool can be here"):
        SpoolFile(tmp_path / "text" / "s.spool")


def test_what_has_no_room_on_the_disk_is_no_message(tmp_path: Path) -> None:
    path = tmp_path / "s.spool"
    file = SpoolFile(path)
    file._base.execute("PRAGMA max_page_count = 10")
    source = Fleeting([b"small", b"x" * 100_000])
    spool = Spool(source, file)
    found = []
    with pytest.raises(StreamError, match="the spool cannot be written: database or disk is full"):
        for one in all_of(spool):
            found.append(one.data)
    assert found == [b"small"] and source.released == [0]
    spool.close()


def test_names_of_files_tell_streams_apart() -> None:
    assert spool_name("https://spaseq.org/stream/stock").startswith("https-spaseq.org-stream-stock-")
    names = {spool_name(one) for one in ("a/b", "a-b", "a:b", "x" * 500, "x" * 501)}
    assert len(names) == 5 and all(len(name) < 60 and "/" not in name for name in names)


# ── bytes ────────────────────────────────────────────────────────────────────────────────────────────────
def read_all(spool: SpooledBytes) -> bytes:
    found = b""
    while data := spool.read():
        found += data
    return found


def through_bytes(chunks: Sequence[bytes], path: Path) -> bytes:
    spool = through_spool(Chunks(chunks), SpoolFile(path))
    assert isinstance(spool, SpooledBytes)
    found = read_all(spool)
    spool.close()
    return found


def test_bytes_are_read_from_their_beginning(tmp_path: Path) -> None:
    assert through_bytes([b"a\nb", b"c\n", b"d"], tmp_path / "s") == b"a\nbc\nd\n"
    assert through_bytes([b"e\n"], tmp_path / "s") == b"a\nbc\nd\ne\n", "and go on on a line of their own"
    assert through_bytes([], tmp_path / "s") == b"a\nbc\nd\ne\n"


@settings(max_examples=25)
@given(st.lists(st.binary(max_size=20), max_size=5))
def test_bytes_that_are_no_text_are_as_they_came(chunks: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = [b"\x00\x01", *filter(None, chunks)]
        assert through_bytes(given, Path(folder) / "s") == b"".join(given)


def test_a_line_that_was_not_finished_is_nobodys(tmp_path: Path) -> None:
    class Cut(Chunks):
        def read(self) -> bytes:
            return super().read() or self._break()

        def _break(self) -> bytes:
            raise OSError("killed")

    spool = through_spool(Cut([b"a\nb"]), SpoolFile(tmp_path / "s"))
    assert isinstance(spool, SpooledBytes) and spool.read() == b"a\n"
    spool.close()
    assert through_bytes([b"c\n"], tmp_path / "s") == b"a\nc\n"


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────
def values(run: Run) -> list[int]:
    return [int(one.bindings["v"].value) for one in run]


def test_a_run_goes_on_with_what_the_one_before_had_received(tmp_path: Path) -> None:
    source = through([event(f"e{n}", n, n) for n in range(6)], tmp_path / "s.spool")
    states: list[RunState] = []

    def note() -> float:
        states.append(run.state())
        return 0.0

    run = Run(ALL, {"s": source}, on_step=note)
    assert values(run) == list(range(6))
    state = states[-1]  # none of these was released
    again = through([event(f"e{n}", n, n) for n in range(6, 9)], tmp_path / "s.spool")
    assert values(Run(ALL, {"s": again}, state=state)) == [6, 7, 8]


def spaseq(folder: Path, *more: str) -> list[str]:
    (folder / "q.spaseq").write_text(ALL)
    start = [sys.executable, "-m", "spaseq", "run", "q.spaseq", "--quiet", "--output", "out.jsonl"]
    return [*start, "--checkpoint", "kept", "--checkpoint-every", "20ms", "--spool", "spool", *more]


def lines(events: Sequence[int]) -> bytes:
    return b"".join(event(f"e{n}", n, n) + b"\n" for n in events)


def test_standard_input_is_gone_on_with_after_a_kill(tmp_path: Path) -> None:
    line = spaseq(tmp_path, "--stream", "s=-")
    first = subprocess.Popen(line, cwd=tmp_path, stdin=subprocess.PIPE)
    assert first.stdin is not None
    first.stdin.write(lines(range(500)))
    first.stdin.flush()
    out = tmp_path / "out.jsonl"
    while not (out.exists() and out.read_bytes().count(b"\n") > 400):
        assert first.poll() is None
        time.sleep(0.01)
    first.kill()
    first.wait()
    first.stdin.close()
    found = subprocess.run(line, cwd=tmp_path, input=lines(range(500, 700)), check=False)
    assert found.returncode == 0
    assert sorted(out.read_bytes().splitlines()) == sorted(_expected(tmp_path, 700))


def _expected(folder: Path, count: int) -> list[bytes]:
    (folder / "all.nq").write_bytes(lines(range(count)))
    line = [sys.executable, "-m", "spaseq", "run", "q.spaseq", "--stream", "s=all.nq", "--format", "jsonl"]
    return subprocess.run(line, cwd=folder, capture_output=True, check=True).stdout.splitlines()


def test_a_checkpoint_of_standard_input_is_not_gone_on_with_where_its_spool_is_gone(tmp_path: Path) -> None:
    line = spaseq(tmp_path, "--stream", "s=-")
    assert subprocess.run(line, cwd=tmp_path, input=lines(range(9)), check=False).returncode == 0
    (tmp_path / "spool").rename(tmp_path / "elsewhere")
    found = subprocess.run(line, cwd=tmp_path, input=lines(range(9, 12)), capture_output=True, check=False)
    assert (found.returncode, b"it was written with another spool of -" in found.stderr) == (2, True)
    shutil.rmtree(tmp_path / "spool")
    (tmp_path / "elsewhere").rename(tmp_path / "spool")
    assert subprocess.run(line, cwd=tmp_path, input=lines(range(9, 12)), check=False).returncode == 0
    assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == 12


def test_a_file_as_standard_input_needs_no_pipe(tmp_path: Path) -> None:
    line = spaseq(tmp_path, "--stream", "s=-")
    for first in (0, 30):
        (tmp_path / "in.nq").write_bytes(lines(range(first, first + 30)))
        with (tmp_path / "in.nq").open() as file:
            assert subprocess.run(line, cwd=tmp_path, stdin=file, check=False).returncode == 0
    assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == 60, "the second is what comes behind the first"


def test_rows_go_by_way_of_it_too(tmp_path: Path) -> None:
    (tmp_path / "q.ceql").write_text("SELECT * FROM S WHERE T AS a ; T AS b FILTER a[v > 1] AND b[v < 2]")
    (tmp_path / "all.csv").write_text("type,v\nT,5\nT,1\nT,7\nT,0\n")
    line = [sys.executable, "-m", "spaseq", "tuples", "q.ceql", "--quiet", "--type", "type", "--output", "out.jsonl"]
    line += ["--events", "-", "--checkpoint", "kept", "--spool", "spool"]
    for part in ("type,v\nT,5\nT,1\n", "T,7\nT,0\n"):
        assert subprocess.run(line, cwd=tmp_path, input=part.encode(), check=False).returncode == 0
    whole = [*line[:-6], "--events", "all.csv"]
    whole[whole.index("out.jsonl")] = "all.jsonl"
    assert subprocess.run(whole, cwd=tmp_path, check=False).returncode == 0
    assert (tmp_path / "out.jsonl").read_text() == (tmp_path / "all.jsonl").read_text()


def test_named_pipes_are_spooled_and_files_are_not(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "q2.spaseq").write_text(
        ALL.replace("urn:s", "urn:t").replace("STREAM s", "STREAM t").replace("ON s", "ON t")
    )
    (tmp_path / "t.nq").write_bytes(lines(range(5)))
    line = spaseq(tmp_path, "q2.spaseq", "--stream", "s=pipe", "--stream", "t=t.nq")
    run = subprocess.Popen(line, cwd=tmp_path)
    (tmp_path / "pipe").write_bytes(lines(range(5)))
    assert run.wait(30) == 0
    assert [one.name for one in (tmp_path / "spool").iterdir()] == [spool_name("urn:s")]
