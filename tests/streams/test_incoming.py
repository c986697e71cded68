"""Bytes as they come: whether they have to be waited for, gzip, and the same errors as of files."""

from __future__ import annotations

import fcntl
import gzip
import os
import select
import sys
import termios
import threading
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest

from spaseq.errors import StreamError
from spaseq.sources.incoming import Gunzip, Incoming, chunks
from spaseq.sources.source import GrowingFile, Pipe
from spaseq.streams import WireOptions, WireReport, read_source

HERE = Path(__file__).parent
MALFORMED = sorted(
    path for folder in ("errors", "message_errors") for path in (HERE / folder).iterdir() if path.suffix != ".json"
)


def test_nothing_is_told_before_it_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with Incoming(Pipe(str(path), follow=False), "pipe") as incoming:
        assert not incoming.ready()
        with path.open("wb", buffering=0) as pipe:
            pipe.write(b"half a li")
            assert not incoming.ready()  # a source begins with a whole line
            pipe.write(b"ne\nand more")
            assert incoming.ready()
            assert incoming.peek()[:4] == b"half"
            pieces = chunks(incoming, 15)  # type: ignore[arg-type]
            assert [next(pieces), next(pieces), next(pieces)] == [b"half a line\nand", b" more", None]
            pipe.write(b"!")
            assert next(pieces) == b"!"
            assert next(pieces) is None
            incoming.rest()
            assert incoming.ready() is False
            assert (next(pieces), incoming.is_idle) == (None, True)
            pipe.write(b"?")
            assert (next(pieces), incoming.is_idle) == (b"?", False)
        assert list(pieces) == []


def test_a_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    with Incoming(GrowingFile(str(path)), "log") as incoming:
        assert (incoming.read1(9), incoming.ready()) == (b"one\n", False)
        path.rename(tmp_path / "old")
        with (tmp_path / "old").open("ab") as old:
            old.write(b"two\n")
        path.write_bytes(b"")
        assert (incoming.read1(9), incoming.ready()) == (b"two\n", False)
        path.write_bytes(b"three\n")
        assert (incoming.read1(9), incoming.next_file(), incoming.read1(9)) == (b"", True, b"three\n")
        path.write_bytes(b"4\n")
        assert (incoming.read1(9), incoming.next_file(), incoming.read1(9)) == (b"", True, b"4\n")


def unpacked(packed: Gunzip, data: bytes) -> bytes:
    """All that is in the next bytes."""
    found = [packed.add(data)]
    while packed.has_more:
        found.append(packed.take())
    return b"".join(found)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("times", [50, 50_000])
def test_gzip_in_pieces(size: int, times: int) -> None:
    data = gzip.compress(b"one, " * times) + gzip.compress(b"two") + b"\0\0"
    packed = Gunzip()
    pieces = [unpacked(packed, data[start : start + size]) for start in range(0, len(data), size)]
    assert b"".join([*pieces, unpacked(packed, b"")]) == b"one, " * times + b"two"
    packed = Gunzip()
    unpacked(packed, data[:20])
    with pytest.raises(EOFError):
        packed.add(b"")


def test_what_is_before_damage_is_there() -> None:
    packed = Gunzip()
    assert unpacked(packed, gzip.compress(b"one") + gzip.compress(b"two")[:-8]) == b"onetwo"
    with pytest.raises(zlib.error):
        packed.add(b"12345678")
    assert not packed.has_more


def test_gzip_of_much_is_unpacked_in_parts(tmp_path: Path) -> None:
    path, size = tmp_path / "much.gz", 1 << 26
    path.write_bytes(gzip.compress(bytes(size)))
    incoming = Incoming(Pipe(str(path), False), "s")  # a file may stand for a pipe
    tracemalloc.start()
    try:
        assert sum(len(some) for some in chunks(incoming, 1 << 16) if some) == size  # type: ignore[arg-type]
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def read(path: Path, skip: bool) -> tuple[list[str], str]:
    """The names of the events, and the error, or what was skipped."""
    names, report = [], WireReport()
    try:
        for events in read_source(str(path), "urn:s", WireOptions(skip=skip), report):
            names += [event.name for event in events]
    except StreamError as error:
        return names, error.render().replace(str(path), "it")
    return names, str(report.to_dict()).replace(str(path), "it")


def wait_until_read(pipe: int) -> None:
    """Until nothing lies in the pipe: what comes next is another read of the reader, on any machine."""
    ends = select.poll()
    ends.register(pipe, 0)  # errors alone: nobody reads
    while not ends.poll(0) and int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder):
        time.sleep(0)


@pytest.mark.parametrize("file", MALFORMED, ids=lambda path: path.name)
@pytest.mark.parametrize("skip", [False, True])
def test_a_pipe_has_the_errors_of_a_file(tmp_path: Path, file: Path, skip: bool) -> None:
    path, data = tmp_path / file.name, file.read_bytes()
    os.mkfifo(path)
    size = 37 if file.parent.name == "errors" else len(data)  # whether there are messages is told at the beginning

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            try:
                for start in range(0, len(data), size):
                    pipe.write(data[start : start + size])
                    wait_until_read(pipe.fileno())
            except BrokenPipeError:
                pass  # the rest is not read

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert read(path, skip) == read(file, skip)
