"""The errors that users meet.  Each knows where it happened and how to show it: position, line, caret, expectation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from importlib import import_module

from spaseq.text import shown

# A word that nobody reads to its end, and how many characters of input a message shows at most.
_LONG_WORD = re.compile(r"\S{151,}")
LONGEST_MESSAGE, QUOTED = 400, 200


def shortened(message: str) -> str:
    """A message as it is shown, without the middle of what is too long in it: an input may have words of megabytes."""
    message = _LONG_WORD.sub(lambda word: f"{word[0][:70]}…{word[0][-30:]}", shown(message))
    return message if len(message) <= LONGEST_MESSAGE else f"{message[: QUOTED - 50]}…{message[-49:]}"


class SpaseqError(Exception):
    """Base class of every error raised on purpose; its text is fit for a user, however long the input is."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class SpaseqWarning(UserWarning):
    """A run has dropped something, or a retriever has nothing, because the graph lacks what it was asked for."""

    def __init__(self, message: str = "") -> None:
        super().__init__(shown(message))


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a text.  ``line`` and ``column`` count from 1 (columns in characters); 0 means unknown."""

    path: str = ""
    line: int = 0
    column: int = 0
    text: str = ""  # the line itself, without its line end
    width: int = 1  # characters under the caret
    data: bytes = field(default=b"", compare=False, repr=False)  # what went wrong there, as it was read

    def __str__(self) -> str:
        parts = [shortened(self.path) or "<query>"] + [str(n) for n in (self.line, self.column) if n]
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class QueryWarning:
    """Something legal that is most likely not meant."""

    message: str
    location: Location = Location()
    hint: str = ""

    def render(self) -> str:
        """Several lines, as for an error, that begin with ``warning``."""
        return _render("warning", self.message, self.location, (), self.hint)


class LocatedError(SpaseqError):
    """An error at a place: ``message``, ``line``, ``column``, ``expected`` and ``hint`` are its fields."""

    def __init__(
        self, message: str, location: Location = Location(), expected: tuple[str, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message = str(self.args[0])
        self.location = location
        self.expected = expected
        self.hint = shortened(hint)

    @property
    def line(self) -> int:
        """Line of the error, from 1; 0 if unknown."""
        return self.location.line

    @property
    def column(self) -> int:
        """Column of the error, from 1; 0 if unknown."""
        return self.location.column

    def render(self) -> str:
        """``path:line:column: error: message``, the line, a caret, what was expected, a hint."""
        return _render("error", self.message, self.location, self.expected, self.hint)

    def __str__(self) -> str:
        return self.render()


class QuerySyntaxError(LocatedError):
    """The text is not a query of the language."""


class QueryError(LocatedError):
    """The text is well-formed, but the query has no meaning (unknown GPM, GRAPH ?v, SERVICE …)."""


class StreamError(LocatedError):
    """A stream, file or background graph cannot be read at the place given."""


class RowError(StreamError):
    """A row of a table that is pushed is no event; ``row`` is its number there, from 0, ``path`` what it is called."""

    def __init__(self, row: int, message: str, location: Location = Location(), hint: str = "", path: str = "") -> None:
        place = replace(location, path=path or f"<batch>, row {row}")
        super().__init__(message, place, hint=hint)
        self.row = row


class OptionError(SpaseqError):
    """A command-line option or an argument of the API makes no sense."""


class BusyError(SpaseqError):
    """An engine, a run or results are used by two threads at once, or from within one of their own calls."""


class SnapshotError(SpaseqError):
    """A snapshot is damaged, of another version, or of other queries or background knowledge."""


class OutOfMemoryError(SpaseqError, MemoryError):
    """There was no memory.  What was given before stands; what was at work may be half done and cannot go on."""


def _render(kind: str, message: str, location: Location, expected: tuple[str, ...], hint: str) -> str:
    lines = [f"{location}: {kind}: {shortened(message)}"]
    if location.text:
        lines += _excerpt(location)
    if expected:
        lines.append("expected " + _alternatives(expected))
    if hint:
        lines.append("hint: " + shortened(hint))
    return shown("\n".join(lines))


def _excerpt(location: Location, limit: int = 110) -> list[str]:
    """The line (cut around the caret when it is long) and the caret below it."""
    text, column = location.text.replace("\t", " "), max(location.column, 1)
    start = max(0, column - 1 - limit // 2) if len(text) > limit else 0
    shown = ("…" if start else "") + text[start : start + limit] + ("…" if start + limit < len(text) else "")
    if not location.column:
        return ["  " + shown]
    offset = column - 1 - start + (1 if start else 0)
    return ["  " + shown, "  " + " " * offset + "^" * max(1, min(location.width, limit - (column - 1 - start)))]


def _alternatives(expected: tuple[str, ...], most: int = 12) -> str:
    shown = list(expected[:most]) + (["…"] if len(expected) > most else [])
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1]


# ── packages that only some things need ──────────────────────────────────────────────────────────────────
_INSTALLED_BY = {
    "pyarrow": "'spaseq[arrow]'",
    "pandas": "'spaseq[pandas]' pyarrow",
    "polars": "polars pyarrow",
    "langchain_core": "'spaseq[rag]'",
    "llama_index.core": "'spaseq[rag]'",
    "neo4j_graphrag": "'spaseq[rag]'",
}


def require(*packages: str) -> None:
    """OptionError if one of the packages is not installed."""
    for package in packages:
        try:
            import_module(package)
        except ImportError as error:
            raise OptionError(f"this needs {package}; install it with: pip install {_INSTALLED_BY[package]}") from error
