"""Questions to the best paths: what resolve may give, the ranking, many questions at once, warnings, errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import rdflib
from hypothesis import given, strategies as st
from pyoxigraph import NamedNode, Triple

from spaseq.errors import OptionError, QuerySyntaxError
from spaseq.paths import Graph, Path, prepare
from spaseq.paths.rag import PathRetrieval, RetrievedPaths
from tests.paths.rag.films import DIRECTED, DIRECTOR, FILMS, STARRED, resolve


def shown(found: RetrievedPaths) -> list[str]:
    return [str(path) for path in found]


def giving(*pairs: Any) -> Callable[[str], Iterable[Any]]:
    """A ``resolve`` that gives the same for all questions."""
    return lambda question: pairs


def length(question: str, path: Path) -> float:
    return len(path)


def test_the_best_paths_come_first(retrieval: PathRetrieval) -> None:
    """A question that names a relation gets its edges first."""
    assert shown(retrieval.retrieve(DIRECTED))[0] == DIRECTOR
    assert shown(retrieval.retrieve(STARRED)) == [
        "Vertigo -> starred_actors -> James Stewart", "Vertigo -> starred_actors -> Kim Novak",
    ]  # fmt: skip


def test_an_answer_has_all_that_is_known(retrieval: PathRetrieval) -> None:
    found = retrieval.retrieve(DIRECTED)
    assert (found.question, len(found), found.complete, found.warnings) == (DIRECTED, 2, True, ())
    assert str(found).splitlines() == shown(found)
    best = found.paths[0]
    assert best.metadata() == {
        "id": best.id, "query": ":directed_by|:starred_actors|:release_year", "score": best.score,
        "nodes": ["Kismet", "William Dieterle"], "relations": ["urn:relation:directed_by"],
    }  # fmt: skip
    assert [metadata["complete"] for _, metadata in found.metadata()] == [True, True]


START = int(FILMS.labelled("Vertigo")[0])


@pytest.mark.parametrize("start", ["Vertigo", rdflib.Literal("Vertigo"), START, np.uint32(START)])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        (" :release_year", ":release_year"),
        ("ALL SHORTEST :release_year NOT BACK TO START", "ALL SHORTEST :release_year NOT BACK TO START"),
        ("# of the film\nQUERY year :release_year", "year"),
        ('PREFIX r: <urn:relation:>\nQUERY year FROM LABEL "Kismet" r:release_year', "year"),
        (prepare("QUERY year :release_year"), "year"),
        (prepare("QUERY year :release_year")[0], "year"),
    ],
)
def test_starts_and_queries(start: Any, query: Any, name: str) -> None:
    """A start is a name, a term or a number, and takes the place of FROM; a query is text or prepared."""
    (found,) = PathRetrieval(FILMS, giving((start, query))).retrieve("when?")
    assert (str(found), found.path.query) == ("Vertigo -> release_year -> 1958", name)


def test_queries_with_starts_of_their_own() -> None:
    text = 'QUERY one FROM LABEL "Vertigo" :release_year QUERY two FROM LABEL "Kismet" :release_year'
    found = PathRetrieval(FILMS, giving((None, text), ("Lost Horizon", text))).retrieve("when?")
    assert sorted(f"{path.path.query} {path.path.values()[-1].text}" for path in found) == [
        "one 1937", "one 1958", "two 1944",
    ]  # fmt: skip


def test_a_path_counts_once() -> None:
    pairs = ("Kismet", ":directed_by"), ("Kismet", ":directed_by"), ("Kismet", ":directed_by|:release_year")
    found = PathRetrieval(FILMS, giving(*pairs)).retrieve("what?")
    assert shown(found) == [DIRECTOR, "Kismet -> release_year -> 1944"]


def test_of_equal_scores_the_shorter_comes_first() -> None:
    pairs = ("Kismet", ":directed_by/^:directed_by"), ("Kismet", ":release_year")
    found = PathRetrieval(FILMS, giving(*pairs), score=lambda question, path: 1).retrieve("what?")
    assert [len(path.path) for path in found] == [1, 2, 2, 2]


def test_how_many() -> None:
    retrieval = PathRetrieval(FILMS, resolve, top=None, score=length)
    assert (len(retrieval.retrieve(DIRECTED)), len(retrieval.retrieve(DIRECTED, top=1))) == (4, 1)


def test_how_a_path_is_written() -> None:
    retrieval = PathRetrieval(FILMS, resolve, top=1, text=lambda path: f"{path.values()[-1].text}!")
    assert shown(retrieval.retrieve(DIRECTED)) == ["William Dieterle!"]


def test_questions_without_queries_have_no_paths(retrieval: PathRetrieval) -> None:
    found = retrieval.retrieve("Who are you?")
    assert (found.paths, found.complete, found.warnings, str(found)) == ((), True, (), "")
    assert retrieval.retrieve_all([]) == []


# ── many questions ───────────────────────────────────────────────────────────────────────────────────────
def test_many_questions_are_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each query runs once, with all starts."""
    calls = []
    match = Graph.match

    def counted(self: Graph, queries: Any, starts: Any, **budget: Any) -> Any:
        calls.append({name: len(some) for name, some in starts.items()})
        return match(self, queries, starts, **budget)

    monkeypatch.setattr(Graph, "match", counted)
    retrieval = PathRetrieval(FILMS, resolve)
    questions = [DIRECTED, STARRED, "Kismet or Vertigo?", "Who are you?"]
    found = retrieval.retrieve_all(questions)
    assert calls == [{"q0": 2}]
    assert found == [retrieval.retrieve(question) for question in questions]
    assert [len(one) for one in found] == [4, 4, 8, 0]


