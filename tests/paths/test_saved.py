"""A saved graph answers as the graph that was saved; what is no saved graph, or a damaged one, is told."""

from __future__ import annotations

import gzip
import json
import pickle
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spaseq.errors import OptionError, StreamError
from spaseq.paths import Graph
from spaseq.paths.serialisation import MAGIC, TYPES, SavedContent
from tests.oracle.paths.generate import random_world
from tests.paths.agreement import difference
from tests.paths.cases import cases
from tests.paths.engine import saved_paths

CASES = {case.label: case for case in cases()}
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
LINES = f"""\
<urn:a> <urn:p> <urn:b> .
<urn:b> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:b> <urn:q> _:x .
<urn:a> {LABEL} "Käse"@de .
<urn:a> {LABEL} "Käse" .
<urn:b> {LABEL} "Cheese"@en .
<urn:c> {LABEL} "Käse" .
<urn:c> {LABEL} <urn:b> .
""" + "".join(f"<urn:n{n}> <urn:r> <urn:n{n + 1}> .\n" for n in range(40))


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    (tmp_path / "g.nt").write_text(LINES)
    return Graph.load(tmp_path / "g.nt")


@pytest.fixture
def file(graph: Graph, tmp_path: Path) -> Path:
    graph.save(tmp_path / "g.spaseqgraph")
    return tmp_path / "g.spaseqgraph"


def found(graph: Graph, query: str) -> list[str]:
    return list(map(str, graph.match(query)))


QUERIES = [
    "QUERY q FROM <urn:a> ALL WALK <urn:p>/<urn:p>/[?x: ?x = 1]",
    "QUERY q FROM <urn:a> TO <urn:b> ANY SHORTEST <urn:p>*",
    f'QUERY q FROM LABEL "Käse" {LABEL}',
    'QUERY q FROM LABEL "Cheese" <urn:q>',
    'QUERY q FROM LABEL "Chees" <urn:q>',
    "QUERY q FROM <urn:n3> ANY SHORTEST (<urn:r>|^<urn:r>)+",
    "QUERY q FROM <urn:none> <urn:none>",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_saved_graph_is_the_graph(graph: Graph, file: Path, query: str) -> None:
    saved = Graph.load(file)
    assert found(saved, query) == found(graph, query)
    assert saved.match(query).warnings == graph.match(query).warnings
    assert (repr(saved), saved.predicates) == (repr(graph), graph.predicates)


def test_it_is_saved_again_as_it_was(file: Path) -> None:
    Graph.load(file).save(file.with_name("other.spaseqgraph"))
    assert file.with_name("other.spaseqgraph").read_bytes() == file.read_bytes()
    Graph.load(file).save(file)
    assert sorted(one.name for one in file.parent.iterdir()) == ["g.nt", "g.spaseqgraph", "other.spaseqgraph"]


@pytest.mark.parametrize("label", CASES)
def test_cases_on_saved_graphs(label: str) -> None:
    case = CASES[label]
    assert sorted(saved_paths(sorted(case.graph.edges), case.text)) in case.right


def test_random_worlds_on_saved_graphs() -> None:
    worlds = (random_world(seed, given_starts=seed % 10 == 9) for seed in range(300_000, 300_200))
    assert [wrong for world in worlds if (wrong := difference(world, saved_paths))] == []


def test_graphs_of_tables(tmp_path: Path) -> None:
    (tmp_path / "kb.csv").write_text("Kismet,directed_by,William Dieterle\nKismet,release_year,1944\n")
    Graph.load(tmp_path / "kb.csv").save(tmp_path / "kb.spaseqgraph")
    saved = Graph.load(tmp_path / "kb.spaseqgraph")
    assert found(saved, 'QUERY q FROM LABEL "Kismet" :release_year') == ["Kismet -> release_year -> 1944"]
    with pytest.raises(OptionError, match="one of a table"):
        Graph.load(tmp_path / "kb.spaseqgraph", label_property="urn:p")


def test_another_property_of_labels(graph: Graph, file: Path) -> None:
    query = 'QUERY q FROM LABEL "1" ^<urn:p>'
    assert found(Graph.load(file), query) == []
    assert found(Graph.load(file, label_property="urn:p"), 'QUERY q FROM LABEL "1" <urn:q>') == ["urn:b -> urn:q -> x"]


def test_graphs_without_edges(tmp_path: Path) -> None:
    Graph([]).save(tmp_path / "none.spaseqgraph")
    assert repr(Graph.load(tmp_path / "none.spaseqgraph")) == "<Graph of 0 nodes, 0 edges, 0 predicates>"


def test_graphs_and_paths_pickle(graph: Graph) -> None:
    paths = graph.match(QUERIES[0])
    assert list(map(str, pickle.loads(pickle.dumps(paths)))) == list(map(str, paths))


def test_packed_files_are_read(graph: Graph, file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "g.spaseqgraph.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert found(Graph.load(packed), QUERIES[0]) == found(graph, QUERIES[0])


def test_what_cannot_be_written(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"ends in \.spaseqgraph"):
        graph.save(tmp_path / "g.nt")
    with pytest.raises(OptionError, match="cannot write"):
        graph.save(tmp_path / "none" / "g.spaseqgraph")
    (tmp_path / "folder.spaseqgraph").mkdir()
    with pytest.raises(OptionError, match="cannot write"):
        graph.save(tmp_path / "folder.spaseqgraph")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder.spaseqgraph", "g.nt"]


# ── what is wrong with files ─────────────────────────────────────────────────────────────────────────────
def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="cannot be read: No such file"):
        Graph.load(tmp_path / "g.spaseqgraph")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no saved graph"),
        (LINES.encode(), "no saved graph"),
        (MAGIC + struct.pack("<IIQ", 7, 0, 0), "has version 7; this program reads version 1"),
        (MAGIC + struct.pack("<IIQ", 1, 0, 5) + b"12345", "header is not what was written"),
        (MAGIC + struct.pack("<IIQ", 1, 0, 2**63), "damaged"),
        (b"\x1f\x8b123", "gzip data is damaged"),
    ],
)
def test_files_that_are_no_saved_graphs(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "g.spaseqgraph").write_bytes(data)
    with pytest.raises(StreamError, match=message) as error:
        Graph.load(tmp_path / "g.spaseqgraph")
    assert error.value.location.path == str(tmp_path / "g.spaseqgraph")


