"""Pictures of paths: what is in them, what is left out, and that no label breaks them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import Literal, NamedNode, Triple

from spaseq.errors import OptionError
from spaseq.paths import Graph, Paths
from spaseq.paths.pictures import FORMS
from spaseq.paths.pictures.forms import HEIGHT, boxes
from spaseq.paths.pictures.subgraph import MOST_SHOWN, MOST_TOLD, cleaned, drawing, shortened, width

SVG = "{http://www.w3.org/2000/svg}"
FILMS = Path(__file__).parents[2] / "examples" / "paths"


def graph_of(*rows: str) -> Graph:
    return Graph([Triple(*(NamedNode(f"urn:{part}") for part in row.split())) for row in rows])


def paths(expression: str = "ALL TRAIL (!()|!(^<urn:none>))+", *rows: str) -> Paths:
    return graph_of(*rows).match(f"QUERY q FROM <urn:a> {expression}")


def texts_of(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_mermaid() -> None:
    """Edges point from subject to object, however a path takes them; those of the first path are thick."""
    found = paths("ALL WALK <urn:p>/(^<urn:p>|<urn:p>)", "a p b", "c p b", "b p d", "d q a")
    assert found.picture("mermaid").splitlines() == [
        "flowchart LR",
        '  n0(["urn#58;a"])',
        '  n1["urn#58;b"]',
        '  n2["urn#58;d"]',
        '  n3["urn#58;c"]',
        '  n0 ==>|"urn#58;p"| n1',
        '  n1 ==>|"urn#58;p"| n2',
        '  n3 -->|"urn#58;p"| n1',
        "  style n0 fill:#dbeafe,stroke:#15803d,color:#111111",
        "  style n1 fill:#ffffff,stroke:#6b7280,color:#111111",
        "  style n2 fill:#dcfce7,stroke:#15803d,color:#111111",
        "  style n3 fill:#dcfce7,stroke:#15803d,color:#111111",
    ]


def test_dot() -> None:
    assert paths("ALL WALK <urn:p>", "a p b").picture("dot").splitlines() == [
        "digraph paths {",
        "  rankdir=LR;",
        '  node [shape=box, style="rounded,filled"];',
        '  n0 [label="urn:a", tooltip="urn:a", fillcolor="#dbeafe", color="#1d4ed8"];',
        '  n1 [label="urn:b", tooltip="urn:b", fillcolor="#dcfce7", color="#15803d", peripheries=2];',
        '  n0 -> n1 [label="urn:p", tooltip="urn:p", color="#b45309", penwidth=3];',
        "}",
    ]


def test_svg() -> None:
    """Each node and edge is there once, with its text, whatever paths go through it."""
    graph = Graph.load(FILMS / "films.txt")
    found = graph.match(FILMS / "films.paths")
    image = ElementTree.fromstring(found.picture())
    texts = texts_of(found.picture())
    assert sorted(set(texts)) == sorted({str(node) for path in found for node in path.nodes} | {
        "directed_by", "starred_actors", "release_year",
    })  # fmt: skip
    edges = {
        (path.symbols[at] >> 1, frozenset(path.vertices[at : at + 2])) for path in found for at in range(len(path))
    }
    assert len([one for one in image.iter(f"{SVG}path") if one.get("marker-end")]) == len(edges)


def test_in_notebooks() -> None:
    found = paths("ALL WALK <urn:p>", "a p b")
    assert found._repr_svg_() == found.picture() == found[0]._repr_svg_() == found[0].picture("svg")
    assert paths("ALL WALK <urn:q>", "a p b")._repr_svg_() is None


def test_all_of_the_note_is_in_the_image() -> None:
    for found in (paths("ALL WALK <urn:q>", "a p b"), paths("ALL WALK <urn:p>", *STAR)):
        svg = found.picture(most_nodes=2)
        assert float(ElementTree.fromstring(svg).attrib["width"]) > 7 * len(texts_of(svg)[-1])


def test_a_single_node_and_nothing() -> None:
    assert texts_of(paths("ANY SHORTEST <urn:p>*", "b p a").picture()) == ["urn:a"]
    nothing = paths("ALL WALK <urn:q>", "a p b")
    assert texts_of(nothing.picture()) == ["no paths"]
    assert nothing.picture("mermaid").splitlines()[1] == '  note["no paths"]'


# ── what is left out ─────────────────────────────────────────────────────────────────────────────────────
STAR = [f"a p n{number}" for number in range(100)]


@pytest.mark.parametrize(("most", "note"), [(4, "97 paths with 97 more nodes"), (100, "1 path with 1 more node")])
def test_what_is_left_out_is_told(most: int, note: str) -> None:
    found = paths("ALL WALK <urn:p>", *STAR)
    texts = texts_of(found.picture(most_nodes=most))
    assert texts[-1] == f"not drawn: {note}" and len(texts) == most + most - 1 + 1
    assert f'label="not drawn: {note}"' in found.picture("dot", most)
    assert note in found.picture("mermaid", most)
    assert "not drawn" not in found.picture(most_nodes=101)


def test_of_a_long_path_its_beginning_is_drawn() -> None:
    found = paths("ALL WALK <urn:p>{99}", *(f"{n or 'a'} p {n + 1}" for n in range(99)))
    assert texts_of(found[0].picture(most_nodes=3)) == [
        "urn:a", "urn:1", "urn:2", "urn:p", "urn:p", "not drawn: 1 path with 97 more nodes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("most", "note"),
    [(4, "more than 6 paths with more than 6 more nodes"), (101, "all paths but the first 9")],
)
def test_of_very_many_paths_some_are_looked_at(monkeypatch: pytest.MonkeyPatch, most: int, note: str) -> None:
    monkeypatch.setattr("spaseq.paths.pictures.subgraph.MOST_SEEN", 9)
    assert texts_of(paths("ALL WALK <urn:p>", *STAR).picture(most_nodes=most))[-1] == f"not drawn: {note}"


@pytest.mark.parametrize(("form", "most"), [("png", 3), ("svg", 0), ("svg", True), ("svg", "3"), (None, 3)])
def test_pictures_that_there_are_not(form: Any, most: Any) -> None:
    with pytest.raises(OptionError, match=r"no pictures of the form|most_nodes is a number from 1 on"):
        paths("ALL WALK <urn:p>", "a p b").picture(form, most)


# ── labels ───────────────────────────────────────────────────────────────────────────────────────────────
HOSTILE = [
    *('"', "'", "<b>&amp;</b>", "]]></text><script>alert(1)</script>", "-->", "`md`", "$$x^2$$", "\\n \\N \\"),
    *("a\nb\r\tc", "\x00\x1b[31m", "\u202eevil\u202c", "שלום", "日本語" * 100, "x" * 100_000, "", " ", "end", "#35;"),
    *("%%{init}%%", "|}])", "\U0001f600", "\ufffe\uffff"),
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", FORMS)
def test_labels_break_nothing(text: str, form: str) -> None:
    assert_whole(text, form)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(sorted(FORMS)))
def test_no_label_breaks_anything(text: str, form: str) -> None:
    assert_whole(text, form)


def assert_whole(text: str, form: str) -> None:
    """A picture has just the elements that it has with a harmless label."""
    assert outline(drawn(text, form), form) == outline(drawn("harmless", form), form)


def drawn(text: str, form: str) -> str:
    triple = Triple(NamedNode("urn:a"), NamedNode("urn:p"), Literal(text))
    return Graph([triple]).match("QUERY q FROM <urn:a> ALL WALK <urn:p>").picture(form)


def outline(picture: str, form: str) -> object:
    if form == "svg":
        return [one.tag for one in ElementTree.fromstring(picture).iter()]
    quoted = r'"(?:[^"\\]|\\.)*"' if form == "dot" else r'"[^"\n<>`$\\]*"'
    return re.sub(quoted, '""', picture).splitlines()


def test_texts_in_pictures() -> None:
    assert drawn('<b>&"\\n`', "mermaid").splitlines()[2] == '  n1["#60;b#62;#38;#quot;#92;n#96;"]'
    assert 'label="<b>&amp;\\"\\\\n`"' in drawn('<b>&"\\n`', "dot")
    assert '<b>&"\\n`' in texts_of(drawn('<b>&"\\n`', "svg"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n\n b", "a   b"),
        ("\x07", "…"),
        ("", "∅"),
        ("x" * 32, "x" * 32),
        ("x" * 33, "x" * 31 + "…"),
        ("\u202ex", "x"),
    ],
)
def test_shortened(text: str, shown: str) -> None:
    assert re.sub(" +", " ", shortened(text)) == re.sub(" +", " ", shown)


def test_lengths_of_texts() -> None:
    assert len(cleaned("x" * 10**6)) == MOST_TOLD and len(shortened("日" * 10**6)) == MOST_SHOWN
    assert (width("ab"), width("日本")) == (2, 4)


# ── layout ───────────────────────────────────────────────────────────────────────────────────────────────
@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2), st.integers(0, 12)), min_size=1, max_size=25))
def test_nodes_lie_apart_and_in_the_image(rows: list[tuple[int, int, int]]) -> None:
    graph = graph_of("a p n0", *(f"n{a} p{p} n{b}" for a, p, b in rows))
    found = graph.match("QUERY q FROM <urn:a> ANY SHORTEST (!()|!(^<urn:none>))+")
    part = drawing(graph, (path.route for path in found), 60)
    placed = boxes(part)
    for number, one in enumerate(placed):
        for other in placed[:number]:
            apart_x = abs(one.x - other.x) >= (one.width + other.width) / 2
            assert apart_x or abs(one.y - other.y) > HEIGHT
    image = ElementTree.fromstring(found.picture())
    left, top, wide, high = map(float, image.attrib["viewBox"].split())
    for box in placed:
        assert left <= box.x - box.width / 2 and box.x + box.width / 2 <= left + wide
        assert top <= box.y - HEIGHT / 2 and box.y + HEIGHT / 2 <= top + high
