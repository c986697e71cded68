"""What is a constant in a text of CEQL, for its skeleton."""

from __future__ import annotations

import re

from spaseq.languages import skeletons
from spaseq.languages.skeletons import Skeleton

# What is looked at from left to right: comments, texts, names and parameters, numbers.  All else stays as it is, also
# what is no text, as it has no end.
_TOKEN = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<text>'(?:[^'\\\n]|''|\\.)*+')"
    r"|(?P<name>\$?[^\W\d]\w*|`(?:``|[^`\n])+`)"
    r"|(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)",
    re.DOTALL,
)
_CUT = {"text": "'", "number": "1"}  # what is cut out, and what marks its place


def cut(text: str) -> tuple[Skeleton, tuple[str, ...]]:
    """The skeleton of a text, and its constants: texts and numbers."""
    return skeletons.cut(text, _TOKEN, _CUT)
