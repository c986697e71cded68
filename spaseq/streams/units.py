"""Where a unit of TriG ends (a statement, a graph with all in it) that is read by pyoxigraph."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    rb"(?P<skipped>\s+|<<|#[^\r\n]*|<[^\x00-\x20<>\"{}|^`]*>"
    rb"|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    rb"|(?!\"\"\"|''')(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
    rb"|(?:[\w:%-]|[\x80-\xff]|\\.|\.(?=\.*(?:[\w:%-]|[\x80-\xff]|\\)))+)"
    rb"|(?P<open>[\[({])|(?P<annotated>\|})|(?P<close>[\])}])|(?P<point>\.)|(?P<long>\"\"\"|''')|(?P<cut>[\"'<])|.",
    re.DOTALL,
)


def unit_end(text: bytes, start: int) -> int | None:
    """Behind the unit that begins at ``start``, or behind some of them; None if the text ends before."""
    at, depth, line_end = start, 0, start
    while found := _TOKEN.match(text, at):
        at, kind = found.end(), found.lastgroup
        if kind == "cut" and line_end < at:
            line_end = text.find(b"\n", at)
        if kind == "long" or (kind == "cut" and line_end < 0):
            return None  # a string or an IRI goes on
        depth += 1 if kind == "open" else -1 if kind in ("close", "annotated") else 0
        if depth <= 0 and (found[0] == b"}" or (kind == "point" and at < len(text))):
            return at
    return None
