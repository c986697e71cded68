"""What somebody who wrote an unknown name most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

import numpy as np
from numpy.typing import NDArray

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
        shared = np.zeros(len(self._names))
        for pair in pairs & self._places.keys():
            shared[self._places[pair]] += 1
        return np.argsort(-shared / (self._sizes + len(pairs)), kind="stable")[:_FEW]


def _pairs(name: str) -> set[str]:
    """The pairs of letters that follow each other, whatever their case."""
    folded = f" {name.casefold()} "
    return {folded[place : place + 2] for place in range(len(folded) - 1)}
