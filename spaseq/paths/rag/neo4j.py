"""A retriever of neo4j-graphrag, without a database."""

from __future__ import annotations

from typing import Any, Optional

import neo4j
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

from spaseq.paths.rag.retrieval import PathRetrieval


class Neo4jRetriever(Retriever):
    """The best paths for a question as items: the text of a path, and what is known of it.

    The metadata of the result have ``complete`` and ``warnings``.
    """

    VERIFY_NEO4J_VERSION = False

    def __init__(self, retrieval: PathRetrieval) -> None:
        # Not that of the base class: all it does is to name itself to the driver of a database, and here is none.
        self._retrieval = retrieval

    def get_search_results(self, query_text: str, top_k: Optional[int] = None) -> RawSearchResult:  # noqa: UP045 - the library reads it
        """The paths of the graph that tell most about ``query_text``.

        ``top_k`` says how many at most; without it, it is as many as the retrieval gives.
        """
        found = self._retrieval.retrieve(query_text, top_k)
        records = [_record({"path": path.text, "metadata": path.metadata()}) for path in found]
        return RawSearchResult(records=records, metadata={"complete": found.complete, "warnings": list(found.warnings)})

    def default_record_formatter(self, record: neo4j.Record) -> RetrieverResultItem:
        """The text of a path as the content of an item."""
        return RetrieverResultItem(content=record["path"], metadata=record["metadata"])


def _record(values: dict[str, Any]) -> neo4j.Record:
    return neo4j.Record(values)  # type: ignore[no-untyped-call]
