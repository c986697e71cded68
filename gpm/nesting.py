"""Triple terms in each other: pyoxigraph does not survive very deep ones, so nobody may hand it such text."""

from __future__ import annotations

import re

DEEPEST = 100  # triple terms in each other
TOO_DEEP = f"triple terms are nested more than {DEEPEST} deep"

# Strings, IRIs and comments are passed over; the rest are brackets.
_BRACKETS = re.compile(rb'"(?:[^"\\\n]|\\.)*"|<[^<>"{}|^`\\\s]*>|\#[^\n]*|<<\(?|\)?>>')


class Nesting:
    """How deep the triple terms of a text are nested, whose lines come one after the other."""

    def __init__(self) -> None:
        self._depth = 0

    def is_too_deep(self, lines: bytes) -> bool:
        """Whether the next lines go deeper than ``DEEPEST``; brackets in strings and comments do not count."""
        if b"<<" not in lines and b">>" not in lines:
            return False
        for found in _BRACKETS.finditer(lines):
            if found[0].startswith(b"<<"):
                self._depth += 1
                if self._depth > DEEPEST:
                    return True
            elif found[0].endswith(b">>"):
                self._depth = max(0, self._depth - 1)
        return False


def is_too_deep(text: bytes) -> bool:
    """Whether a whole text has triple terms that are nested deeper than ``DEEPEST``."""
    return Nesting().is_too_deep(text)
