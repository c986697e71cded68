"""A line of JSON as a dictionary, in which numbers stay as they are written; and which lines Arrow may read as well."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from gpm.nested_json import DEEPEST, is_deep

BLANK = b" \t\r"  # what may stand around an object in its line
AS_LINES = (
    "pandas.read_json('{}', convert_dates=False).to_json('events.jsonl', orient='records', lines=True)"  # of an array
)
_UNUSUAL = re.compile(rb"-NaN|Inf(?!inity)")  # numbers to Arrow, and to nobody else
_MARKS = ((b"N", b"-NaN"), (b"I", b"Inf"))  # found sooner, the first of each the soonest
_OPENING, _CLOSING, _BRACKET, _LINE_END = b"{}[\n"


class WrittenNumber(str):
    """A number as it is written, maybe NaN or Infinity, which are no JSON and often there."""

    __slots__ = ()


class Twice:
    """The value of a member that is there twice, so that nobody knows which one counts."""


TWICE = Twice()


class LineError(Exception):
    """A line has no row; ``column``, from 1, is that of the character where it goes wrong; 0: nobody knows."""

    def __init__(self, message: str, column: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.hint = hint


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        for name, _ in pairs:
            if name in seen:
                found[name] = TWICE
            seen.add(name)
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=WrittenNumber, parse_int=WrittenNumber, parse_constant=WrittenNumber
)


def decoded(line: bytes) -> dict[str, Any]:
    """The members of a line's object; bytes that are no UTF-8 are lone surrogates.  LineError: it has no object."""
    if line.strip(BLANK) in (b"{", b"["):
        hint = f"{AS_LINES.format('FILE')} may make such lines"
        raise LineError("an object has a line of its own, and here something goes on in the next line", hint=hint)
    if is_deep(line):
        raise LineError(f"objects and arrays are nested deeper than {DEEPEST}")
    try:
        value = _DECODER.decode(line.decode("utf-8", "surrogateescape"))
    except json.JSONDecodeError as error:
        raise LineError(f"this is no JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.pos + 1) from None
    if isinstance(value, dict):
        return value
    hint = f"{AS_LINES.format('FILE')} makes a line of each element" if isinstance(value, list) else ""
    raise LineError(f"a line has an object, as in {{…}}, and not {described(value)}", 1, hint)


def described(value: Any) -> str:
    """A value for a message."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case dict():
            return "an object"
        case list():
            return "an array"
        case WrittenNumber():
            return str(value)
    return repr(str(value))


# ── many lines ───────────────────────────────────────────────────────────────────────────────────────────
def lines_of(block: bytes) -> list[bytes]:
    """All lines, without what may stand behind objects; those that have nothing are empty."""
    return [line.rstrip(BLANK) for line in block.split(b"\n")]


def objects_of(block: bytes) -> tuple[bytes, int] | None:
    """Lines that have an object each as Arrow takes them, and how many they are; None: one may have something else.

    Arrow takes objects as they come, be they of one line or several.  Here a line begins with a brace and ends with
    one, so that what is between two lines is between two objects: where there are as many objects as lines, each has
    one.
    """
    count = _count(block)
    if not count:
        block = b"\n".join(line.lstrip(BLANK) for line in lines_of(block) if line) + b"\n"
        count = _count(block)
    if not count or b"\0" in block or may_be_deep(block, count):
        return None
    is_unusual = any(all(mark in block for mark in marks) for marks in _MARKS) and _UNUSUAL.search(block)
    return None if is_unusual else (block, count)


_PLAIN_NAME = re.compile(r"\w[\w .-]*")
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?"


def numbers_of(names: Iterable[str]) -> re.Pattern[bytes] | None:
    """What finds numbers and truth values of members with these names, to be put into quotes; None: there are none.

    A name has nothing that might stand between two texts, so that what is found with its quotes is a name, or no JSON
    before and after.
    """
    known = [re.escape(json.dumps(name, ensure_ascii=False)) for name in names if _PLAIN_NAME.fullmatch(name)]
    whole = "".join(rf"(?<!\\{name})" for name in known)  # no end of a longer name
    pattern = rf"({'|'.join(known)}){whole}\s*:\s*({_NUMBER}|true|false)(?=[ \t\r\n,}}])"
    return re.compile(pattern.encode()) if known else None


def quoted(block: bytes, numbers: re.Pattern[bytes]) -> bytes:
    """Lines in which these numbers are texts, as they are written."""
    return numbers.sub(rb'\1:"\2"', block)


def _count(block: bytes) -> int:
    """How many lines there are; 0: one does not begin and end with a brace."""
    if not (block.startswith(b"{") and block.endswith(b"}\n")):
        return 0
    data = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(data == _LINE_END)
    are_objects = (data[ends - 1] == _CLOSING).all() and (data[ends[:-1] + 1] == _OPENING).all()
    return len(ends) if are_objects else 0


def line_ends(block: bytes) -> int:
    """How many lines end in a block."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == _LINE_END))


def may_be_deep(block: bytes, count: int) -> bool:
    """Whether one of so many lines has so many brackets that it might be nested deeper than is allowed."""
    data = np.frombuffer(block, np.uint8)
    are_opening = (data == _OPENING) | (data == _BRACKET)
    if np.count_nonzero(are_opening) < count + DEEPEST:  # each line has one
        return False
    ends = np.flatnonzero(data == _LINE_END)
    most = int(np.diff(np.searchsorted(np.flatnonzero(are_opening), ends), prepend=0).max())
    return most > DEEPEST and any(map(is_deep, block.split(b"\n")))
