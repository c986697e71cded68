"""The part of an atom that pyoxigraph evaluates on the events themselves, as one SPARQL query."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, partial
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np
import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, Store

from gpm.algebra import XSD_DATETIME, Bind, Group, Literal, Operation, Variable
from gpm.background import BackgroundGraphs
from gpm.batching import can_batch
from gpm.costs import PatternCosts
from gpm.errors import PatternError
from gpm.printing import print_group
from gpm.rewrite import rewrite, walk
from gpm.rows import EventGraph
from gpm.scope import Names, graph_names, has_graph, needs_triple, predicates, uses
from gpm.staging import PREFIX, quads
from gpm.string_limits import FUNCTIONS, bounded
from gpm.tables import CellEncoder, Table, solution_cells

MOST_CHECKED = 120  # nodes of a pattern that is checked whole
_NOW = Literal("$NOW$", XSD_DATETIME)  # stands for the event's time until the event is known
_EPOCH = datetime.datetime(1970, 1, 1)


class Route(Enum):
    """How a core is evaluated; the value is what EXPLAIN shows."""

    BATCH = "one query for all events of a batch"
    SINGLE = "one query per event"
    KNOWLEDGE = "one query per event, next to the background knowledge"


@dataclass(frozen=True, slots=True)
class Core:
    """A pattern with its query; ``predicates`` are those of the triples it can look at (None: all).

    ``columns`` are the variables that it returns.  Cores with equal text are equal.
    """

    text: str
    columns: tuple[str, ...]
    route: Route
    graphs: tuple[str, ...] = ()
    predicates: Names | None = field(default=None, compare=False)
    needs_triple: bool = field(default=False, compare=False)
    uses_now: bool = field(default=False, compare=False)


def make_core(group: Group, columns: tuple[str, ...]) -> Core:
    """The query of a pattern.  PatternError: pyoxigraph does not know a construct or function in it."""
    route = Route.BATCH if can_batch(group) else Route.KNOWLEDGE if has_graph(group) else Route.SINGLE
    strict = needs_triple(group)
    evaluated = bounded(rewrite(group, _mark_now))
    body = print_group(evaluated)
    text = f"SELECT {_projection(columns)} {body}"
    if route is Route.BATCH:
        text = f"SELECT {' '.join(['?g', *('?' + name for name in columns)])} {{ GRAPH ?g {body} }}"
    _query(Store(), _checked(evaluated, text).replace("$NOW$", lexical_time(0)))
    seen = predicates(group) if strict else None
    return Core(text, columns, route, graph_names(group), seen, strict, uses(group, "NOW"))


def run_batch(core: Core, store: Store, cells: CellEncoder) -> Table:
    """The solutions of a BATCH core on a Store of staged events."""
    found = solution_cells(_query(store, core.text))
    return _table(core, cells.graphs.column(found[0]), found[1:], cells)


def run_single(core: Core, store: Store, events: Sequence[EventGraph], cells: CellEncoder) -> Table:
    """The solutions of a SINGLE core, one query for each staged event."""
    graphs: Iterable[NamedNode] = (NamedNode(f"{PREFIX}{n}") for n in range(len(events)))
    return _per_event(core, store, events, graphs, [], cells)


class KnowledgeStore:
    """A Store with the background graphs, into which events are put while KNOWLEDGE cores look at them."""

    def __init__(self, background: BackgroundGraphs) -> None:
        self.background = background
        self.store: Store | None = None
        self.budget = 0  # triples that may still be added before the Store, which never frees them, is made anew

    def run(
        self, cores: Sequence[Core], events: Sequence[EventGraph], cells: CellEncoder, costs: PatternCosts
    ) -> list[Table]:
        """The solutions of each core, one query for each event and core; ``costs`` know how long each takes."""
        started = perf_counter()
        names = {name for core in cores for name in core.graphs}
        store = self._open(names, sum(len(event.triples) for event in events))
        graphs = [BlankNode(f"event{n}") for n in range(len(events))]  # no GRAPH <iri> can name these
        for event, graph in zip(events, graphs, strict=True):
            store.extend(quads(event, graph))
        known = [NamedNode(name) for name in {*names, *self.background.names}]
        try:
            ask = partial(_per_event, store=store, events=events, graphs=graphs, known=known, cells=cells)
            each = (perf_counter() - started) / len(cores)
            return [costs.measured(core, len(events), partial(ask, core), each) for core in cores]
        finally:
            for graph in graphs:
                store.remove_graph(graph)

    def _open(self, names: Iterable[str], size: int) -> Store:
        if self.store is None or self.budget < size:
            self.store = self.background.copy()
            self.budget = max(50_000, len(self.store))
        self.budget -= size
        for name in names:  # an unknown graph is empty, not missing
            self.store.add_graph(NamedNode(name))
        return self.store


def _per_event(
    core: Core,
    store: Store,
    events: Sequence[EventGraph],
    graphs: Iterable[NamedNode | BlankNode],
    known: list[NamedNode],
    cells: CellEncoder,
) -> Table:
    numbers: list[int] = []
    columns: list[list[bytes]] = [[] for _ in core.columns]
    for n, (event, graph) in enumerate(zip(events, graphs, strict=True)):
        text = core.text.replace("$NOW$", lexical_time(event.timestamp)) if core.uses_now else core.text
        found = solution_cells(_query(store, text, default_graph=graph, named_graphs=known))
        numbers += [n] * len(found[0])
        for column, more in zip(columns, found, strict=False):
            column += more
    return _table(core, np.array(numbers, dtype=np.uint32), columns, cells)


def _table(core: Core, events: Any, columns: list[list[bytes]], cells: CellEncoder) -> Table:
    words = [cells.column(column) for column in columns[: len(core.columns)]]
    if not words:
        return Table((), events, np.empty((0, len(events)), dtype=np.uint64))
    return Table(core.columns, events, np.array(words, dtype=np.uint64))


def _projection(columns: tuple[str, ...]) -> str:
    return " ".join("?" + name for name in columns) or "(1 AS ?any)"


def _mark_now(node: object) -> object | None:
    return _NOW if isinstance(node, Operation) and node.name == "NOW" else None


def lexical_time(timestamp: int) -> str:
    """The lexical form of xsd:dateTime (UTC) of microseconds since 1970."""
    return (_EPOCH + datetime.timedelta(microseconds=timestamp)).isoformat() + "Z"


def _query(store: Store, text: str, **options: Any) -> pyoxigraph.QuerySolutions:
    try:
        answer = store.query(text, custom_functions=FUNCTIONS, **options)
    except (SyntaxError, RuntimeError, ValueError) as error:
        raise PatternError(f"the graph pattern cannot be evaluated: {error}") from None
    assert isinstance(answer, pyoxigraph.QuerySolutions)
    return answer


def check_calls(group: Group) -> None:
    """PatternError: pyoxigraph does not know a function in a pattern; all else of the native subset it knows."""
    for name, arity in _calls(group):
        _check_call(name, arity)


@cache
def _check_call(name: str, arity: int) -> None:
    _query(Store(), _calling([(name, arity)]))


def _calls(group: Group) -> list[tuple[str, int]]:
    """The functions in a pattern, each with the number of its arguments."""
    return sorted({(node.name, len(node.arguments)) for node in walk(group) if isinstance(node, Operation)})


def _calling(calls: Iterable[tuple[str, int]]) -> str:
    """A query that calls functions."""
    binds = (
        Bind(Operation(name, tuple(Variable(f"a{n}") for n in range(arity))), Variable(f"x{number}"))
        for number, (name, arity) in enumerate(calls)
    )
    return f"SELECT (1 AS ?any) {print_group(Group(tuple(binds)))}"


def _checked(group: Group, text: str) -> str:
    """The query that shows whether pyoxigraph knows all that is in a pattern.

    It plans before it looks at data, which takes it minutes where a pattern has many triples or paths.  Of large ones
    the functions alone are looked at, each once: all else that a pattern may have it knows.
    """
    return text if len(list(islice(walk(group), MOST_CHECKED + 1))) <= MOST_CHECKED else _calling(_calls(group))