def test_files_that_are_cut_off(file: Path) -> None:
    data = file.read_bytes()
    for size in range(len(data)):
        file.write_bytes(data[:size])
        with pytest.raises(StreamError):
            Graph.load(file)
    file.write_bytes(data + b"\0")
    with pytest.raises(StreamError, match="bytes, and should have"):
        Graph.load(file)


@pytest.mark.parametrize(
    "text",
    [
        *("[]", "{}", "7", '{"header": {}, "counts": [1]}', '{"header": 3, "counts": null}', "[" * 5000, "\udcff"),
        *(json.dumps({"header": {}, "counts": [count] * len(TYPES)}) for count in (2**70, "1", -1)),
        json.dumps({"header": [], "counts": [0] * len(TYPES)}),
        json.dumps({"header": {"label_property": 7}, "counts": [0] * len(TYPES)}),
    ],
)
def test_headers_that_say_something_else(tmp_path: Path, text: str) -> None:
    data = text.encode(errors="surrogateescape")
    path = tmp_path / "g.spaseqgraph"
    path.write_bytes(MAGIC + struct.pack("<IIQ", 1, zlib.crc32(data), len(data)) + data + bytes(64))
    with pytest.raises(StreamError, match="damaged"):
        Graph.load(path)


def test_a_header_that_is_no_object(file: Path) -> None:
    content = SavedContent.of(file.read_bytes())
    file.write_bytes(b"".join(SavedContent([], content.arrays).pieces()))  # type: ignore[arg-type]
    with pytest.raises(StreamError, match="damaged: its header is no object"):
        Graph.load(file)


def put(place: int, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("text_ends", put(0, 1)),
        ("text_ends", put(1, 2**63)),
        ("text_ends", put(-1, 3)),
        ("text_ends", lambda array: array[:0]),
        ("texts", put(0, ord("x"))),
        ("texts", put(3, 0xFF)),
        ("text_order", put(2, 2**32 - 1)),
        ("text_order", lambda array: array[1:]),
        ("predicates", put(0, 0xFF)),
        ("predicate_ends", lambda array: array[:1] * 0),
        ("row_counts", put(0, 2**32 - 1)),
        ("row_counts", put(1, 0)),
        ("edge_counts", put(0, 0)),
        ("edge_counts", lambda array: array[:-1]),
        ("are_sparse", lambda array: 1 - array),
        ("offsets", put(1, 2**32 - 1)),
        ("offsets", put(0, 1)),
        ("offsets", put(-1, 7)),
        ("targets", put(0, 2**32 - 1)),
        ("targets", lambda array: array[1:]),
        ("sparse_vertices", put(0, 2**32 - 1)),
        ("sparse_vertices", lambda array: array[::-1]),
        ("named_nodes", put(0, 2**32 - 1)),
        ("name_labels", put(0, 2**32 - 1)),
        ("name_labels", lambda array: array[1:]),
        ("idle", lambda array: np.array([2**32 - 1], np.uint32)),
    ],
)
def test_arrays_that_point_to_nowhere(file: Path, name: str, change: Callable[[Any], Any]) -> None:
    content = SavedContent.of(file.read_bytes())
    arrays = dict(content.arrays)
    arrays[name] = change(arrays[name].copy())
    file.write_bytes(b"".join(SavedContent(content.header, arrays).pieces()))
    with pytest.raises(StreamError, match="damaged"):
        Graph.load(file)


@pytest.mark.parametrize("seed", range(8))
def test_bytes_that_changed_never_crash(file: Path, seed: int) -> None:
    """Where it is not noticed, answers are wrong at worst."""
    chance, data = random.Random(seed), file.read_bytes()
    for _ in range(100):
        broken = bytearray(data)
        for _ in range(chance.randrange(1, 4)):
            broken[chance.randrange(len(data))] = chance.randrange(256)
        file.write_bytes(broken)
        try:
            graph = Graph.load(file)
            for query in QUERIES:
                for path in graph.match(query, limit=50, most_edges=10_000):
                    path.to_dict()
        except StreamError:
            continue