NODES, EXPRESSIONS = "abcd", ("ex:p", "ex:p/ex:q", "(ex:p|^ex:q)+", "ex:q?", "^ex:p")
EDGES = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from("pq"), st.sampled_from(NODES)), max_size=12)
PAIRS = st.lists(st.tuples(st.sampled_from([*NODES, None]), st.sampled_from(EXPRESSIONS)), max_size=4)


def term(name: str) -> NamedNode:
    return NamedNode(f"urn:{name}")


@given(EDGES, st.lists(PAIRS, max_size=5))
def test_many_questions_as_each_alone(edges: list[tuple[str, str, str]], asked: list[Any]) -> None:
    """Some with the starts of their queries; the same query with both kinds of starts too."""
    graph = Graph([Triple(*map(term, edge)) for edge in edges])

    def resolve(question: str) -> Iterable[Any]:
        for start, expression in asked[int(question)]:
            query = f"PREFIX ex: <urn:> QUERY q{question} FROM ex:a, ex:b {expression}"
            yield None if start is None else term(start), query

    retrieval = PathRetrieval(graph, resolve, top=None, score=length)
    questions = [str(number) for number in range(len(asked))]
    found = retrieval.retrieve_all(questions)
    assert found == [retrieval.retrieve(question) for question in questions]
    for question, one in zip(questions, found, strict=True):
        by_hand = {
            (path.vertices, path.symbols)
            for start, query in resolve(question)
            for path in graph.match(query, None if start is None else [start])
        }
        assert {(path.path.vertices, path.path.symbols) for path in one} == by_hand
        assert len(one) == len(by_hand)


def test_errors_stay_with_their_questions(retrieval: PathRetrieval) -> None:
    """Where that is asked for; else the first one is raised."""

    def moody(question: str) -> Iterable[Any]:
        if "Vertigo" in question:
            raise ConnectionError("the model is asleep")
        return resolve(question)

    some = PathRetrieval(FILMS, moody, top=2)
    directed, starred = some.attempt_all([DIRECTED, STARRED])
    assert isinstance(directed, RetrievedPaths) and shown(directed) == shown(retrieval.retrieve(DIRECTED))
    assert isinstance(starred, ConnectionError)
    with pytest.raises(ConnectionError, match="asleep"):
        some.retrieve_all([DIRECTED, STARRED])


