"""The best answer within a bound: how much work events may take, and how the queries of an input share it.

A query is held back only where it needs more than its share.  What others leave of theirs is shared among those that
need it, by priority (weighted max-min fairness): no query is starved by one that finds more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import inf

from spaseq.errors import OptionError
from spaseq.text import did_you_mean

SHARED_EVERY = 1024  # events of an input, after which its queries share the bound anew
GROWTH = 1.5  # times what a query took lately: so much it may take before it is held back
LEAST_PART = 1 / 8  # of its fair share: so much each query may take, however little it took lately
MOST_WORK = 1e12  # units
LEAST_SAMPLE = 1e-4
LEAST_LATENCY, MOST_LATENCY = 1e-5, 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class Bound:
    """How much work the queries of an engine may do: ``work`` units for an event of their streams, on an average.

    A unit is a cell of partial matches that is looked at; a step that is made counts as eight (docs/best-effort.md).
    Queries that read the same streams share the bound: one with a priority of 3 has three times the share of others,
    whose priority is 1.  With a ``latency`` (a timedelta, or microseconds) it is as much as leaves results in time, but
    no more than ``work``.  ``sample`` is the part of the ticks, 0.02 for instance, by which statistics estimate which
    part of all results is found; 0: they do not.  OptionError: one of these is no such number, or there is neither work
    nor latency.
    """

    work: float | None = None
    priorities: Mapping[str, float] = field(default_factory=dict)
    latency: timedelta | int | None = None
    sample: float = 0.0

    def __post_init__(self) -> None:
        if self.work is None and self.latency is None:
            raise OptionError("a bound has a number of units (work), a time (latency), or both")
        if self.work is not None and not (_is_number(self.work) and 0 < self.work <= MOST_WORK):
            raise OptionError(f"a bound on work is a number above 0, up to {MOST_WORK:g}, not {self.work!r:.80}")
        if self.latency is not None and not (_is_time(self.latency) and LEAST_LATENCY <= self.seconds <= MOST_LATENCY):
            raise OptionError(f"a latency is a time from 10 microseconds to an hour, not {self.latency!r:.80}")
        if not _is_number(self.sample) or not (self.sample == 0 or LEAST_SAMPLE <= self.sample <= 1):
            raise OptionError(f"a sample is a part of the ticks, from {LEAST_SAMPLE:g} to 1, not {self.sample!r:.80}")
        if not isinstance(self.priorities, Mapping):
            raise OptionError(f"priorities are given by the names of queries, not as {self.priorities!r:.80}")
        for name, priority in self.priorities.items():
            if not _is_number(priority) or not 1e-6 <= priority <= 1e6:
                raise OptionError(f"the priority of {name} is a number from 1e-6 to 1e6, not {priority!r:.80}")

    @property
    def units(self) -> float:
        """The most that events may take on an average."""
        return MOST_WORK if self.work is None else self.work

    @property
    def seconds(self) -> float:
        """The latency."""
        latency = self.latency or 0
        return latency.total_seconds() if isinstance(latency, timedelta) else latency / 1e6

    def priority(self, name: str) -> float:
        """That of a query."""
        return self.priorities.get(name, 1.0)

    def text(self) -> str:
        """All of it, the same for equal ones."""
        priorities = sorted((name, float(one)) for name, one in self.priorities.items())
        return repr((float(self.units), priorities, self.seconds, *([self.sample] if self.sample else ())))

    def check_names(self, names: Collection[str]) -> None:
        """OptionError: some priority is that of no query."""
        for name in self.priorities:
            if name not in names:
                raise OptionError(f"there is no query {name} to have a priority; {did_you_mean(name, list(names))}")


def _is_time(value: object) -> bool:
    return isinstance(value, int | timedelta) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Meter:
    """What a query took within the last ``SHARED_EVERY`` events: ``units`` of work, or part of it longer ago.

    ``work`` and ``dropped`` are units and steps of all its events.  It ``is_short`` if something was dropped lately, or
    nothing is known yet.
    """

    work: int = 0
    dropped: int = 0
    units: int = 0
    is_short: bool = True

    def after(self, work: int, dropped: int) -> Meter:
        """So many events later."""
        return Meter(work, dropped, max(work - self.work, self.units * 3 // 4), dropped > self.dropped)

    @property
    def needed(self) -> float:
        """Units an event; ``inf``: more than it might take."""
        return inf if self.is_short else GROWTH * self.units / SHARED_EVERY


def shares(work: float, priorities: Sequence[float], needs: Sequence[float]) -> list[float]:
    """How many units each may take for an event, ``work`` in all: what it needs, if that is not more than its share.

    What is left of a share goes to the others, and what nobody needs to all, by priority.
    """
    part = work / sum(priorities)
    needs = [max(need, LEAST_PART * part * priority) for need, priority in zip(needs, priorities, strict=True)]
    given = _filled(work, priorities, needs)
    left = max(0.0, work - sum(given)) / sum(priorities)
    return [units + left * priority for units, priority in zip(given, priorities, strict=True)]


def _filled(work: float, priorities: Sequence[float], needs: Sequence[float]) -> list[float]:
    given = [0.0] * len(needs)
    order = sorted(range(len(needs)), key=lambda number: needs[number] / priorities[number])
    hungry = sum(priorities)
    for number in order:
        part = work * priorities[number] / hungry
        given[number] = min(needs[number], part)
        work -= given[number]
        hungry -= priorities[number]
    return given
