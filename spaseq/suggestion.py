"""What somebody who wrote an unknown name most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_MOST_NAMES, _LONGEST_NAME = 1_000, 60


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``did you mean X?`` for the nearest of ``known``, else the list of them, else nothing.

    It looks at the first thousand names, and not at long ones: to compare two takes the square of their length.
    """
    names = list(islice(known, _MOST_NAMES))
    folded = {each.casefold(): each for each in names if len(each) <= _LONGEST_NAME}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6) if len(name) <= _LONGEST_NAME else []
    if near:
        return f"did you mean {folded[near[0]]}?"
    if not names:
        return ""
    return "known are " + ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
