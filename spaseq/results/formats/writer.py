"""What all formats have in common."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol, TextIO

from spaseq.results.formats.block import ResultBlock
from spaseq.results.table import MatchTable

FIRST_ROWS = 1000  # of a table, which say how wide its columns are


@dataclass(frozen=True, slots=True)
class Layout:
    """What a writer must know before the first match.

    ``columns``: the selected variables, for formats with a header.  ``several``: results of several queries are mixed,
    so that each has to name its query.  ``prefixes``: short names for IRIs, for people and TriG.  ``times``: formats of
    solutions begin with the times of the match.  ``types``: types of columns by name, for Parquet.  ``first_rows``: how
    many results say how wide the columns of a table are; whether they are ``awaited``, or those that come first in one
    piece are enough.  ``bold``: heads of tables are, on a terminal.
    """

    columns: tuple[str, ...] = ()
    several: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict)
    times: bool = False
    types: Mapping[str, str] = field(default_factory=dict)
    first_rows: int = FIRST_ROWS
    awaited: bool = False
    bold: bool = True


class Writer(Protocol):
    """Writes matches as they come; ``close`` ends the document but not the file."""

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""

    def close(self) -> None:
        """Write what stands at the end."""


class BlockWriter(Protocol):
    """The same of any results."""

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""

    def close(self) -> None:
        """Write what stands at the end."""


class Utf8Output(io.TextIOWrapper):
    """A file of UTF-8 text, whose line ends are those of the format; it takes encoded text as well."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, encoding="utf-8", newline="")

    def write(self, text: str) -> int:
        """Append text, which does not wait here, so that encoded text may follow at once."""
        self.buffer.write(text.encode())
        return len(text)

    def write_encoded(self, text: bytes) -> None:
        """``write`` of text in UTF-8."""
        self.buffer.write(text)


def write_encoded(output: TextIO, text: bytes) -> None:
    """Write text in UTF-8 to any output; a ``Utf8Output`` takes it as it is."""
    if isinstance(output, Utf8Output):
        output.write_encoded(text)
    else:
        output.write(text.decode())
