"""Events that belong to several substreams: an entry for each, so that what follows meets one key at a time.

Without it, rows of one event would be one set of partial matches, which leaves a state as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.joins.history import Numbers, RowColumns, Rows, Words

Slots = Sequence[Sequence[int]]  # for each atom those of its columns that hold the key


class SubstreamEntries(NamedTuple):
    """Events by substream, m entries in the order of n events: the event's number in the batch, its key, rows by atom.

    An event without a key is an entry without rows, and its key is 0.
    """

    of: Numbers  # int64[m]
    keys: Words  # uint64[m, width]
    rows: tuple[Rows | None, ...]


def split(
    times: Numbers, events: Words, rows: Sequence[Rows | None], slots: Slots
) -> tuple[Numbers, Words, Sequence[Rows | None]]:
    """A batch as ``Matcher.feed`` takes it, in which each event with several keys comes once for each of them."""
    if not any(one is not None and _has_several(one, keys) for one, keys in zip(rows, slots, strict=True)):
        return times, events, rows
    entries = by_key(len(times), rows, slots)
    return times[entries.of], events[entries.of], entries.rows


def by_key(count: int, rows: Sequence[Rows | None], slots: Slots) -> SubstreamEntries:
    """The entries of a batch of ``count`` events; those of one event in the order of its rows."""
    table = np.concatenate(list(_keyed(rows, slots)))
    distinct, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    order = np.lexsort((first, distinct[:, 0]))
    owner = distinct[order, 0].astype(np.int64)
    counts = np.maximum(np.bincount(owner, minlength=count), 1)
    starts = np.cumsum(counts) - counts
    place = starts[owner] + np.arange(len(owner)) - np.searchsorted(owner, owner)
    entry = np.empty(len(order), np.int64)
    entry[order] = place
    keys = np.zeros((int(counts.sum()), table.shape[1] - 1), np.uint64)
    keys[place] = distinct[order, 1:]
    return SubstreamEntries(np.repeat(np.arange(count), counts), keys, tuple(_placed(rows, entry[inverse.reshape(-1)])))


def _has_several(rows: Rows, slots: Sequence[int]) -> bool:
    """Whether some event has rows of several keys."""
    same = rows.row_event[1:] == rows.row_event[:-1]
    return bool(same.any()) and any(
        bool((rows.columns[slot][1:] != rows.columns[slot][:-1])[same].any()) for slot in slots
    )


def _keyed(rows: Sequence[Rows | None], slots: Slots) -> Iterator[NDArray[np.uint64]]:
    """The event and the key of each row, ``uint64[r, 1 + width]``, atom by atom."""
    yield np.zeros((0, 1 + max(map(len, slots), default=0)), np.uint64)
    for one, keys in zip(rows, slots, strict=True):
        if one is not None:
            yield np.column_stack([one.row_event.astype(np.uint64), *(one.columns[slot] for slot in keys)])


def _placed(rows: Sequence[Rows | None], entries: Numbers) -> Iterator[Rows | None]:
    """The rows of each atom with the numbers of their entries, in order."""
    start = 0
    for one in rows:
        if one is None:
            yield None
            continue
        own = entries[start : start + len(one.row_event)]
        start += len(own)
        order = np.argsort(own, kind="stable")
        yield RowColumns(own[order].astype(np.uint32), np.ascontiguousarray(one.columns[:, order]))
