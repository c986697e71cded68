"""Retrievers of LlamaIndex: one by itself, one of a property graph index."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.graph_stores.types import PropertyGraphStore
from llama_index.core.indices.property_graph import CustomPGRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from spaseq.paths.rag.retrieval import PathRetrieval, RetrievedPaths, tell_warnings


class LlamaIndexRetriever(BaseRetriever):
    """The best paths for a question as nodes: the text of a path, its score, and ``RetrievedPaths.metadata`` of it.

    Further arguments are those of LlamaIndex' ``BaseRetriever``.
    """

    def __init__(self, retrieval: PathRetrieval, **options: Any) -> None:
        super().__init__(**options)
        self._retrieval = retrieval

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return path_nodes(self._retrieval.retrieve(query_bundle.query_str))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return path_nodes(await self._retrieval.aretrieve(query_bundle.query_str))


class PropertyGraphRetriever(CustomPGRetriever):
    """The same as a sub-retriever of a ``PropertyGraphIndex``.

    The paths are those of the retrieval's graph; nothing is asked of ``graph_store``.  Further arguments are those of
    LlamaIndex' ``CustomPGRetriever``.
    """

    def __init__(self, graph_store: PropertyGraphStore, retrieval: PathRetrieval, **options: Any) -> None:
        self._retrieval = retrieval
        super().__init__(graph_store, **options)

    def init(self, **kwargs: Any) -> None:
        """Where LlamaIndex lets subclasses take arguments, of which there are no others."""

    def custom_retrieve(self, query_str: str) -> list[NodeWithScore]:
        """The best paths for a question."""
        return path_nodes(self._retrieval.retrieve(query_str))

    async def acustom_retrieve(self, query_str: str) -> list[NodeWithScore]:
        """The same, without holding up the event loop."""
        return path_nodes(await self._retrieval.aretrieve(query_str))


class PathNode(TextNode):
    """A path.  Its hash, by which retrievers that fuse others know a node, is of what the path is.

    That of a ``TextNode`` is of all metadata, too, and score and query depend on the question.
    """

    @property
    def hash(self) -> str:
        """A digest of id and text."""
        return sha256(f"{self.id_}\n{self.text}".encode("utf-8", "surrogatepass")).hexdigest()


def path_nodes(found: RetrievedPaths) -> list[NodeWithScore]:
    """A node for each path, of which models read and embed the text alone."""
    tell_warnings(found)
    return [
        NodeWithScore(
            node=PathNode(  # type: ignore[call-arg]  # LlamaIndex has another name for metadata, but deprecates it
                id_=metadata["id"],
                text=text,
                metadata=metadata,
                excluded_llm_metadata_keys=list(metadata),
                excluded_embed_metadata_keys=list(metadata),
            ),
            score=metadata["score"],
        )
        for text, metadata in found.metadata()
    ]
