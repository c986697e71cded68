"""What a path is worth as an answer to a question: numbers for many paths at once, the higher the better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from spaseq.errors import OptionError
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Path, Paths
from spaseq.paths.named_graph import NamedGraph
from spaseq.paths.weights import Scores, StepWeights, first_nodes


class PathScorer(Protocol):
    """Who gives scores to the paths of many questions together."""

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """For each question finite numbers, one for each of the paths that were found for it."""


PathScore: TypeAlias = "PathScorer | Callable[[str, Path], float]"


class EachPath:
    """A function that gives the score of one path, as a ``PathScorer``."""

    def __init__(self, score: Callable[[str, Path], float]) -> None:
        self._score = score

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """Path by path.  OptionError: a score is no number."""
        return [
            [self._number(question, path) for path in paths] for question, paths in zip(questions, found, strict=True)
        ]

    def _number(self, question: str, path: Path) -> float:
        score = self._score(question, path)
        try:
            return float(score)
        except (TypeError, ValueError):
            raise OptionError(f"the score of the path {path} is {score!r:.80}, and no number") from None


class StepScorer(ABC):
    """A scorer for which a path is worth the mean of what its steps are worth, whatever their order."""

    def __init__(self, graph: GraphEdges) -> None:
        self.graph = graph

    @abstractmethod
    def step_weights(self, question: str, start: int) -> StepWeights:
        """The weights of predicates and nodes for a question, on paths from the node of this number.

        Paths of several starts are scored together if these have the same object.
        """

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """The mean weights of paths.  OptionError: they are of another graph, or weights do not fit it."""
        return [self._of_one(question, paths) for question, paths in zip(questions, found, strict=True)]

    def weights_on(self, graph: NamedGraph, question: str) -> Callable[[int], StepWeights]:
        """``step_weights`` by start, for paths of a graph.  OptionError: as of ``scores``."""
        if graph is not self.graph:
            raise OptionError("the scorer is of another graph than the paths")
        return lambda start: self.step_weights(question, start).checked(self.graph)

    def _of_one(self, question: str, paths: Paths) -> Scores:
        weights_of = self.weights_on(paths.graph, question)
        starts, start_of_path = np.unique(first_nodes(paths.columns), return_inverse=True)
        weights = [weights_of(start) for start in starts.tolist()]
        kinds = {each: number for number, each in enumerate(dict.fromkeys(weights))}
        kind_of_path = np.array([kinds[each] for each in weights])[start_of_path]
        scores = np.empty(len(paths))
        for each, number in kinds.items():
            places = np.flatnonzero(kind_of_path == number)
            scores[places] = each.scores(paths.columns.take(places))
        return scores


def checked_scores(scores: ArrayLike, paths: Paths) -> Scores:
    """Scores as an array.  OptionError: there is not one for each path, or one is not finite: it names the path."""
    try:
        found = np.asarray(scores, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"a scorer gives an array of numbers for each question, not {scores!r:.80}") from None
    if found.shape != (len(paths),):
        raise OptionError(f"a scorer gives one number for each of {len(paths)} paths, not an array of {found.shape}")
    wrong = np.flatnonzero(~np.isfinite(found))
    if len(wrong):
        raise OptionError(f"the score of the path {paths[int(wrong[0])]} is {found[wrong[0]]}")
    return found


def share_of(number: float) -> float:
    """A share of relations in a score.  OptionError: it is no number from 0 to 1."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        raise OptionError(f"relation_share is a number from 0 to 1, not {number!r:.80}")
    return float(number)
