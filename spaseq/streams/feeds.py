"""Pipes, and files that are followed as they grow."""

from __future__ import annotations

import os
import select
import stat
import time
from pathlib import Path

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
