"""A table of terms that ran out of memory ends the engine that stands on it."""

from __future__ import annotations

from nfa_native.terms.words import Terms
from spaseq.soundness import Soundness


class TermsSoundness(Soundness):
    """Of what stands on a table of terms, which itself remembers that there was no memory."""

    def __init__(self, what: str, terms: Terms) -> None:
        super().__init__(what)
        self._terms = terms

    def check(self) -> None:
        """MemoryError: there was none once."""
        self._terms.check()

    def give_up(self) -> None:
        """There is none now."""
        self._terms.give_up()
