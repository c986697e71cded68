"""What the steps of paths weigh, and the scores of paths: the mean weight of their steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spaseq.errors import OptionError
from spaseq.paths.columns import PathColumns
from spaseq.paths.edges import GraphEdges

Scores = NDArray[np.float64]
BITS = 32  # of a weight
LARGEST = 1e300


@dataclass(frozen=True, slots=True, eq=False)
class StepWeights:
    """What steps are worth as answers to one question.

    A step weighs what its predicate does (``relations``, float64[predicates]) plus what the node does to which it leads
    (``nodes``, float64[nodes]).  The score of a path is the mean of the weights of its steps, 0 if it has none: so it
    is never above the largest of them, nor above 0 without steps.

    Weights are rounded to 2 ** -32 of the largest one, so that sums of them are exact, in whatever order they are
    added.  OptionError: they are no numbers, or too large.
    """

    relations: Scores
    nodes: Scores

    def __post_init__(self) -> None:
        relations, nodes = _numbers(self.relations), _numbers(self.nodes)
        unit = _unit(max(np.abs(some).max(initial=0) for some in (relations, nodes)))
        object.__setattr__(self, "relations", np.round(relations / unit) * unit)
        object.__setattr__(self, "nodes", np.round(nodes / unit) * unit)

    def checked(self, graph: GraphEdges) -> StepWeights:
        """The same.  OptionError: they are not those of the predicates and nodes of this graph."""
        for weights, count, what in (
            (self.relations, len(graph.predicates), "predicates"), (self.nodes, graph.vertex_count, "nodes")
        ):  # fmt: skip
            if len(weights) != count:
                raise OptionError(f"there are {count:,} {what} in the graph, but weights of {len(weights):,}")
        return self

    def scores(self, columns: PathColumns) -> Scores:
        """float64[n]: the score of each path."""
        return mean_of_steps(self.relations[columns.symbols >> 1] + self.nodes[reached(columns)], columns)


def _numbers(weights: Any) -> Scores:
    try:
        found = np.ascontiguousarray(weights, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"weights are an array of numbers, not {weights!r:.80}") from None
    if found.ndim != 1 or not (np.abs(found) <= LARGEST).all():
        raise OptionError(f"weights are an array of numbers from {-LARGEST:g} to {LARGEST:g}")
    return found


def _unit(largest: float) -> float:
    """What weights are multiples of."""
    return math.ldexp(1, max(math.frexp(largest)[1] - BITS, -1000))


# ── columns of paths ─────────────────────────────────────────────────────────────────────────────────────────
def first_nodes(columns: PathColumns) -> NDArray[np.uint32]:
    """uint32[n]: the first node of each path."""
    return columns.vertices[_first_places(columns)]


def reached(columns: PathColumns) -> NDArray[np.uint32]:
    """The node to which each step leads, for the steps of all paths."""
    return np.delete(columns.vertices, _first_places(columns))


def lengths(columns: PathColumns) -> NDArray[np.int64]:
    """int64[n]: how many steps each path has."""
    return np.diff(np.concatenate([np.zeros(1, np.int64), columns.ends.astype(np.int64)]))


def mean_of_steps(weights: Scores, columns: PathColumns) -> Scores:
    """float64[n]: for each path the mean of the weights of its steps, 0 if it has none."""
    counts = lengths(columns)
    scores = np.zeros(len(counts))
    some = np.flatnonzero(counts)
    if len(some):
        scores[some] = np.add.reduceat(weights, (np.cumsum(counts) - counts)[some]) / counts[some]
    return scores


def _first_places(columns: PathColumns) -> NDArray[np.int64]:
    before = np.concatenate([np.zeros(1, np.int64), columns.ends.astype(np.int64)])[:-1]  # steps of earlier paths
    return before + np.arange(len(before))
