"""A file that is read as it grows, and those that replace it, as one table."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow

from spaseq.sources.incoming import Incoming
from spaseq.sources.tables.several import FilesInTurn, Opener

_AHEAD = 1 << 18  # bytes of one read, until the first row is there


class FollowedFile(FilesInTurn):
    """What comes, and the files that follow it: each has its own header, and is read as the first one is.

    Batches without rows tell that nothing is there.  ``has_header``: of CSV.  StreamError: see ``FilesInTurn``.
    """

    def __init__(self, incoming: Incoming, open_one: Opener, has_header: bool) -> None:
        super().__init__([incoming.name], open_one)
        self._incoming = incoming
        self._has_header = has_header

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """The rows of all files."""
        with self._incoming:
            yield from super().batches()
            while self._incoming.next_file():
                for _ in until_row(self._incoming, self._has_header):
                    yield pyarrow.RecordBatch.from_pylist([], self._schema)
                yield from self._rows_of(self._like_first(self._incoming.name))


def until_row(incoming: Incoming, has_header: bool) -> Iterator[None]:
    """Read ahead until a row is there, behind a header of CSV, or the end; None whenever that has to be waited for."""
    data = b""
    while data.count(b"\n") < (2 if has_header and not data.lstrip().startswith(b"{") else 1):
        while incoming.pauses():
            yield
        more = incoming.read1(_AHEAD)
        data += more
        if not more:
            break
    incoming.put_back(data)
