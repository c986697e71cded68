"""CSV for queries in CEQL: from memory, from a file, from a pipe, and in small blocks."""

from __future__ import annotations

import fcntl
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from tests.fuzz.door import ROOT, Door, same
from tests.fuzz.doors.tables import WORDS, found_in, kinds, word

PIPE = 1 << 18  # bytes that a pipe holds
SMALL = 300  # bytes of a block


def enter(data: bytes) -> str:
    """Read the rows in all ways."""
    found = found_in(lambda: io.BytesIO(data))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(data)
        same(kinds(found), kinds(found_in(lambda: path)), "in memory and in a file")
    with patch("spaseq.sources.tables.raw.BLOCK", SMALL):
        found_in(lambda: io.BytesIO(data))
    if len(data) < PIPE // 2 and not data.startswith(b"\x1f\x8b"):
        with pipes(data) as paths:
            same(kinds(found), kinds(found_in(lambda: next(paths))), "in memory and through a pipe")
    return word(found)


@contextmanager
def pipes(data: bytes) -> Iterator[Iterator[str]]:
    """Paths of pipes that hold ``data`` and have ended, as many as are asked for."""
    opened: list[int] = []

    def opened_paths() -> Iterator[str]:
        while True:
            reading, writing = os.pipe()
            opened.append(reading)
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE)
            os.write(writing, data)
            os.close(writing)
            yield f"/dev/fd/{reading}"

    try:
        yield opened_paths()
    finally:
        for descriptor in opened:
            os.close(descriptor)


def seeds() -> list[bytes]:
    """The example, whole and cut."""
    lines = (ROOT / "examples/tuples/trades.csv").read_bytes().splitlines(keepends=True)
    return [b"".join(lines[:count]) for count in (2, 12, 60)]


DOOR = Door("csv", enter, seeds, WORDS)
