"""Which part of a query's results is found, as a sample tells it: those that begin with some events, found twice.

Beside the recognizer whose work is bounded, a second one finds all results that begin with a part of the events, drawn
by chance.  Of each of these events it is known then how many results begin with it, and how many of them were found.
Its work has a bound of its own: where that leaves something out, half of the sample goes on from then on by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nfa_native.events.recognizer import Recognizer, drawn_positions
from spaseq.runtime.bounded import SHARED_EVERY
from spaseq.runtime.recall import NO_TICKS, Sums, added
from spaseq.runtime.snapshot.validation import COUNT, TIME, Shape
from spaseq.tuples.columns.serialisation import require

Numbers = npt.NDArray[np.int64]
Make = Callable[[tuple[float, int], int], Recognizer]
MOST_PART = 1 / 4  # of the work that the query may do, on an average
MOST_AT_TIMES = 1 / 2  # the same for a while
GROWTH = 1.5  # times what the sample took lately: so much is left to it
LEAST_SAMPLE = 1e-4
MOST = 1 << 14  # results that are taken together
SAMPLE: Shape = {
    "part": float, "since": COUNT, "recognizer": bytes, "open": [(COUNT, TIME, COUNT, COUNT)],
    "over": (COUNT, float, float, float, float, float), "known": float, "needed": float, "asked": float, "gone": float,
}  # fmt: skip


class FedEvents(NamedTuple):
    """Events as a recognizer takes them."""

    symbols: npt.NDArray[np.uint32]
    starts: Numbers
    least: Numbers
    partitions: npt.NDArray[np.uint32] | None
    columns: Sequence[Numbers]

    def part(self, begin: int, end: int) -> FedEvents:
        """Some of them."""
        some = slice(begin, end)
        partitions = None if self.partitions is None else self.partitions[some]
        columns = [column[some] for column in self.columns]
        return FedEvents(self.symbols[some], self.starts[some], self.least[some], partitions, columns)


class RecallSample:
    """``make`` gives a recognizer in which matches begin with a part of the events alone, the first at a position.

    ``part`` of the events are drawn, those ``since`` a position; 0: none are, for they would make too much work.
    ``needed``: units of work that it needs for an event.
    """

    def __init__(self, make: Make, part: float, salt: int, first: int) -> None:
        self._make = make
        self._asked = part
        self._salt = salt
        self._over = NO_TICKS  # of events with which no result to come begins
        self._open: dict[int, list[int]] = {}  # of others, by position: their start, results, and those found of them
        self._known = 0.0  # units until it was measured
        self._rate = 0.0
        self.needed = 0.0
        self._gone = 0.0  # units of recognizers that it has no more
        self._recognizer: Recognizer | None = None
        self._begin(part, first)

    def _begin(self, part: float, since: int) -> None:
        self._gone += 0.0 if self._recognizer is None else self._recognizer.shed()[2]
        self.part, self.since = (part, since) if part >= LEAST_SAMPLE else (0.0, since)
        self._recognizer = self._make((self.part or 1.0, self._salt), since)
        self._over, self._open, self._known = NO_TICKS, {}, 0.0

    @property
    def _own(self) -> Recognizer:
        assert self._recognizer is not None
        return self._recognizer

    def bound(self, rate: float, window: int) -> None:
        """The query may take so many units for an event."""
        self._rate, self._window = rate, window
        if self.part:
            self._own.bound_work(MOST_AT_TIMES * rate, window)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def know(self, masks: Sequence[int]) -> None:
        """All symbols so far."""
        self._own.know_symbols(masks[self._own.symbols :])

    def feed(self, fed: FedEvents, position: int) -> None:
        """The events from a position on have come."""
        if not self.part:
            return
        positions = np.arange(position, position + len(fed.starts))
        drawn = drawn_positions(positions, self.part, self._salt)
        self._open |= {int(p): [int(start), 0, 0] for p, start in zip(positions[drawn], fed.starts[drawn], strict=True)}
        at = 0
        while at < len(fed.symbols):
            at = self._own.feed(fed.symbols, fed.starts, fed.least, fed.partitions, at, MOST, fed.columns)
            self._note(self._own.take().starts, 1)

    def found(self, starts: Numbers) -> None:
        """The query has found results that begin there, of events that were fed here."""
        if self.part:
            self._note(starts[drawn_positions(np.ascontiguousarray(starts), self.part, self._salt)], 2)

    def _note(self, starts: Numbers, which: int) -> None:
        for position, count in zip(*np.unique(starts, return_counts=True), strict=True):
            if position in self._open:
                self._open[int(position)][which] += int(count)

    def pass_to(self, least: int) -> None:
        """No window begins before that any more."""
        over = [position for position, (start, _, _) in self._open.items() if start < least]
        self._over = added(self._over, _sums(self._open.pop(position)[1:] for position in over))

    def measure(self, position: int) -> None:
        """``SHARED_EVERY`` events have passed: see what the sample took, and whether it was too much."""
        if not self.part:
            return
        work = self._own.shed()[2]
        if self._is_spoilt or work > MOST_PART * self._rate * (position - self.since):
            self._begin(self.part / 2, position)
            self.bound(self._rate, self._window)
            self.needed = MOST_PART * self._rate if self.part else 0.0
        else:
            self.needed = min(GROWTH * (work - self._known) / SHARED_EVERY, MOST_PART * self._rate)
            self._known = work

    # ── what it tells ────────────────────────────────────────────────────────────────────────────────────
    @property
    def sums(self) -> Sums:
        """Of all events of the sample; nothing, if it was too much."""
        if not self.part or self._is_spoilt:
            return NO_TICKS
        return added(self._over, _sums(one[1:] for one in self._open.values()))

    @property
    def _is_spoilt(self) -> bool:
        dropped, _, _, curtailed = self._own.shed()
        return bool(dropped.any() or curtailed)

    @property
    def work(self) -> float:
        """Units of work so far."""
        return self._gone + self._own.shed()[2]

    # ── partitions ───────────────────────────────────────────────────────────────────────────────────────
    def living(self, least: int) -> npt.NDArray[np.uint32]:
        """The partitions that have something which a later event can go on with."""
        return self._own.living(least)

    def keep(self, kept: npt.NDArray[np.uint32]) -> None:
        """Forget all partitions but these (rising), which get the numbers from 0 on."""
        self._own.keep(kept[kept < np.uint32(self._own.statistics()["partitions"])])

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    def state(self, least: int) -> dict[str, Any]:
        """What the future depends on, as SAMPLE."""
        return {
            "part": self.part, "since": self.since, "recognizer": self._own.snapshot(least),
            "open": [[position, *one] for position, one in self._open.items()], "over": list(self._over),
            "known": self._known, "needed": self.needed, "asked": self._asked, "gone": self._gone,
        }  # fmt: skip

    def restore(self, state: dict[str, Any], latest: int, oldest: int, position: int) -> None:
        """Go on where ``state`` was taken.  SnapshotError, ValueError: it cannot be."""
        if state["asked"] != self._asked:
            return
        require(0 <= state["part"] <= 1 and state["since"] <= position, "a sample is none")
        self._begin(state["part"], state["since"])
        if self.part:
            self._own.restore(state["recognizer"], latest, oldest)
            require(self._own.position == position, "a sample is at another position")
        self._open = {position: [start, every, found] for position, start, every, found in state["open"]}
        ticks, *sums = state["over"]
        self._over = int(ticks), *sums
        self._known, self.needed, self._gone = state["known"], state["needed"], state["gone"]


def _sums(events: Iterable[Sequence[int]]) -> Sums:
    """Of results and found ones of each event, those without results left out."""
    each = np.array([one for one in events if one[0]], np.float64).reshape(-1, 2)
    every, found = each.T
    squares = float(every @ every), float(found @ found)
    return len(each), float(every.sum()), float(found.sum()), *squares, float(every @ found)
