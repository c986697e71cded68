"""The retrievers of LlamaIndex, in the real package: nodes with scores, as part of a property graph index, warnings."""

from __future__ import annotations

import asyncio
import threading

import pandas
import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.graph_stores import EntityNode, Relation, SimplePropertyGraphStore
from llama_index.core.indices.property_graph import PGRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from spaseq import SpaseqWarning
from spaseq.paths import Graph
from spaseq.paths.rag import LlamaIndexRetriever, PathRetrieval, PropertyGraphRetriever
from tests.paths.rag.films import DIRECTED, DIRECTOR, FILMS


def test_nodes(retrieval: PathRetrieval) -> None:
    """Models read the text of a path alone."""
    first, second = LlamaIndexRetriever(retrieval).retrieve(QueryBundle(DIRECTED))
    assert first.text == DIRECTOR == first.node.get_content(MetadataMode.LLM) == first.get_content(MetadataMode.EMBED)
    assert first.score == retrieval.retrieve(DIRECTED).paths[0].score > (second.score or 0)
    assert first.metadata["nodes"] == ["Kismet", "William Dieterle"] and first.metadata["complete"]


def stored() -> SimplePropertyGraphStore:
    """A graph store with two facts."""
    store = SimplePropertyGraphStore()
    nodes = [EntityNode(name=name) for name in ("Kismet", "William Dieterle", "Juarez")]
    store.upsert_nodes(nodes)
    store.upsert_relations(
        [Relation(label="DIRECTED_BY", source_id=film.id, target_id=nodes[1].id) for film in (nodes[0], nodes[2])]
    )
    return store


def test_without_blocking() -> None:
    """The event loop goes on while a question is resolved."""
    goes_on = threading.Event()

    def waiting(question: str) -> list[tuple[str, str]]:
        assert goes_on.wait(10)
        return [("Kismet", ":directed_by")]

    async def both(retriever: BaseRetriever) -> list[NodeWithScore]:
        search = asyncio.create_task(retriever.aretrieve(DIRECTED))
        await asyncio.sleep(0)
        goes_on.set()
        return await search

    retrieval = PathRetrieval(FILMS, waiting)
    for retriever in (LlamaIndexRetriever(retrieval), PropertyGraphRetriever(stored(), retrieval)):
        goes_on.clear()
        assert [one.text for one in asyncio.run(both(retriever))] == [DIRECTOR]


def test_a_graph_store_as_a_graph() -> None:
    """The way from an index of LlamaIndex to paths in it."""
    store = stored()
    rows = [(source.id, relation.id, target.id) for source, relation, target in store.graph.get_triplets()]
    graph = Graph.from_table(pandas.DataFrame(rows, columns=["subject", "relation", "object"]))
    query = ":DIRECTED_BY/^:DIRECTED_BY NOT BACK TO START"
    retriever = PropertyGraphRetriever(store, PathRetrieval(graph, lambda question: [("Kismet", query)]))
    assert retriever.graph_store is store
    sub_retrieved = PGRetriever([retriever]).retrieve("Which other film did he direct?")
    assert [one.text for one in sub_retrieved] == [
        "Kismet -> DIRECTED_BY -> William Dieterle -> ^DIRECTED_BY -> Juarez"
    ]


def test_no_nodes_with_a_warning() -> None:
    retrieval = PathRetrieval(FILMS, lambda question: [("Kismit", ":directed_by")])
    for retriever in (LlamaIndexRetriever(retrieval), PropertyGraphRetriever(stored(), retrieval)):
        with pytest.warns(SpaseqWarning, match="no node of the graph is Kismit"):
            assert retriever.retrieve("who?") == []
