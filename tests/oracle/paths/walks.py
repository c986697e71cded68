"""All walks from a node, without any thought of what they are for."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Graph, Path, Term


def walks(graph: Graph, start: Term, longest: int) -> Iterator[Path]:
    """All walks of at most ``longest`` steps, short ones first."""
    layer = [Path((start,))] if start in graph.steps else []
    for _ in range(longest):
        yield from layer
        layer = [path.longer(step, node) for path in layer for step, node in graph.steps[path.nodes[-1]]]
    yield from layer


def is_walk(graph: Graph, path: Path) -> bool:
    """Whether the graph has all edges of the path, and its node if there is none."""
    return path.nodes[0] in graph.steps and all(edge in graph.edges for edge in path.edges)


def permitted(restrictor: str, path: Path) -> bool:
    """Whether a walk is what the restrictor permits."""
    match restrictor:
        case "TRAIL":
            return len(set(path.edges)) == len(path)
        case "ACYCLIC":
            return len(set(path.nodes)) == len(path.nodes)
        case "SIMPLE":
            return len(set(path.nodes[1:])) == len(path) and path.nodes[0] not in path.nodes[1:-1]
        case _:
            return True


def comes_back(path: Path) -> bool:
    """Whether the path comes back to its start."""
    return path.nodes[0] in path.nodes[1:]
