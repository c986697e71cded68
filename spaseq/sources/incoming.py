"""Bytes of sources that may fall silent: pipes, and files that are read as they grow."""

from __future__ import annotations

import io
import os
import select
import stat
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol

from spaseq.errors import Location, StreamError

AT_ONCE = 1 << 18  # bytes of one read
INTERVAL = 0.005  # seconds between two looks at a file that grows


class Pipe:
    """What the operating system can wait for: a pipe, a terminal.

    A named pipe opens without waiting for who writes into it.  With ``follow`` it does not end when nobody does.
    """

    goes_on = False

    def __init__(self, path: str, follow: bool) -> None:
        self._owned = path != "-"
        mode = os.O_RDWR if follow and self._owned and _is_fifo(path) else os.O_RDONLY
        self._file = os.open(path, mode | os.O_NONBLOCK) if self._owned else 0
        self._poll = select.poll()
        self._poll.register(self._file, select.POLLIN)

    def ready(self) -> bool:
        """Whether bytes, or the end, are there."""
        return bool(self._poll.poll(0))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until they are, at most so long."""
        self._poll.poll(None if seconds is None else seconds * 1000)

    def read(self) -> bytes:
        """What is there, when it is ready; empty at the end."""
        return os.read(self._file, AT_ONCE)

    def next_file(self) -> None:
        """There is none."""

    def descriptor(self) -> int | None:
        """The file descriptor."""
        return self._file

    def close(self) -> None:
        """Close what was opened here."""
        if self._owned:
            os.close(self._file)
            self._owned = False


class GrowingFile:
    """A file that is read as it grows.

    It ends where it is cut to less than what was read, or where another file has its name and something in it; that
    file is then the next one.  What stands in the old one is read before.
    """

    goes_on = True
    _place: int  # bytes read
    _data: bytes  # of them, those that nobody has taken
    _ended: bool

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY) if path != "-" else 0
        self._next: int | None = None  # another file with its name
        self._begin()

    def ready(self) -> bool:
        """Whether bytes, or the end, are there."""
        if not self._data and not self._ended:
            self._look_for_next()  # before the last look at the old file, which is not written any more
            self._data = os.read(self._file, AT_ONCE)
            self._place += len(self._data)
            self._ended = not self._data and (self._next is not None or os.fstat(self._file).st_size < self._place)
        return bool(self._data) or self._ended

    def wait(self, seconds: float | None = None) -> None:
        """Wait a moment."""
        time.sleep(INTERVAL)

    def read(self) -> bytes:
        """What is there, when it is ready; empty at the end."""
        data, self._data = self._data, b""
        return data

    def next_file(self) -> None:
        """Begin to read what stands under the name now."""
        if self._next is None:  # the same file was cut
            os.lseek(self._file, 0, os.SEEK_SET)
        else:
            os.close(self._file)
            self._file, self._next = self._next, None
        self._begin()

    def descriptor(self) -> int | None:
        """Nothing waits for a file to grow."""
        return None

    def close(self) -> None:
        """Close what was opened here."""
        for file in (self._file, self._next):
            if file:
                os.close(file)
        self._file, self._next = 0, None

    def _begin(self) -> None:
        self._place = os.lseek(self._file, 0, os.SEEK_CUR)  # where standard input was left
        self._data = b""
        self._ended = False

    def _look_for_next(self) -> None:
        """Open another file that has the name, if something is in it."""
        if self._next is None and self._is_another(self._path):
            file = os.open(self._path, os.O_RDONLY)
            if self._is_another(file):
                self._next = file
            else:
                os.close(file)

    def _is_another(self, path: str | int) -> bool:
        try:
            found = os.stat(path)  # noqa: PTH116  (Path has no descriptors)
        except OSError:  # nothing has the name; standard input has none
            return False
        same = os.path.samestat(found, os.fstat(self._file))
        return not same and stat.S_ISREG(found.st_mode) and found.st_size > 0


def is_regular(path: str | int) -> bool:
    """Whether a path or an open file is one on a disk; OSError: there is none."""
    return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  (Path has no descriptors)


def _is_fifo(path: str) -> bool:
    return Path(path).is_fifo()


BEGINNING = 1 << 16  # bytes after which a source begins to be read even if its first line has not ended
GZIP = b"\x1f\x8b"
UNPACKED = 1 << 16  # bytes that are taken out of gzip at once
NOT_FOLLOWED = "a file that is followed cannot be compressed"


class Feed(Protocol):
    """Where bytes come from: a pipe, or a file that grows.  ``goes_on``: after the end of one file there is another."""

    goes_on: bool

    def ready(self) -> bool:
        """Whether bytes, or the end, are there."""

    def wait(self, seconds: float | None = None) -> None:
        """Wait until they are, at most so long (or for a moment: look again)."""

    def read(self) -> bytes:
        """What is there, when it is ready; empty at the end."""

    def next_file(self) -> None:
        """Go on to the next file."""

    def descriptor(self) -> int | None:
        """What ``select.poll`` waits for; None: nothing, it has to be looked at every now and then."""

    def close(self) -> None:
        """Read no further."""


class Incoming:
    """A binary file with ``peek`` and ``read1`` that tells whether they would wait; gzip is taken out.

    ``last`` is the monotonic time when bytes came last; ``is_idle`` says that none came for as long as makes the open
    event complete (``rest``).  Errors of the feed come when all before them has been read.
    """

    _bytes: bytes  # that are there
    _head: bytes | None  # the first, as long as there is no second; None: there is
    _packed: Gunzip | None  # what takes gzip out of them, if they are
    _begun: bool  # the reader has had some
    _ended: bool
    _told: bool  # the reader knows that nothing is there
    _error: Exception | None  # that comes after the bytes

    def __init__(self, feed: Feed, name: str) -> None:
        self.feed = feed
        self.last = time.monotonic()
        self.is_idle = False
        self.heeds_pauses = False  # the reader asks ``pauses`` before it reads on
        self._name = name
        self._begin()

    def __enter__(self) -> Incoming:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Read no further."""
        self.feed.close()

    def ready(self) -> bool:
        """Whether reading on does not wait.  A source begins with a whole line, which tells its format."""
        if self._begun:
            self._fill(1)
            return bool(self._bytes) or self._ended
        self._fill(BEGINNING)
        return self._ended or b"\n" in self._bytes or len(self._bytes) >= BEGINNING

    def is_waited_for(self) -> bool:
        """Whether the reader can do nothing until more is there."""
        return (self._told or not self._begun) and not self.ready()

    def rest(self) -> None:
        """Nothing came for long: tell the reader, which is going to ask ``pauses``."""
        self.is_idle, self._told = True, False

    def pauses(self) -> bool:
        """Whether nothing is there: true once, and once more if it is idle; then ``read1`` waits."""
        self.heeds_pauses = True
        if self.ready():
            return False
        told, self._told = self._told, True
        return not told

    def peek(self, _size: int = 0) -> bytes:
        """What is there at the beginning, after waiting for it."""
        while not self.ready():
            self.feed.wait()
        self._begun = True
        return self._bytes

    def rests_for(self, seconds: float) -> bool:
        """Whether nothing comes for so long; waits for that."""
        if not self.ready():
            self.feed.wait(seconds)
        return not self.ready()

    def read1(self, size: int) -> bytes:
        """At most so many bytes, as many as are there; waits if there are none; empty at the end."""
        self._begun = True
        self._fill(size)
        while not self.ready():
            self.feed.wait()
        self.is_idle = self._told = False
        if not self._bytes and self._error is not None:
            raise self._error
        data, self._bytes = self._bytes[:size], self._bytes[size:]
        return data

    def next_file(self) -> bool:
        """Go on to the file that follows the one that has ended; False: none does."""
        if self.feed.goes_on:
            self.feed.next_file()
            self._begin()
        return self.feed.goes_on

    def _begin(self) -> None:
        self._bytes = b""
        self._begun = self._ended = self._told = False
        self._error = None
        self._head = b""
        self._packed = None

    def _fill(self, size: int) -> None:
        """Take what is there, as far as ``size`` bytes are wanted."""
        parts, count = [self._bytes], len(self._bytes)
        try:
            while count < size and (data := self._next()) is not None:
                parts.append(data)
                count += len(data)
        except (OSError, EOFError, zlib.error, StreamError) as error:
            self._error, self._ended = error, True
        self._bytes = b"".join(parts) if len(parts) > 1 else self._bytes

    def _next(self) -> bytes | None:
        """Some more, maybe nothing; None: that would have to be waited for, or it is the end."""
        if self._packed is not None and self._packed.has_more:
            return self._packed.take()
        return self._take(self.feed.read()) if not self._ended and self.feed.ready() else None

    def _take(self, data: bytes) -> bytes:
        self.last = time.monotonic()
        self._ended = not data
        if self._head is not None:
            data = self._head + data
            if len(data) == 1 and not self._ended:
                self._head = data
                return b""
            self._head, self._packed = None, self._unpacking(data)
        return data if self._packed is None else self._packed.add(data)

    def _unpacking(self, beginning: bytes) -> Gunzip | None:
        if beginning[:2] != GZIP:
            return None
        if self.feed.goes_on:
            raise StreamError(NOT_FOLLOWED, Location(self._name))
        return Gunzip()


