"""What a bound on work has cost a query: what was left out of the search, counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from spaseq.graphs.matchers import AnyMatcher, Bounded
from spaseq.streams.losses import Loss, counted, were

StateShed = tuple[int, int, int]
NOTHING: StateShed = (0, 0, 0)
REASONS = ("worth_too_little", "no_room", "hopeless_cells")


@dataclass(frozen=True, slots=True)
class Shed:
    """``states`` has for each state: steps into it that were worth too little, steps for which an event had no room
    left, and cells (groups of partial matches) that were given up.

    ``over``: events that took more than the bound, which is an average; ``work``: units in all.
    """

    states: Sequence[StateShed] = ()
    over: int = 0
    work: int = 0

    def __add__(self, more: Shed) -> Shed:
        each = zip_longest(self.states, more.states, fillvalue=NOTHING)
        states = tuple((a + d, b + e, c + f) for (a, b, c), (d, e, f) in each)
        return Shed(states, self.over + more.over, self.work + more.work)

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
        return not (self.steps or self.cells)

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
        return {"bound": told}

    def losses(self, name: str) -> Iterator[Loss]:
        """What was left out of the query of that name, for people."""
        if not self.is_nothing:
            what = " and ".join(
                counted(count, noun)
                for count, noun in ((self.steps, "step"), (self.cells, "group")) if count
            )  # fmt: skip
            verb = were(self.steps + self.cells)
            yield Loss(f"{what} of {name} {verb} left out to keep work within its bound", "some results may be missing")

    # ── in snapshots ─────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> dict[str, Any]:
        """Fit for JSON."""
        return {"states": [list(state) for state in self.states], "over": self.over, "work": self.work}

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> Shed:
        """What ``state`` gave."""
        return Shed(tuple((a, b, c) for a, b, c in state["states"]), state["over"], state["work"])


def shed_by(matcher: AnyMatcher) -> Shed:
    """By a matcher so far."""
    if not (isinstance(matcher, Bounded) and matcher.work_bound):
        return Shed()
    states, over = matcher.shed()
    return Shed(tuple((a, b, c) for a, b, c in states.tolist()), over, int(matcher.work))


def all_shed(each: Iterable[Shed]) -> Shed:
    """The sum."""
    return sum(each, Shed())
