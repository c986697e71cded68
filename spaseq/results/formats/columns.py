"""Lines of cells under each other, and how they fit a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

_TIMES = 2  # columns that come first, and are made narrower last
_LEAST = (8, 3)  # characters of a column that is made narrower: as long as others can be, and at all


class TextCell(NamedTuple):
    """A text; ``tail``: its end says more than its beginning."""

    text: str
    tail: bool = False


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The widths of columns, and the characters between two of them."""

    widths: tuple[int, ...]
    gap: int

    @staticmethod
    def wanted(lines: Iterable[Sequence[TextCell]], gap: int) -> ColumnLayout:
        """Columns that have room for all of the lines."""
        texts = ([cell.text for cell in line] for line in lines)
        return ColumnLayout(tuple(max(map(cell_len, column)) for column in zip(*texts, strict=True)), gap)

    @property
    def total(self) -> int:
        """The width of a line."""
        return sum(self.widths) + self.gap * (len(self.widths) - 1)

    def at_most(self, widest: int | None) -> ColumnLayout:
        """Columns none of which is wider than that, if there is such a bound."""
        return self if widest is None else replace(self, widths=tuple(min(widest, width) for width in self.widths))

    def narrowed(self, most: int | None) -> ColumnLayout:
        """Columns that fit into a line, where that can be: the widest are made narrower, those of times last."""
        widths = list(self.widths)
        for least in _LEAST if most is not None else ():
            for start in (_TIMES, 0):
                _narrow(widths, start, least, (most or 0) - self.gap * (len(widths) - 1))
        return replace(self, widths=tuple(widths))

    def widened(self, most: int | None) -> ColumnLayout:
        """The last column gets the rest of the line, as later rows may have more than the first ones."""
        rest = 0 if most is None else max(0, most - self.total)
        return replace(self, widths=(*self.widths[:-1], self.widths[-1] + rest))

    def line(self, cells: Sequence[TextCell], most: int | None) -> str:
        """The cells on one line; if that is wider than ``most``, those that are wider than their columns are cut."""
        whole = self._joined(cell.text for cell in cells)
        if most is None or cell_len(whole) <= most:
            return whole + "\n"
        line = self._joined(cut(cell, width) for cell, width in zip(cells, self.widths, strict=True))
        return cut(TextCell(line), most) + "\n"

    def rule(self, most: int | None) -> str:
        """A line below the head."""
        return "─" * (self.total if most is None else min(self.total, most))

    def _joined(self, texts: Iterable[str]) -> str:
        padded = (text + " " * (width - cell_len(text)) for text, width in zip(texts, self.widths, strict=True))
        return (" " * self.gap).join(padded).rstrip()


def cut(cell: TextCell, width: int) -> str:
    """The text, with ``…`` for what is too much of it."""
    if cell_len(cell.text) <= width:
        return cell.text
    if not cell.tail:
        return set_cell_size(cell.text, width - 1) + "…"
    kept = cell.text.removeprefix("…").removesuffix(">")
    while cell_len(kept) > width - 1:
        kept = kept[1:]
    return "…" + kept


def _narrow(widths: list[int], start: int, least: int, room: int) -> None:
    while sum(widths) > room and max(widths[start:], default=0) > least:
        widths[max(range(start, len(widths)), key=widths.__getitem__)] -= 1
