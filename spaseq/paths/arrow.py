"""Paths as a table of Arrow: each term is written once, however many paths have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.columns import PathColumns
from spaseq.paths.named_graph import NamedGraph

if TYPE_CHECKING:
    import pyarrow

Numbers = NDArray[np.uint32]


def to_arrow(graph: NamedGraph, names: Sequence[str], columns: PathColumns) -> pyarrow.Table:
    """See ``Paths.to_arrow``; ``names`` are those of queries."""
    import pyarrow

    steps = np.concatenate([np.zeros(1, np.int64), columns.ends.astype(np.int64)])
    predicates = pyarrow.array(graph.predicates, pyarrow.string())
    lists = {
        "nodes": (steps + np.arange(len(steps)), terms(graph, columns.vertices)),
        "predicates": (steps, predicates.take(pyarrow.array(columns.symbols >> 1))),
        "inverse": (steps, pyarrow.array((columns.symbols & 1).astype(np.bool_))),
    }
    arrays = {
        name: pyarrow.LargeListArray.from_arrays(pyarrow.array(at), values) for name, (at, values) in lists.items()
    }
    return pyarrow.table({"query": named(names, columns.queries), **arrays})


def ends_to_arrow(
    graph: NamedGraph, names: Sequence[str], queries: Numbers, starts: Numbers, ends: Numbers
) -> pyarrow.Table:
    """See ``EndPoints.to_arrow``."""
    import pyarrow

    return pyarrow.table({"query": named(names, queries), "start": terms(graph, starts), "end": terms(graph, ends)})


def named(names: Sequence[str], queries: Numbers) -> pyarrow.Array:
    """The names of queries."""
    import pyarrow

    return pyarrow.array(names, pyarrow.string()).take(pyarrow.array(queries))


def terms(graph: NamedGraph, vertices: Numbers) -> pyarrow.Array:
    """The terms of vertices."""
    import pyarrow

    used, places = np.unique(vertices, return_inverse=True)
    texts = pyarrow.array([graph.terms.value(int(vertex)).to_ntriples() for vertex in used], pyarrow.string())
    return texts.take(pyarrow.array(places))
