"""What a bound on work has cost a query: what was left out of the search, counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import zip_longest
from typing import Any

from spaseq.runtime.recall import CERTAIN, NO_TICKS, Recall, Sums, added, recall_of
from spaseq.runtime.snapshot.validation import COUNT, TIME, Maybe, Shape
from spaseq.runtime.statistics import time_of
from spaseq.streams.losses import Loss, counted, were
from spaseq.streams.timestamps import LEAST

StateShed = tuple[int, int, int]
NOTHING: StateShed = (0, 0, 0)
SHED: Shape = {
    "states": [(COUNT, COUNT, COUNT)], "over": COUNT, "work": COUNT, "curtailed": Maybe(COUNT), "since": Maybe(TIME),
    "position": Maybe(COUNT),
    "sample": Maybe((COUNT, float, float, float, float, float)),
}  # fmt: skip
REASONS = ("worth_too_little", "no_room", "hopeless_cells")


@dataclass(frozen=True, slots=True)
class Shed:
    """``states`` has for each state: steps into it that were worth too little, steps for which an event had no room
    left, and cells (groups of partial matches) that were given up.

    ``over``: events that took more than the bound, which is an average; ``work``: units in all; ``curtailed``: events
    of which not all results were put out.  ``sample``: what is known of a sample of the ticks ``since`` a time, or of
    the events since a ``position`` (0: of all); None: none is taken.
    """

    states: Sequence[StateShed] = ()
    over: int = 0
    work: int = 0
    curtailed: int = 0
    sample: Sums | None = None
    since: int = LEAST
    position: int = 0

    def __add__(self, more: Shed) -> Shed:
        each = zip_longest(self.states, more.states, fillvalue=NOTHING)
        states = tuple((a + d, b + e, c + f) for (a, b, c), (d, e, f) in each)
        samples = [one for one in (self.sample, more.sample) if one is not None]
        sample = reduce(added, samples, NO_TICKS) if samples else None
        numbers = self.over + more.over, self.work + more.work, self.curtailed + more.curtailed
        return Shed(states, *numbers, sample, max(self.since, more.since), max(self.position, more.position))

    @property
    def steps(self) -> int:
        """How many steps were not made."""
        return sum(little + cut for little, cut, _ in self.states)

    @property
    def cells(self) -> int:
        """How many groups of partial matches were given up."""
        return sum(cells for _, _, cells in self.states)

    @property
    def is_nothing(self) -> bool:
        """Whether all was found that there is."""
        return not (self.steps or self.cells or self.curtailed)

    @property
    def recall(self) -> Recall | None:
        """Which part of all results was found; None: it is not known."""
        if self.sample is None:
            return None
        return CERTAIN if self.is_nothing else recall_of(*self.sample)

    def statistics(self) -> dict[str, Any]:
        """All of it as ``bound``, fit for JSON, if work had one; ``dropped`` has the states of which something was."""
        if self == Shed():
            return {}
        dropped = [
            {"state": number, **dict(zip(REASONS, state, strict=True))}
            for number, state in enumerate(self.states)
            if any(state)
        ]
        told = {"complete": self.is_nothing, "work": self.work, "events_over": self.over, "dropped": dropped}
        told |= {"events_curtailed": self.curtailed} if self.curtailed else {}
        return {"bound": told | self._told_recall()}

    def _told_recall(self) -> dict[str, Any]:
        if self.sample is None:
            return {}
        recall = self.recall
        since: dict[str, Any] = {} if self.since == LEAST else {"since": time_of(self.since)}
        since |= {"since_position": self.position} if self.position else {}
        return {"recall": None if recall is None else recall.statistics() | since}

    def losses(self, name: str) -> Iterator[Loss]:
        """What was left out of the query of that name, for people."""
        if not self.is_nothing:
            parts = [
                *(counted(count, noun) for count, noun in ((self.steps, "step"), (self.cells, "group")) if count),
                *([f"results of {counted(self.curtailed)}"] if self.curtailed else ()),
            ]
            what, verb = " and ".join(parts), were(self.steps + self.cells + 2 * self.curtailed)
            recall = self.recall
            missing = "some results may be missing" if recall is None else f"of the results {recall.text}"
            yield Loss(f"{what} of {name} {verb} left out to keep work within its bound", missing)

    # ── in snapshots ─────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> dict[str, Any]:
        """Fit for JSON."""
        states = [list(state) for state in self.states]
        found = {"states": states, "over": self.over, "work": self.work, "curtailed": self.curtailed}
        told = {"since": self.since} | ({"position": self.position} if self.position else {})
        return found if self.sample is None else found | {"sample": list(self.sample), **told}

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> Shed:
        """What ``state`` gave."""
        sample: Sums | None = tuple(state["sample"]) if "sample" in state else None
        states = tuple((a, b, c) for a, b, c in state["states"])
        numbers = state["over"], state["work"], state.get("curtailed", 0)
        return Shed(states, *numbers, sample, state.get("since", LEAST), state.get("position", 0))


def all_shed(each: Iterable[Shed]) -> Shed:
    """The sum."""
    return sum(each, Shed())
