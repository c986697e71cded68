"""A retriever of LangChain."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_config_list, get_executor_for_config

from spaseq.errors import OptionError
from spaseq.paths.rag.retrieval import PathRetrieval, RetrievedPaths, checked_most, tell_warnings

Attempt = RetrievedPaths | Exception
Configs = RunnableConfig | list[RunnableConfig] | None

_OF_LANGCHAIN = ("run_id", "verbose")  # it takes these itself


class LangChainRetriever(BaseRetriever):
    """The best paths for a question as documents: the text of a path, its id, and ``RetrievedPaths.metadata`` of it.

    The option ``k`` of a call says how many at most; without it, they are as many as the retrieval gives.

    ``batch`` and ``abatch`` search once for all questions; an error of one question is raised, or, with
    ``return_exceptions``, stands in its place.  OptionError: ``k`` is no number from 1 on, or there is no such option.
    """

    retrieval: PathRetrieval

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, found: Attempt | None = None, **options: Any
    ) -> list[Document]:
        """Documents of a question; ``found`` if it was searched for already."""
        most = most_documents(options)
        return documents(self.retrieval.retrieve(query, most) if found is None else found)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        found: Attempt | None = None,
        **options: Any,
    ) -> list[Document]:
        most = most_documents(options)
        return documents(await self.retrieval.aretrieve(query, most) if found is None else found)

    def batch(
        self, inputs: list[str], config: Configs = None, *, return_exceptions: bool = False, **kwargs: Any
    ) -> list[list[Document]]:
        """The documents of each question, found by one search."""
        configs = get_config_list(config, len(inputs))
        found = self._attempts(inputs, configs, most_documents(kwargs))
        answers: list[Any] = []
        for question, one, some in zip(inputs, configs, found, strict=True):
            try:
                answers.append(self.invoke(question, one, found=some, **kwargs))
            except Exception as error:
                if not return_exceptions:
                    raise
                answers.append(error)
        return answers

    async def abatch(
        self, inputs: list[str], config: Configs = None, *, return_exceptions: bool = False, **kwargs: Any
    ) -> list[list[Document]]:
        """As ``batch``, without holding up the event loop."""
        configs = get_config_list(config, len(inputs))
        at_once = configs[0].get("max_concurrency") if configs else None
        found = await self.retrieval.aattempt_all(inputs, most_documents(kwargs), at_once)
        answers: list[Any] = []
        for question, one, some in zip(inputs, configs, found, strict=True):
            try:
                answers.append(await self.ainvoke(question, one, found=some, **kwargs))
            except Exception as error:
                if not return_exceptions:
                    raise
                answers.append(error)
        return answers

    def _attempts(self, questions: list[str], configs: list[RunnableConfig], most: int | None) -> list[Attempt]:
        """What each question has, or its error; questions are resolved by threads, as LangChain does in a batch."""
        with get_executor_for_config(configs[0] if configs else None) as executor:
            return self.retrieval.attempt_all(questions, most, each=executor.map)


def most_documents(options: dict[str, Any]) -> int | None:
    """How many documents a call asks for.  OptionError: ``k`` is no such number, or something else is asked for."""
    unknown = sorted(options.keys() - {"k", *_OF_LANGCHAIN})
    if unknown:
        raise OptionError(f"the retriever has no option {unknown[0]}; it has k, how many documents it gives at most")
    return checked_most("k", options.get("k"))


def documents(found: Attempt) -> list[Document]:
    """A document for each path; an error is raised."""
    if isinstance(found, Exception):
        raise found
    tell_warnings(found)
    return [Document(page_content=text, id=metadata["id"], metadata=metadata) for text, metadata in found.metadata()]
