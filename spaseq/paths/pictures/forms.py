"""Drawings as SVG, which notebooks and browsers show, and as texts that other programs make pictures of.

Nodes stand in layers by their distance from the starts, each near to those that it is joined with.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from spaseq.paths.pictures.subgraph import EDGE, FIRST_EDGE, Drawing, DrawnEdge, DrawnNode, fills, width
from spaseq.plan.description import mermaid_text

CHARACTER = 7.5  # pixels
PADDING = 24
HEIGHT = 30
ROW = 46  # from the middle of a node to that of the next one in its layer
GAP = 70  # between layers, besides labels
SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Box:
    """A node: where its middle is, and how wide it is; it is in a layer."""

    x: float
    y: float
    width: float
    layer: int


def boxes(drawing: Drawing) -> tuple[Box, ...]:
    """One for each node."""
    layer_of = _layers(drawing)
    widths = [CHARACTER * width(node.text) + PADDING for node in drawing.nodes]
    found: dict[int, Box] = {}
    left = 0.0
    for number, layer in enumerate(_ordered(drawing, layer_of)):
        widest = max(widths[node] for node in layer)
        for row, node in enumerate(layer):
            y = ROW * (row - (len(layer) - 1) / 2)
            found[node] = Box(left + widest / 2, y, widths[node], number)
        left += widest + GAP + _label_width(drawing, layer_of, number)
    return tuple(found[node] for node in range(len(drawing.nodes)))


def _neighbours(drawing: Drawing) -> Sequence[set[int]]:
    found: list[set[int]] = [set() for _ in drawing.nodes]
    for edge in drawing.edges:
        found[edge.source].add(edge.target)
        found[edge.target].add(edge.source)
    return found


def _layers(drawing: Drawing) -> Sequence[int]:
    """How far each node is from the nearest start; all are reached, because paths begin at starts."""
    neighbours = _neighbours(drawing)
    found = {place: 0 for place, node in enumerate(drawing.nodes) if node.is_start}
    waiting = deque(found)
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node] - found.keys():
            found[other] = found[node] + 1
            waiting.append(other)
    return [found[node] for node in range(len(drawing.nodes))]


def _ordered(drawing: Drawing, layer_of: Sequence[int]) -> Sequence[Sequence[int]]:
    """The nodes of each layer, such that edges cross seldom: each node goes where the middle of its neighbours is."""
    neighbours = _neighbours(drawing)
    by_layer: defaultdict[int, list[int]] = defaultdict(list)
    for node, number in enumerate(layer_of):
        by_layer[number].append(node)
    layers = [by_layer[number] for number in range(len(by_layer))]
    height = {node: row - len(layer) / 2 for layer in layers for row, node in enumerate(layer)}
    for sweep in range(SWEEPS):
        for layer in layers[:: 1 if sweep % 2 == 0 else -1]:
            middles = {node: fmean([height[other] for other in neighbours[node]] or [height[node]]) for node in layer}
            layer.sort(key=lambda node: (middles[node], node))
            height |= {node: row - len(layer) / 2 for row, node in enumerate(layer)}
    return layers


def _label_width(drawing: Drawing, layer_of: Sequence[int], layer: int) -> float:
    """How wide the labels of edges are that leave a layer to the right."""
    texts = [
        width(edge.text)
        for edge in drawing.edges
        if min(layer_of[edge.source], layer_of[edge.target]) == layer and layer_of[edge.source] != layer_of[edge.target]
    ]
    return CHARACTER * max(texts, default=0)


# ── SVG ──────────────────────────────────────────────────────────────────────────────────────────────────
MARGIN = 20
APART = 26  # edges between the same nodes
NEARER = 0.62  # how far on its way an edge has its label, if the end has fewer edges
FONT = "system-ui, sans-serif"

Point: TypeAlias = "tuple[float, float]"
Curve: TypeAlias = "tuple[Point, Point, Point, Point]"


def as_svg(drawing: Drawing) -> str:
    """An image of its own size."""
    placed = boxes(drawing)
    curves = list(_curves(drawing.edges, placed))
    edges = list(zip(drawing.edges, curves, _label_places(drawing.edges, curves, placed), strict=True))
    (left, top), (right, bottom) = _frame(placed, edges)
    right = max(right, left + 2 * MARGIN + CHARACTER * width(drawing.note))
    image = _image(left, top, right, bottom + HEIGHT * bool(drawing.note))
    for edge, curve, _ in sorted(edges, key=lambda one: one[0].is_first):  # the highlighted ones above the others
        _draw_edge(image, edge, curve)
    for node, box in zip(drawing.nodes, placed, strict=True):
        _draw_node(image, node, box)
    for edge, _, at in edges:
        _draw_label(image, edge, at)
    if drawing.note:
        _write(image, (left + MARGIN, bottom + HEIGHT / 2), drawing.note, "#6b7280", "start")
    return tostring(image, encoding="unicode") + "\n"


# ── geometry ─────────────────────────────────────────────────────────────────────────────────────────────
def _curves(edges: Sequence[DrawnEdge], placed: Sequence[Box]) -> Iterator[Curve]:
    """The way of each edge; those between the same nodes bend apart."""
    between = defaultdict(list)
    for number, edge in enumerate(edges):
        between[frozenset((edge.source, edge.target))].append(number)
    for number, edge in enumerate(edges):
        others = between[frozenset((edge.source, edge.target))]
        place = others.index(number)
        bend = APART * (place - (len(others) - 1) / 2)
        source, target = placed[edge.source], placed[edge.target]
        if edge.source == edge.target:
            yield _loop(source, place)
        elif source.layer == target.layer:
            yield _beside(source, target, place)
        else:
            yield _across(source, target, bend)


def _loop(box: Box, place: int) -> Curve:
    top, height, half = box.y - HEIGHT / 2, 36 + APART * place, 12 + 6 * place
    return (box.x - half, top), (box.x - 2 * half, top - height), (box.x + 2 * half, top - height), (box.x + half, top)


def _beside(source: Box, target: Box, place: int) -> Curve:
    """Between nodes of one layer: out on the right, and back."""
    start, end = source.x + source.width / 2, target.x + target.width / 2
    out = max(start, end) + 36 + abs(source.y - target.y) / 6 + APART * place
    return (start, source.y), (out, source.y), (out, target.y), (end, target.y)


def _across(source: Box, target: Box, bend: float) -> Curve:
    way = 1 if source.x < target.x else -1
    start, end = source.x + way * source.width / 2, target.x - way * target.width / 2
    middle = (start + end) / 2
    return (start, source.y), (middle, source.y + bend), (middle, target.y + bend), (end, target.y)


def _label_places(edges: Sequence[DrawnEdge], curves: Sequence[Curve], placed: Sequence[Box]) -> Iterator[Point]:
    """Where the middle of each label is: nearer to the end that has fewer edges, for there is more room."""
    degrees = Counter(end for edge in edges for end in (edge.source, edge.target))
    for edge, curve in zip(edges, curves, strict=True):
        source, target = degrees[edge.source], degrees[edge.target]
        at = 0.5 if source == target else NEARER if source > target else 1 - NEARER
        x, y = _point(curve, at)
        is_beside = edge.source != edge.target and placed[edge.source].layer == placed[edge.target].layer
        yield (x + _half(edge) + 4, y) if is_beside else (x, y)


def _point(curve: Curve, at: float) -> Point:
    """A point of a cubic curve, from 0 to 1 on its way."""
    weights = ((1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at**2 * (1 - at), at**3)
    x, y = (sum(weight * part for weight, part in zip(weights, axis, strict=True)) for axis in zip(*curve, strict=True))
    return x, y


def _half(edge: DrawnEdge) -> float:
    """Half of how wide a label is."""
    return CHARACTER * width(edge.text) / 2


def _frame(placed: Sequence[Box], edges: Sequence[tuple[DrawnEdge, Curve, Point]]) -> tuple[Point, Point]:
    """The corners between which all of the drawing lies."""
    points = [(0.0, 0.0)]
    for box in placed:
        points += _around((box.x, box.y), box.width / 2, HEIGHT / 2)
    for edge, curve, at in edges:
        points += _around(at, _half(edge), 0)
        points += [_point(curve, part) for part in (0.25, 0.5, 0.75)]
    x, y = zip(*points, strict=True)
    return (min(x), min(y)), (max(x), max(y))


def _around(middle: Point, wide: float, high: float) -> list[Point]:
    return [(middle[0] + sign * (wide + MARGIN), middle[1] + sign * (high + MARGIN)) for sign in (-1, 1)]


# ── elements ─────────────────────────────────────────────────────────────────────────────────────────────
def _image(left: float, top: float, right: float, bottom: float) -> Element:
    wide, high = _n(right - left), _n(bottom - top)
    view = f"{_n(left)} {_n(top)} {wide} {high}"
    image = Element("svg", xmlns="http://www.w3.org/2000/svg", width=wide, height=high, viewBox=view, role="img")
    SubElement(image, "rect", x=_n(left), y=_n(top), width=wide, height=high, fill="#ffffff")
    heads = SubElement(image, "defs")
    for colour, _ in (EDGE, FIRST_EDGE):
        head = SubElement(
            heads, "marker", id=_head(colour), viewBox="0 0 8 8", refX="8", refY="4", markerWidth="9", markerHeight="9",
            markerUnits="userSpaceOnUse", orient="auto",
        )  # fmt: skip
        SubElement(head, "path", d="M0 0L8 4L0 8z", fill=colour)
    return image


def _draw_edge(image: Element, edge: DrawnEdge, curve: Curve) -> None:
    colour, thick = FIRST_EDGE if edge.is_first else EDGE
    start, *rest = (f"{_n(x)} {_n(y)}" for x, y in curve)
    SubElement(
        image, "path", {"stroke-width": str(thick), "marker-end": f"url(#{_head(colour)})"},
        d=f"M{start}C{' '.join(rest)}", fill="none", stroke=colour,
    )  # fmt: skip


def _draw_node(image: Element, node: DrawnNode, box: Box) -> None:
    group = SubElement(image, "g")
    SubElement(group, "title").text = node.full
    fill, stroke = fills(node)
    thick = "3" if node.is_start or node.is_end else "1.5"
    SubElement(
        group, "rect", {"stroke-width": thick}, x=_n(box.x - box.width / 2), y=_n(box.y - HEIGHT / 2),
        width=_n(box.width), height=_n(HEIGHT), rx=_n(HEIGHT / 2 if node.is_start else 5), fill=fill, stroke=stroke,
    )  # fmt: skip
    _write(group, (box.x, box.y), node.text, "#111111")


def _draw_label(image: Element, edge: DrawnEdge, at: Point) -> None:
    group = SubElement(image, "g")
    SubElement(group, "title").text = edge.full
    text = _write(group, at, edge.text, "#374151")
    for name, value in {"stroke": "#ffffff", "stroke-width": "5", "paint-order": "stroke"}.items():
        text.set(name, value)  # a white rim, so that edges do not cross it


def _write(parent: Element, at: Point, text: str, colour: str, anchor: str = "middle") -> Element:
    fitted = {"font-family": FONT, "font-size": "13", "text-anchor": anchor, "dominant-baseline": "central"}
    element = SubElement(parent, "text", fitted, x=_n(at[0]), y=_n(at[1]), fill=colour)
    element.text = text
    return element


def _head(colour: str) -> str:
    return f"head-{colour.removeprefix('#')}"


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


# ── Mermaid and Graphviz ─────────────────────────────────────────────────────────────────────────────────
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
