"""The paths of a graph that tell most about a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spaseq.errors import OptionError
from spaseq.paths.best import BestPaths
from spaseq.paths.budget import Budget
from spaseq.paths.found import Path, Paths
from spaseq.paths.graph import Graph
from spaseq.paths.rag.batch import QuestionBatch
from spaseq.paths.rag.lexical import LexicalScorer
from spaseq.paths.rag.resolving import QuestionResolver, Resolve, ResolvedQuestion
from spaseq.paths.rag.scoring import EachPath, PathScore, PathScorer, StepScorer, checked_scores
from spaseq.paths.rag.searches import QuestionSearches, goes_best_first
from spaseq.paths.weights import Scores, lengths

Each = Callable[[Callable[[str], Any], Iterable[str]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A path, its score, and its ``text`` as a language model shall read it."""

    path: Path
    score: float
    text: str

    def metadata(self) -> dict[str, Any]:
        """What retrievers of other libraries tell beside the text: query, score, nodes and relations as texts."""
        relations = [f"^{iri}" if inverse else iri for iri, inverse in self.path.steps()]
        nodes = [value.text for value in self.path.values()]
        return {"query": self.path.query, "score": self.score, "nodes": nodes, "relations": relations}

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RetrievedPaths:
    """The best paths for a question, best first.

    ``complete`` is False if a budget ended the search before all paths were found; ``warnings`` name what the graph
    does not have.
    """

    question: str
    paths: tuple[RankedPath, ...]
    complete: bool
    warnings: tuple[str, ...]

    def __iter__(self) -> Iterator[RankedPath]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __str__(self) -> str:
        """The paths, one a line: the context of a prompt."""
        return "\n".join(path.text for path in self.paths)

    def metadata(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Of each path the text, and all that is known of it, whether the search was complete and warnings too."""
        for path in self.paths:
            yield path.text, path.metadata() | {"complete": self.complete, "warnings": list(self.warnings)}


class PathRetrieval:
    """Answers questions by paths of a graph.

    ``resolve`` makes pairs of a question: where paths start, and along what they lead.  A start is a number, a term or
    a name of a node, as in ``Graph.match``, or None if the query has FROM; a path query is the text of an expression
    or of whole queries, or what ``prepare`` gives.

    ``score`` is a function of the question and a path, or a ``PathScorer``; without one, ``LexicalScorer``.  ``text``
    writes a path.  ``time_limit`` and ``most_edges`` are the budget of a call, however many questions it has.
    OptionError: an argument makes no sense.

    With a ``StepScorer``, such as ``LexicalScorer``, paths are searched for best first where that is worth it: see
    ``goes_best_first``.  Each question then has its share of the budget, and its own ``complete``.
    """

    def __init__(
        self,
        graph: Graph,
        resolve: Resolve,
        *,
        top: int | None = 10,
        score: PathScore | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
        text: Callable[[Path], str] = str,
    ) -> None:
        if not isinstance(graph, Graph) or not callable(resolve):
            raise OptionError("a retrieval has a spaseq.paths.Graph, and a function that resolves questions")
        self.graph = graph
        self.top = _checked_top(top)
        self._resolver = QuestionResolver(graph, resolve)
        self._scorer = _scorer(graph, score)
        self._budget = Budget.of(None, time_limit, most_edges)
        self._text = text

    def retrieve(self, question: str, top: int | None = None) -> RetrievedPaths:
        """The best ``top`` paths for a question (else as many as the retrieval gives); see ``retrieve_all``."""
        return self.retrieve_all([question], top)[0]

    def retrieve_all(self, questions: Iterable[str], top: int | None = None) -> list[RetrievedPaths]:
        """The best paths for each question, all found by one search: a query that several ask runs once.

        OptionError, QuerySyntaxError, QueryError: ``resolve`` gave what is no path query, or a score is no number.
        """
        if isinstance(questions, str):
            raise OptionError("questions are several texts, not one")
        return self._ranked([self._resolver.resolved(question) for question in questions], top)

    def attempt_all(
        self, questions: Sequence[str], top: int | None = None, each: Each = map
    ) -> list[RetrievedPaths | Exception]:
        """As ``retrieve_all``, but what goes wrong when a question is resolved stands in its place.

        ``each`` is what ``map`` does, maybe with threads: ``executor.map``, if ``resolve`` waits for a model.
        """
        attempts = list(each(self._attempted, questions))
        found = iter(self._ranked([one for one in attempts if isinstance(one, ResolvedQuestion)], top))
        return [next(found) if isinstance(one, ResolvedQuestion) else one for one in attempts]

    def _attempted(self, question: str) -> ResolvedQuestion | Exception:
        try:
            return self._resolver.resolved(question)
        except Exception as error:  # resolve is not ours: it may ask a model that does not answer
            return error

    def _ranked(self, asked: Sequence[ResolvedQuestion], top: int | None) -> list[RetrievedPaths]:
        most = self.top if top is None else _checked_top(top)
        scorer = self._scorer
        if most is not None and isinstance(scorer, StepScorer) and goes_best_first(scorer, asked, self._budget):
            searches = QuestionSearches(self.graph, scorer, most)
            return [self._retrieved(*pair) for pair in zip(asked, searches.found(asked, self._budget), strict=True)]
        return self._chosen(asked, most)

    def _retrieved(self, asked: ResolvedQuestion, paths: BestPaths) -> RetrievedPaths:
        best = (
            RankedPath(path, score, self._text(path)) for path, score in zip(paths, paths.scores.tolist(), strict=True)
        )
        return RetrievedPaths(asked.question, tuple(best), paths.complete, paths.warnings)

    def _chosen(self, asked: Sequence[ResolvedQuestion], most: int | None) -> list[RetrievedPaths]:
        """The best of all paths."""
        batch = QuestionBatch(asked).match(self.graph, self._budget.seconds, self._budget.edges)
        found = [batch.of(one) for one in asked]
        scores = self._scores([one.question for one in asked], found)
        return [
            RetrievedPaths(one.question, self._best(paths, some, most), paths.complete, paths.warnings)
            for one, paths, some in zip(asked, found, scores, strict=True)
        ]

    def _scores(self, questions: Sequence[str], found: Sequence[Paths]) -> list[Scores]:
        """The scores of all paths; questions without paths are not scored."""
        having = [number for number, paths in enumerate(found) if len(paths)]
        given = self._scorer.scores([questions[number] for number in having], [found[number] for number in having])
        if len(given) != len(having):
            raise OptionError(f"a scorer gives scores for each of {len(having)} questions, not for {len(given)}")
        scores = [np.empty(0)] * len(found)
        for number, some in zip(having, given, strict=True):
            scores[number] = checked_scores(some, found[number])
        return scores

    def _best(self, paths: Paths, scores: Scores, most: int | None) -> tuple[RankedPath, ...]:
        """The paths of the highest scores, each once, even if two queries found it."""
        best: dict[tuple[tuple[int, ...], tuple[int, ...]], RankedPath] = {}
        for place in ranking(paths, scores).tolist():
            if len(best) == most:
                break
            path = paths[place]
            key = path.vertices, path.symbols
            if key not in best:
                best[key] = RankedPath(path, float(scores[place]), self._text(path))
        return tuple(best.values())


def ranking(paths: Paths, scores: Scores) -> NDArray[np.int64]:
    """The places of paths, best first: of equal scores shorter ones, then those that were found first."""
    return np.lexsort((lengths(paths.columns), -scores))


def _checked_top(top: int | None) -> int | None:
    if top is not None and (type(top) is not int or top < 1):
        raise OptionError(f"top is a number from 1 on, not {top!r:.80}")
    return top


def _scorer(graph: Graph, score: PathScore | None) -> PathScorer:
    if score is None:
        return LexicalScorer(graph)
    if hasattr(score, "scores"):
        return score
    if not callable(score):
        raise OptionError(f"score is a function of a question and a path, or a scorer, not {score!r:.80}")
    return EachPath(score)
