"""Parts of files of N-Quads that were cut between events, as sources of their own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO, cast

from spaseq.streams.assembler import EventAssembler
from spaseq.streams.event import Events
from spaseq.streams.nquads import read_nquads

_BLOCK = 1 << 20


class FilePart(io.RawIOBase):
    """The bytes ``start:stop`` of a file, to be read as if they were all of it."""

    def __init__(self, path: str, start: int, stop: int) -> None:
        self._file = io.FileIO(path)
        self._file.seek(start)
        self._left = stop - start

    def read1(self, size: int) -> bytes:
        """At most so many bytes; none at the end."""
        data = self._file.read(min(size, self._left)) or b""
        self._left -= len(data)
        return data

    def fileno(self) -> int:
        """That of the file: reading never waits."""
        return self._file.fileno()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def read_part(path: str, start: int, stop: int, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events in the bytes ``start:stop`` of a file of N-Quads, where events begin; errors have its lines."""

    @cache
    def lines_before() -> int:
        return lines_in(path, start)

    with FilePart(path, start, stop) as part:
        yield from read_nquads(cast(BinaryIO, part), path, assembler, lines_before)


def lines_in(path: str, stop: int) -> int:
    """How many lines end in the first bytes of a file; a line end of any kind counts."""
    with FilePart(path, 0, stop) as part:
        found, before = 0, b""
        while data := part.read1(_BLOCK):
            found += data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            found -= before == b"\r" and data.startswith(b"\n")
            before = data[-1:]
    return found