class Gunzip:
    """Takes gzip out of bytes as they come, at most ``UNPACKED`` at once: few can stand for many."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._data = b""  # still packed
        self.has_more = False  # there may be more to take before more is added

    def add(self, data: bytes) -> bytes:
        """The next bytes, which are empty at the end; the first of what is in them.  EOFError: there it is cut off."""
        if not data and not self._member.eof:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")  # as gzip says it
        self._data = data
        return self.take()

    def take(self) -> bytes:
        """The next of what is in them."""
        data, self._data, self.has_more = self._data, b"", False
        if self._member.eof:
            data = data.lstrip(b"\0")
            if not data:
                return b""
            self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        found = self._member.decompress(data, UNPACKED)
        self._data = self._member.unused_data or self._member.unconsumed_tail
        self.has_more = bool(self._data) or len(found) == UNPACKED  # of which zlib may hold some
        return found


def chunks(source: BinaryIO, size: int, largest: int = 0) -> Iterator[bytes | None]:
    """The bytes of a source as they come, None where more has to be waited for.

    At most ``size`` at once, and then twice as many each time, up to ``largest``.
    """
    pauses = getattr(source, "pauses", None)
    may_wait = pauses is None and not _never_waits(source)
    while True:
        while pauses is not None and pauses():
            yield None
        if not (data := source.read1(size)):  # type: ignore[attr-defined]
            return
        yield data
        if may_wait:
            yield None
        size = max(size, min(2 * size, largest))


def _never_waits(source: BinaryIO) -> bool:
    """Whether a source can be read on without waiting: a file, or bytes in memory."""
    if type(source) is io.BytesIO:
        return True
    try:
        return stat.S_ISREG(os.fstat(source.fileno()).st_mode)
    except (AttributeError, OSError):  # not of the operating system
        return False


def is_idle(source: object) -> bool:
    """Whether nothing came from a source for so long that its open event counts as complete."""
    return getattr(source, "is_idle", False)
