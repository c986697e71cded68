"""The best paths of questions, each question by a search of its own that goes best first."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from spaseq.paths.best import BestPaths, BestSearch
from spaseq.paths.budget import Budget
from spaseq.paths.graph import Graph
from spaseq.paths.parts import AutomatonPart, GivenStarts
from spaseq.paths.prepared import PreparedPath
from spaseq.paths.rag.batch import Key, key_of
from spaseq.paths.rag.resolving import ResolvedPath, ResolvedQuestion
from spaseq.paths.rag.scoring import StepScorer
from spaseq.pattern.paths import EdgeStep, SelectorKind
from spaseq.plan.paths.automaton import PathAutomaton, chain_of

FEW_STEPS = 2  # of paths of which there are few


def goes_best_first(scorer: StepScorer, asked: Iterable[ResolvedQuestion], budget: Budget) -> bool:
    """Whether questions are answered best first, for this is possible and of use.

    It is possible if their queries are for ALL paths, and the scorer does not give scores otherwise than by the weights
    of steps.  It is of use within a budget, and where there may be many paths: of more than two steps, some of them
    along one of several relations.  Else to find all of them is fast.
    """
    queries = {key_of(path): path.query for one in asked for path in one.paths}.values()
    is_possible = type(scorer).scores is StepScorer.scores and all(
        one.query.selector.kind is SelectorKind.ALL for one in queries
    )
    return is_possible and (budget != Budget() or any(map(_has_many_paths, queries)))


def _has_many_paths(query: PreparedPath) -> bool:
    steps = chain_of(query.automaton)
    is_narrow = steps is not None and all(isinstance(step, EdgeStep) for step in steps)
    return not is_narrow and _is_longer(query.automaton, FEW_STEPS)


def _is_longer(automaton: PathAutomaton, steps: int) -> bool:
    """Whether paths may have more than so many steps."""
    reached = {0}
    for _ in range(steps + 1):
        reached = {to for state in reached for to, _ in automaton.states[state].transitions}
    return bool(reached)


class QuestionSearches:
    """Searches for the ``top`` best paths of questions in a graph, by the weights of a scorer."""

    def __init__(self, graph: Graph, scorer: StepScorer, top: int) -> None:
        self._graph = graph
        self._scorer = scorer
        self._top = top
        self._parts: dict[Key, AutomatonPart] = {}

    def found(self, asked: Sequence[ResolvedQuestion], budget: Budget) -> Iterator[BestPaths]:
        """Those of each question, in turn; each has an equal share of what those before it leave of the budget."""
        edges, deadline = budget.edges, None if budget.seconds is None else time.monotonic() + budget.seconds
        for place, one in enumerate(asked):
            left = len(asked) - place
            seconds = None if deadline is None else max(deadline - time.monotonic(), 0) / left
            search, paths = self._of_one(one, Budget(None, seconds, None if edges is None else edges // left))
            edges = None if edges is None else edges - search.edges
            yield paths

    def _of_one(self, asked: ResolvedQuestion, budget: Budget) -> tuple[BestSearch, BestPaths]:
        search, warnings = BestSearch(self._graph, self._top), list(asked.warnings)
        weights = self._scorer.weights_on(self._graph, asked.question)
        for number, path in enumerate(asked.paths):
            part, unknown = self._part(path), list[str]()
            starts = part.starts_in(_given(part, path), unknown)
            warnings += (f"{path.name}{warning.removeprefix(part.query.name)}" for warning in unknown)
            search.add(number, part, starts if path.starts is not None else np.sort(starts), weights)
        search.go_on(budget)
        return search, search.found([path.name for path in asked.paths], list(dict.fromkeys(warnings)))

    def _part(self, path: ResolvedPath) -> AutomatonPart:
        """The query of a path on the graph, once for all who ask it."""
        return self._parts.setdefault(key_of(path), AutomatonPart(self._graph, path.query, 0))


def _given(part: AutomatonPart, path: ResolvedPath) -> GivenStarts:
    return {} if path.starts is None else {part.query.name: np.array(path.starts, np.uint32)}
