"""Matches, as formats of any results need them: columns of terms, cells for people, lines of JSON.

For formats that know variables alone, the times of matches are two more variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import XSD_DATETIME
from gpm.native.delimited import csv
from gpm.native.json import lists, solutions
from gpm.native.texts import times, woven
from gpm.rows import TextColumn
from nfa_native.terms.dictionary import Terms
from spaseq.results.formats.jsonl import JsonLinesWriter
from spaseq.results.formats.writer import BlockWriter, Layout, Shortening, TextCell, Writer
from spaseq.results.match import derived_to_dict
from spaseq.results.table import MatchTable, MergedTables
from spaseq.results.terms import Decoder, names_of, native, shorten, show, show_events, texts_of
from spaseq.streams.timestamps import iso
from spaseq.text import json_text

if TYPE_CHECKING:
    import pyarrow


def match_cells(table: MatchTable, index: int, prefixes: Mapping[str, str], shortening: Shortening) -> list[TextCell]:
    """Times, variables, and events or the event that was derived."""
    parts = shortening.parts
    cells = _times(int(table.first[index]), int(table.last[index]), shortening.elapsed)
    for _, value in table.row(index):
        cells.append(TextCell(show(value, prefixes, parts), value is not None and value.kind == "uri"))
    if table.derived is None:
        return [*cells, TextCell(show_events(table.events(index), prefixes, parts))]
    event = table.derived[index]
    return [*cells, TextCell(shorten(event.name, prefixes), True), TextCell(str(len(event.triples)))]


def _times(first: int, last: int, elapsed: bool) -> list[TextCell]:
    if elapsed:
        return [TextCell(_without_zeros(iso(first)), True), TextCell(_elapsed(last - first))]
    return [TextCell(iso(first), True), TextCell(iso(last), True)]


def _without_zeros(time: str) -> str:
    return time.rstrip("Z").rstrip("0") + "Z" if "." in time else time


def _elapsed(microseconds: int) -> str:
    """``+0.1s``: all digits that there are."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"+{seconds}.{rest:06d}".rstrip("0").rstrip(".") + "s" if rest else f"+{seconds}s"


# ── lines of JSON, made by columns ───────────────────────────────────────────────────────────────────────
def match_lines(table: MatchTable, start: str) -> bytes:
    """The lines of all matches in UTF-8: ``first``, ``last``, ``events``, ``bindings``; each begins with ``start``."""
    pieces: list[bytes | TextColumn] = [
        start.encode(), b'"first": "', times(table.first), b'", "last": "', times(table.last),
        b'", "events": ', _events(table), b', "bindings": ', _bindings(table),
    ]  # fmt: skip
    if table.derived is not None:
        pieces.append(texts_of(", " + json_text(derived_to_dict(event))[1:-1] for event in table.derived))
    return woven(len(table), [*pieces, b"}\n"])


def _events(table: MatchTable) -> TextColumn:
    names = table.atom_names
    keys = np.array([names.index(name) for name in names], np.uint16)  # atoms of one name share a list
    iris = names_of(table.event_name, table.pick_events)
    return lists(table.pick_offsets, keys[table.pick_atoms], _keys(names), iris)


def _bindings(table: MatchTable) -> TextColumn:
    terms, words = native(table.terms, table.words)
    return solutions(terms, words, _keys(table.columns), Decoder(terms).json)


def _keys(names: Sequence[str]) -> list[bytes]:
    return [json_text(name).encode() for name in names]


# ── times as two more variables ──────────────────────────────────────────────────────────────────────────
_TIMES = ("first", "last")


class TimedWriter:
    """Gives another writer matches whose first two variables are their times."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        terms, words = native(table.terms, table.words)
        times = [_words(terms, getattr(table, name)) for name in _TIMES]
        words = np.column_stack([*times, words])
        self._writer.write(replace(table, columns=_timed(table.columns), words=words, terms=terms))

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()


def timed_layout(layout: Layout) -> Layout:
    """The layout with two more columns, called ``first`` and ``last``, with an underscore if these are taken."""
    return replace(layout, columns=_timed(layout.columns))


def _timed(columns: Sequence[str]) -> tuple[str, ...]:
    return (*(name + "_" if name in columns else name for name in _TIMES), *columns)


def _words(terms: Terms, times: NDArray[np.int64]) -> NDArray[np.uint64]:
    used, places = np.unique(times, return_inverse=True)
    texts = [f"T{XSD_DATETIME}\0{iso(time)}".encode() for time in used.tolist()]
    return terms.intern_many_transient(texts)[places]


# ── columns of terms ─────────────────────────────────────────────────────────────────────────────────────
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

        return match_cells(self.table, index, self.prefixes, shortening)

    def csv_lines(self) -> Iterator[bytes]:
        """All lines in one piece: plain values of the variables."""
        yield csv(*native(self.table.terms, self.table.words))

    def json_lines(self, start: str) -> Iterator[bytes]:
        """All lines in one piece."""

        yield match_lines(self.table, start)

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[TermBlock]], pyarrow.Table]:
        """The frames of ``spaseq.results.frames``."""
        return MatchFramer(types, self.table.columns)


class MatchFramer:
    """Makes frames of matches, of which the first decides on types; one without a value there is of strings."""

    def __init__(self, types: Mapping[str, str], columns: Sequence[str]) -> None:
        from spaseq.results.arrow import chosen

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
