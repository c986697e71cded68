"""Triple terms in each other: pyoxigraph does not survive very deep ones, so nobody may hand it such text.

Its parsers need no stack, but a term of 16,000 levels overflows it when it is printed or given back.  Only
``<<( … )>>`` makes such terms: ``<<``, ``[``, ``(`` and ``{|`` make blank nodes instead.

Why no text that is too deep gets through:

* The depth is never more than the number of ``<<(`` in a text, whatever else is there.  Most texts have too few.
* Otherwise the text is cut into tokens as pyoxigraph does.  Every token of N-Triples, N-Quads, Turtle and TriG that has
  a quote, an angle bracket, a ``#`` or a backslash in it is one of ``_TOKEN``; each of these takes more than the
  grammar allows, but ends where the grammar's does.  So as long as pyoxigraph finds no mistake, both cut alike, and
  from its first mistake on it makes no terms.
* What is no token at all (a quote or a bracket without its end) is a mistake for pyoxigraph.  Here the rest of the line
  counts as if every ``<<(`` in it were open: the depth may come out too large there, never too small.
"""

from __future__ import annotations

import re

from pyoxigraph import Triple

DEEPEST = 100  # triple terms in each other
TOO_DEEP = f"triple terms are nested more than {DEEPEST} deep"

_OPEN = b"<<("
_TOKEN = re.compile(
    rb"""[^"'<#\\)]++|\\.|\#[^\r\n]*+"""
    rb"""|\"{3}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+\"{3}|'{3}[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'{3}"""
    rb"""|"[^"\\\r\n]*+(?:\\.[^"\\\r\n]*+)*+"|'[^'\\\r\n]*+(?:\\.[^'\\\r\n]*+)*+'"""
    rb"""|(?P<open><<\()|<<|<[^>\r\n]*+>|(?P<close>\)>>)|(?P<cut>["'<])|[\\)]""",
    re.DOTALL,
)
_LINE_END = re.compile(rb"[\r\n]|\Z")


def too_deep_at(text: bytes, start: int = 0, end: int | None = None) -> int | None:
    """Where in bytes ``start:end`` of a text a triple term begins that is too deep; None if there is none."""
    end = len(text) if end is None else end
    if text.count(_OPEN, start, end) <= DEEPEST:
        return None
    at, depth = start, 0
    while depth <= DEEPEST and (found := _TOKEN.match(text, at, end)):
        at, kind = found.end(), found.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "cut":
            at, depth = _pessimistic(text, at, end, depth)
    return at - len(_OPEN) if depth > DEEPEST else None


def _pessimistic(text: bytes, start: int, end: int, depth: int) -> tuple[int, int]:
    """How far a line goes and how deep it may be there; if that is too deep, behind the bracket that makes it so."""
    line_end = _line_end(text, start, end)
    while (found := text.find(_OPEN, start, line_end)) >= 0 and depth <= DEEPEST:
        start, depth = found + len(_OPEN), depth + 1
    return (start if depth > DEEPEST else line_end), depth


def _line_end(text: bytes, start: int, end: int) -> int:
    found = _LINE_END.search(text, start, end)
    return end if found is None else found.start()


def is_deep_term(term: object) -> bool:
    """Whether triple terms are nested deeper than ``DEEPEST``; only the object of a triple can be one."""
    depth = 0
    while isinstance(term, Triple):
        depth, term = depth + 1, term.object
        if depth > DEEPEST:
            return True
    return False


def is_too_deep(text: bytes) -> bool:
    """Whether a text has triple terms that are nested deeper than ``DEEPEST``."""
    return too_deep_at(text) is not None
