"""A retriever of LangChain."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_config_list, get_executor_for_config, run_in_executor

from spaseq.paths.rag.retrieval import PathRetrieval, RetrievedPaths
from spaseq.paths.rag.telling import tell_warnings

Attempt = RetrievedPaths | Exception
Configs = RunnableConfig | list[RunnableConfig] | None


class LangChainRetriever(BaseRetriever):
    """The best paths for a question as documents: the text of a path, and ``RetrievedPaths.metadata`` of it.

    ``batch`` and ``abatch`` search once for all questions; an error of one question is raised, or, with
    ``return_exceptions``, stands in its place.
    """

    retrieval: PathRetrieval

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, found: Attempt | None = None, **options: Any
    ) -> list[Document]:
        """Documents of a question; ``found`` if it was searched for already.  Retrievers pass other options over."""
        return documents(self.retrieval.retrieve(query) if found is None else found)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        found: Attempt | None = None,
        **options: Any,
    ) -> list[Document]:
        return documents(await run_in_executor(None, self.retrieval.retrieve, query) if found is None else found)

    def batch(
        self, inputs: list[str], config: Configs = None, *, return_exceptions: bool = False, **kwargs: Any
    ) -> list[list[Document]]:
        """The documents of each question, found by one search."""
        configs = get_config_list(config, len(inputs))
        found = self._attempts(inputs, configs)
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
        """As ``batch``; the search does not hold up the event loop."""
        configs = get_config_list(config, len(inputs))
        found = await run_in_executor(None, self._attempts, inputs, configs)
        answers: list[Any] = []
        for question, one, some in zip(inputs, configs, found, strict=True):
            try:
                answers.append(await self.ainvoke(question, one, found=some, **kwargs))
            except Exception as error:
                if not return_exceptions:
                    raise
                answers.append(error)
        return answers

    def _attempts(self, questions: list[str], configs: list[RunnableConfig]) -> list[Attempt]:
        """What each question has, or its error; questions are resolved by threads, as LangChain does in a batch."""
        with get_executor_for_config(configs[0] if configs else None) as executor:
            return self.retrieval.attempt_all(questions, each=executor.map)


def documents(found: Attempt) -> list[Document]:
    """A document for each path; an error is raised."""
    if isinstance(found, Exception):
        raise found
    tell_warnings(found)
    return [Document(page_content=text, metadata=metadata) for text, metadata in found.metadata()]