# ── budgets and warnings ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("budget", [{"most_edges": 2}, {"time_limit": 1e-9}])
def test_budgets(budget: dict[str, Any]) -> None:
    found = PathRetrieval(FILMS, giving(("Kismet", "ACYCLIC (!()|^!())+")), **budget).retrieve("what?")
    assert not found.complete
    assert all(not metadata["complete"] for _, metadata in found.metadata())


def test_what_the_graph_does_not_have_is_told_to_who_asked() -> None:
    pairs = {
        "a": [("Kismit", ":directed_by"), ("Kismet", ":directed_bi/:directed_by")],
        "b": [(None, 'QUERY far FROM LABEL "Vertigo" TO LABEL "2058" :release_year')],
        "c": [("Vertigo", ":release_year"), (rdflib.URIRef("http://ex.org/x"), ":release_year")],
    }
    found = PathRetrieval(FILMS, pairs.__getitem__).retrieve_all(["a", "b", "c"])
    assert [one.warnings for one in found] == [
        (
            "no node of the graph is Kismit",
            ":directed_bi/:directed_by: no edge has the predicate <urn:relation:directed_bi>; "
            "did you mean urn:relation:directed_by?",
        ),
        ("far: no node of the graph is LABEL '2058'",),
        ("no node of the graph is http://ex.org/x",),
    ]
    assert [len(one) for one in found] == [0, 0, 1]


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, r"pairs of a start and a path query; for the question 'what\?' it gave None"),
        ("Kismet", "it gave 'Kismet'"),
        (["Kismet"], "it gave 'Kismet'"),
        ([("Kismet",)], r"it gave \('Kismet',\)"),
        ([("Kismet", 7)], "path queries are a text, .* not 7"),
        ([(None, ":directed_by")], "the path query :directed_by has no FROM, so it needs a start"),
        ([(10**6, ":directed_by")], "numbers from 0 to"),
        ([(True, ":directed_by")], "starts are nodes or names"),
        ([(3.5, ":directed_by")], "starts are nodes or names"),
    ],
)
def test_what_resolve_must_not_give(wrong: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PathRetrieval(FILMS, lambda question: wrong).retrieve("what?")


def test_a_text_that_is_no_query() -> None:
    with pytest.raises(QuerySyntaxError, match="put / between two steps") as error:
        PathRetrieval(FILMS, giving(("Kismet", ":directed_by ^:directed_by"))).retrieve("what?")
    assert str(error.value).startswith("<resolve>:1:")


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, "high", None])
def test_scores_that_are_none(score: Any) -> None:
    with pytest.raises(OptionError, match=f"the score of the path Kismet -> directed_by -> .* is {score!r}"):
        PathRetrieval(FILMS, giving(("Kismet", ":directed_by")), score=lambda *_: score).retrieve("what?")


@pytest.mark.parametrize("options", [{"top": 0}, {"top": True}, {"top": 2.0}, {"score": 7}, {"most_edges": -1}])
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        PathRetrieval(FILMS, resolve, **options)


@pytest.mark.parametrize(("graph", "resolve"), [(rdflib.Graph(), resolve), (FILMS, {"who?": []})])
def test_graphs_and_functions_that_are_none(graph: Any, resolve: Any) -> None:
    with pytest.raises(OptionError, match=r"a retrieval has a spaseq\.paths\.Graph, and a function"):
        PathRetrieval(graph, resolve)


def test_questions_that_are_none(retrieval: PathRetrieval) -> None:
    with pytest.raises(OptionError, match="questions are several texts, not one"):
        retrieval.retrieve_all("Who?")
    with pytest.raises(OptionError, match="a question is a text, not 7"):
        retrieval.retrieve(7)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="top is a number"):
        retrieval.retrieve("Who?", top=0)
