"""What formats of any results need to know of them, be they columns of terms or Arrow columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.formats.columns import TextCell

GAP = 3  # characters between two columns


class Shortening(NamedTuple):
    """How cells of a table are made shorter: the last ``parts`` of IRIs that are shown (0: all of them), whether the
    end of a match is the time that went by since its begin, and the characters between two columns."""

    parts: int = 0
    elapsed: bool = False
    gap: int = GAP


class ResultBlock(Protocol):
    """Some results of one query, in their order; their columns share memory with a part of them."""

    @property
    def query(self) -> str:
        """Its name."""

    @property
    def heads(self) -> Sequence[str]:
        """What stands above the columns of a table."""

    @property
    def shortenings(self) -> Sequence[Shortening]:
        """The ways to fit a terminal, from the longest on; the first is that of a file, too."""

    @property
    def widest(self) -> int | None:
        """The characters that a column of a table has at most."""

    def __len__(self) -> int:
        """How many results there are."""

    def __getitem__(self, some: slice, /) -> Self:
        """Some of them."""

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """A result as it is shown in a table."""

    def csv_lines(self) -> Iterator[bytes]:
        """Lines of CSV without their head, one or more at a time."""

    def json_lines(self, start: str) -> Iterator[bytes]:
        """Lines with a JSON object each, one or more at a time; all begin with ``start``."""

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[Self]], pyarrow.Table]:
        """What makes a frame of some blocks, of which these have the first results.

        ``types`` are those of some columns.  Later frames have the schema of the first.  OptionError: there is no such
        type or column.  StreamError: a value is none of its column's type.
        """
