"""Scores: words in common, embeddings, and weights of steps that a search can bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pyoxigraph import Literal, NamedNode, Triple

from spaseq.errors import OptionError
from spaseq.paths import Graph, Path, Paths
from spaseq.paths.rag import (
    EmbeddingScorer,
    GraphNames,
    LexicalScorer,
    PathRetrieval,
    StepScorer,
    StepWeights,
    parse_rules,
)
from spaseq.paths.rag.scoring import words_of
from tests.paths.rag.films import DIRECTED, FILMS, resolve

EX = "http://ex.org/"
LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
KISMET = FILMS.match('QUERY q FROM LABEL "Kismet" SIMPLE (!()|^!()){0,2}')


def lexical(graph: Graph, question: str, paths: Paths, **options: Any) -> list[float]:
    (scores,) = LexicalScorer(graph, **options).scores([question], [paths])
    return np.asarray(scores).tolist()


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("directed_by", ["direct", "by"]),
        ("Who directs? The DIRECTOR, or two directors", ["who", "direct", "the", "direct", "or", "two", "direct"]),
        ("starredActors", ["star", "act"]),
        ("stars starring starred", ["star", "star", "star"]),
        ("film.film.release_date 1944", ["film", "film", "releas", "dat", "1944"]),
        ("Amélie à la carte", ["améli", "à", "la", "cart"]),
        ("es s --", ["es", "s"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert list(words_of(text)) == words


# ── lexical ──────────────────────────────────────────────────────────────────────────────────────────────
def by_definition(graph: Graph, question: str, path: Path, share: float = 0.5) -> float:
    """The score of a path, from the definition and nothing else."""
    names = GraphNames(graph)
    every = [names.relation(number) for number in range(len(graph.predicates))]
    every += [names.node(vertex) for vertex in range(graph.node_count)]

    def weight(words: Iterable[str]) -> float:
        return sum(np.log(1 + len(every) / sum(word in words_of(name) for name in every)) for word in words)

    def overlap(asked: set[str], name: str) -> float:
        words = set(words_of(name))
        return weight(words & asked) / weight(words) if words else 0

    asked = set(words_of(question))
    sought = asked - set(words_of(names.node(path.vertices[0])))
    steps = [
        share * overlap(asked, names.relation(symbol >> 1)) + (1 - share) * overlap(sought, names.node(vertex))
        for symbol, vertex in zip(path.symbols, path.vertices[1:], strict=True)
    ]
    return sum(steps) / len(steps) if steps else 0


QUESTIONS = st.lists(
    st.sampled_from(["who", "directed", "actors", "Kismet", "the", "Life", "James", "Notre", "1944", "release"])
).map(" ".join)


@given(QUESTIONS, st.sampled_from([0, 0.25, 0.5, 1]))
def test_scores_are_those_of_the_definition(question: str, share: float) -> None:
    scores = lexical(FILMS, question, KISMET, relation_share=share)
    assert scores == pytest.approx([by_definition(FILMS, question, path, share) for path in KISMET])
    assert all(0 <= score <= 1 for score in scores)


def test_a_question_that_says_all_has_one() -> None:
    """The start gives nothing, for a question names it anyway."""
    (path,) = FILMS.match('QUERY q FROM LABEL "Kismet" :directed_by')
    paths = FILMS.match('QUERY q FROM LABEL "Kismet" :directed_by')
    assert str(path) == "Kismet -> directed_by -> William Dieterle"
    assert lexical(FILMS, "Kismet: directed by William Dieterle", paths) == [1]
    assert lexical(FILMS, "directed by", paths) == [0.5]
    assert lexical(FILMS, "Kismet?", paths) == lexical(FILMS, "", paths) == [0]


def test_each_start_has_scores_of_its_own() -> None:
    """Words that name the start of one path are looked for on another."""
    question = "How do Kismet and Ronald Colman belong together?"
    paths = FILMS.match('QUERY q FROM LABEL "Kismet", LABEL "Ronald Colman" :starred_actors|^:starred_actors')
    scores = dict(zip(map(str, paths), lexical(FILMS, question, paths), strict=True))
    assert scores == pytest.approx(
        {
            "Kismet -> starred_actors -> Ronald Colman": 0.5,
            "Kismet -> starred_actors -> Edward Arnold": 0,
            "Ronald Colman -> ^starred_actors -> Kismet": 0.5,
            "Ronald Colman -> ^starred_actors -> Lost Horizon": 0,
        }
    )


@given(QUESTIONS)
def test_scores_of_many_starts_are_those_of_each(question: str) -> None:
    starts = np.arange(FILMS.node_count)
    together = FILMS.match("QUERY q ACYCLIC (!()|^!()){0,2}", starts)
    expected = [
        score
        for start in starts
        for score in lexical(FILMS, question, FILMS.match("QUERY q ACYCLIC (!()|^!()){0,2}", starts[start : start + 1]))
    ]
    assert lexical(FILMS, question, together) == expected


def test_rare_words_weigh_more() -> None:
    edges = [Triple(*map(NamedNode, (f"{EX}a", f"{EX}{name}", f"{EX}b"))) for name in ("film_of", "date_of", "sum_of")]
    graph = Graph(edges)
    of, film = lexical(graph, "of", found(graph, "film_of")), lexical(graph, "film", found(graph, "film_of"))
    assert 0 < of[0] < film[0] < 0.5


def found(graph: Graph, relation: str) -> Paths:
    return graph.match(f"QUERY q FROM <{EX}a> <{EX}{relation}>")


def knowledge() -> Graph:
    """A film of RDF, whose IRIs say nothing."""
    film, director, person = (NamedNode(EX + name) for name in ("Q2", "P57", "Q1"))
    labels = {
        film: Literal("Lost Horizon"),
        director: Literal("director"),
        person: Literal("Frank Capra", language="en"),
    }
    return Graph([Triple(film, director, person), *(Triple(node, LABEL, label) for node, label in labels.items())])


def test_labels_are_names() -> None:
    """Of nodes and of relations, where the graph has them."""
    graph = knowledge()
    names = GraphNames(graph)
    assert names.predicates("director") == names.predicates("P57") == (f"{EX}P57",)
    (path,) = graph.match(f'QUERY q FROM LABEL "Frank Capra" ^<{EX}P57>')
    assert (names.path(path), str(path)) == ("Frank Capra -> ^director -> Lost Horizon", "Q1 -> ^P57 -> Q2")
    assert lexical(graph, "The director of Lost Horizon", graph.match(f"QUERY q FROM <{EX}Q1> ^<{EX}P57>")) == [1]


def test_a_graph_of_rdf_from_end_to_end() -> None:
    """Rules, starts, scores and texts go by labels."""
    graph = knowledge()
    names = GraphNames(graph)

    def resolve(question: str) -> list[tuple[str, str]]:
        return [("Lost Horizon", rule.query(names)) for rule in parse_rules("<PATH>director</PATH><PATH>label</PATH>")]

    found = PathRetrieval(graph, resolve, text=names.path).retrieve("Who is the director of Lost Horizon?")
    assert [(path.text, path.score) for path in found] == [
        ("Lost Horizon -> director -> Frank Capra", 0.5), ("Lost Horizon -> label -> Lost Horizon", 0),
    ]  # fmt: skip


def test_names_without_words() -> None:
    graph = Graph([Triple(*map(NamedNode, (f"{EX}-", f"{EX}--", f"{EX}---")))])
    paths = graph.match(f"QUERY q FROM <{EX}-> <{EX}-->")
    assert (len(paths), lexical(graph, "- -- what", paths)) == (1, [0])


def test_words_of_other_languages() -> None:
    """Whoever has a stemmer uses it."""
    paths = FILMS.match('QUERY q FROM LABEL "Kismet" :release_year')
    german = {"veröffentlicht": "release", "jahr": "year"}
    words = lambda text: [german.get(word, word) for word in text.lower().replace("_", " ").split()]  # noqa: E731
    assert lexical(FILMS, "Jahr veröffentlicht", paths, words=words) == [0.5]


@pytest.mark.parametrize("share", [-0.1, 1.1, True, "half", float("nan")])
def test_shares_that_are_none(share: Any) -> None:
    with pytest.raises(OptionError, match="relation_share is a number from 0 to 1"):
        LexicalScorer(FILMS, relation_share=share)


# ── weights of steps ─────────────────────────────────────────────────────────────────────────────────────
class Longest(StepScorer):
    """Weighs a relation by the letters of its name, and nodes by their numbers."""

    def step_weights(self, question: str, start: int) -> StepWeights:
        relations = np.array([float(len(iri)) for iri in self.graph.predicates])
        return StepWeights(relations, np.arange(self.graph.node_count, dtype=np.float64))


def test_a_path_has_the_mean_weight_of_its_steps() -> None:
    (scores,) = Longest(FILMS).scores(["?"], [KISMET])
    for path, score in zip(KISMET, np.asarray(scores).tolist(), strict=True):
        steps = [
            len(FILMS.predicates[symbol >> 1]) + node
            for symbol, node in zip(path.symbols, path.vertices[1:], strict=True)
        ]
        assert score == pytest.approx(np.mean(steps) if steps else 0)


def test_a_scorer_of_another_graph() -> None:
    with pytest.raises(OptionError, match="the scorer is of another graph"):
        PathRetrieval(FILMS, resolve, score=LexicalScorer(Graph([]))).retrieve(DIRECTED)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1.0]], "one number for each of 4 paths, not an array of"),
        ([["high"] * 4], r"an array of numbers for each question, not \['high'"),
        ([], "scores for each of 1 questions, not for 0"),
    ],
)
def test_scorers_give_a_score_for_each_path(scores: list[Any], message: str) -> None:
    class Wrong:
        def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> list[Any]:
            return scores

    with pytest.raises(OptionError, match=message):
        PathRetrieval(FILMS, resolve, score=Wrong()).retrieve(DIRECTED)


# ── embeddings ───────────────────────────────────────────────────────────────────────────────────────────
class Letters:
    """An embedding by the letters of a text; it keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def cosine(one: str, other: str) -> float:
    a, b = map(np.array, Letters()([one, other]))
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0


