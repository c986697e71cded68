"""Counts the matches of one running query by totals of partial matches, as long as the data allow it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nfa_native.automata.automaton import Automaton
from nfa_native.match_totals import MatchTotals, TotalledMatches, TotalsSpec
from nfa_native.terms.dictionary import Terms


class MatchCounter(MatchTotals):
    """As ``MatchTotals``, but ``take`` gives no results: ``count`` is how many there were up to then.

    OverflowError: a number of matches has thousands of digits.
    """

    count_only = True

    def __init__(self, automaton: Automaton, terms: Terms, spec: TotalsSpec) -> None:
        # Rows are counted, not sets of picks; nothing is asked of them.
        super().__init__(automaton, terms, replace(spec, one_row=True, quantities=()))
        self._seen = 0  # of those that the matcher has counted

    def take(self) -> TotalledMatches:
        """Nothing."""
        self.count += sum(len(one.first) for one in self._waiting)
        self._waiting = []
        if self._matcher is not None:
            self.count += self._matcher.count - self._seen
            self._seen = self._matcher.count
        return self._taken()

    def _taken(self) -> TotalledMatches:
        found = self._aggregation.take_count()
        if found is None:
            raise OverflowError("the number of matches of one event has thousands of digits")
        self.count += found
        none = np.zeros(0, np.int64)
        words = np.zeros((0, self.automaton.results), np.uint64)
        offsets = np.zeros(1, np.int64)
        return TotalledMatches(none, none, none, offsets, np.zeros(0, np.uint16), np.zeros(0, np.uint64), words, ())

    def _enumerate(self) -> None:
        super()._enumerate()
        assert self._matcher is not None
        self._matcher.count_only = True
        self._seen = self._matcher.count
