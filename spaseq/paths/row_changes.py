"""Compressed sparse rows with some edges more and some less: but for those that change all is copied as it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.adjacency import (
    HALF,
    EdgeRows,
    Keys,
    LabelRows,
    Numbers,
    are_among,
    edge_keys,
    row_keys,
    rows_of,
    swapped,
)

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelChange:
    """The keys of one label's edges that come, which it does not have, and of those that go; they rise."""

    fresh: Keys
    gone: Keys

    @staticmethod
    def of(rows: LabelRows, added: Keys, removed: Keys) -> LabelChange:
        """What changes in these rows; an edge that is both added and removed is there afterwards."""
        known = keys_leaving(rows.along, sources_of(np.concatenate([added, removed])))
        going = removed[~are_among(removed, added)]
        return LabelChange(added[~are_among(added, known)], going[are_among(going, known)])

    def applied(self, rows: LabelRows, vertices: int) -> LabelRows:
        """The rows after it, where there are so many vertices."""
        along, against = all_grown(rows, vertices)
        fresh, gone = np.sort(swapped(self.fresh)), np.sort(swapped(self.gone))
        return LabelRows(_changed(along, self.fresh, self.gone, vertices), _changed(against, fresh, gone, vertices))


def all_grown(rows: LabelRows, vertices: int) -> LabelRows:
    """The same rows where there are more vertices."""
    return LabelRows(_grown(rows.along, vertices), _grown(rows.against, vertices))


def have_rows(rows: EdgeRows, vertices: Numbers) -> NDArray[np.bool_]:
    """Of each of these vertices whether edges leave it."""
    if rows.vertices is not None:
        return are_among(vertices, rows.vertices)
    have: NDArray[np.bool_] = rows.offsets[vertices] < rows.offsets[vertices + 1]
    return have


def sources_of(keys: Keys) -> Numbers:
    """The vertices that edges leave, each once, in order."""
    return np.unique(keys >> HALF).astype(np.uint32)


def keys_leaving(rows: EdgeRows, sources: Numbers) -> Keys:
    """The keys of the edges that leave these vertices, which rise."""
    if rows.vertices is None:
        sources = sources[sources < len(rows.offsets) - 1]
        at = sources.astype(np.int64)
    else:
        sources = sources[are_among(sources, rows.vertices)]
        at = np.searchsorted(rows.vertices, sources)
    starts = rows.offsets[at].astype(np.int64)
    counts = rows.offsets[at + 1] - starts
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return edge_keys(np.repeat(sources, counts), rows.targets[places])


def _grown(rows: EdgeRows, vertices: int) -> EdgeRows:
    if rows.vertices is not None:
        return rows
    more = np.full(vertices + 1 - len(rows.offsets), rows.offsets[-1])
    return EdgeRows(None, np.concatenate([rows.offsets, more]), rows.targets) if len(more) else rows


def _changed(rows: EdgeRows, fresh: Keys, gone: Keys, vertices: int) -> EdgeRows:
    if rows.vertices is not None:  # few edges
        keys = row_keys(rows)
        keys = np.delete(keys, np.searchsorted(keys, gone))
        return rows_of(np.insert(keys, np.searchsorted(keys, fresh), fresh), vertices)
    near = keys_leaving(rows, sources_of(np.concatenate([fresh, gone])))
    gone = gone[are_among(gone, near)]  # all, unless a file was damaged; else a row could get less than no edges
    come, go = _places(rows, near, fresh), _places(rows, near, gone)
    targets = np.insert(rows.targets, come, fresh.astype(np.uint32))
    targets = np.delete(targets, go + np.searchsorted(come, go, "right"))
    more = np.zeros(len(rows.offsets), np.uint32)  # where it is less it wraps, and wraps back when it is added
    np.add.at(more, (fresh >> HALF) + np.uint64(1), 1)
    np.subtract.at(more, (gone >> HALF) + np.uint64(1), 1)
    return EdgeRows(None, rows.offsets + np.cumsum(more, dtype=np.uint32), targets)


def _places(rows: EdgeRows, near: Keys, keys: Keys) -> Places:
    """Where edges stand among all targets, or would stand; ``near`` are the keys that leave the same vertices."""
    sources = keys >> HALF
    in_row = np.searchsorted(near, keys) - np.searchsorted(near, sources << HALF)
    found: Places = rows.offsets[sources].astype(np.int64) + in_row
    return found
