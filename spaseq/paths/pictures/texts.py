"""Drawings as texts that other programs make pictures of: Mermaid and Graphviz."""

from __future__ import annotations

import json
from collections.abc import Iterator

from spaseq.paths.pictures.subgraph import EDGE, FIRST_EDGE, Drawing, DrawnNode, fills
from spaseq.plan.description import mermaid_text


def as_mermaid(drawing: Drawing) -> str:
    """A flowchart of Mermaid."""
    return "\n".join([*_mermaid(drawing), ""])


def _mermaid(drawing: Drawing) -> Iterator[str]:
    yield "flowchart LR"
    for place, node in enumerate(drawing.nodes):
        left, right = ("([", "])") if node.is_start else ("[", "]")
        yield f"  n{place}{left}{_in_mermaid(node.text)}{right}"
    for edge in drawing.edges:
        arrow = "==>" if edge.is_first else "-->"
        yield f"  n{edge.source} {arrow}|{_in_mermaid(edge.text)}| n{edge.target}"
    for place, node in enumerate(drawing.nodes):
        fill, stroke = fills(node)
        yield f"  style n{place} fill:{fill},stroke:{stroke},color:#111111"
    if drawing.note:
        yield f"  note[{_in_mermaid(drawing.note)}]"
        yield "  style note fill:none,stroke:none"


def _in_mermaid(text: str) -> str:
    """Quoted; it would take HTML, Markdown, mathematics and \\n.  What it is told by ``mermaid_text`` are entities."""
    for character, code in ((one, f"\0{ord(one)}\1") for one in "<>&`\\$"):
        text = text.replace(character, code)
    return f'"{mermaid_text(text)}"'


def as_dot(drawing: Drawing) -> str:
    """A digraph of Graphviz."""
    return "\n".join([*_dot(drawing), "}", ""])


def _dot(drawing: Drawing) -> Iterator[str]:
    yield "digraph paths {"
    yield "  rankdir=LR;"
    yield '  node [shape=box, style="rounded,filled"];'
    if drawing.note:
        yield f"  label={_in_dot(drawing.note)};"
    for place, node in enumerate(drawing.nodes):
        yield f"  n{place} [{_dot_node(node)}];"
    for edge in drawing.edges:
        colour, width = FIRST_EDGE if edge.is_first else EDGE
        label, full = _in_dot(edge.text), _in_dot(edge.full)
        style = f'color="{colour}", penwidth={width}'
        yield f"  n{edge.source} -> n{edge.target} [label={label}, tooltip={full}, {style}];"


def _dot_node(node: DrawnNode) -> str:
    fill, stroke = fills(node)
    shape = ", peripheries=2" if node.is_end else ""
    return f'label={_in_dot(node.text)}, tooltip={_in_dot(node.full)}, fillcolor="{fill}", color="{stroke}"{shape}'


def _in_dot(text: str) -> str:
    """Quoted; entities of HTML and escapes mean something there."""
    return json.dumps(text.replace("&", "&amp;"), ensure_ascii=False)
