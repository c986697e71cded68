"""A folder of files in Parquet: results between two checkpoints are in a file whose name has the number.

Without checkpoints a file has so many rows.  Files are whole, or not there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sinks.sink import Outgoing, Sink
from spaseq.whole_file import remove_leftovers, write_whole

_PART = re.compile(r"part-(\d{10})-([0-9a-f]{8})\.parquet")


class PartFolder(Sink):
    """Writes each result, which is a whole file, as one."""

    formats: ClassVar[tuple[str, ...]] = ("parquet",)
    has_headers: ClassVar[bool] = False
    counts_transactions: ClassVar[bool] = True

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._folder = Path(url)
        self._run = ""
        self._number = 0
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(f"--output {url}: {error.strerror}") from None

    def last(self, run: str) -> int | None:
        """See ``Sink``."""
        self._run = run[:8]
        found = [_PART.fullmatch(path.name) for path in self._folder.iterdir()]
        numbers = [int(one[1]) for one in found if one is not None and one[2] == self._run]
        return max(numbers, default=None)

    def commit(self, number: int, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        (part,) = results
        path = self._folder / f"part-{number:010}-{self._run}.parquet"
        remove_leftovers(path)
        try:
            write_whole(path, [part.data])
        except OSError as error:
            raise StreamError(f"cannot write: {error.strerror}", Location(str(path))) from None

    def send(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``: of a run without checkpoints, whose parts have numbers as well."""
        for one in results:
            self._run = one.id[:8]
            self._number += 1
            self.commit(self._number, [one])

    def flush(self) -> None:
        """See ``Sink``: what was given is there."""
