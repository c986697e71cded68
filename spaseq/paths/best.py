"""The best paths of queries by what their steps weigh, found best first; a score is the mean weight of the steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nfa_native.paths.best_searcher import BestFirstSearcher
from spaseq.errors import OptionError, QueryError
from spaseq.paths.budget import Budget, BudgetClock
from spaseq.paths.columns import PathColumns
from spaseq.paths.components import AutomatonComponent
from spaseq.paths.edges import GraphEdges
from spaseq.paths.queries import Vertices
from spaseq.paths.results import Paths
from spaseq.paths.terms import NamedGraph
from spaseq.pattern.paths import SelectorKind

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


# ── best first ───────────────────────────────────────────────────────────────────────────────────────────
WeightsOf: TypeAlias = "Callable[[int], StepWeights]"  # by the number of the start
AT_ONCE = 1 << 11  # edges between looks at the clock
MOST_TOP = 2**32 - 1
FULL = "the search ended because it kept too many beginnings of paths; the paths are not surely the best"


class BestPaths(Paths):
    """The best paths of some queries, best first; ``scores`` (float64[n]) are those of each.

    ``complete`` is False if they are the best of those alone that were found within the budget; ``edges`` were looked
    at.
    """

    def __init__(
        self,
        graph: NamedGraph,
        names: Sequence[str],
        columns: PathColumns,
        complete: bool,
        warnings: Sequence[str],
        scores: Scores,
        edges: int,
    ) -> None:
        super().__init__(graph, names, columns, complete, warnings)
        self.scores = scores
        self.edges = edges


class BestSearch:
    """A search for the ``top`` best paths of queries, which are added in turn.  OptionError: there is no such top."""

    def __init__(self, graph: GraphEdges, top: int) -> None:
        if type(top) is not int or not 1 <= top <= MOST_TOP:
            raise OptionError(f"top is a number from 1 on, not {top!r:.80}")
        self._graph = graph
        self._searcher = BestFirstSearcher(graph.index, top)

    def add(
        self, number: int, component: AutomatonComponent, starts: Vertices, weights: StepWeights | WeightsOf
    ) -> None:
        """A query, by the number that it gets in the results, with its starts.

        QueryError: it does not ask for all paths.  OptionError: weights do not fit the graph.
        """
        query, bound = component.query.query, component.bound
        if query.selector.kind is not SelectorKind.ALL:
            raise QueryError(f"{query.name}: the best paths are those of ALL paths, not of {query.selector.kind.value}")
        for each, some in self._by_weights(starts, weights):
            self._searcher.add(
                number, bound.automaton, some, each.relations, each.nodes, bound.conditions, bound.ends,
                query.restrictor.value, query.not_back,
            )  # fmt: skip

    def _by_weights(self, starts: Vertices, weights: StepWeights | WeightsOf) -> Iterator[tuple[StepWeights, Vertices]]:
        """Starts that follow each other and have the same weights, together."""
        if not callable(weights):
            yield _weights(weights).checked(self._graph), starts
            return
        of_start = [_weights(weights(start)).checked(self._graph) for start in starts.tolist()]
        for _, places in groupby(range(len(of_start)), lambda place: id(of_start[place])):
            numbers = list(places)
            yield of_start[numbers[0]], starts[numbers[0] : numbers[-1] + 1]

    def go_on(self, budget: Budget) -> None:
        """Search until the best paths are known, or the budget is used up.  QueryError: a query takes too much."""
        clock = BudgetClock(budget)
        while not self._searcher.done and clock.allows_more(self.edges):
            try:
                self._searcher.advance(clock.next_edges(AT_ONCE, self.edges))
            except ValueError as error:
                raise QueryError(f"the best paths cannot be found: {error}") from None

    @property
    def edges(self) -> int:
        """How many were looked at so far."""
        return self._searcher.looked_at

    def found(self, names: Sequence[str], warnings: Sequence[str]) -> BestPaths:
        """The best paths so far."""
        queries, scores, ends, vertices, symbols = self._searcher.best()
        complete = self._searcher.done and not self._searcher.full
        told = (*warnings, FULL) if self._searcher.full else warnings
        return BestPaths(
            self._graph, names, PathColumns(queries, ends, vertices, symbols), complete, told, scores, self.edges
        )


def _weights(given: Any) -> StepWeights:
    """OptionError: these are no weights."""
    if not isinstance(given, StepWeights):
        raise OptionError(f"weights are StepWeights, or a function that gives those of a start, not {given!r:.80}")
    return given
