"""Texts for people: those of others so that nothing in them steers a terminal, and the name that was probably meant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


_MOST_NAMES, _LONGEST_NAME = 1_000, 60
_MOST_INDEXED, _FEW = 10_000, 4
_CUTOFF = 0.6


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean X?`` for the nearest of ``known``, else the list of them, else nothing.

    It looks at the first thousand names, and not at long ones: to compare two takes the square of their length.
    """
    names = list(islice(known, _MOST_NAMES))
    near = _nearest(name, names)
    if near is not None:
        return f"did you mean {near}?"
    if not names:
        return ""
    return "known are " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def _nearest(name: str, names: Iterable[str]) -> str | None:
    folded = {each.casefold(): each for each in names if len(each) <= _LONGEST_NAME}
    near = get_close_matches(name.casefold(), folded, 1, _CUTOFF) if len(name) <= _LONGEST_NAME else []
    return folded[near[0]] if near else None


class NameIndex:
    """Names among which many unknown ones are looked for: only those are compared that share most pairs of letters.

    It takes the first ten thousand, and no long ones.
    """

    def __init__(self, known: Iterable[str]) -> None:
        import numpy as np  # seldom needed: who only suggests one name does not wait for it

        self._names = [name for name in islice(known, _MOST_INDEXED) if len(name) <= _LONGEST_NAME]
        places: dict[str, list[int]] = {}
        for place, name in enumerate(self._names):
            for pair in _pairs(name):
                places.setdefault(pair, []).append(place)
        self._places = {pair: np.array(some) for pair, some in places.items()}
        self._sizes = np.array([len(_pairs(name)) for name in self._names])

    def nearest(self, name: str) -> str | None:
        """The name that is most like this one, if one is."""
        if len(name) > _LONGEST_NAME or not self._names:
            return None
        return _nearest(name, [self._names[place] for place in self._likely(_pairs(name))])

    def _likely(self, pairs: set[str]) -> NDArray[np.intp]:
        """The names that share the greatest part of their pairs with these, a few."""
        import numpy as np

        shared = np.zeros(len(self._names))
        for pair in pairs & self._places.keys():
            shared[self._places[pair]] += 1
        return np.argsort(-shared / (self._sizes + len(pairs)), kind="stable")[:_FEW]


def _pairs(name: str) -> set[str]:
    """The pairs of letters that follow each other, whatever their case."""
    folded = f" {name.casefold()} "
    return {folded[place : place + 2] for place in range(len(folded) - 1)}
