"""Path queries that are read, checked and planned, for any number of graphs and processes; and on a graph.

There their automata are over the graph's labels, and conditions, starts and ends by vertex.  LABEL on a stream of edges
means what a graph says, which does not change.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Iri
from gpm.errors import PatternError
from gpm.expressions import truth_columns
from nfa_native.paths.searcher import ExpressionAutomaton
from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.languages.paths import ParsedPathQueries, parse
from spaseq.paths.edges import GraphEdges
from spaseq.pattern.paths import (
    EdgeStep,
    LabelledNodes,
    NegatedStep,
    NodeCondition,
    NodeName,
    PathQuery,
    PathSelector,
    SelectorKind,
    is_unbounded,
)
from spaseq.plan.paths.automaton import PathAutomaton, Step, chain_of, path_automaton


@dataclass(frozen=True, eq=False)
class PreparedPath:
    """A query and the automaton of its expression.  It pickles, and never changes."""

    query: PathQuery
    automaton: PathAutomaton

    @property
    def name(self) -> str:
        """What the query is called."""
        return self.query.name

    @cached_property
    def chain(self) -> tuple[Step, ...] | None:
        """The steps of all its paths, if it asks for all walks along a chain of steps."""
        return chain_of(self.automaton) if self.query.is_for_all_walks else None


PathQueries: TypeAlias = "str | os.PathLike[str] | ParsedPathQueries | PathQuery | PreparedPath | Iterable[PathQueries]"


def prepare(queries: PathQueries) -> tuple[PreparedPath, ...]:
    """The queries of a text, a ``pathlib.Path``, of what ``parse`` gave, or of several of these.

    QuerySyntaxError, QueryError: the text is wrong, or asks too much.  OptionError: it is nothing of this, or two
    queries have one name.
    """
    found = tuple(_prepared(queries))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError(f"two queries are called {twice}")
    return found


def _prepared(queries: PathQueries) -> Iterator[PreparedPath]:
    match queries:
        case PreparedPath():
            yield queries
        case PathQuery():
            yield _planned(queries)
        case ParsedPathQueries():
            for query in queries.queries:
                try:
                    yield _planned(query)
                except QueryError as error:
                    raise queries.error(query.name, error.message, error.hint) from None
        case str() | os.PathLike():
            yield from _prepared(parse(queries))
        case Iterable() if not isinstance(queries, bytes):
            for one in queries:
                yield from _prepared(one)
        case _:
            raise OptionError(f"path queries are a text, a path of a file or several of these, not {queries!r:.80}")


def _planned(query: PathQuery) -> PreparedPath:
    if query.is_for_all_walks and is_unbounded(query.expression):
        raise QueryError("ALL WALK of an expression without a bound may have infinitely many results")
    return PreparedPath(query, path_automaton(query.expression))


# ── a query on a graph ───────────────────────────────────────────────────────────────────────────────────
Flags = NDArray[np.uint8]
Vertices = NDArray[np.uint32]


class NamedNodes(NamedTuple):
    """The nodes that a query names, and which of them the graph does not have."""

    vertices: Vertices
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BoundPath:
    """What a search needs of a query but its starts; ``ends`` None: anywhere.

    ``warnings`` name what the graph does not have.
    """

    automaton: ExpressionAutomaton
    conditions: tuple[Flags, ...]
    ends: Flags | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BoundQuery:
    """A query on a graph: from where to where (``ends`` None: anywhere), and what the graph does not have."""

    query: PreparedPath
    starts: NamedNodes
    ends: Flags | None
    warnings: tuple[str, ...]

    @staticmethod
    def of(graph: GraphEdges, query: PreparedPath) -> BoundQuery:
        """A query, whatever its expression."""
        ends, unknown = ends_of(graph, query)
        return BoundQuery(query, starts_of(graph, query), ends, (*unknown_predicates(graph, query), *unknown))

    def starts_in(self, given: Mapping[str, Vertices]) -> Vertices:
        """Where it begins: where the program says, by the name of the query, else where it says itself."""
        return given.get(self.query.name, self.starts.vertices)

    def told(self, given: Mapping[str, Vertices]) -> Iterator[str]:
        """What the graph does not have, by the name of the query; of nodes of FROM only if it begins there."""
        own = () if self.query.name in given else self.starts.warnings
        return (f"{self.query.name}: {warning}" for warning in (*self.warnings, *own))


def bound(graph: GraphEdges, prepared: PreparedPath) -> BoundPath:
    """A query on a graph.  QueryError: a condition cannot be evaluated."""
    automaton, (ends, warnings) = prepared.automaton, ends_of(graph, prepared)
    states = [
        (symbols(graph.labels, state.step), state.transitions, state.accepting) if state.step is not None
        else ((), state.transitions, state.accepting)
        for state in automaton.states
    ]  # fmt: skip
    return BoundPath(
        ExpressionAutomaton(states, graph.index.symbols, len(automaton.conditions)),
        tuple(condition_flags(graph, one) for one in automaton.conditions),
        ends,
        (*unknown_predicates(graph, prepared), *warnings),
    )


def starts_of(graph: GraphEdges, prepared: PreparedPath) -> NamedNodes:
    """Where a query begins: the nodes of FROM."""
    return _found(graph, prepared.query.starts)


def ends_of(graph: GraphEdges, prepared: PreparedPath) -> tuple[Flags | None, tuple[str, ...]]:
    """For each vertex whether paths may end there (None: anywhere), and which nodes of TO the graph does not have."""
    if not prepared.query.ends:
        return None, ()
    found, ends = _found(graph, prepared.query.ends), np.zeros(graph.vertex_count, np.uint8)
    ends[found.vertices] = 1
    return ends, found.warnings


def symbols(labels: Mapping[str, int], step: EdgeStep | NegatedStep) -> list[int]:
    """The symbols that a step may take, rising: 2 · label along an edge, 2 · label + 1 against it."""
    if isinstance(step, EdgeStep):
        label = labels.get(step.predicate)
        return [] if label is None else [2 * label + step.inverse]
    found = []
    for way, but in enumerate((step.forward, step.inverse)):
        if but is not None:
            found += [2 * label + way for iri, label in labels.items() if iri not in but]
    return sorted(found)


def condition_flags(graph: GraphEdges, condition: NodeCondition) -> Flags:
    """For each vertex whether the condition is true of it.

    QueryError: it cannot be evaluated.  StreamError: a term of the graph is damaged.
    """
    words, terms = graph.terms.in_words()
    now = np.zeros(len(words), np.int64)
    try:
        status = truth_columns(condition.expression, [condition.variable], words.reshape(1, -1), now, terms)
    except PatternError as error:
        raise QueryError(str(error)) from None
    except ValueError as error:  # only a saved graph that was damaged has such terms
        raise StreamError(f"a term of the graph is damaged: {error}") from None
    flags: Flags = (status == 1).astype(np.uint8)
    return flags


def unknown_predicates(graph: GraphEdges, prepared: PreparedPath) -> Iterator[str]:
    """Warnings of the predicates that the expression wants and the graph does not have."""
    steps = (state.step for state in prepared.automaton.states)
    wanted = dict.fromkeys(step.predicate for step in steps if isinstance(step, EdgeStep))
    return (f"no edge has the predicate <{iri}>{_meant(iri, graph)}" for iri in wanted if iri not in graph.labels)


def _found(graph: GraphEdges, names: Iterable[NodeName]) -> NamedNodes:
    """The vertices of these names, each once, in their order."""
    found: dict[int, None] = {}
    warnings = []
    for name in names:
        some = vertices_named(graph, name)
        if not len(some):
            shown = f"<{name.value}>" if isinstance(name, Iri) else f"LABEL {name.text!r}"
            warnings.append(f"no node of the graph is {shown}")
        found |= dict.fromkeys(some.tolist())
    return NamedNodes(np.fromiter(found, np.uint32, len(found)), tuple(warnings))


def vertices_named(graph: GraphEdges, name: NodeName) -> Vertices:
    """The vertices with this IRI, or with this label."""
    if isinstance(name, LabelledNodes):
        return graph.labelled(name.text)
    vertex = graph.vertex(name)
    return np.array([] if vertex is None else [vertex], np.uint32)


def _meant(iri: str, graph: GraphEdges) -> str:
    near = graph.label_index.nearest(iri)
    return "" if near is None else f"; did you mean {near}?"


# ── LABEL on a stream of edges ───────────────────────────────────────────────────────────────────────────
NOBODY = Iri("urn:spaseq:paths:nobody")  # a node that is nowhere


def with_labelled_nodes(query: PreparedPath, labels: GraphEdges, warnings: list[str]) -> PreparedPath:
    """The query with the nodes that ``labels`` calls so instead of LABEL; labels of none are warned of."""
    asked = query.query
    starts, ends = (_nodes(names, query.name, labels, warnings) for names in (asked.starts, asked.ends))
    return PreparedPath(replace(asked, starts=starts, ends=ends), query.automaton)


def _nodes(names: Iterable[NodeName], query: str, labels: GraphEdges, warnings: list[str]) -> tuple[NodeName, ...]:
    found: dict[NodeName, None] = {}
    for name in names:
        if isinstance(name, Iri):
            found[name] = None
            continue
        some = list(_labelled(name, labels))
        if not some:
            warnings.append(f"{query}: no node of the graph is LABEL {name.text!r}")
        found |= dict.fromkeys(some or [NOBODY])
    return tuple(found)


def _labelled(name: LabelledNodes, labels: GraphEdges) -> Iterator[Iri]:
    """Its IRIs; blank nodes of a graph are in no stream."""
    values = (labels.terms.value(vertex) for vertex in labels.labelled(name.text).tolist())
    return (Iri(value.text) for value in values if value.kind == "uri")


def kernel_selector(selector: PathSelector, most: int) -> tuple[str, int, bool]:
    """The kernel's selector, its count (at most ``most``), and whether lengths are of no interest."""
    match selector.kind:
        case SelectorKind.ALL | SelectorKind.ALL_SHORTEST:
            return selector.kind.value, 1, False
        case SelectorKind.ANY_SHORTEST:
            return "SHORTEST", 1, False
    return "SHORTEST", min(selector.count, most), selector.kind is SelectorKind.ANY
