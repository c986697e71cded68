"""Functions that are async say what a question asks: in the async methods of all, and refused by the others."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import pytest
from llama_index.core.graph_stores import SimplePropertyGraphStore
from llama_index.core.indices.property_graph import PGRetriever

from spaseq import OptionError
from spaseq.paths.rag import (
    LangChainRetriever,
    LlamaIndexRetriever,
    Neo4jRetriever,
    PathRetrieval,
    PropertyGraphRetriever,
    RetrievedPaths,
)
from tests.paths.rag.films import DIRECTED, DIRECTOR, FILMS, STARRED, resolve

Texts = list[str]


async def asking(question: str) -> Iterable[tuple[str, str]]:
    """A model answers some time later."""
    await asyncio.sleep(0)
    return resolve(question)


async def yielding(question: str) -> AsyncIterator[tuple[str, str]]:
    for pair in resolve(question):
        await asyncio.sleep(0)
        yield pair


async def handing(question: str) -> AsyncIterator[tuple[str, str]]:
    return yielding(question)


class Asking:
    async def __call__(self, question: str) -> Any:
        return await asking(question)


ASYNC = pytest.mark.parametrize(
    "given", [asking, yielding, handing, Asking(), partial(asking), lambda question: asking(question)]
)


def texts(found: Iterable[Any]) -> Texts:
    return [getattr(one, "page_content", None) or one.text for one in found]


def property_graph(retrieval: PathRetrieval) -> PropertyGraphRetriever:
    return PropertyGraphRetriever(SimplePropertyGraphStore(), retrieval)


async def in_batch(retrieval: PathRetrieval) -> Texts:
    (found,) = await LangChainRetriever(retrieval=retrieval).abatch([DIRECTED])
    return texts(found)


async def in_all(retrieval: PathRetrieval) -> Texts:
    (found,) = await retrieval.aretrieve_all(iter([DIRECTED]))
    return texts(found)


async def attempted(retrieval: PathRetrieval) -> Texts:
    (found,) = await retrieval.aattempt_all([DIRECTED])
    assert isinstance(found, RetrievedPaths)
    return texts(found)


async def each(asked: Awaitable[Iterable[Any]]) -> Texts:
    return texts(await asked)


ASYNC_WAYS: dict[str, Callable[[PathRetrieval], Awaitable[Texts]]] = {
    "aretrieve": lambda retrieval: each(retrieval.aretrieve(DIRECTED)),
    "aretrieve_all": in_all,
    "aattempt_all": attempted,
    "ainvoke": lambda retrieval: each(LangChainRetriever(retrieval=retrieval).ainvoke(DIRECTED)),
    "abatch": in_batch,
    "LlamaIndex": lambda retrieval: each(LlamaIndexRetriever(retrieval).aretrieve(DIRECTED)),
    "property graph": lambda retrieval: each(property_graph(retrieval).aretrieve(DIRECTED)),
}
WAYS: dict[str, Callable[[PathRetrieval], Any]] = {
    "retrieve": lambda retrieval: retrieval.retrieve(DIRECTED),
    "retrieve_all": lambda retrieval: retrieval.retrieve_all([DIRECTED]),
    "invoke": lambda retrieval: LangChainRetriever(retrieval=retrieval).invoke(DIRECTED),
    "batch": lambda retrieval: LangChainRetriever(retrieval=retrieval).batch([DIRECTED]),
    "LlamaIndex": lambda retrieval: LlamaIndexRetriever(retrieval).retrieve(DIRECTED),
    "property graph": lambda retrieval: property_graph(retrieval).retrieve(DIRECTED),
    "neo4j": lambda retrieval: Neo4jRetriever(retrieval).search(DIRECTED),
}


@ASYNC
@pytest.mark.parametrize("way", ASYNC_WAYS.values(), ids=ASYNC_WAYS)
def test_async_methods(way: Callable[[PathRetrieval], Any], given: Any, retrieval: PathRetrieval) -> None:
    assert asyncio.run(way(PathRetrieval(FILMS, given, top=2))) == texts(retrieval.retrieve(DIRECTED))


@pytest.mark.parametrize("way", ASYNC_WAYS.values(), ids=ASYNC_WAYS)
def test_functions_that_are_not_async(way: Callable[[PathRetrieval], Any], retrieval: PathRetrieval) -> None:
    assert asyncio.run(way(retrieval)) == texts(retrieval.retrieve(DIRECTED))


@ASYNC
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_other_methods_say_which_to_call(way: Any, given: Any, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(OptionError, match=r"^resolve is async: call aretrieve .* ainvoke or abatch.*$") as error:
        way(PathRetrieval(FILMS, given))
    assert "\n" not in str(error.value)
    del error
    assert not [one for one in recwarn if issubclass(one.category, RuntimeWarning)]  # never awaited


def test_other_methods_of_a_retriever_of_retrievers() -> None:
    """LlamaIndex asks sub-retrievers asynchronously where it is asked synchronously."""
    found = PGRetriever([property_graph(PathRetrieval(FILMS, asking, top=1))]).retrieve(DIRECTED)
    assert texts(found) == [DIRECTOR]


def test_an_attempt_is_refused_in_its_place() -> None:
    (refused,) = PathRetrieval(FILMS, asking).attempt_all([DIRECTED])
    assert isinstance(refused, OptionError)


QUESTIONS = [DIRECTED, STARRED, "Kismet or Vertigo?", "Who are you?"] * 2


@pytest.mark.parametrize("way", ["aretrieve_all", "abatch"])
@pytest.mark.parametrize(("at_once", "most"), [(None, 8), (3, 3), (1, 1)])
def test_how_many_at_once(way: str, at_once: int | None, most: int, retrieval: PathRetrieval) -> None:
    """The first ones go on when so many have begun."""
    begun: list[str] = []
    together: set[int] = set()
    waiting: set[int] = set()
    enough = asyncio.Event()

    async def counting(question: str) -> Any:
        begun.append(question)
        waiting.add(number := len(begun))
        together.add(len(waiting))
        if number == most:
            enough.set()
        await asyncio.wait_for(enough.wait(), 10)
        waiting.discard(number)
        return resolve(question)

    some = PathRetrieval(FILMS, counting, top=2)
    if way == "abatch":
        config: Any = {} if at_once is None else {"max_concurrency": at_once}
        found = asyncio.run(LangChainRetriever(retrieval=some).abatch(QUESTIONS, config))
    else:
        found = asyncio.run(some.aretrieve_all(QUESTIONS, at_once=at_once))
    assert [texts(one) for one in found] == [texts(one) for one in retrieval.retrieve_all(QUESTIONS)]
    assert max(together) == most and len(begun) == 8


@pytest.mark.parametrize("at_once", [0, -1, True, "2"])
def test_at_once_is_a_number(at_once: Any, retrieval: PathRetrieval) -> None:
    with pytest.raises(OptionError, match="at_once is a number from 1 on"):
        asyncio.run(retrieval.aretrieve_all([DIRECTED], at_once=at_once))


def test_errors_of_async_functions() -> None:
    """They stay with their questions, or the first is raised."""

    async def moody(question: str) -> Any:
        if question != DIRECTED:
            raise ConnectionError(f"{question} asleep")
        return await asking(question)

    some = PathRetrieval(FILMS, moody, top=1)
    found, *errors = asyncio.run(some.aattempt_all([DIRECTED, "b", "c"]))
    assert isinstance(found, RetrievedPaths) and texts(found) == [DIRECTOR]
    assert [str(error) for error in errors] == ["b asleep", "c asleep"]
    with pytest.raises(ConnectionError, match="b asleep"):
        asyncio.run(some.aretrieve_all([DIRECTED, "b", "c"]))
    with pytest.raises(OptionError, match="several texts"):
        asyncio.run(some.aretrieve_all("abc"))


@pytest.mark.parametrize("wrong", [None, "Kismet", 7, [("Kismet",)]])
def test_what_async_functions_must_not_give(wrong: Any) -> None:
    async def giving(question: str) -> Any:
        return wrong

    with pytest.raises(OptionError, match="resolve gives pairs of a start and a path query"):
        asyncio.run(PathRetrieval(FILMS, giving).aretrieve("what?"))


@pytest.mark.parametrize("stops", ["resolve", "score"])
def test_stop_iteration_is_no_wait_without_end(stops: str) -> None:
    """No future can hold it."""

    def stop(*given: Any) -> Any:
        return next(iter(()))

    retrieval = PathRetrieval(FILMS, **{"resolve": resolve, "score": None} | {stops: stop})  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(asyncio.wait_for(retrieval.aretrieve(DIRECTED), 10))


def test_the_event_loop_awaits_what_it_has_begun() -> None:
    """Clients of models belong to its thread and see the context of who asks."""
    who = contextvars.ContextVar[str]("who")
    seen = []

    async def looking(question: str) -> Any:
        seen.append((threading.current_thread(), who.get()))
        return resolve(question)

    async def asked() -> None:
        who.set("me")
        await PathRetrieval(FILMS, looking).aretrieve(DIRECTED)

    asyncio.run(asked())
    assert seen == [(threading.main_thread(), "me")]
