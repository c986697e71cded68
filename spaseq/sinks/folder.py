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
    has_transactions: ClassVar[bool] = True

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._folder = Path(url)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(f"--output {url}: {error.strerror}") from None

    def mark(self) -> str:
        """See ``Sink``: all parts are looked at."""
        return ""

    def newest(self, run: str, mark: str) -> int | None:
        """See ``Sink``."""
        found = [_PART.fullmatch(path.name) for path in self._folder.iterdir()]
        return max((int(one[1]) for one in found if one is not None and one[2] == run[:8]), default=0)

    def commit(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        (part,) = results
        path = self._folder / f"part-{part.number:010}-{part.run[:8]}.parquet"
        remove_leftovers(path)
        try:
            write_whole(path, [part.data])
        except OSError as error:
            raise StreamError(f"cannot write: {error.strerror}", Location(str(path))) from None

    def send(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        for one in results:
            self.commit([one])

    def flush(self) -> None:
        """See ``Sink``: what was given is there."""
