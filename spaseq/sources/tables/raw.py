"""The bytes of a table: of a file, of standard input, of a stream that somebody else opened, or as they come."""

from __future__ import annotations

import io
import mmap
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.files import unpacked
from spaseq.sources.incoming import GZIP, ZSTD, Incoming
from spaseq.sources.tables.source import cannot_read

BLOCK = 1 << 20  # bytes that are read at a time
MOST = 1 << 24  # bytes of a row: it is held in memory whole
BOM = b"\xef\xbb\xbf"
_SNIFFED = 1 << 16  # bytes at the beginning that tell what they are
_PAUSE = 0.05  # seconds without a byte after which types are inferred from the rows that are there
_THREADS = 2 * (128 + 8) << 20  # bytes of addresses that two threads ask for at first: arenas of malloc, and stacks


class TableBytes:
    """The bytes of a table, to be read once; files are unpacked: gzip, zstd and whatever Arrow knows by its ending.

    ``path`` is that of a file that can be read again, or empty; ``url`` is what a file, a pipe or another source is
    called; ``name`` is for errors.  StreamError: there is no such file.  OptionError: a stream is one of text.
    """

    def __init__(self, data: Any, tells_pauses: bool = False) -> None:
        is_path = isinstance(data, str | Path)
        self.path = str(data) if is_path and str(data) != "-" else ""
        self.name = data.name if isinstance(data, Incoming) else self.path or "<stream>"
        self.url = data.source.url if isinstance(data, Incoming) else self.path
        self.is_live = isinstance(data, Incoming)
        self.has_lines = bool(self.path) or (isinstance(data, Incoming) and data.source.goes_on)  # as a file
        self._tells_pauses = tells_pauses and self.is_live
        self._file = _open(data)
        self._next = b""  # was looked at, and is read next

    def beginning(self) -> bytes:
        """Its first bytes, which are read all the same; StreamError: they are packed."""
        if self.is_live:
            found = bytes(self._file.peek())
        else:
            found = self._next = self._next or self.read(_SNIFFED)
        self._check_unpacked(found)
        return found.removeprefix(BOM)

    def first_block(self, has_row: Callable[[bytes], bool]) -> tuple[bytes, bool]:
        """About a megabyte from the beginning, and whether that is all.

        Of a source that comes row by row: what comes up to a pause behind the first row; ``has_row`` says whether it is
        whole.
        """
        begin = b""
        while len(begin) < BLOCK and (data := self.read(BLOCK - len(begin))):
            begin += data
            if self.is_live and has_row(begin) and self._file.rests_for(_PAUSE):
                return begin, False
        return begin, len(begin) < BLOCK

    def pauses(self) -> bool:
        """Whether nothing is there, if somebody wants to know: as of ``Incoming``."""
        return self._tells_pauses and bool(self._file.pauses())

    def read(self, size: int | None = None) -> bytes:
        """The next bytes; none at the end.  They are read in this thread, and no other one ever sees the file."""
        size = BLOCK if size is None else size
        if self._next:
            data, self._next = self._next[:size], self._next[size:]
            return data
        try:
            return self._file.read1(size) if self.is_live else bytes(memoryview(self._file.read(size)))
        except TypeError:
            raise OptionError("tables are read from a binary stream, whose read(size) gives bytes") from None
        except MemoryError:  # of Arrow, too
            raise
        except (OSError, ValueError, EOFError, zlib.error, pyarrow.ArrowException) as error:
            raise cannot_read(self.name, error) from None

    def again(self) -> Any:
        """The file from its beginning, as a context; it has a ``path``."""
        return _open(self.path)

    def close(self) -> None:
        """Read no further; what somebody else opened stays open."""
        if self.path:
            self._file.close()

    def _check_unpacked(self, beginning: bytes) -> None:
        for mark, name, ending in ((GZIP, "gzip", ".gz"), (ZSTD, "zstd", ".zst")):
            if beginning.startswith(mark):
                hint = f"unpack it on the way ({name} -dc), or give the path of the file"
                hint = f"its name should end in {ending}" if self.path else hint
                raise StreamError(f"the table is packed by {name}", Location(self.name), hint=hint)


def _open(data: Any) -> Any:
    if hasattr(data, "read") or hasattr(data, "read1"):
        if isinstance(data, io.TextIOBase):
            raise OptionError("tables are read from a binary stream: open the file with mode rb, or give its path")
        return data
    try:
        return _standard_input() if str(data) == "-" else pyarrow.input_stream(str(data))
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise cannot_read(str(data), error) from None


def _standard_input() -> Any:
    """A file that the shell opened, unpacked."""
    return unpacked(io.BufferedReader(io.FileIO(0, closefd=False), _SNIFFED))


# ── for Arrow's threads ──────────────────────────────────────────────────────────────────────────────────
def ensure_room(size: int) -> None:
    """MemoryError unless ``size`` bytes more than threads need could be had now.

    Arrow reads text in a thread of its own, and without memory (``ulimit -v``) that thread waits for ever, or ends the
    process.  So nobody calls it then.
    """
    try:
        mmap.mmap(-1, _THREADS + size).close()
    except (OSError, ValueError, OverflowError):
        raise MemoryError from None


def copied(data: bytes) -> pyarrow.Buffer:
    """The bytes in memory of Arrow's, which is freed without Python."""
    buffer = pyarrow.allocate_buffer(len(data))
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8)
    return buffer
