"""The text of a query, from a file too, and what is wrong with it: while only offsets are known, and in its place."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from spaseq.errors import Location, OptionError, QueryError, QuerySyntaxError, QueryWarning
from spaseq.languages.node import Span

MOST_CHARACTERS = 1 << 20  # of a query
MOST_BYTES = 4 * MOST_CHARACTERS  # of UTF-8: what is longer is not read


def text_of_file(path: str | os.PathLike[str]) -> str:
    """The text of a query file; OptionError if it cannot be read, or is no text."""
    try:
        with Path(path).open("rb") as file:
            return text_of(file.read(MOST_BYTES + 1), path)
    except IsADirectoryError:
        raise OptionError(f"{path} is a directory, not a file") from None
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror}") from None


def text_of(data: bytes, path: str | os.PathLike[str]) -> str:
    """The text of a query that comes from ``path``; OptionError if it is none, or too long."""
    if len(data) > MOST_BYTES:
        most = f"a query at most {MOST_CHARACTERS:,} characters"
        raise OptionError(f"{path} has more than {MOST_BYTES:,} bytes, but {most}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OptionError(f"the query {path} is not UTF-8 text (byte {error.start})") from None


# ── problems, and the text that turns offsets into places ────────────────────────────────────────────────
T = TypeVar("T")


class Problem(Exception):  # noqa: N818 - never leaves the package
    """A mistake at ``span``; ``syntax`` if the text is not of the language at all."""

    def __init__(
        self, message: str, span: Span, hint: str = "", expected: tuple[str, ...] = (), syntax: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.expected = expected
        self.syntax = syntax


@dataclass(frozen=True)
class QueryText:
    """A query's text and where it comes from."""

    text: str
    path: str = ""

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def location(self, span: Span) -> Location:
        """Line, column and width of ``span``, cut at the end of its first line."""
        start = min(span.start, len(self.text))
        number = bisect_right(self._starts, start)
        begin, line = self._starts[number - 1], self._lines[number - 1].rstrip("\r")
        width = max(1, min(span.end, begin + len(line)) - start)
        return Location(self.path, number, start - begin + 1, line, width)

    def error(self, problem: Problem) -> QueryError | QuerySyntaxError:
        """The error that a user sees."""
        kind = QuerySyntaxError if problem.syntax else QueryError
        return kind(shortened(problem.message), self.location(problem.span), problem.expected, shortened(problem.hint))

    def warning(self, message: str, span: Span, hint: str = "") -> QueryWarning:
        """A warning at ``span``."""
        return QueryWarning(shortened(message), self.location(span), shortened(hint))


def shortened(message: str) -> str:
    """A message in which no word of the query takes more than a line, nor the message more than a few."""
    cut = _LONG_WORD.sub(r"\1…", message)
    return cut if len(cut) <= _LONGEST_MESSAGE else cut[:_LONGEST_MESSAGE] + "…"


_LONG_WORD = re.compile(r"(\S{100})\S{60,}")
_LONGEST_MESSAGE = 600


def made_of_file(path: os.PathLike[str], make: Callable[[str], T], parse: Callable[[os.PathLike[str]], object]) -> T:
    """What ``make`` makes of a file's text; its errors name the file, as those of ``parse`` do."""
    try:
        return make(source_of(path, "").text)
    except (QueryError, QuerySyntaxError):
        parse(path)
        raise


def source_of(text: str | os.PathLike[str], path: str) -> QueryText:
    """A query as a user gives it, as a text or as the path of a file, without a byte order mark.

    OptionError: it is neither, or the file cannot be read.
    """
    if isinstance(text, os.PathLike):
        path, text = path or str(text), text_of_file(text)
    if not isinstance(text, str):
        raise OptionError(f"a query is a text (str) or the path of a file (pathlib.Path), not {type(text).__name__}")
    return QueryText(text.removeprefix("\ufeff"), path)
