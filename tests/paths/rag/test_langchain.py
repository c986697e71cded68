"""The retriever of LangChain, in the real package: documents, chains, many questions at once, callbacks, errors."""

from __future__ import annotations

import asyncio
import threading
import uuid
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from spaseq import OptionError, SpaseqWarning
from spaseq.paths import Graph
from spaseq.paths.rag import LangChainRetriever, PathRetrieval
from tests.paths.rag.films import DIRECTED, DIRECTOR, FILMS, STARRED


@pytest.fixture
def retriever(retrieval: PathRetrieval) -> LangChainRetriever:
    return LangChainRetriever(retrieval=retrieval)


def texts(documents: list[Document]) -> list[str]:
    return [document.page_content for document in documents]


def test_documents(retriever: LangChainRetriever, retrieval: PathRetrieval) -> None:
    documents = retriever.invoke(DIRECTED)
    assert texts(documents)[0] == DIRECTOR
    assert documents[0].metadata == {
        "id": documents[0].id,
        "query": ":directed_by|:starred_actors|:release_year",
        "score": retrieval.retrieve(DIRECTED).paths[0].score,
        "nodes": ["Kismet", "William Dieterle"],
        "relations": ["urn:relation:directed_by"],
        "complete": True,
        "warnings": [],
    }


def test_a_chain(retriever: LangChainRetriever) -> None:
    chain = retriever | RunnableLambda(lambda documents: documents[0].metadata["nodes"][-1])
    assert chain.invoke(DIRECTED) == "William Dieterle"
    assert chain.batch([DIRECTED, STARRED]) == ["William Dieterle", "James Stewart"]


class Counted(BaseCallbackHandler):
    """What LangChain tells of retrievers."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def on_retriever_start(self, serialized: Any, query: str, **options: Any) -> None:
        self.events.append(f"start {query}")

    def on_retriever_end(self, documents: Any, **options: Any) -> None:
        self.events.append(f"end {len(documents)}")

    def on_retriever_error(self, error: BaseException, **options: Any) -> None:
        self.events.append(f"error {error}")


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many queries each search had so far."""
    match, calls = Graph.match, []

    def counted(self: Graph, queries: Any, *options: Any, **budget: Any) -> Any:
        calls.append(len(queries))
        return match(self, queries, *options, **budget)

    monkeypatch.setattr(Graph, "match", counted)
    return calls


def in_batch(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    return retriever.batch(questions, **options)


def in_async_batch(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    return asyncio.run(retriever.abatch(questions, **options))


BATCHES = pytest.mark.parametrize("batch", [in_batch, in_async_batch])


def alone(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    return [retriever.invoke(question, **options) for question in questions]


def alone_async(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    return [asyncio.run(retriever.ainvoke(question, **options)) for question in questions]


def bound(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    return retriever.bind(**options).batch(questions)


def in_a_chain(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    chain = retriever | RunnableLambda(lambda documents: documents)
    return [chain.invoke(question, **options) for question in questions]


def streamed(retriever: LangChainRetriever, questions: list[str], **options: Any) -> list[list[Document]]:
    return [documents for question in questions for documents in retriever.stream(question, **options)]


WAYS = pytest.mark.parametrize("way", [alone, alone_async, in_batch, in_async_batch, bound, in_a_chain, streamed])


@WAYS
@pytest.mark.parametrize(("k", "numbers"), [(1, [1, 1]), (3, [3, 3]), (99, [4, 4]), (None, [2, 2])])
def test_k_says_how_many(retriever: LangChainRetriever, way: Any, k: int | None, numbers: list[int]) -> None:
    """In place of the number that the retrieval has."""
    found = way(retriever, [DIRECTED, STARRED], k=k)
    assert [len(documents) for documents in found] == numbers
    assert texts(found[0])[0] == DIRECTOR


@WAYS
@pytest.mark.parametrize("k", [0, -1, True, 2.0, "2"])
def test_k_is_a_number(retriever: LangChainRetriever, way: Any, k: Any) -> None:
    with pytest.raises(OptionError, match=f"^k is a number from 1 on, not {k!r}$"):
        way(retriever, [DIRECTED, STARRED], k=k)


@WAYS
def test_options_that_there_are_not(way: Any) -> None:
    """They are named, before a model is asked."""
    asked: list[str] = []
    retriever = LangChainRetriever(retrieval=PathRetrieval(FILMS, lambda question: asked.append(question) or []))
    with pytest.raises(OptionError, match=r"^the retriever has no option search_type; it has k, how many documents"):
        way(retriever, [DIRECTED, STARRED], k=1, search_type="mmr", top=3)
    assert asked == []


@WAYS
def test_options_of_langchain(retriever: LangChainRetriever, way: Any) -> None:
    assert way(retriever, [DIRECTED], verbose=True, run_id=uuid.uuid4(), k=1) == way(retriever, [DIRECTED], k=1)


@BATCHES
def test_many_questions_are_one_search(retriever: LangChainRetriever, searches: list[int], batch: Any) -> None:
    """And callbacks hear of each."""
    counted = Counted()
    found = batch(retriever, [DIRECTED, STARRED], config={"callbacks": [counted]})
    assert searches == [1]
    assert [texts(documents) for documents in found] == [texts(retriever.invoke(one)) for one in (DIRECTED, STARRED)]
    assert counted.events == [f"start {DIRECTED}", "end 2", f"start {STARRED}", "end 2"]
    assert batch(retriever, []) == []


@BATCHES
def test_errors_of_single_questions(searches: list[int], batch: Any) -> None:
    retriever = LangChainRetriever(
        retrieval=PathRetrieval(FILMS, {"a": [("Kismet", ":directed_by")], "b": [7]}.__getitem__)
    )
    counted = Counted()
    first, second = batch(retriever, ["a", "b"], return_exceptions=True, config={"callbacks": [counted]})
    assert texts(first) == [DIRECTOR] and isinstance(second, OptionError)
    assert searches == [1]
    assert counted.events[:3] == ["start a", "end 1", "start b"] and counted.events[3].startswith("error resolve gives")
    with pytest.raises(OptionError, match="resolve gives pairs"):
        batch(retriever, ["a", "b"])


@BATCHES
def test_questions_are_resolved_at_once(batch: Any) -> None:
    """A model that ``resolve`` asks is asked by several threads: none of these goes on alone."""
    together = threading.Barrier(2, timeout=10)

    def waiting(question: str) -> list[tuple[str, str]]:
        together.wait()
        return [(question, ":directed_by")]

    retriever = LangChainRetriever(retrieval=PathRetrieval(FILMS, waiting))
    found = batch(retriever, ["Kismet", "Vertigo"])
    assert [texts(documents) for documents in found] == [[DIRECTOR], ["Vertigo -> directed_by -> Alfred Hitchcock"]]


def test_one_question_without_blocking(retriever: LangChainRetriever) -> None:
    assert texts(asyncio.run(retriever.ainvoke(DIRECTED))) == texts(retriever.invoke(DIRECTED))


def test_no_documents_with_a_warning() -> None:
    retriever = LangChainRetriever(retrieval=PathRetrieval(FILMS, lambda question: [("Kismit", ":directed_by")]))
    with pytest.warns(SpaseqWarning, match="no paths for the question 'who\\?'\nno node of the graph is Kismit"):
        assert retriever.invoke("who?") == []
