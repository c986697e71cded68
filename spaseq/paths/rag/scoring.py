"""What a path is worth as an answer to a question: numbers for many paths at once, the higher the better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spaseq.errors import OptionError
from spaseq.paths.columns import PathColumns
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Path, Paths

Scores = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True, eq=False)
class StepWeights:
    """What steps are worth as answers to one question.

    A step weighs what its predicate does (``relations``, float64[predicates]) plus what the node does to which it leads
    (``nodes``, float64[nodes]).  The score of a path is the mean of the weights of its steps, 0 if it has none: so it
    is never above the largest of them, nor above 0 without steps.
    """

    relations: Scores
    nodes: Scores

    def scores(self, columns: PathColumns) -> Scores:
        """float64[n]: the score of each path."""
        return mean_of_steps(self.relations[columns.symbols >> 1] + self.nodes[reached(columns)], columns)


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
        """The mean weights of paths.  OptionError: they are of another graph."""
        return [self._of_one(question, paths) for question, paths in zip(questions, found, strict=True)]

    def _of_one(self, question: str, paths: Paths) -> Scores:
        if paths.graph is not self.graph:
            raise OptionError("the scorer is of another graph than the paths")
        starts, start_of_path = np.unique(first_nodes(paths.columns), return_inverse=True)
        weights = [self.step_weights(question, start) for start in starts.tolist()]
        kinds = {each: number for number, each in enumerate(dict.fromkeys(weights))}
        kind_of_path = np.array([kinds[each] for each in weights])[start_of_path]
        scores = np.empty(len(paths))
        for each, number in kinds.items():
            places = np.flatnonzero(kind_of_path == number)
            scores[places] = each.scores(paths.columns.take(places))
        return scores


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


def _first_places(columns: PathColumns) -> NDArray[np.int64]:
    before = np.concatenate([np.zeros(1, np.int64), columns.ends.astype(np.int64)])[:-1]  # steps of earlier paths
    return before + np.arange(len(before))
