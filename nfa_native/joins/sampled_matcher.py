"""A matcher whose work is bounded, and beside it one that finds all that begins in a sample of the ticks.

What the two find of the same ticks tells which part of all matches is found: ticks are drawn by chance, so their ratio
is that of all, but for an error that can be estimated.  The work of the second one is bounded, too: where it would take
more, what is known is forgotten, and a half of the sample goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.automaton import Automaton
from nfa_native.core import archive
from nfa_native.core.arrays import Arrays, column, distinct, read_store
from nfa_native.joins.history import LONG_AGO, Numbers, Rows, Words
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows

VERSION = 1  # of its store in snapshots
MOST_PART = 1 / 4  # of the work that may be done: what finding all of the sample may take
GROWTH = 1.5  # times what it took lately, afterwards
MEASURED_EVERY = 1024  # events
STORE = 16  # times what finding all may take between two measurements: so much that it did not take is kept for later
UNBOUNDED = 1e12  # units: its work is counted, and nothing is left out
LEAST_SAMPLE = 1e-6  # of the ticks: a smaller one tells nothing
OWN: Any = Matcher  # whose properties are those of the matcher whose work is bounded


@dataclass(frozen=True, slots=True)
class SampleSums:
    """Sums over the ``ticks`` of a sample in which matches begin: matches in ``all`` and those ``found``, their squares
    and products; in all but ``ticks`` each one stands for as many as it was drawn from.
    """

    ticks: int = 0
    all: float = 0.0
    found: float = 0.0
    squares_of_all: float = 0.0
    squares_of_found: float = 0.0
    products: float = 0.0

    def __add__(self, more: SampleSums) -> SampleSums:
        return SampleSums(*(a + b for a, b in zip(astuple(self), astuple(more), strict=True)))

    def weighted(self, weight: float) -> SampleSums:
        """Each tick standing for so many."""
        square = weight**2
        of_squares = (square * one for one in (self.squares_of_all, self.squares_of_found, self.products))
        return SampleSums(self.ticks, weight * self.all, weight * self.found, *of_squares)

    @staticmethod
    def of(each: NDArray[np.float64]) -> SampleSums:
        """Of ticks (n, 2) with what was found, and all."""
        found, everything = each[each[:, 1] > 0].T
        products = everything @ everything, found @ found, found @ everything
        return SampleSums(len(found), float(everything.sum()), float(found.sum()), *map(float, products))


class SampledMatcher(Matcher):
    """Runs an automaton as a ``Matcher`` does, with ``sample_sums`` of a part of the ticks.

    ``asked_part`` was to be drawn, and ``sampled_part`` is, of ticks from ``sampled_since`` on; 0: it is given up.
    """

    def __init__(self, automaton: Automaton, terms: Terms) -> None:
        super().__init__(automaton, terms)
        self.asked_part = self.sampled_part = 0.0
        self.sampled_since = LONG_AGO
        self._salt = 0
        self._exact: Matcher | None = None  # finds all matches that begin in the sample
        self._over = SampleSums()  # of ticks in which no match to come begins
        self._begun: dict[int, list[float]] = {}  # of the others: by time what was found, and all
        self._latest = LONG_AGO
        self._rate = self._most = 0.0
        self._gone = 0.0  # work of matchers that are no more
        self._known = 0.0  # of its work so much was measured
        self._needed = UNBOUNDED  # units an event that it has taken lately, and some more
        self._until = 0.0  # units of its work; 0: nothing is known of the bound

    def begin_sample(self, salt: int, part: float, since: int | None = None) -> None:
        """Draw this part of the ticks from ``since`` on, or from now on."""
        opened = self.open_tick is not None
        self._salt, self.asked_part, self.sampled_part = salt, part, part
        self.sampled_since = self.next_time + opened if since is None else since
        self._begin()

    def _begin(self) -> None:
        self._over, self._begun, self._needed, self._until = SampleSums(), {}, UNBOUNDED, 0.0
        self._give_up()
        self._draw(Matcher(self.automaton, self.terms))
        self._known = 0.0
        if self._rate:
            self._apportion()

    def _draw(self, exact: Matcher | None) -> None:
        """Count matches of the ticks that are drawn, and let ``exact`` find all of them, and no others."""
        self.sample_ticks(self._salt, self.sampled_part, self.sampled_since, False)
        self._exact = exact
        if exact is not None:
            exact.count_only = True
            exact.sample_ticks(self._salt, self.sampled_part, self.sampled_since, True)

    def _give_up(self) -> None:
        """Nothing finds all of the sample any more."""
        if self._exact is not None:
            self._gone += self._exact.work
            self._exact = None

    # ── the bound ────────────────────────────────────────────────────────────────────────────────────────
    @property
    def work_bound(self) -> float:
        """As ``Matcher.work_bound``, for both."""
        return self._rate or float(OWN.work_bound.__get__(self))

    @work_bound.setter
    def work_bound(self, value: float) -> None:
        self._rate, self._most = value, 0.0
        self._apportion()

    @property
    def most_at_once(self) -> float:
        """As ``Matcher.most_at_once``, for both."""
        return self._most or float(OWN.most_at_once.__get__(self))

    @most_at_once.setter
    def most_at_once(self, value: float) -> None:
        self._most = value
        self._apportion()

    def _apportion(self) -> None:
        """Let each have its part."""
        needed = min(MOST_PART * self._rate, self._needed)
        own = self._rate - needed if self.sampled_part else self._rate
        OWN.work_bound.__set__(self, own)
        if self._most:
            OWN.most_at_once.__set__(self, self._most * own / self._rate)
        if self._exact is not None:
            self._until = self._until or STORE / 4 * self._share
            self._exact.work_bound, self._exact.sampled_until = UNBOUNDED, self._until

    @property
    def _share(self) -> float:
        """What finding all may take from one measurement to the next."""
        return MOST_PART * self._rate * MEASURED_EVERY

    @property
    def work(self) -> float:
        """As ``Matcher.work``, of both."""
        return float(OWN.work.__get__(self)) + self._gone + (0.0 if self._exact is None else self._exact.work)

    def measure(self) -> None:
        """``MEASURED_EVERY`` events have passed: see what the sample took, and whether it was too much."""
        if self.sampled_part and not self._is_whole:
            self._halve()
        elif self._exact is not None:
            self._collect()
            work = self._exact.work
            self._needed = GROWTH * (work - self._known) / MEASURED_EVERY
            self._known, self._until = work, min(self._until + self._share, work + STORE * self._share)
            self._exact.sampled_until = self._until

    @property
    def _is_whole(self) -> bool:
        """Whether all that begins in the sample was found."""
        return self._exact is not None and not self._exact.has_ended

    def _halve(self) -> None:
        """Half of the sample may cost less; it cannot begin where windows are counted from the input's beginning."""
        window = self.automaton.window
        begins = self.sampled_part / 2 >= LEAST_SAMPLE and (window.sliding or not window.events)
        self.sampled_part = self.sampled_part / 2 if begins else 0.0
        if begins:
            self.sampled_since = self._latest + 1
            self._begin()
        elif self._exact is not None:
            self._give_up()
            self._apportion()

    # ── the sample ───────────────────────────────────────────────────────────────────────────────────────
    @property
    def sample_sums(self) -> SampleSums:
        """What is known of the sample so far."""
        if not self._is_whole:
            return SampleSums()
        self._collect()
        sums = self._over + SampleSums.of(np.array([*self._begun.values()], np.float64).reshape(-1, 2))
        return sums.weighted(1 / self.sampled_part)

    def _collect(self) -> None:
        """Take what was counted, and sum up what is over."""
        assert self._exact is not None
        for place, (times, counts) in enumerate((self.take_begun(), self._exact.take_begun())):
            for time, count in zip(times.tolist(), counts.tolist(), strict=True):
                self._begun.setdefault(time, [0.0, 0.0])[place] += count
        oldest = min(self.oldest_time, self._exact.oldest_time)
        over = sorted(time for time in self._begun if time < oldest)
        self._over += SampleSums.of(np.array([self._begun.pop(time) for time in over], np.float64).reshape(-1, 2))

    # ── what both are told ───────────────────────────────────────────────────────────────────────────────
    def feed(self, times: Numbers, events: Words, rows: Sequence[Rows | None]) -> None:
        """As ``Matcher.feed``."""
        super().feed(times, events, rows)
        self._latest = int(times[-1]) if len(times) else self._latest
        self._tell(lambda exact: exact.feed(times, events, rows))

    def feed_event(self, time: int, event: int, rows: list[EventRows | None]) -> None:
        """As ``Matcher.feed_event``."""
        super().feed_event(time, event, rows)
        self._latest = time
        self._tell(lambda exact: exact.feed_event(time, event, rows))

    def advance(self, time: int) -> None:
        """As ``Matcher.advance``."""
        super().advance(time)
        self._tell(lambda exact: exact.advance(time))

    def finish(self) -> None:
        """As ``Matcher.finish``."""
        super().finish()
        self._tell(Matcher.finish)

    def _tell(self, what: Callable[[Matcher], None]) -> None:
        if self._exact is None:
            return
        try:
            what(self._exact)
        except OverflowError:  # more matches than can be counted begin in the sample
            self._give_up()

    # ── what both tell ───────────────────────────────────────────────────────────────────────────────────
    @property
    def due(self) -> int:
        """As ``Matcher.due``."""
        own: int = OWN.due.__get__(self)
        return own if self._exact is None else min(own, self._exact.due)

    def groups(self) -> int:
        """As ``Matcher.groups``."""
        return super().groups() + (0 if self._exact is None else self._exact.groups())

    def oldest_event(self) -> int:
        """As ``Matcher.oldest_event``."""
        own = super().oldest_event()
        return min(own, self._exact.oldest_event()) if self._exact is not None and self._exact.next_event else own

    def sweep_soon(self) -> None:
        """As ``Matcher.sweep_soon``."""
        super().sweep_soon()
        if self._exact is not None:
            self._exact.sweep_soon()

    def trace(self) -> Words:
        """As ``Matcher.trace``."""
        own = super().trace()
        return own if self._exact is None else distinct(np.concatenate([own, self._exact.trace()]))

    # ── snapshot ─────────────────────────────────────────────────────────────────────────────────────────
    def snapshot(self) -> bytes:
        """As ``Matcher.snapshot``."""
        exact, gone = b"", self._gone
        if self._exact is not None and self._is_whole:
            self._collect()
            exact = self._exact.snapshot()
        elif self._exact is not None:
            gone += self._exact.work
        numbers = (
            self.asked_part, self.sampled_part, self._rate, self._most, gone, self._known,
            self._until, self._needed,
        )  # fmt: skip
        columns: Arrays = {
            "matcher": np.frombuffer(super().snapshot(), np.uint8),
            "exact": np.frombuffer(exact, np.uint8),
            "numbers": np.array(numbers).view(np.uint64),
            "times": np.array([self.sampled_since, self._latest], np.int64),
            "salt": np.array([self._salt], np.uint64),
            "over": np.array(astuple(self._over), np.float64).view(np.uint64),
            "begun": np.array([*self._begun], np.int64),
            "counts": np.array([*self._begun.values()], np.float64).reshape(-1).view(np.uint64),
        }
        return archive.pack({"sampled": (VERSION, columns)})

    @classmethod
    def restore(
        cls, automaton: Automaton, terms: Terms, data: bytes, word_map: Callable[[Words], Words]
    ) -> SampledMatcher:
        """As ``Matcher.restore``; the snapshot may be that of a matcher without a sample."""
        stores = archive.unpack(data)
        if "sampled" not in stores:
            return super().restore(automaton, terms, data, word_map)
        columns = read_store(data, "sampled", VERSION)
        matcher = super().restore(automaton, terms, column(columns, "matcher", np.uint8).tobytes(), word_map)
        matcher._load(columns, word_map)
        return matcher

    def _load(self, columns: Arrays, word_map: Callable[[Words], Words]) -> None:
        numbers, over, counts = (
            column(columns, name, np.uint64, length).view(np.float64)
            for name, length in (("numbers", 8), ("over", 6), ("counts", None))
        )
        begun = column(columns, "begun", np.int64, len(counts) // 2)
        exact = column(columns, "exact", np.uint8).tobytes()
        if len(counts) % 2 or not all(
            np.isfinite(some).all() and (some >= 0).all() for some in (numbers, over, counts)
        ):
            raise ValueError("a sample has numbers that cannot be")
        self.asked_part, self.sampled_part, self._rate, self._most, *rest = numbers.tolist()
        self._gone, self._known, self._until, self._needed = rest
        self.sampled_since, self._latest = column(columns, "times", np.int64, 2).tolist()
        self._salt = int(column(columns, "salt", np.uint64, 1)[0])
        self._over = SampleSums(int(over[0]), *over[1:].tolist())
        self._begun = {time: [*pair] for time, pair in zip(begun.tolist(), counts.reshape(-1, 2).tolist(), strict=True)}
        if self.sampled_part or exact:
            self._draw(Matcher.restore(self.automaton, self.terms, exact, word_map) if exact else None)
        if self._exact is not None:
            self._exact.sampled_until = self._until


def without_sample(data: bytes) -> bytes:
    """The snapshot of a matcher, which may have a sample, as that of one without."""
    stores = archive.unpack(data)
    return data if "sampled" not in stores else column(stores["sampled"][1], "matcher", np.uint8).tobytes()
