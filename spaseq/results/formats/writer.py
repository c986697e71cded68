"""What all formats have in common: blocks of results, of columns of terms or of Arrow columns, and writers of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, Self, TextIO

from spaseq.results.table import MatchTable

if TYPE_CHECKING:
    import pyarrow


GAP = 3  # characters between two columns


class Shortening(NamedTuple):
    """How cells of a table are made shorter: the last ``parts`` of IRIs that are shown (0: all of them), whether the
    end of a match is the time that went by since its begin, and the characters between two columns."""

    parts: int = 0
    elapsed: bool = False
    gap: int = GAP


class TextCell(NamedTuple):
    """A text in a table; ``tail``: its end says more than its beginning."""

    text: str
    tail: bool = False


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


# ── writers ──────────────────────────────────────────────────────────────────────────────────────────────
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


class Messages(Protocol):
    """A binary file of lines that takes results of other forms, too."""

    on_cut: Callable[[], None]

    def put(self, result: bytes) -> None:
        """One result."""

    def may_leave(self) -> bool:
        """Whether what is held back may leave; False: it is going to, as soon as it may."""


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


class MessageOutput(Utf8Output):
    """Output of which each result leaves by itself: a line, or what ``write_message`` is given."""

    def __init__(self, file: Messages) -> None:
        super().__init__(file)  # type: ignore[arg-type]
        self._messages = file

    def write_message(self, message: bytes) -> None:
        """One result, of any form."""
        self._messages.put(message)

    def may_leave(self) -> bool:
        """See ``Messages``."""
        return self._messages.may_leave()

    def on_cut(self, cut: Callable[[], None]) -> None:
        """``cut`` writes what is held back, when all results so far have to leave."""
        self._messages.on_cut = cut


def write_encoded(output: TextIO, text: bytes) -> None:
    """Write text in UTF-8 to any output; a ``Utf8Output`` takes it as it is."""
    if isinstance(output, Utf8Output):
        output.write_encoded(text)
    else:
        output.write(text.decode())
