"""A matcher of rules: its results are given for each rule that has them, with its terms as further columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.automaton import Automaton
from nfa_native.core.arrays import ranges, take_ranges
from nfa_native.joins.matcher import Matcher, RawMatches
from nfa_native.terms.dictionary import Terms

RANK_BITS = 24  # of the least rank of a set, and of the one behind it, in a word
GONE = 0xFFFFFFFF  # in place of a rank


class RuleMatches(NamedTuple):
    """As ``RawMatches``, in order of decision and among equals in that of the rules; ``rules`` tells whose they are."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    decided: NDArray[np.int64]
    pick_offsets: NDArray[np.int64]
    pick_atoms: NDArray[np.uint16]
    pick_events: NDArray[np.uint64]
    words: NDArray[np.uint64]  # columns of results, then the rule's terms
    rules: NDArray[np.int64]  # their places


class RuleMatcher(Matcher):
    """Runs an automaton with rules.

    ``places`` says in which order results of one time come, by rank; ``words`` are the rules' terms (parameters, n).
    """

    def __init__(self, automaton: Automaton, terms: Terms) -> None:
        super().__init__(automaton, terms)
        self.places: NDArray[np.int64] = np.zeros(0, np.int64)
        self.words: NDArray[np.uint64] = np.zeros((automaton.parameters, 0), np.uint64)
        self.windows: NDArray[np.int64] | None = None
        self.stands: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._is_plain = is_plain(automaton)
        self._waiting: RuleMatches | None = None  # results of before the rules changed

    def run(
        self, words: NDArray[np.uint64], places: NDArray[np.int64], windows: NDArray[np.int64] | None, new: bool = True
    ) -> None:
        """Run these rules, by rank; ``new``: the matcher has not got them from a snapshot."""
        if new:
            self.give_rules(np.ascontiguousarray(words), windows)
        self.words, self.places, self.windows = words, places, windows
        self.stands = np.ones(len(places), np.bool_)

    def change(
        self,
        automaton: Automaton,
        words: NDArray[np.uint64],
        places: NDArray[np.int64],
        windows: NDArray[np.int64] | None,
        origins: NDArray[np.int64],
    ) -> None:
        """Run other rules: ``origins`` has of each the rank before, in the same order, or less than 0: it is new."""
        self.complete()
        self._waiting = self.take() if self.pending() else None
        to = np.full(len(self.places), GONE, np.uint32)
        to[origins[origins >= 0]] = np.flatnonzero(origins >= 0).astype(np.uint32)
        self.change_rules(automaton, np.ascontiguousarray(words), windows, to)
        self.run(words, places, windows, new=False)

    def pending(self) -> int:
        """Results that wait for ``take``."""
        return super().pending() + (0 if self._waiting is None else len(self._waiting.first))

    def strike(self, rank: int) -> None:
        """A rule has no results any more."""
        self.stands[rank] = False
        if self._waiting is not None:
            self._waiting = _only(self._waiting, self._waiting.rules != self.places[rank])

    @property
    def count(self) -> int:
        """Results of the rules that are left."""
        return int(self.rule_counts()[self.stands].sum())

    def take(self) -> RuleMatches:  # type: ignore[override]  # rows of matches all the same
        """The results since the last call."""
        found = self._taken()
        if self._waiting is not None:
            found, self._waiting = _joined(self._waiting, found), None
        return found

    def _taken(self) -> RuleMatches:
        raw = super().take()
        rows, ranks = self._spread(raw)
        offsets, chosen = take_ranges(raw.pick_offsets, rows)
        words = np.concatenate([raw.words[rows, :-1], self.words[:, ranks].T], axis=1)
        return RuleMatches(
            raw.first[rows], raw.last[rows], raw.decided[rows], offsets,
            raw.pick_atoms[chosen], raw.pick_events[chosen], words, self.places[ranks],
        )  # fmt: skip

    def _spread(self, raw: RawMatches) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each result of each rule the row, and the rank."""
        sets = (raw.words[:, -1] >> np.uint64(4)).astype(np.int64)
        low, high = sets >> RANK_BITS, sets & ((1 << RANK_BITS) - 1)
        turns = _turns(raw) if self._is_plain else np.arange(len(sets))
        low, high = low[turns], high[turns]
        rows = np.repeat(turns, high - low)
        ranks = ranges(low, high - low)
        has = self.stands[ranks]
        if self.windows is not None:
            has &= (raw.last - raw.first)[rows] <= self.windows[ranks]
        rows, ranks = rows[has], ranks[has]
        order = np.lexsort((self.places[ranks], raw.decided[rows]))
        return rows[order], ranks[order]


def is_plain(automaton: Automaton) -> bool:
    """Whether it has one way from its first state to its last, of single events, and accepts in that alone."""
    steps = {one.source: one for one in automaton.transitions if len(one.targets) == len(one.choice.atoms) == 1}
    state, length = 0, 0
    while state in steps and not automaton.states[state].final and length < len(automaton.transitions):
        state, length = steps[state].targets[0].state, length + 1
    return length == len(automaton.transitions) == len(steps) and state not in steps


def _turns(raw: RawMatches) -> NDArray[np.int64]:
    """The rows in the order in which a rule would give them by itself.

    Of partial matches that take the same step those come first that got there last.
    """
    lengths = np.diff(raw.pick_offsets)
    picks = [np.where(lengths > back, _pick(raw, back), -1) for back in range(lengths.max(initial=1))]
    return np.lexsort((*(-pick for pick in reversed(picks[1:])), picks[0], raw.decided))


def _pick(raw: RawMatches, back: int) -> NDArray[np.int64]:
    """The events that are so many picks before the last one of each match; anything where there is none."""
    return raw.pick_events[np.maximum(raw.pick_offsets[1:] - 1 - back, 0)].astype(np.int64)


def _joined(a: RuleMatches, b: RuleMatches) -> RuleMatches:
    """The results of one and then of the other."""
    offsets = np.append(a.pick_offsets, b.pick_offsets[1:] + a.pick_offsets[-1])
    pairs: Any = zip(a, b, strict=True)
    columns = [np.concatenate(pair) for pair in pairs]
    return RuleMatches(*columns)._replace(pick_offsets=offsets)


def _only(found: RuleMatches, wanted: NDArray[np.bool_]) -> RuleMatches:
    """Some of the results."""
    offsets, chosen = take_ranges(found.pick_offsets, np.flatnonzero(wanted))
    kept = {name: getattr(found, name)[wanted] for name in ("first", "last", "decided", "words", "rules")}
    return RuleMatches(
        pick_offsets=offsets, pick_atoms=found.pick_atoms[chosen], pick_events=found.pick_events[chosen], **kept
    )
