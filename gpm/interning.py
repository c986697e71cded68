"""Terms that live as long as what was compiled with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nfa_native.terms.dictionary import Terms


class Interner(Protocol):
    """What makes words of terms that stay valid: for as long as the table of terms, or as somebody else lives."""

    def intern(self, term: bytes) -> int:
        """The word of a term's canonical bytes."""


class TransientTerms:
    """Interns terms of a table for as long as this object lives."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._words: list[int] = []
        terms.hold(self)

    @property
    def words(self) -> NDArray[np.uint64]:
        """The words, which no collection frees."""
        return np.array(self._words, np.uint64)

    def intern(self, term: bytes) -> int:
        """The word of a term's canonical bytes."""
        word = self._terms.intern_transient(term)
        self._words.append(word)
        return word

    def intern_all(self, terms: Iterable[bytes]) -> list[int]:
        """The words of some terms."""
        return [self.intern(term) for term in terms]
