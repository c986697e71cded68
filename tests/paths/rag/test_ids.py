"""Ids of paths: the same at each call and in each process, others for other paths; who merges results goes by them."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid

import pandas
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from spaseq.paths import Graph, Path
from spaseq.paths.rag import LangChainRetriever, LlamaIndexRetriever, Neo4jRetriever, PathRetrieval
from tests.paths.rag.films import DIRECTED, DIRECTOR, FILMS, STARRED, resolve

DIRECTOR_ID = "65cf0196-8ba7-5a4e-ba1d-b28804af0998"  # it is kept in stores: an id that changes is a breaking change


def test_an_id_is_of_nodes_and_relations(retrieval: PathRetrieval) -> None:
    """Whatever the question, the query, the score, the text, and the graph around it."""
    facts = Graph.from_table(
        pandas.DataFrame([("Kismet", "directed_by", "William Dieterle")], columns=["subject", "relation", "object"])
    )
    other = PathRetrieval(facts, lambda _: [("Kismet", "!()")], score=lambda *_: 7, text=lambda _: "?")
    for one in (retrieval.retrieve(DIRECTED), other.retrieve("who?")):
        assert one.paths[0].id == one.paths[0].metadata()["id"] == DIRECTOR_ID
    assert str(uuid.UUID(DIRECTOR_ID)) == DIRECTOR_ID  # stores of vectors take no others


def test_an_id_is_the_same_in_other_processes() -> None:
    code = (
        "from spaseq.paths.rag import PathRetrieval\nfrom tests.paths.rag.films import *\n"
        "print(PathRetrieval(FILMS, resolve).retrieve(DIRECTED).paths[0].id)"
    )
    for seed in "12":
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == DIRECTOR_ID


P, Q = NamedNode("urn:p"), NamedNode("urn:q")
A, B = NamedNode("urn:a"), NamedNode("urn:b")
XSD = "http://www.w3.org/2001/XMLSchema#"
TERMS = [
    A, B, BlankNode("b"), Literal("urn:a"), Literal("_:b"), Literal("<urn:a>"), Literal("7"), Literal("a\nb"),
    Literal('"a"'), Literal("a"), Literal("a", language="en"), Literal("a", language="de"), Literal("a@en"),
    Literal("7", datatype=NamedNode(XSD + "integer")), Literal("7", datatype=NamedNode(XSD + "string")),
    Literal("a\n<urn:p>\n<urn:b>"), Literal('a"\n<urn:p>\n"b'), Literal("b"),
]  # fmt: skip


def test_other_paths_have_other_ids() -> None:
    """Terms that look alike, relations there and back, paths whose texts are equal."""
    edges = [Triple(A, relation, term) for relation in (P, Q) for term in TERMS]
    graph = Graph([*edges, Triple(B, P, A), Triple(B, P, B), Triple(BlankNode("b"), Q, Literal("a"))])
    retrieval = PathRetrieval(graph, lambda _: [(A, "TRAIL (!()|^!()){1,3}")], top=None, score=lambda *_: 1)
    found = retrieval.retrieve("what?")
    assert len(found) > 1000
    assert len({path.id for path in found}) == len(found)


def test_documents_nodes_and_items(retrieval: PathRetrieval) -> None:
    documents = LangChainRetriever(retrieval=retrieval)
    nodes = LlamaIndexRetriever(retrieval)
    for _ in range(2):
        assert documents.invoke(DIRECTED)[0].id == documents.invoke(DIRECTED)[0].metadata["id"] == DIRECTOR_ID
        assert nodes.retrieve(DIRECTED)[0].node.id_ == nodes.retrieve(DIRECTED)[0].metadata["id"] == DIRECTOR_ID
    assert (Neo4jRetriever(retrieval).search(DIRECTED).items[0].metadata or {})["id"] == DIRECTOR_ID


def test_a_store_of_documents_has_a_path_once() -> None:
    retriever = LangChainRetriever(retrieval=PathRetrieval(FILMS, resolve))
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
    for question in (DIRECTED, "When was Kismet released?", STARRED):
        store.add_documents(retriever.invoke(question))
    assert len(store.store) == 8


def far(question: str, path: Path) -> float:
    return float(path.values()[-1].text == "William Dieterle") / 2


@pytest.mark.parametrize("mode", list(FUSION_MODES))
@pytest.mark.parametrize("use_async", [False, True])
def test_fused_nodes(mode: FUSION_MODES, use_async: bool) -> None:
    """LlamaIndex goes by the hash of a node, which must not be of its score, nor of its query."""
    retrievers = [
        LlamaIndexRetriever(PathRetrieval(FILMS, resolve)),
        LlamaIndexRetriever(PathRetrieval(FILMS, lambda _: [("Kismet", ":directed_by|:release_year")], score=far)),
    ]
    fused = QueryFusionRetriever(
        retrievers, MockLLM(), mode=mode, similarity_top_k=9, num_queries=1, use_async=use_async
    )  # type: ignore[arg-type]
    found = fused.retrieve(DIRECTED)
    assert len(found) == len({one.node.id_ for one in found}) == 4
    assert found[0].text == DIRECTOR


def test_nodes_in_a_store() -> None:
    """They are text nodes, and other texts are other contents."""
    (node, *_) = (one.node for one in LlamaIndexRetriever(PathRetrieval(FILMS, resolve)).retrieve(DIRECTED))
    store = SimpleDocumentStore()
    store.add_documents([node])
    kept = SimpleDocumentStore.from_dict(store.to_dict()).get_document(DIRECTOR_ID)
    assert isinstance(kept, TextNode) and (kept.id_, kept.text, kept.metadata) == (node.id_, DIRECTOR, node.metadata)
    first = node.hash
    node.set_content("Dieterle directed Kismet.")
    assert node.hash != first
