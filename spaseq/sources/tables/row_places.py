"""Where the rows of a text are, and their bytes: for errors, and for who keeps what was malformed."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from spaseq.errors import Location
from spaseq.sources.tables.raw import BLOCK, BOM, MOST, TableBytes

RowsIn: TypeAlias = Callable[[bytes], Sequence[tuple[int, bytes]]]  # of each row the lines before it, and its bytes
_AT_HAND = 2  # blocks that are kept: an event of several rows may have begun in the one before


@dataclass(eq=False)
class TextBlock:
    """Whole rows: the number of the first one, from 0, with those that are left out, and the line where it begins."""

    first: int
    line: int
    data: bytes
    rows_in: RowsIn

    @cached_property
    def rows(self) -> Sequence[tuple[int, bytes]]:
        """The line of each row, and its bytes."""
        return [(self.line + lines, data) for lines, data in self.rows_in(self.data)]


class RowPlaces:
    """Finds rows in the blocks that were read last, else by reading a file again: on from the row before, if it can.

    ``end_of_rows`` says where the last whole row of some bytes ends, ``rows_in`` which rows they have.
    """

    def __init__(self, raw: TableBytes, end_of_rows: Callable[[bytes], int], rows_in: RowsIn) -> None:
        self._raw = raw
        self._end_of_rows = end_of_rows
        self._rows_in = rows_in
        self._header = b""  # before the first row
        self._left_out: list[int] = []  # for each row that was left out, the number of rows before it
        self._at_hand: deque[TextBlock] = deque(maxlen=_AT_HAND)
        self._again: Iterator[TextBlock] = iter(())
        self._last: TextBlock | None = None  # that was read again

    def begin_behind(self, header: bytes) -> None:
        """There is no row in these first bytes."""
        self._header = header

    def add(self, row: int, line: int, data: bytes) -> None:
        """Whole rows are read, the first of which would be given as this one, and begins in this line."""
        self._at_hand.append(TextBlock(row + len(self._left_out), line, data, self._rows_in))

    def leave_out(self, row: int) -> None:
        """The next row is not given: this is the number of the one behind it."""
        self._left_out.append(row)

    def place(self, row: int) -> Location:
        """Where the row ``row`` is that was given, with its bytes; in a pipe people know its number, not its line."""
        number = row + bisect_right(self._left_out, row)
        line, data = self._found_at_hand(number) or self._found_again(number) or (0, b"")
        if not (line and self._raw.has_lines):
            return Location(f"{self._raw.name}, row {number + 1}", data=data)
        return Location(self._raw.name, line, 0, data.splitlines()[0].decode("utf-8", "replace"), data=data)

    def _found_at_hand(self, number: int) -> tuple[int, bytes] | None:
        block = next((one for one in reversed(self._at_hand) if one.first <= number), None)
        return None if block is None or number >= block.first + len(block.rows) else block.rows[number - block.first]

    def _found_again(self, number: int) -> tuple[int, bytes] | None:
        if self._last is None or number < self._last.first:
            self._again = self._blocks()
            self._last = next(self._again, None)
        while self._last is not None and number >= self._last.first + len(self._last.rows):
            self._last = next(self._again, None)
        return None if self._last is None else self._last.rows[number - self._last.first]

    def _blocks(self) -> Iterator[TextBlock]:
        """All rows of the file, up to one that is too long."""
        first, line = 0, 1 + line_ends(self._header)
        for data in self._read_again() if self._raw.path else ():
            block = TextBlock(first, line, data, self._rows_in)
            yield block
            first, line = first + len(block.rows), line + line_ends(data)

    def _read_again(self) -> Iterator[bytes]:
        with self._raw.again() as file:
            rest = file.read(BLOCK).removeprefix(BOM)[len(self._header) :]
            while len(rest) <= MOST:
                stop = self._end_of_rows(rest)
                if stop:
                    yield rest[:stop]
                if not (more := file.read(BLOCK)):
                    break
                rest = rest[stop:] + more
            else:
                return
            if stop < len(rest):
                yield rest[stop:]


def line_ends(data: bytes) -> int:
    """How many lines end in some rows."""
    return data.count(b"\n") or data.count(b"\r")
