"""Where nodes stand: in layers by their distance from the starts, each near to those that it is joined with."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from spaseq.paths.pictures.labels import width
from spaseq.paths.pictures.subgraph import Drawing

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
