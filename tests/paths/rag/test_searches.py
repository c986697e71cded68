"""Best-first search of a retrieval: the same answers as by all paths, and budgets that each question has a share of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from spaseq.paths import Graph, Paths, StepWeights, prepare
from spaseq.paths.budget import Budget
from spaseq.paths.rag import LexicalScorer, PathRetrieval, RetrievedPaths, StepScorer
from spaseq.paths.rag.questions import QuestionResolver, goes_best_first
from tests.paths.rag.films import FILMS

EXPRESSIONS = (
    "(!()|^!()){3}", "(!()|^!()){0,3} NOT BACK TO START", "ACYCLIC (!()|^!())+", "TRAIL (:p|^:q|:q)+",
    "SIMPLE (:p|^:p)+", "(:p|:q)/^:p/(!:q|:q)", ":p/^:q", "(:p|^:p)/[?x: ?x != \"n1\"]/(:q|:p){2,3}", ":none/:p{4}",
)  # fmt: skip
QUERIES = (
    'QUERY far FROM LABEL "n0", LABEL "n3", LABEL "nobody" ACYCLIC (!()|^!()){1,4}',
    'QUERY ends FROM LABEL "n1" TO LABEL "n2", LABEL "n4" ALL WALK (!()|^!()){3,4}',
)


class Chance(StepScorer):
    """Few different weights, by question, and by whether the start is even."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._kept: dict[tuple[str, int], StepWeights] = {}

    def step_weights(self, question: str, start: int) -> StepWeights:
        if (question, start % 2) not in self._kept:
            chance = np.random.default_rng([len(question), sum(question.encode()), start % 2])
            some = (chance.choice([-1, 0, 0, 0.3, 1], count) for count in self._counts)
            self._kept[question, start % 2] = StepWeights(*some)
        return self._kept[question, start % 2]

    @property
    def _counts(self) -> tuple[int, int]:
        return len(self.graph.predicates), self.graph.vertex_count


class Afterwards:
    """The same scores, for paths that were found: no search is led by them."""

    def __init__(self, scorer: StepScorer) -> None:
        self._scorer = scorer

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        return self._scorer.scores(questions, found)


def random_graph(seed: int) -> Graph:
    """Of six nodes and two relations, as a table."""
    import pyarrow

    chance = np.random.default_rng(seed)
    edges = {tuple(chance.integers(0, (6, 2, 6)).tolist()) for _ in range(int(chance.integers(5, 11)))}
    rows = [{"subject": f"n{a}", "relation": "pq"[p], "object": f"n{b}"} for a, p, b in sorted(edges)]
    return Graph.from_table(pyarrow.Table.from_pylist(rows))


def resolver(seed: int) -> Any:
    """Some queries for each question, some of them twice."""

    def resolve(question: str) -> Iterable[tuple[str | None, str]]:
        chance = np.random.default_rng([seed, int(question)])
        for _ in range(int(chance.integers(0, 4))):
            if chance.random() < 0.2:
                yield None, QUERIES[int(chance.integers(0, 2))]
            else:
                expression = EXPRESSIONS[int(chance.integers(0, len(EXPRESSIONS)))]
                yield f"n{chance.integers(0, 7)}", expression
                if chance.random() < 0.3:
                    yield f"n{chance.integers(0, 6)}", expression

    return resolve


def plain(found: RetrievedPaths) -> Any:
    rows = [(one.score, one.path.query, one.path.vertices, one.path.symbols, one.text) for one in found]
    return found.question, rows, found.complete, set(found.warnings)


def test_it_finds_what_all_paths_have() -> None:
    """Paths, their scores and order, the queries that they are of, and warnings."""
    compared = 0
    for seed in range(30):
        graph, resolve = random_graph(seed), resolver(seed)
        scorer, questions = Chance(graph), [str(number) for number in range(8)]
        for top in (1, 3, 10):
            led = PathRetrieval(graph, resolve, top=top, score=scorer).retrieve_all(questions)
            all_paths = PathRetrieval(graph, resolve, top=top, score=Afterwards(scorer)).retrieve_all(questions)
            assert list(map(plain, led)) == list(map(plain, all_paths)), (seed, top)
        compared += sum(len(one) == 10 for one in led)
    assert compared > 50


FAR = "(!()|^!()){3} NOT BACK TO START"


def test_words_lead_a_search() -> None:
    """The bundled scorer, and what its search has looked at."""
    question = "Who directed films with actors of Kismet?"
    retrieval = PathRetrieval(FILMS, lambda text: [("Kismet", FAR)], top=3)
    found = retrieval.retrieve(question)
    afterwards = Afterwards(LexicalScorer(FILMS))
    assert plain(found) == plain(
        PathRetrieval(FILMS, lambda text: [("Kismet", FAR)], top=3, score=afterwards).retrieve(question)
    )
    assert found.paths[0].score > 0 and found.complete


def test_each_question_has_its_share_of_a_budget() -> None:
    """What one does not need is left to those behind it."""

    def resolve(question: str) -> list[tuple[str, str]]:
        return [("Kismet", FAR if question == "far" else ":directed_by")]

    few = PathRetrieval(FILMS, resolve, most_edges=12)
    assert [one.complete for one in few.retrieve_all(["far", "near"])] == [False, True]
    assert [one.complete for one in few.retrieve_all(["near", "far", "near"])] == [True, False, True]
    many = PathRetrieval(FILMS, resolve, most_edges=10_000)
    assert all(one.complete for one in many.retrieve_all(["near", "far"]))
    none = PathRetrieval(FILMS, resolve, time_limit=1e-9).retrieve("far")
    assert (none.paths, none.complete) == ((), False)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (":directed_by/^:directed_by/:starred_actors", False), ("(:directed_by|:written_by)/!()", False),
        ("ANY SHORTEST !()+", False), ("(:directed_by|:written_by)/!()/!()", True), ("TRAIL !()+", True),
    ],
)  # fmt: skip
def test_where_it_is_of_use(query: str, wanted: bool) -> None:
    """Where there may be many paths; within a budget wherever it is possible."""
    asked = [QuestionResolver(FILMS, lambda question: [("Kismet", query)]).resolved("?")]
    assert goes_best_first(Chance(FILMS), asked, Budget()) == wanted
    assert goes_best_first(Chance(FILMS), asked, Budget(edges=9)) == ("SHORTEST" not in query)


def test_a_scorer_with_other_scores_is_asked_for_them() -> None:
    class Other(Chance):
        def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
            return [np.arange(len(paths)) for paths in found]

    found = PathRetrieval(FILMS, lambda question: [("Kismet", FAR)], score=Other(FILMS), top=1).retrieve("?")
    assert found.paths[0].score == len(FILMS.match(prepare(f"QUERY q {FAR}"), ["Kismet"])) - 1
