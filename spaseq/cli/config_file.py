"""A file of TOML, and where in it things stand."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spaseq.errors import LocatedError, Location, OptionError

LONGEST = 1 << 20  # bytes of a file
_SECRET = re.compile(r"""(?<=://)[^/@\s]*:[^/@\s]*(?=@)|(?<=password=)[^&\s"']*|(?<=token=)[^&\s"']*""")  # in a URL
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class ConfigError(LocatedError, OptionError):
    """A file of options is wrong at the place given."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """What a file says: ``values``, by keys."""

    path: str
    text: str
    values: Mapping[str, Any]

    @staticmethod
    def read(path: str) -> ConfigFile:
        """The file at a path.  OptionError: it cannot be read; ConfigError: it is no TOML."""
        try:
            with Path(path).open("rb") as file:
                data = file.read(LONGEST + 1)
        except OSError as error:
            raise OptionError(f"--config: cannot read {path}: {error.strerror}") from None
        if len(data) > LONGEST:
            raise OptionError(f"--config: {path} has more than {LONGEST:,} bytes")
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise ConfigError("this is no UTF-8", Location(path, data.count(b"\n", 0, error.start) + 1)) from None
        return ConfigFile(path, text, _parsed(path, text))

    def key(self, *names: str) -> Location:
        """Where a key stands; what it says is left out, as it may be secret."""
        line, statement = self._statement(names)
        begin, end, sign = _key(statement)
        text = statement[:end] if sign is None else f"{statement[:end]} = …"
        return Location(self.path, line, begin + 1, text, end - begin)

    def value(self, *names: str, written: str = "") -> Location:
        """Where the value of a key begins, or a table; of several values that one which is ``written`` so."""
        number, statement = self._statement(names)
        begin, end, sign = _key(statement)
        line = statement.partition("\n")[0]
        if sign is None:
            return Location(self.path, number, begin + 1, line, end - begin)
        begin = len(line) - len(line[sign + 1 :].lstrip())
        place = statement.find(written, begin) if written and line[begin : begin + 1] in ("[", "{") else -1
        if place >= 0:
            start = statement.rfind("\n", 0, place) + 1
            line = statement[start:].partition("\n")[0]
            return Location(self.path, number + statement.count("\n", 0, place), place - start + 1, line, len(written))
        return Location(self.path, number, begin + 1, line, _width(line[begin:]))

    def _statement(self, names: tuple[str, ...]) -> tuple[int, str]:
        """The line and the text of the statement of a key, or of the one that has it in its value."""
        found = (0, "")
        longest = 0
        for line, statement, keys in _statements(self.text):
            if keys[: len(names)] == names:
                return line, statement
            if len(keys) > longest and keys == names[: len(keys)]:
                longest, found = len(keys), (line, statement)
        return found


def _parsed(path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        lines = text.split("\n")
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (len(lines), len(lines[-1]) + 1)
        if place:
            message = message[: place.start()]
        location = Location(path, line, column, _SECRET.sub(lambda found: "*" * len(found[0]), lines[line - 1]))
        raise ConfigError(
            message[:1].lower() + message[1:], location, hint="the file is TOML: https://toml.io"
        ) from None


# ── which the library does not tell, but judges ──────────────────────────────────────────────────────────
def _says(text: str) -> dict[str, Any] | None:
    """What a text of TOML says; None: it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _statements(text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Of each statement the line in which it begins, its text, and its keys with those of its table.

    A statement is so many lines as are TOML by themselves.
    """
    table: tuple[str, ...] = ()
    begin, statement = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        statement += f"{line}\n"
        said = _says(statement)
        if said is None:
            continue
        if said:
            keys = _keys(said)
            is_table = statement.lstrip().startswith("[")
            table = keys if is_table else table
            yield begin, statement, keys if is_table else table + keys
        begin, statement = number + 1, ""


def _keys(said: Any) -> tuple[str, ...]:
    """The keys of the one thing that is said."""
    if isinstance(said, dict) and len(said) == 1:
        ((key, inner),) = said.items()
        return (key, *_keys(inner))
    return ()


def _key(statement: str) -> tuple[int, int, int | None]:
    """Where the key of a statement begins and ends, and where its ``=`` is; None: it is that of a table, all of it."""
    begin = len(statement) - len(statement.lstrip(" \t"))
    if statement[begin] == "[":
        ends = (found.end() for found in re.finditer("]", statement))
        return begin, next(end for end in ends if _says(statement[:end]) is not None), None
    signs = (found.start() for found in re.finditer("=", statement))
    sign = next(sign for sign in signs if _says(statement[:sign] + "= 0") is not None)
    return begin, len(statement[:sign].rstrip()), sign


def _width(text: str) -> int:
    """How many characters of a line are a value that begins it; one of several lines has all of them."""
    for end in range(1, len(text)):
        if text[end:].lstrip()[:1] in ("", "#") and _says(f"x = {text[:end]}") is not None:
            return end
    return len(text)
