"""Quotes and escapes of strings and IRIs, both ways."""

from __future__ import annotations

import re

from spaseq.languages.node import Span
from spaseq.languages.problem import Problem

_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPES = {character: "\\" + letter for letter, character in _CHARACTERS.items() if letter != "'"}


def unescape(text: str, start: int) -> str:
    """``text`` with its escapes resolved; ``start`` is its offset, for the Problem of an unknown escape."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _character(match, start), text)


def _character(match: re.Match[str], start: int) -> str:
    span = Span(start + match.start(), start + match.end())
    code = match[1] or match[2]
    if code is None:
        if match[3] not in _CHARACTERS:
            raise Problem(f"unknown escape {match[0]}", span, r"a backslash itself is written \\", syntax=True)
        return _CHARACTERS[match[3]]
    number = int(code, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise Problem(f"{match[0]} is no Unicode character", span, syntax=True)
    return chr(number)


def unquote(token: str, start: int) -> str:
    """The text of a quoted token at offset ``start``."""
    width = 3 if len(token) >= 6 and token[:3] in ('"""', "'''") else 1
    return unescape(token[width:-width], start + width)


def quote(text: str) -> str:
    """``text`` as a token in double quotes."""
    return '"' + re.sub(r'[\t\b\n\r\f"\\]', lambda match: _ESCAPES[match[0]], text) + '"'
