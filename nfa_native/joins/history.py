"""The batches that a window may still ask for, so that what was made of them can be made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nfa_native.terms.rows import EventRows

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]
LONG_AGO, FOREVER = -(2**63), 2**63 - 1  # times: of nothing that was, and of nothing that will be
LONGEST_JOINED = 1 << 16  # events of a batch that is joined with another one


class Rows(Protocol):
    """The rows of an atom, as ``Matcher.feed`` takes them."""

    @property
    def row_event(self) -> NDArray[np.uint32]:
        """``uint32[rows]``: the event of each row, by its number in the batch, ascending."""

    @property
    def columns(self) -> Words:
        """``uint64[slots, rows]``."""


class RowColumns(NamedTuple):
    """The same as a value: ``row_event uint32[r]``, ``columns uint64[slots, r]``."""

    row_event: NDArray[np.uint32]
    columns: Words


def batch_of(time: int, event: int, rows: Sequence[EventRows | None]) -> tuple[Numbers, Words, list[Rows | None]]:
    """One event as a batch: what ``Matcher.feed`` takes."""
    columns: list[Rows | None] = [None if one is None else RowColumns(one.row_event, one.columns) for one in rows]
    return np.array([time], np.int64), np.array([event], np.uint64), columns


@dataclass(frozen=True, slots=True)
class HistoryBatch:
    """n events from ``position`` on: times and numbers (n), and the rows of each atom, or None."""

    position: int
    times: Numbers
    events: Words
    rows: tuple[Rows | None, ...]

    def __len__(self) -> int:
        return len(self.times)

    def since(self, first: int) -> HistoryBatch:
        """All but the first events."""
        rows = tuple(None if one is None else _since(one, first) for one in self.rows)
        return HistoryBatch(self.position + first, self.times[first:], self.events[first:], rows)


class History:
    """Batches one after the other.  Small ones are joined, so that events that come one by one cost little room."""

    def __init__(self) -> None:
        self.batches: list[HistoryBatch] = []

    def __len__(self) -> int:
        return sum(map(len, self.batches))

    def add(self, batch: HistoryBatch) -> None:
        """Some more events."""
        batches = self.batches
        batches.append(batch)
        while len(batches) > 1 and len(batches[-2]) <= len(batches[-1]) <= LONGEST_JOINED:
            batches[-2:] = [joined(batches[-2:])]

    def forget(self, least: int, by_position: bool) -> None:
        """Batches of which every event lies before ``least``: a time, or a position."""
        kept = 0
        for batch in self.batches:
            if (batch.position + len(batch) - 1 if by_position else int(batch.times[-1])) >= least:
                break
            kept += 1
        del self.batches[:kept]

    def words(self) -> Words:
        """All words of rows (n)."""
        columns = [one.columns.reshape(-1) for batch in self.batches for one in batch.rows if one is not None]
        return np.concatenate([np.zeros(0, np.uint64), *columns])


def joined(batches: Sequence[HistoryBatch]) -> HistoryBatch:
    """The batches, at least one, as one."""
    offsets = np.cumsum([0, *map(len, batches)]).tolist()
    rows = zip(*(batch.rows for batch in batches), strict=True)
    return HistoryBatch(
        batches[0].position,
        np.concatenate([batch.times for batch in batches]),
        np.concatenate([batch.events for batch in batches]),
        tuple(_joined_rows(some, offsets) for some in rows),
    )


def _joined_rows(parts: Sequence[Rows | None], offsets: Sequence[int]) -> Rows | None:
    """The rows of one atom; ``offsets`` are those of the parts' events."""
    some = [(one, start) for one, (start, _) in zip(parts, pairwise(offsets), strict=True) if one is not None]
    if not some:
        return None
    events = np.concatenate([one.row_event.astype(np.int64) + start for one, start in some])
    return RowColumns(events.astype(np.uint32), np.concatenate([one.columns for one, _ in some], axis=1))


def _since(rows: Rows, first: int) -> Rows:
    begin = int(np.searchsorted(rows.row_event, first))
    events = rows.row_event[begin:].astype(np.int64) - first
    return RowColumns(events.astype(np.uint32), np.ascontiguousarray(rows.columns[:, begin:]))
