"""Paths as a table of Arrow: each term is written once, however many paths have it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow

from spaseq.paths.columns import PathColumns
from spaseq.paths.named_graph import NamedGraph


def to_arrow(graph: NamedGraph, names: Sequence[str], columns: PathColumns) -> pyarrow.Table:
    """See ``Paths.to_arrow``; ``names`` are those of queries."""
    steps = np.concatenate([np.zeros(1, np.int64), columns.ends.astype(np.int64)])
    used, places = np.unique(columns.vertices, return_inverse=True)
    texts = pyarrow.array([graph.terms.value(int(vertex)).to_ntriples() for vertex in used], pyarrow.string())
    predicates = pyarrow.array(graph.predicates, pyarrow.string())
    lists = {
        "nodes": (steps + np.arange(len(steps)), texts.take(pyarrow.array(places))),
        "predicates": (steps, predicates.take(pyarrow.array(columns.symbols >> 1))),
        "inverse": (steps, pyarrow.array((columns.symbols & 1).astype(np.bool_))),
    }
    queries = pyarrow.array(names, pyarrow.string()).take(pyarrow.array(columns.queries))
    arrays = {
        name: pyarrow.LargeListArray.from_arrays(pyarrow.array(at), values) for name, (at, values) in lists.items()
    }
    return pyarrow.table({"query": queries, **arrays})
