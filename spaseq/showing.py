"""Texts of others as people see them: nothing in them steers a terminal, or turns the text around it."""

from __future__ import annotations

import json
import re
from typing import Any

# Control characters (but tab and newline), ends of lines and paragraphs, embeddings, overrides and isolates of
# bidirectional text, and halves of pairs, which no encoding has.
_STEERING = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
_BREAKS = re.compile("\\r\\n|[\\t\\n\\r]")
_CONTROLS = re.compile("[\\x7f-\\x9f]")  # those that ``json`` leaves as they are
_REPLACED = "\N{REPLACEMENT CHARACTER}"


def shown(text: str) -> str:
    """A text for a terminal: each character that steers it, but newlines and tabs, is a replacement character."""
    return text if text.isascii() and text.isprintable() else _STEERING.sub(_REPLACED, text)


def on_one_line(text: str) -> str:
    """The same for a cell or a name, which is one line: newlines and tabs are blanks."""
    return text if text.isascii() and text.isprintable() else _STEERING.sub(_REPLACED, _BREAKS.sub(" ", text))


def json_text(value: Any, **options: Any) -> str:
    """``json.dumps`` that leaves letters as they are, but no control character: DEL and C1 have escapes, too."""
    text = json.dumps(value, ensure_ascii=False, **options)
    return text if text.isascii() and "\x7f" not in text else _CONTROLS.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
