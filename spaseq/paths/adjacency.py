"""Edges as compressed sparse rows: for each label, and each way, the neighbours of each vertex.

On the way there an edge is a number, its key: the vertex that it leaves in the upper half, the one that it enters in
the lower half.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.paths.searcher import EdgeIndex

Numbers = NDArray[np.uint32]
Keys = NDArray[np.uint64]
SPARSE = 8  # a label with fewer than a vertex in so many has rows for those vertices alone that have edges
HALF = np.uint64(32)
NO_KEYS = np.empty(0, np.uint64)


class EdgeRows(NamedTuple):
    """Edges that leave vertices: row i has the ``targets`` from ``offsets[i]`` to ``offsets[i + 1]``, which rise.

    It is that of ``vertices[i]``, which rise too; None: of vertex i.
    """

    vertices: Numbers | None
    offsets: Numbers
    targets: Numbers


NO_EDGES = EdgeRows(np.empty(0, np.uint32), np.zeros(1, np.uint32), np.empty(0, np.uint32))


class LabelRows(NamedTuple):
    """The edges of one label, along and against their direction."""

    along: EdgeRows
    against: EdgeRows


def edge_index(labels: Iterable[LabelRows], vertices: int) -> EdgeIndex:
    """What searches walk along."""
    index = EdgeIndex(vertices)
    for rows in labels:
        index.add(rows.along, rows.against)
    return index


def rows_by_label(labels: Numbers, keys: Keys, label_count: int, vertices: int) -> tuple[LabelRows, ...]:
    """The rows of each label, from the label and the key of n edges in any order, some maybe twice."""
    narrow = labels.astype(np.uint16) if label_count <= 1 << 16 else labels  # few bits are put in order faster
    order = np.argsort(narrow, kind="stable")
    by_label = keys[order]
    bounds = np.cumsum(np.bincount(labels, minlength=label_count)).tolist()
    return tuple(label_rows(distinct_keys(by_label[start:stop]), vertices) for start, stop in pairwise([0, *bounds]))


def label_rows(keys: Keys, vertices: int) -> LabelRows:
    """The rows of one label, whose keys rise."""
    return LabelRows(rows_of(keys, vertices), rows_of(np.sort(swapped(keys)), vertices))


def rows_of(keys: Keys, vertices: int) -> EdgeRows:
    """The rows of edges whose keys rise."""
    sources, targets = (keys >> HALF).astype(np.uint32), keys.astype(np.uint32)
    if len(keys) * SPARSE >= vertices:
        return EdgeRows(None, _offsets(np.bincount(sources, minlength=vertices)), targets)
    found, counts = np.unique(sources, return_counts=True)
    return EdgeRows(found, _offsets(counts), targets)


def edge_keys(sources: Numbers, targets: Numbers) -> Keys:
    """The keys of edges."""
    keys = sources.astype(np.uint64)
    keys <<= HALF
    keys |= targets
    return keys


def row_keys(rows: EdgeRows) -> Keys:
    """The keys of the edges that are in rows; they rise."""
    sources = np.arange(len(rows.offsets) - 1, dtype=np.uint32) if rows.vertices is None else rows.vertices
    return edge_keys(np.repeat(sources, np.diff(rows.offsets)), rows.targets)


def ends_of(keys: Keys) -> Numbers:
    """The vertices of edges."""
    return np.concatenate([keys >> HALF, keys]).astype(np.uint32)


def swapped(keys: Keys) -> Keys:
    """The keys of the same edges against their direction."""
    return (keys << HALF) | (keys >> HALF)


def distinct_keys(keys: Keys) -> Keys:
    """These keys in order, each once."""
    found = np.sort(keys)
    if not len(found):
        return found
    fresh = np.concatenate([[True], found[1:] != found[:-1]])
    return found if fresh.all() else found[fresh]


def are_among(some: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Of each whether it is one of those that are known, which rise."""
    if not len(known):
        return np.zeros(len(some), np.bool_)
    places = np.searchsorted(known, some)
    found: NDArray[np.bool_] = known[np.minimum(places, len(known) - 1)] == some
    return found


def _offsets(counts: NDArray[np.int64]) -> Numbers:
    offsets = np.zeros(len(counts) + 1, np.uint32)
    np.cumsum(counts, out=offsets[1:])
    return offsets
