"""Bytes of a source as a file that tells whether it would wait; gzip is taken out of them."""

from __future__ import annotations

import io
import os
import stat
import time
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO

from spaseq.errors import Location, StreamError
from spaseq.sources.source import Source

BEGINNING = 1 << 16  # bytes after which a source begins to be read even if its first line has not ended
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
UNPACKED = 1 << 16  # bytes that are taken out of gzip at once
NOT_FOLLOWED = "a file that is followed cannot be compressed"


class Incoming:
    """A binary file with ``peek`` and ``read1`` that tells whether they would wait; gzip is taken out.

    ``last`` is the monotonic time when bytes came last; ``is_idle`` says that none came for as long as makes the open
    event complete (``rest``).  Errors of the source come when all before them has been read.
    """

    _bytes: bytes  # that are there
    _head: bytes | None  # the first, as long as there is no second; None: there is
    _packed: Gunzip | None  # what takes gzip out of them, if they are
    _begun: bool  # the reader has had some
    _ended: bool
    _told: bool  # the reader knows that nothing is there
    _error: Exception | None  # that comes after the bytes

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self._tells = source.tells
        self.last = time.monotonic()
        self.is_idle = False
        self.heeds_pauses = False  # the reader asks ``pauses`` before it reads on
        self.name = name
        self._begin()

    def __enter__(self) -> Incoming:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Read no further."""
        self.source.close()

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
            self.source.wait()
        self._begun = True
        return self._bytes

    def rests_for(self, seconds: float) -> bool:
        """Whether nothing comes for so long; waits for that."""
        if not self.ready():
            self.source.wait(seconds)
        return not self.ready()

    def read1(self, size: int) -> bytes:
        """At most so many bytes, as many as are there; waits if there are none; empty at the end."""
        self._begun = True
        self._fill(size)
        while not self.ready():
            self.source.wait()
        self.is_idle = self._told = False
        if not self._bytes and self._error is not None:
            raise self._error
        data, self._bytes = self._bytes[:size], self._bytes[size:]
        return data

    def put_back(self, data: bytes) -> None:
        """These bytes were read, and are to be read again first."""
        self._bytes = data + self._bytes

    def next_file(self) -> bool:
        """Go on to the file that follows the one that has ended; False: none does."""
        if self.source.goes_on:
            self.source.next_file()
            self._begin()
        return self.source.goes_on

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
                if data and not self._tells:
                    break  # to ask for more might be to wait
        except (OSError, EOFError, zlib.error, StreamError) as error:
            self._error, self._ended = error, True
        self._bytes = b"".join(parts) if len(parts) > 1 else self._bytes

    def _next(self) -> bytes | None:
        """Some more, maybe nothing; None: that would have to be waited for, or it is the end."""
        if self._packed is not None and self._packed.has_more:
            return self._packed.take()
        return self._take(self.source.read()) if not self._ended and self.source.ready() else None

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
        if self.source.goes_on:
            raise StreamError(NOT_FOLLOWED, Location(self.name))
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
