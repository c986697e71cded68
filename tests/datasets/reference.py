"""Counts the matches of sequences of single atoms, with or without a Kleene, straight from semantics.md 3: by
hand-written tests on plain rows, no query text and nothing of the engine.  It checks that the workloads suit their
queries.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]  # the values of one event; "stream", "time" (µs) and "key" (what the index goes by) among them
State = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """An atom: ``take(state, row)`` gives the state after it, None if the row does not join; ``key(state)`` narrows the
    candidates.  ``repeat`` is the iteration operator of a Kleene plus around it.
    """

    operator: str
    stream: str
    take: Callable[[State, Row], State | None]
    key: Callable[[State], Any] = lambda state: state["key"]
    repeat: str = ""


@dataclass
class Stream:
    """Rows by time, with the indexes that make the counting fast."""

    rows: Sequence[Row]
    ticks: list[int] = field(init=False)
    at: dict[int, list[Row]] = field(init=False)
    index: dict[Any, list[Row]] = field(init=False)
    times: dict[Any, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.at, self.index = defaultdict(list), defaultdict(list)
        for row in self.rows:
            self.at[row["time"]].append(row)
            self.index[row["stream"], row["key"]].append(row)
        self.ticks = sorted(self.at)
        self.times = {key: [row["time"] for row in rows] for key, rows in self.index.items()}

    def successors(
        self, operator: str, step: Step, state: State, time: int, edge: float
    ) -> Iterator[tuple[int, State]]:
        """(time, state) for every event that the step may pick after ``time`` and up to ``edge``."""
        if operator == ",":
            tick = bisect_right(self.ticks, time)
            candidates = self.at[self.ticks[tick]] if tick < len(self.ticks) else []
        else:
            place = step.stream, step.key(state)
            candidates = self.index.get(place, [])[bisect_right(self.times.get(place, []), time) :]
        fired = None
        for row in candidates:
            if row["time"] > edge or (operator == ";" and fired is not None and row["time"] > fired):
                return
            after = step.take(state, row) if row["stream"] == step.stream else None
            if after is not None:
                fired = row["time"]
                yield row["time"], after


def count(rows: Sequence[Row], steps: Sequence[Step], within: int, sliding: bool = True) -> int:
    """The number of matches within ``within`` microseconds.  A window's edge never stops ``;`` from firing: beyond the
    edge there is no match anyway.
    """
    stream, total = Stream(rows), 0
    for row in rows:
        state = steps[0].take({}, row) if row["stream"] == steps[0].stream else None
        if state is not None:
            edge = row["time"] + within if sliding else (row["time"] // within + 1) * within
            total += _continuations(stream, steps, 0, row["time"], state, edge)
    return total


def _continuations(stream: Stream, steps: Sequence[Step], at: int, time: int, state: State, edge: float) -> int:
    ways = [(at, steps[at].repeat)] if steps[at].repeat else []
    if at + 1 < len(steps):
        ways.append((at + 1, steps[at + 1].operator))
    total = int(at + 1 == len(steps))
    for target, operator in ways:
        for when, after in stream.successors(operator, steps[target], state, time, edge):
            total += _continuations(stream, steps, target, when, after, edge)
    return total