@given(QUESTIONS, st.sampled_from([0, 0.25, 0.5, 1]))
def test_scores_are_cosines(question: str, share: float) -> None:
    (scores,) = EmbeddingScorer(FILMS, Letters(), share).scores([question], [KISMET])
    names = GraphNames(FILMS)
    for path, score in zip(KISMET, np.asarray(scores).tolist(), strict=True):
        nodes = [cosine(question, names.node(vertex)) for vertex in path.vertices]
        relations = cosine(question, " -> ".join(map(names.step, path.symbols)))
        expected = share * relations + (1 - share) * float(np.mean(nodes[1:])) if path.symbols else nodes[0]
        assert score == pytest.approx(expected, abs=1e-5)


def test_texts_are_embedded_once_and_together() -> None:
    embed = Letters()
    retrieval = PathRetrieval(FILMS, resolve, score=EmbeddingScorer(FILMS, embed))
    retrieval.retrieve_all([DIRECTED, "Kismet, when?", "Who are you?"])
    assert len(embed.asked) == 1
    assert sorted(embed.asked[0]) == sorted(
        [
            "Kismet", "William Dieterle", "Ronald Colman", "Edward Arnold", "1944", "directed_by", "starred_actors",
            "release_year", DIRECTED, "Kismet, when?",
        ]
    )  # fmt: skip
    retrieval.retrieve(DIRECTED)
    assert embed.asked[1:] == [[DIRECTED]]


@pytest.mark.parametrize(
    ("embed", "message"),
    [
        (lambda texts: [[1.0]], "embed gives a row for each of 9 texts, not an array of"),
        (lambda texts: [1.0] * len(texts), "not an array of"),
        (lambda texts: ["near"] * len(texts), r"a row of numbers for each text, not \['near'"),
        (lambda texts: None, "embed gives a row for each of"),
        (lambda texts: [[float("inf")]] * len(texts), "the score of the path Kismet -> .* is nan"),
    ],
)
def test_what_embed_must_not_give(embed: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PathRetrieval(FILMS, resolve, score=EmbeddingScorer(FILMS, embed)).retrieve(DIRECTED)


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────────
@given(st.lists(st.integers(0, len(KISMET) - 1)))
def test_paths_at_places(places: list[int]) -> None:
    taken = KISMET.columns.take(np.array(places, np.int64))
    assert list(Paths(FILMS, KISMET.names, taken, True, ())) == [KISMET[place] for place in places]
