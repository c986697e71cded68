"""Where the paths of queries begin, as users say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpm.errors import PatternError
from spaseq.errors import OptionError
from spaseq.paths.adjacency import are_among
from spaseq.paths.edges import GraphEdges
from spaseq.paths.parts import SearchPlan

Starts: TypeAlias = "int | NDArray[Any] | Iterable[Any] | Mapping[str, int | NDArray[Any] | Iterable[Any]]"

STARTS = "starts are nodes or names, or numbers of nodes: one number, or an iterable of one of both"


def given_starts(plan: SearchPlan[Any], starts: Starts | None, warnings: list[str]) -> dict[str, NDArray[np.uint32]]:
    """The starts of queries that have others than those of FROM, by name; of unknown ones is warned.

    OptionError: there is no such query, a query has neither these nor FROM, or as of ``vertices_of``.
    """
    found = _by_query(plan, starts, warnings)
    if without := [name for name in plan.without_from if name not in found]:
        raise OptionError(f"the query {without[0]} has no FROM, so it needs starts")
    return found


def _by_query(plan: SearchPlan[Any], starts: Starts | None, warnings: list[str]) -> dict[str, NDArray[np.uint32]]:
    if starts is None:
        return {}
    if not isinstance(starts, Mapping):
        return dict.fromkeys(plan.names, vertices_of(plan.graph, starts, warnings))
    if unknown := starts.keys() - set(plan.names):
        raise OptionError(f"starts are given for the query {min(unknown)}; here are {', '.join(plan.names)}")
    return {name: vertices_of(plan.graph, some, warnings) for name, some in starts.items()}


def vertices_of(graph: GraphEdges, starts: Starts, warnings: list[str]) -> NDArray[np.uint32]:
    """The numbers of nodes that are given by number, as terms, or by name, each once; of unknown ones is warned.

    OptionError: a number is none of a node, or something is no node.
    """
    if _is_number(starts):
        return _numbered(graph, [starts], warnings)
    if isinstance(starts, np.ndarray) and starts.ndim != 1:
        raise OptionError(f"an array of starts has one dimension, this one has {starts.ndim}")
    if isinstance(starts, np.ndarray) and starts.dtype.kind in "iu":
        return _numbered(graph, starts, warnings)
    if isinstance(starts, str | bytes) or not isinstance(starts, Iterable):
        raise OptionError(f"{STARTS}, not {starts!r:.80}")
    given = list(starts)
    if given and all(map(_is_number, given)):
        return _numbered(graph, given, warnings)
    return _termed(graph, given, warnings)


def _is_number(start: Any) -> bool:
    return isinstance(start, int | np.integer) and not isinstance(start, bool)


def _numbered(graph: GraphEdges, numbers: Sequence[Any] | NDArray[Any], warnings: list[str]) -> NDArray[np.uint32]:
    if len(numbers):
        _check_vertices(graph, int(np.min(numbers)), int(np.max(numbers)))
    starts = np.asarray(numbers, np.uint32)
    _, places = np.unique(starts, return_index=True)
    return _nodes(graph, starts[np.sort(places)], warnings)


def _termed(graph: GraphEdges, nodes: Iterable[Any], warnings: list[str]) -> NDArray[np.uint32]:
    found: dict[int, None] = {}
    for one in nodes:
        some = _vertices(graph, one)
        if not some:
            warnings.append(f"no node of the graph is {one!s:.200}")
        found |= dict.fromkeys(some)
    return np.fromiter(found, np.uint32, len(found))


def _nodes(graph: GraphEdges, vertices: NDArray[np.uint32], warnings: list[str]) -> NDArray[np.uint32]:
    """Those of them that have edges; of others is warned."""
    if not len(graph.idle):
        return vertices
    is_idle = are_among(vertices, graph.idle)
    warnings += (f"no edge has the node {vertex}" for vertex in vertices[is_idle].tolist())
    return vertices[~is_idle]


def _check_vertices(graph: GraphEdges, least: int, largest: int) -> None:
    """OptionError: one of these numbers is none of a node."""
    if not 0 <= least <= largest < graph.vertex_count:
        raise OptionError(f"the nodes of the graph have the numbers from 0 to {graph.vertex_count - 1}")


def _vertices(graph: GraphEdges, start: Any) -> list[int]:
    if type(start) is str:
        named: list[int] = graph.labelled(start).tolist()
        return named
    try:
        vertex = graph.vertex(start)
    except PatternError as error:
        raise OptionError(f"{STARTS}: {error}") from None
    return [] if vertex is None else [vertex]
