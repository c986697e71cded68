"""The words of texts and of names, so that those of one thing are equal: ``directed_by``, ``starredActors``."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STEM = re.compile("(.{3,}?)(?:ings|ers|ors|ing|ed|en|er|or|es|e|s)?")  # the longest ending that leaves three letters


def words_of(text: str) -> Iterator[str]:
    """The stems of its words, in order.  Humps, as in ``directedBy``, separate words as well."""
    return (stem(word.casefold()) for part in _HUMP.split(text) for word in _WORD.findall(part))


def stem(word: str) -> str:
    """A word without its ending: films, film; directors, directed, director, direct.  It is rough, and of English."""
    found = _STEM.fullmatch(word)
    word = found[1] if found else word
    is_doubled = len(word) > 3 and word[-1] == word[-2] and word[-1].isalpha()  # starring, star
    return word[:-1] if is_doubled else word
