"""The retriever of neo4j-graphrag, in the real package, without a database: items, GraphRAG, tools."""

from __future__ import annotations

from typing import Any

from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import LLMInterface, LLMResponse

from spaseq.paths.rag import Neo4jRetriever, PathRetrieval
from tests.paths.rag.films import DIRECTED, DIRECTOR, FILMS, STARRED


def test_items(retrieval: PathRetrieval) -> None:
    found = Neo4jRetriever(retrieval).search(query_text=DIRECTED)
    first = found.items[0]
    assert first.content == DIRECTOR
    assert first.metadata == retrieval.retrieve(DIRECTED).paths[0].metadata()
    assert found.metadata == {"complete": True, "warnings": [], "__retriever": "Neo4jRetriever"}
    assert len(Neo4jRetriever(retrieval).search(query_text=STARRED, top_k=1).items) == 1


def test_warnings_are_in_the_metadata() -> None:
    found = Neo4jRetriever(PathRetrieval(FILMS, lambda question: [("Kismit", ":directed_by")])).search("who?")
    assert found.items == []
    assert (found.metadata or {})["warnings"] == ["no node of the graph is Kismit"]


class Echo(LLMInterface):
    """A language model that says its prompt."""

    def __init__(self) -> None:
        super().__init__(model_name="echo")

    def invoke(self, input: Any, *more: Any, **options: Any) -> LLMResponse:
        return LLMResponse(content=str(input))

    async def ainvoke(self, input: Any, *more: Any, **options: Any) -> LLMResponse:
        return self.invoke(input)


def test_paths_are_the_context_of_a_prompt(retrieval: PathRetrieval) -> None:
    rag = GraphRAG(Neo4jRetriever(retrieval), Echo())
    answer = rag.search(STARRED, retriever_config={"top_k": 2}, return_context=False)
    assert "Vertigo -> starred_actors -> James Stewart\nVertigo -> starred_actors -> Kim Novak" in answer.answer


def test_a_tool(retrieval: PathRetrieval) -> None:
    """Its parameters are read from the method."""
    tool = Neo4jRetriever(retrieval).convert_to_tool("films", "Facts about films.")
    parameters = tool.get_parameters()
    assert parameters["required"] == ["query_text"]
    assert parameters["properties"]["top_k"]["type"] == "integer"
    assert tool.execute(query_text=DIRECTED, top_k=1).items[0].content == DIRECTOR
