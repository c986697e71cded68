"""What all formats have in common."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol, TextIO

from spaseq.results.table import MatchTable


@dataclass(frozen=True, slots=True)
class Layout:
    """What a writer must know before the first match.

    ``columns``: the selected variables, for formats with a header.  ``several``: results of several queries are mixed,
    so that each has to name its query.  ``prefixes``: short names for IRIs, for people and TriG.  ``times``: formats of
    solutions begin with the times of the match.  ``types``: types of columns by name, for Parquet.
    """

    columns: tuple[str, ...] = ()
    several: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict)
    times: bool = False
    types: Mapping[str, str] = field(default_factory=dict)


class Writer(Protocol):
    """Writes matches as they come; ``close`` ends the document but not the file."""

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""

    def close(self) -> None:
        """Write what stands at the end."""


WriterFactory = Callable[[TextIO, Layout], Writer]


class Utf8Output(io.TextIOWrapper):
    """A file of UTF-8 text, whose line ends are those of the format; it takes encoded text as well."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file, encoding="utf-8", newline="")

    def write_encoded(self, text: bytes) -> None:
        """``write`` of text in UTF-8."""
        self.flush()
        self.buffer.write(text)


def write_encoded(output: TextIO, text: bytes) -> None:
    """Write text in UTF-8 to any output; a ``Utf8Output`` takes it as it is."""
    if isinstance(output, Utf8Output):
        output.write_encoded(text)
    else:
        output.write(text.decode())
