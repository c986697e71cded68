"""Background knowledge from files, bytes and graphs."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pyoxigraph
import pytest
import rdflib

from gpm.background import BackgroundGraphs, Source
from gpm.errors import GraphSyntaxError
from tests.gpm.worlds import NS

KB = NS + "kb"
TURTLE = b"@prefix : <http://example.org/> . :a :p [ :q 1 ], _:x . _:x :q '2'@en ."
TRIG = b"@prefix : <http://example.org/> . :g { :a :p [ :q 1 ], _:x . _:x :q '2'@en . }"
N_TRIPLES = (
    b"<http://example.org/a> <http://example.org/p> _:o .\n"
    b'_:o <http://example.org/q> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    b"<http://example.org/a> <http://example.org/p> _:x .\n"
    b'_:x <http://example.org/q> "2"@en .\n'
)
RDF_XML = rdflib.Graph().parse(data=TURTLE, format="turtle").serialize(format="xml").encode()
N_QUADS = N_TRIPLES.replace(b" .\n", b" <http://example.org/g> .\n")
FILES = {"k.ttl": TURTLE, "k.nt": N_TRIPLES, "k.nq": N_QUADS, "k.trig": TRIG, "k.rdf": RDF_XML, "k.n3": TURTLE}


def shape(background: BackgroundGraphs, iri: str = KB) -> list[str]:
    """The canonical form of a graph."""
    dataset = pyoxigraph.Dataset(pyoxigraph.Quad(*triple) for triple in background.triples(iri))
    dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(map(str, dataset))


@pytest.mark.parametrize("name", [*FILES, "k.nt.gz"])
def test_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(N_TRIPLES) if name.endswith("gz") else FILES[name])
    assert (
        shape(BackgroundGraphs({KB: path}))
        == shape(BackgroundGraphs({KB: str(path)}))
        == shape(BackgroundGraphs({KB: TURTLE}))
    )


def sources() -> list[Source]:
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle")
    dataset = rdflib.Dataset()
    dataset.parse(data=TRIG, format="trig")
    quads = list(pyoxigraph.parse(TURTLE, format=pyoxigraph.RdfFormat.TURTLE))
    return [N_TRIPLES, N_QUADS, TRIG, graph, dataset, quads, [quad.triple for quad in quads], iter(quads)]


@pytest.mark.parametrize("source", sources(), ids=lambda source: type(source).__name__)
def test_other_sources(source: Source) -> None:
    assert shape(BackgroundGraphs({KB: source})) == shape(BackgroundGraphs({KB: TURTLE}))


def test_blank_nodes_of_two_graphs_differ_and_agree_between_runs() -> None:
    one, two = BackgroundGraphs({KB: TURTLE, NS + "other": TURTLE}), BackgroundGraphs({KB: TURTLE})
    assert sorted(map(str, one.triples(KB))) == sorted(map(str, two.triples(KB)))
    assert not {str(t.object) for t in one.triples(KB)} & {
        str(t.object) for t in one.triples(NS + "other") if isinstance(t.object, pyoxigraph.BlankNode)
    }


def test_fingerprints() -> None:
    assert BackgroundGraphs({KB: TURTLE}).fingerprint() == BackgroundGraphs({KB: TURTLE}).fingerprint()
    assert BackgroundGraphs({KB: TURTLE}).fingerprint() != BackgroundGraphs({NS + "k": TURTLE}).fingerprint()
    assert BackgroundGraphs({KB: TURTLE}).fingerprint() != BackgroundGraphs({KB: TURTLE + b" "}).fingerprint()
    assert BackgroundGraphs().fingerprint() == BackgroundGraphs({}).fingerprint()


def test_fingerprint_of_a_graph_in_another_process() -> None:
    script = (
        "import sys, rdflib; from gpm.background import BackgroundGraphs; "
        "print(BackgroundGraphs({'urn:k': rdflib.Graph().parse(data=sys.argv[1], format='turtle')}).fingerprint())"
    )
    command = [sys.executable, "-c", script, TURTLE.decode()]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    runs = [subprocess.run(command, capture_output=True, check=True, env=environment).stdout for _ in range(2)]
    assert runs[0] == runs[1] != b""


@pytest.mark.parametrize(
    ("name", "data", "line", "column"),
    [("k.ttl", b"@prefix : <urn:> .\n:a :b .", 2, 7), ("k.nq", b"<urn:a> <b", 1, 9), ("k.ttl", b"\xff", 1, 1)],
)
def test_errors_say_where(name: str, data: bytes, line: int, column: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(GraphSyntaxError) as caught:
        BackgroundGraphs({KB: path})
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(path), line, column)


def test_unknown_extension_and_missing_file(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("a,b")
    with pytest.raises(GraphSyntaxError, match="unknown format 'csv'"):
        BackgroundGraphs({KB: tmp_path / "k.csv"})
    with pytest.raises(FileNotFoundError):
        BackgroundGraphs({KB: tmp_path / "none.ttl"})


def test_a_compressed_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpm.background.LARGEST_UNPACKED", 100)
    path = tmp_path / "kb.nt.gz"
    path.write_bytes(gzip.compress(b"\n" * 100))
    assert BackgroundGraphs({"urn:kb": path}).triples("urn:kb") == []
    path.write_bytes(gzip.compress(b"\n" * 1_000_000))
    with pytest.raises(GraphSyntaxError, match="the gzip data has more than 100 bytes"):
        BackgroundGraphs({"urn:kb": path})


def test_pickled_knowledge_is_the_same_and_made_once() -> None:
    schema = b"<urn:p> <http://www.w3.org/2000/01/rdf-schema#range> <urn:C> ."
    sources = {
        "urn:a": b'<urn:s> <urn:p> _:x . _:x <urn:q> "1" .',
        "urn:b": schema,
        "urn:c": b"<urn:s> <urn:p> <urn:o> .",
    }
    known = BackgroundGraphs(sources, entailed=["urn:b", "urn:c"])
    data = pickle.dumps(known)
    again = pickle.loads(data)
    assert again.fingerprint() == known.fingerprint() and again.names == known.names
    assert all(set(again.triples(iri)) == set(known.triples(iri)) for iri in sources)
    assert pickle.loads(data) is again
