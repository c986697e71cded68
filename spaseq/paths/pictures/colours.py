"""How nodes and edges of pictures look."""

from __future__ import annotations

from spaseq.paths.pictures.subgraph import DrawnNode

START = ("#dbeafe", "#1d4ed8")  # fill and stroke of nodes
END = ("#dcfce7", "#15803d")
BETWEEN = ("#ffffff", "#6b7280")
EDGE = ("#9ca3af", 1.5)  # colour and width
FIRST_EDGE = ("#b45309", 3)


def fills(node: DrawnNode) -> tuple[str, str]:
    """Fill and stroke of a node; where a path starts and another ends it is filled as a start."""
    if node.is_start:
        return START[0], END[1] if node.is_end else START[1]
    return END if node.is_end else BETWEEN
