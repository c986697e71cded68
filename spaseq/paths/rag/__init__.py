"""Retrieval for language models: the paths of a graph that tell most about a question, and doors of other libraries.

The retrievers of LangChain, LlamaIndex and neo4j-graphrag need those (the extra ``rag``); the rest needs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from spaseq.errors import require
from spaseq.paths.best import StepWeights
from spaseq.paths.rag.retrieval import PathRetrieval, RankedPath, RetrievedPaths
from spaseq.paths.rag.rules import RelationRule, parse_rules
from spaseq.paths.rag.scoring import EmbeddingScorer, GraphNames, LexicalScorer, PathScorer, StepScorer

if TYPE_CHECKING:
    from spaseq.paths.rag.langchain import LangChainRetriever
    from spaseq.paths.rag.llama_index import LlamaIndexRetriever, PropertyGraphRetriever
    from spaseq.paths.rag.neo4j import Neo4jRetriever

__all__ = [
    "EmbeddingScorer", "GraphNames", "LangChainRetriever", "LexicalScorer", "LlamaIndexRetriever", "Neo4jRetriever",
    "PathRetrieval", "PathScorer", "PropertyGraphRetriever", "RankedPath", "RelationRule", "RetrievedPaths",
    "StepScorer", "StepWeights", "parse_rules",
]  # fmt: skip

_DOORS = {
    "LangChainRetriever": ("langchain_core", "spaseq.paths.rag.langchain"),
    "LlamaIndexRetriever": ("llama_index.core", "spaseq.paths.rag.llama_index"),
    "Neo4jRetriever": ("neo4j_graphrag", "spaseq.paths.rag.neo4j"),
    "PropertyGraphRetriever": ("llama_index.core", "spaseq.paths.rag.llama_index"),
}


def __getattr__(name: str) -> object:
    """A library is loaded when its retriever is asked for.  OptionError: it is not installed."""
    if name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    package, room = _DOORS[name]
    require(package)
    return getattr(import_module(room), name)
