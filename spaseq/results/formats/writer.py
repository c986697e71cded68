"""What all formats have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TextIO

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
