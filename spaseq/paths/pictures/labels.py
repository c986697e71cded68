"""Texts of a graph as they may stand in a picture, whatever is in them."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

MOST_SHOWN = 32  # characters of a label
MOST_TOLD = 500  # of what is told when somebody points to it
# What XML does not have, and what would turn the text around it: controls, embeddings, non-characters.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]+")


def cleaned(text: str, most: int = MOST_TOLD) -> str:
    """A text in one line and without what is not shown, cut if it is longer."""
    plain = _UNFIT.sub(" ", text[: 4 * most]).strip() or ("∅" if not text else "…")
    return plain if len(plain) <= most and len(text) <= 4 * most else plain[: most - 1] + "…"


def shortened(text: str) -> str:
    """What stands in a node or beside an edge."""
    return cleaned(text, MOST_SHOWN)


def width(text: str) -> int:
    """How wide a text is, in characters; some are twice as wide as others."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
