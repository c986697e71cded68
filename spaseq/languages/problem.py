"""What is wrong with a query while only offsets are known, and the text that turns offsets into places."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from spaseq.errors import Location, OptionError, QueryError, QuerySyntaxError, QueryWarning
from spaseq.languages.files import text_of_file
from spaseq.languages.node import Span


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


@dataclass(frozen=True, slots=True)
class Source:
    """A query's text and where it comes from."""

    text: str
    path: str = ""

    def location(self, span: Span) -> Location:
        """Line, column and width of ``span``, cut at the end of its first line."""
        start = min(span.start, len(self.text))
        begin = self.text.rfind("\n", 0, start) + 1
        end = self.text.find("\n", start)
        line = self.text[begin : end if end >= 0 else len(self.text)].rstrip("\r")
        width = max(1, min(span.end, begin + len(line)) - start)
        return Location(self.path, self.text.count("\n", 0, start) + 1, start - begin + 1, line, width)

    def error(self, problem: Problem) -> QueryError | QuerySyntaxError:
        """The error that a user sees."""
        kind = QuerySyntaxError if problem.syntax else QueryError
        return kind(problem.message, self.location(problem.span), problem.expected, problem.hint)

    def warning(self, message: str, span: Span, hint: str = "") -> QueryWarning:
        """A warning at ``span``."""
        return QueryWarning(message, self.location(span), hint)


def source_of(text: str | os.PathLike[str], path: str) -> Source:
    """A query as a user gives it, as a text or as the path of a file, without a byte order mark.

    OptionError: it is neither, or the file cannot be read.
    """
    if isinstance(text, os.PathLike):
        path, text = path or str(text), text_of_file(text)
    if not isinstance(text, str):
        raise OptionError(f"a query is a text (str) or the path of a file (pathlib.Path), not {type(text).__name__}")
    return Source(text.removeprefix("\ufeff"), path)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean X?`` for the nearest of ``known``, else the list of them, else nothing."""
    names = list(known)
    folded = {each.casefold(): each for each in names}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    if near:
        return f"did you mean {folded[near[0]]}?"
    if not names:
        return ""
    return "known are " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
