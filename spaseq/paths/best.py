"""The best paths of queries by what their steps weigh, found best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from nfa_native.paths.best_searcher import BestFirstSearcher
from spaseq.errors import OptionError, QueryError
from spaseq.paths.binding import Vertices
from spaseq.paths.budget import Budget, BudgetClock
from spaseq.paths.columns import PathColumns
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Paths
from spaseq.paths.named_graph import NamedGraph
from spaseq.paths.parts import AutomatonPart
from spaseq.paths.weights import Scores, StepWeights
from spaseq.pattern.paths import SelectorKind

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

    def add(self, number: int, part: AutomatonPart, starts: Vertices, weights: StepWeights | WeightsOf) -> None:
        """A query, by the number that it gets in the results, with its starts.

        QueryError: it does not ask for all paths.  OptionError: weights do not fit the graph.
        """
        query, bound = part.query.query, part.bound
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
