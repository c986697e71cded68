"""Graphs of all sources: RDF in each format, rdflib and pyoxigraph, tables; what is wrong with them is told."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyoxigraph
import pytest
import rdflib
from pyarrow import parquet
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple

from spaseq.errors import OptionError, StreamError
from spaseq.paths import Graph

EX = "http://ex.org/"
LINES = b"""\
<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .
<http://ex.org/b> <http://ex.org/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://ex.org/b> <http://ex.org/q> _:x .
_:x <http://ex.org/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .
"""
QUERY = "PREFIX ex: <http://ex.org/> QUERY q FROM ex:a ALL WALK ex:p/(ex:p|ex:q/ex:p)"
ROWS = "Kismet|directed_by|William Dieterle\nKismet|starred_actors|Edward Arnold\nKismet|release_year|1944\n"


def found(graph: Graph, query: str = QUERY) -> list[str]:
    return sorted(map(str, graph.match(query)))


EXPECTED = ["a -> p -> b -> p -> 1", "a -> p -> b -> q -> x -> p -> 1"]


@pytest.mark.parametrize(("ending", "form"), [("nt", RdfFormat.N_TRIPLES), ("ttl", RdfFormat.TURTLE)])
@pytest.mark.parametrize("packed", [False, True])
def test_triples_in_files(tmp_path: Path, ending: str, form: RdfFormat, packed: bool) -> None:
    """Literals are compared as the Store does; a triple counts once; blank nodes have the labels of the file."""
    text = pyoxigraph.serialize([one.triple for one in pyoxigraph.parse(LINES, RdfFormat.N_TRIPLES)], format=form)
    path = tmp_path / (f"graph.{ending}.gz" if packed else f"graph.{ending}")
    path.write_bytes(gzip.compress(text or b"") if packed else text or b"")
    graph = Graph.load(path)
    assert found(graph) == EXPECTED
    assert (graph.node_count, len(graph), graph.predicates) == (4, 4, (f"{EX}p", f"{EX}q"))


@pytest.mark.parametrize("ending", ["nq", "trig"])
def test_names_of_graphs_mean_nothing(tmp_path: Path, ending: str) -> None:
    quads = [pyoxigraph.Quad(*one.triple, NamedNode(f"{EX}g{n % 2}")) for n, one in enumerate(triples())]
    form = {"nq": RdfFormat.N_QUADS, "trig": RdfFormat.TRIG}[ending]
    path = tmp_path / f"graph.{ending}"
    path.write_bytes(pyoxigraph.serialize(quads, format=form) or b"")
    assert found(Graph.load(path)) == EXPECTED


def triples() -> list[pyoxigraph.Quad]:
    return list(pyoxigraph.parse(LINES, RdfFormat.N_TRIPLES))


def test_graphs_in_memory() -> None:
    store = pyoxigraph.Store()
    store.extend(triples())
    graph = rdflib.Graph().parse(data=LINES, format="nt")
    tuples = [tuple(one) for one in graph]
    for source in (store, triples(), [one.triple for one in triples()], tuples):
        assert found(Graph(source))[0].replace("x", "") == EXPECTED[0]
    assert len(found(Graph(graph))) == 2


@pytest.mark.parametrize("source", [7, b"<a> <b> <c> .", [7], [("a", "b")]])
def test_what_is_no_graph(source: Any) -> None:
    with pytest.raises(OptionError, match="a graph is a file, a graph, or triples"):
        Graph(source)


def test_long_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpm.edges.BLOCK", 150)
    (tmp_path / "g.nt").write_bytes(LINES)
    assert found(Graph.load(tmp_path / "g.nt")) == EXPECTED


def test_a_line_that_is_no_triple_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.nt"
    path.write_bytes(LINES + b"<http://ex.org/a> <http://ex.org/p> oops .\n")
    with pytest.raises(StreamError) as error:
        Graph.load(path)
    assert error.value.line == 6
    assert str(error.value).startswith(f"{path}:6:")


def test_a_bad_line_of_a_later_block_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpm.edges.BLOCK", 150)
    path = tmp_path / "bad.nt"
    path.write_bytes(LINES * 3 + b"<http://ex.org/a> <http://ex.org/p> oops .\n")
    with pytest.raises(StreamError) as error:
        Graph.load(path)
    assert error.value.line == 16


@pytest.mark.parametrize("lines", [LINES, gzip.compress(LINES)], ids=["plain", "gzip"])
def test_pipes(tmp_path: Path, lines: bytes) -> None:
    """They cannot be read again from the start."""
    path = tmp_path / "pipe.nt"
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool:
        pool.submit(path.write_bytes, lines)
        assert found(Graph.load(path)) == EXPECTED


@pytest.mark.parametrize("name", ["missing.nt", "missing.csv", "graph.unknown"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "graph.unknown").write_text("a")
    with pytest.raises((StreamError, OptionError), match=r"cannot (be )?read|unknown format|no such file|No such file"):
        Graph.load(tmp_path / name)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────
FILMS = 'QUERY q FROM LABEL "Kismet" ALL WALK !:starred_actors'
OBJECTS = """{"subject":"Kismet","relation":"release_year","object":1944}
{"object":"William Dieterle","subject":"Kismet","relation":"directed_by"}
"""
FOUND = ["Kismet -> directed_by -> William Dieterle", "Kismet -> release_year -> 1944"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kb.txt", ROWS),
        ("kb.csv", ROWS.replace("|", ",")),
        ("kb.tsv", "subject\trelation\tobject\n" + ROWS.replace("|", "\t")),
        ("kb.jsonl", OBJECTS),
        ("kb.jsonl", OBJECTS.replace("subject", "s").replace("relation", "p").replace("object", "o")),
        ("kb.csv", "object,more,relation,subject\n1944,,release_year,Kismet\nWilliam Dieterle,,directed_by,Kismet\n"),
    ],
)
def test_tables_in_files(tmp_path: Path, name: str, text: str) -> None:
    """The columns have the names of the first line, or are just three."""
    (tmp_path / name).write_text(text)
    assert found(Graph.load(tmp_path / name), FILMS) == FOUND


def test_columns_of_other_names(tmp_path: Path) -> None:
    (tmp_path / "kb.csv").write_text("head;tail;how\nKismet;1944;release_year\n")
    graph = Graph.load(tmp_path / "kb.csv", columns=("head", "how", "tail"), separator=";")
    assert found(graph, FILMS) == FOUND[1:]
    with pytest.raises(OptionError, match=r"no column hed: did you mean head\?"):
        Graph.load(tmp_path / "kb.csv", columns=("hed", "how", "tail"), separator=";")


HEADS = [
    "s,p,o", "S,P,O", "h,r,t", "source,label,target", "Subject,Relation,Object", "subject,predicate,object",
         '" Source ID","Edge-Type",target_id', ":START_ID,:TYPE,:END_ID", "From,Rel,To", "node1,label,node2",
]  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_usual_heads_are_no_edges(tmp_path: Path, head: str) -> None:
    """In a file, in memory, beside another column, and from Arrow."""
    text = f"{head}\n{ROWS.replace('|', ',')}"
    (tmp_path / "kb.csv").write_text(text)
    graph = Graph.load(tmp_path / "kb.csv")
    assert found(graph, FILMS) == FOUND and len(graph) == len(ROWS.splitlines())
    frame = pandas.read_csv(tmp_path / "kb.csv", dtype=str)
    frame.insert(0, "weight", "1")
    assert found(Graph.from_table(frame), FILMS) == FOUND


def test_usual_names_say_which_column_is_which(tmp_path: Path) -> None:
    (tmp_path / "kb.csv").write_text("Source,Target,Label\nKismet,1944,release_year\n")
    assert found(Graph.load(tmp_path / "kb.csv"), FILMS) == FOUND[1:]
    frame = pandas.DataFrame([("Kismet", "1944", "release_year")], columns=["source", "target", "label"])
    assert found(Graph.from_table(frame), FILMS) == FOUND[1:]


NO_HEADS = ["s,p,p", "o,p,s", "t,r,h", "head,tail,head", "src,label,label"]


@pytest.mark.parametrize("edge", NO_HEADS)
def test_edges_that_are_no_heads(tmp_path: Path, edge: str) -> None:
    (tmp_path / "kb.csv").write_text(edge + "\n")
    assert len(Graph.load(tmp_path / "kb.csv")) == 1


def test_an_edge_that_reads_like_a_head(tmp_path: Path) -> None:
    (tmp_path / "kb.csv").write_text("s,p,o\no,p,s\n")
    assert len(Graph.load(tmp_path / "kb.csv")) == 1
    assert len(Graph.load(tmp_path / "kb.csv", columns=("x", "y", "z"))) == 2


def test_columns_that_could_be_the_same(tmp_path: Path) -> None:
    (tmp_path / "kb.csv").write_text("source,label,type,target\nKismet,release_year,x,1944\n")
    with pytest.raises(OptionError, match="no column subject"):
        Graph.load(tmp_path / "kb.csv")


def test_tables_in_memory() -> None:
    rows = [line.split("|") for line in ROWS.splitlines()]
    frame = pandas.DataFrame(rows, columns=["subject", "relation", "object"])
    for data in (frame, pyarrow.Table.from_pandas(frame)):
        assert found(Graph.from_table(data), FILMS) == FOUND


def test_tables_in_several_batches() -> None:
    """Names are those of the whole table."""
    rows = pyarrow.table({"subject": ["a", "b"], "relation": ["p", "p"], "object": ["b", "c"]})
    graph = Graph.from_table(pyarrow.concat_tables([rows, rows, rows.take([1])]))
    assert (graph.node_count, len(graph)) == (3, 2)
    assert found(graph, 'QUERY q FROM LABEL "a" :p/:p') == ["a -> p -> b -> p -> c"]


def test_parquet_is_read_as_a_table(tmp_path: Path) -> None:
    """Also one of several batches whose dictionaries grow, as big as a block of N-Triples; pandas is not needed."""
    names = [f"n{number * number % 70_001}" for number in range(100_000)]
    rows = {"subject": names, "relation": ["p", "q q"] * 50_000, "object": names[1:] + names[:1]}
    parquet.write_table(pyarrow.table(rows), tmp_path / "kb.parquet", row_group_size=30_000)
    saved = tmp_path / "kb.spaseqgraph"
    program = (
        "import sys; from spaseq.paths import Graph\n"
        "Graph.load(sys.argv[1]).save(sys.argv[2]); print(sorted(sys.modules))"
    )
    command = [sys.executable, "-c", program, tmp_path / "kb.parquet", saved]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "'pyarrow'" in loaded and "'pandas'" not in loaded
    read, expected = Graph.load(saved), Graph.from_table(pandas.DataFrame(rows))
    assert (read.node_count, len(read)) == (expected.node_count, len(expected)) == (len(set(names)), 100_000)
    query = 'QUERY q FROM LABEL "n4" ALL WALK (:p|:q%20q)/(:p|:q%20q)'
    assert found(read, query) == found(expected, query) != []


def test_a_row_of_parquet_that_is_no_edge_is_told(tmp_path: Path) -> None:
    for name in ("", None):
        table = pyarrow.table({"subject": ["a", "b"], "relation": ["p", "p"], "object": ["c", name]})
        parquet.write_table(table, tmp_path / "kb.parquet")
        with pytest.raises(StreamError, match=r"kb.parquet, row 2: error: the edge has no object"):
            Graph.load(tmp_path / "kb.parquet")


def test_names_that_are_iris(tmp_path: Path) -> None:
    (tmp_path / "kb.csv").write_text("http://ex.org/a,http://ex.org/p,b c\nb c,is part of,http://ex.org/a\n")
    graph = Graph.load(tmp_path / "kb.csv")
    assert graph.predicates == ("http://ex.org/p", "urn:relation:is%20part%20of")
    assert found(graph, "QUERY q FROM <http://ex.org/a> ALL WALK <http://ex.org/p>/<urn:relation:is%20part%20of>") == [
        "a -> p -> b c -> is part of -> a"
    ]


@pytest.mark.parametrize("row", ["Kismet|directed_by|", "|directed_by|x", "Kismet||x", "Kismet|directed_by"])
def test_a_row_that_is_no_edge_is_told(tmp_path: Path, row: str) -> None:
    (tmp_path / "kb.txt").write_text(ROWS + row + "\n")
    with pytest.raises(StreamError) as error:
        Graph.load(tmp_path / "kb.txt")
    assert error.value.line == 4


def test_labels_of_rdf() -> None:
    """Whatever their language; several nodes may have one."""
    label = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    name = NamedNode(f"{EX}name")
    graph = [
        Triple(NamedNode(f"{EX}a"), label, Literal("Film", language="en")),
        Triple(NamedNode(f"{EX}b"), label, Literal("Film")),
        Triple(NamedNode(f"{EX}c"), name, Literal("Film")),
    ]
    assert found(Graph(graph), f'QUERY q FROM LABEL "Film" ALL WALK <{label.value}>') == [
        "a -> label -> Film", "b -> label -> Film",
    ]  # fmt: skip
    other = Graph(graph, label_property=f"{EX}name").match(f'QUERY q FROM LABEL "Film" ALL WALK <{EX}name>')
    assert list(map(str, other)) == ["c -> name -> Film"]


def test_graphs_without_edges() -> None:
    graph = Graph([])
    answer = graph.match("QUERY q FROM <urn:a> TO <urn:b> <urn:p>*")
    assert (len(answer), answer.complete) == (0, True)
    assert answer.warnings == (
        "q: no edge has the predicate <urn:p>",
        "q: no node of the graph is <urn:b>",
        "q: no node of the graph is <urn:a>",
    )  # fmt: skip
