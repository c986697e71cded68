"""Edges as compressed sparse rows: for each label, and each way, the neighbours of each vertex."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nfa_native.paths.searcher import EdgeIndex

if TYPE_CHECKING:
    from nfa_native.paths.searcher import AdjacencyRows

Numbers = NDArray[np.uint32]
SPARSE = 8  # a label with fewer than a vertex in so many has rows for those vertices alone that have edges


def edge_index(labels: Numbers, subjects: Numbers, objects: Numbers, label_count: int, vertices: int) -> EdgeIndex:
    """The index of n different edges, uint32[n] each, in any order."""
    index = EdgeIndex(vertices)
    along = _by_label(labels, subjects, objects, label_count, vertices)
    against = _by_label(labels, objects, subjects, label_count, vertices)
    for one, other in zip(along, against, strict=True):
        index.add(one, other)
    return index


def distinct_edges(labels: Numbers, subjects: Numbers, objects: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The edges in order of label, subject and object, each once."""
    order = _order(labels, subjects, objects)
    columns = np.array([labels[order], subjects[order], objects[order]])
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    label, subject, object_ = columns if fresh.all() else columns[:, fresh]
    return label, subject, object_


def _by_label(
    labels: Numbers, sources: Numbers, targets: Numbers, label_count: int, vertices: int
) -> list[AdjacencyRows]:
    order = _order(labels, sources, targets)
    bounds = np.searchsorted(labels[order], np.arange(label_count + 1, dtype=np.uint32))
    sources, targets = sources[order], np.ascontiguousarray(targets[order])
    return [_rows(sources[start:stop], targets[start:stop], vertices) for start, stop in pairwise(bounds)]


def _rows(sources: Numbers, targets: Numbers, vertices: int) -> AdjacencyRows:
    """The rows of one label, whose edges are in order."""
    if len(sources) * SPARSE >= vertices:
        counts = np.bincount(sources, minlength=vertices)
        return None, _offsets(counts), targets
    found, counts = np.unique(sources, return_counts=True)
    return found, _offsets(counts), targets


def _offsets(counts: NDArray[np.int64]) -> Numbers:
    offsets = np.zeros(len(counts) + 1, np.uint32)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _order(first: Numbers, second: Numbers, third: Numbers) -> NDArray[np.int64]:
    """What puts rows of three numbers in order: as one number, if they have few bits."""
    bits = [int(column.max(initial=0)).bit_length() for column in (first, second, third)]
    if sum(bits) > 64:
        return np.lexsort((third, second, first))
    key = first.astype(np.uint64) << np.uint64(bits[1] + bits[2])
    key |= second.astype(np.uint64) << np.uint64(bits[2])
    key |= third
    return np.argsort(key, kind="stable")
