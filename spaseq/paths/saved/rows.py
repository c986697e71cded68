"""Compressed sparse rows of all labels, one behind the other: of each label along its edges, then against them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.adjacency import EdgeRows, LabelRows, are_among
from spaseq.paths.saved.container import Arrays, broken

Places = NDArray[np.int64]
PIECE = 1 << 16  # numbers that are looked at together
NONE = np.empty(0, np.uint32)


def stored_rows(labels: Sequence[LabelRows]) -> dict[str, NDArray[Any]]:
    """The arrays of these rows."""
    every = list(chain.from_iterable(labels))
    return {
        "row_counts": np.array([len(rows.offsets) - 1 for rows in every], np.uint32),
        "edge_counts": np.array([len(rows.targets) for rows in every], np.uint32),
        "are_sparse": np.array([rows.vertices is not None for rows in every], np.uint8),
        "sparse_vertices": np.concatenate([NONE, *(rows.vertices for rows in every if rows.vertices is not None)]),
        "offsets": np.concatenate([NONE, *(rows.offsets for rows in every)]),
        "targets": np.concatenate([NONE, *(rows.targets for rows in every)]),
    }


def opened_rows(arrays: Arrays, vertices: int) -> tuple[LabelRows, ...]:
    """The rows of each label, whose arrays are parts of these.

    DamagedError: an offset or a vertex is not in what it points into, or has not the place that its order gives it.
    """
    sparse = arrays["are_sparse"] != 0
    rows, edges = arrays["row_counts"].astype(np.int64), arrays["edge_counts"].astype(np.int64)
    if not len(sparse) == len(rows) == len(edges) or len(rows) % 2:
        raise broken("its labels do not have two ways each")
    if (rows[~sparse] != vertices).any() or (edges[::2] != edges[1::2]).any():
        raise broken("a label does not have the same edges both ways")
    offset_ends = _ends(rows + 1, arrays["offsets"])
    target_ends = _ends(edges, arrays["targets"])
    vertex_ends = _ends(np.where(sparse, rows, 0), arrays["sparse_vertices"])
    _check_offsets(arrays["offsets"], offset_ends, edges)
    check_vertices(arrays["targets"], vertices)
    check_vertices(arrays["sparse_vertices"], vertices)
    _check_rise(arrays["sparse_vertices"], vertex_ends)
    parts = zip(
        _parts(arrays["sparse_vertices"], vertex_ends), _parts(arrays["offsets"], offset_ends),
        _parts(arrays["targets"], target_ends), sparse.tolist(), strict=True,
    )  # fmt: skip
    ways = [EdgeRows(named if is_sparse else None, *rest) for named, *rest, is_sparse in parts]
    return tuple(LabelRows(*both) for both in zip(ways[::2], ways[1::2], strict=True))


def check_vertices(some: NDArray[np.uint32], vertices: int) -> None:
    """DamagedError: one of them is no vertex."""
    if len(some) and int(some.max()) >= vertices:
        raise broken("it has an edge to a node that is not there")


def _ends(counts: Places, array: NDArray[Any]) -> Places:
    """Where each of several parts of an array ends, with the start.  DamagedError: it is shorter or longer."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    if ends[-1] != len(array):
        raise broken("it does not have as many edges as it says")
    return ends


def _check_offsets(offsets: NDArray[np.uint32], ends: Places, edges: Places) -> None:
    """DamagedError: those of a way do not go from 0 to its number of edges, or fall."""
    starts, last = ends[:-1], ends[1:] - 1
    if (offsets[starts] != 0).any() or (offsets[last] != edges).any():
        raise broken("rows do not begin and end where their edges do")
    if not are_among(_falls(offsets), starts).all():
        raise broken("rows are not in their order")


def _falls(offsets: NDArray[np.uint32]) -> Places:
    """The places whose number is less than the one before; piece by piece, which saves memory that must be cleared."""
    found = [np.empty(0, np.int64)]
    for start in range(0, len(offsets), PIECE):
        piece = offsets[start : start + PIECE + 1]
        found.append(np.flatnonzero(piece[1:] < piece[:-1]) + start + 1)
    return np.concatenate(found)


def _check_rise(vertices: NDArray[np.uint32], ends: Places) -> None:
    """DamagedError: those of a way do not rise."""
    stays = np.flatnonzero(vertices[1:] <= vertices[:-1]) + 1
    if not are_among(stays, ends).all():
        raise broken("nodes with rows are not in their order")


def _parts(array: NDArray[np.uint32], ends: Places) -> list[NDArray[np.uint32]]:
    return [array[start:stop] for start, stop in pairwise(ends.tolist())]
