"""Matches, as formats of any results need them: columns of terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpm.native.delimited import csv
from spaseq.results.formats.block import Shortening
from spaseq.results.formats.jsonl import JsonLinesWriter
from spaseq.results.formats.writer import BlockWriter
from spaseq.results.merged import MergedTables
from spaseq.results.table import MatchTable
from spaseq.results.terms import native

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.formats.columns import TextCell

_SHORTENINGS = tuple(Shortening(*one) for one in ((2, False), (2, True), (1, True), (1, True, 2), (1, True, 1)))


@dataclass(frozen=True, slots=True)
class TermBlock:
    """A table of matches, and short names for IRIs."""

    table: MatchTable
    prefixes: Mapping[str, str]

    @property
    def query(self) -> str:
        """Its name."""
        return self.table.query

    @property
    def heads(self) -> Sequence[str]:
        """Times, variables, and events or the event that was derived."""
        tail = ["events"] if self.table.derived is None else ["derived event", "triples"]
        return ["first", "last", *("?" + name for name in self.table.columns), *tail]

    @property
    def shortenings(self) -> Sequence[Shortening]:
        """IRIs without a prefix are cut to their last parts, and ``last`` becomes the time since ``first``."""
        return _SHORTENINGS

    @property
    def widest(self) -> int | None:
        """A column has any width."""
        return None

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, some: slice) -> TermBlock:
        return TermBlock(self.table[some], self.prefixes)

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """A match as it is shown in a table."""
        from spaseq.results.formats.match_cells import match_cells

        return match_cells(self.table, index, self.prefixes, shortening)

    def csv_lines(self) -> Iterator[bytes]:
        """All lines in one piece: plain values of the variables."""
        yield csv(*native(self.table.terms, self.table.words))

    def json_lines(self, start: str) -> Iterator[bytes]:
        """All lines in one piece."""
        from spaseq.results.formats.match_lines import match_lines

        yield match_lines(self.table, start)

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[TermBlock]], pyarrow.Table]:
        """The frames of ``spaseq.results.frames``."""
        return MatchFramer(types, self.table.columns)


class MatchFramer:
    """Makes frames of matches, of which the first decides on types; one without a value there is of strings."""

    def __init__(self, types: Mapping[str, str], columns: Sequence[str]) -> None:
        from spaseq.results.frame_types import chosen

        self._types = chosen(types, columns)
        self._made = 0  # rows

    def __call__(self, blocks: Sequence[TermBlock]) -> pyarrow.Table:
        """The frame of these blocks, which follow those before; StreamError: a term is none of its column's type."""
        from spaseq.results.frames import fitted

        frame, self._types = fitted([block.table for block in blocks], self._types, self._made)
        self._made += frame.num_rows
        return frame


class TermWriter:
    """Writes matches in a format of any results."""

    def __init__(self, writer: BlockWriter, prefixes: Mapping[str, str]) -> None:
        self._writer = writer
        self._prefixes = prefixes

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        self._writer.write(TermBlock(table, self._prefixes))

    def write_merged(self, some: MergedTables) -> None:
        """Append results of several queries in their order."""
        if isinstance(self._writer, JsonLinesWriter) and len(some.tables) > 1:
            self._writer.write_merged([TermBlock(table, self._prefixes) for table in some.tables], some.turns)
        else:
            for table in some.runs():
                self.write(table)

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()
