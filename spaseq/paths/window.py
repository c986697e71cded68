"""Path queries on a window of edges, and the paths that appear in it.

Automata are over the predicates that the queries name, starts and ends encoded terms.  Paths that appeared hold their
terms, since edges go and their terms with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Iri
from gpm.errors import PatternError
from gpm.expressions import truth_columns
from gpm.rows import Words
from gpm.terms import term_bytes
from nfa_native.core.coding import coded
from nfa_native.paths.searcher import ExpressionAutomaton
from nfa_native.paths.window.watcher import WindowWatcher
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, QueryError
from spaseq.paths.columns import PathColumns
from spaseq.paths.queries import PreparedPath, kernel_selector, symbols
from spaseq.paths.results import Path, Paths
from spaseq.paths.terms import node_bytes, shown
from spaseq.pattern.paths import EdgeStep, NegatedStep, NodeName
from spaseq.results.terms import Value
from spaseq.streams.timestamps import iso

Ways: TypeAlias = "tuple[tuple[int, int], ...]"  # states, and under which guards
SymbolState: TypeAlias = "tuple[Sequence[int], Ways, tuple[int, ...]]"  # symbols, transitions, guards of acceptance


def with_equivalent_states_united(states: Sequence[SymbolState]) -> list[SymbolState]:
    """The same automaton with one state for all that are equivalent, which any of their symbols leads to.

    ``(:a|^:b|:c)+`` has one state behind its start then, not three, so what is kept for each node and state is less.
    """
    before: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (_, ways, _) in enumerate(states):
        for state, guard in ways:
            before[state].append((number, guard))
    numbers: dict[object, int] = {}
    merged = []
    for number, (_, ways, accepting) in enumerate(states):
        merged.append(numbers.setdefault((number == 0, ways, accepting, tuple(before[number])), len(numbers)))
    found: list[SymbolState] = [((), (), ())] * len(numbers)
    for number, (entered_by, ways, accepting) in zip(merged, states, strict=True):
        all_symbols = tuple(dict.fromkeys((*found[number][0], *entered_by)))
        found[number] = (all_symbols, tuple(dict.fromkeys((merged[state], guard) for state, guard in ways)), accepting)
    return found


# ── queries on a window ──────────────────────────────────────────────────────────────────────────────────
Starts: TypeAlias = "Iterable[Any] | Mapping[str, Iterable[Any]]"
OTHER = ""  # stands for all predicates that no query names: it is the IRI of none
MOST_COUNT = 2**31


class WatchedQueries:
    """Queries on a window of ``width`` microseconds.

    ``named``: nodes are called by what they are, as those of edge tables.  OptionError: a query has no starts, or none
    that a stream can have.
    """

    def __init__(
        self, terms: Terms, queries: Sequence[PreparedPath], width: int, starts: Starts | None, named: bool
    ) -> None:
        self.terms = terms
        self.queries = tuple(queries)
        self._named = named
        labels = list(dict.fromkeys(iri for query in queries for iri in _predicates(query)))
        words = terms.intern_many([b"I" + iri.encode() for iri in labels])
        self.watcher = WindowWatcher(width, words.tolist())
        self._labels = {iri: number for number, iri in enumerate([*labels, OTHER])}
        given = self._given(starts)
        for query in queries:
            self._add(query, given.get(query.name))
        self._conditions = [one for query in queries for one in query.automaton.conditions]

    def flags(self, words: Words) -> NDArray[np.uint8]:
        """For each condition two rows: whether it is true of the subjects, and of the objects, of edges uint64[3, n].

        QueryError: one cannot be evaluated.
        """
        count = words.shape[1]
        found = np.zeros((2 * len(self._conditions), count), np.uint8)
        if not self._conditions or not count:
            return found
        nodes, codes = coded(np.concatenate([words[0], words[2]]))
        now = np.zeros(len(nodes), np.int64)
        for number, one in enumerate(self._conditions):
            try:
                status = truth_columns(one.expression, [one.variable], nodes.reshape(1, -1), now, self.terms)
            except PatternError as error:
                raise QueryError(str(error)) from None
            found[2 * number : 2 * number + 2] = (status == 1)[codes].reshape(2, count)
        return found

    def _add(self, query: PreparedPath, given: Words | None) -> None:
        asked = query.query
        if not asked.starts and given is None:
            raise OptionError(f"the query {query.name} has no FROM, so it needs starts")
        states = [
            (symbols(self._labels, state.step) if state.step is not None else (), state.transitions, state.accepting)
            for state in query.automaton.states
        ]
        automaton = ExpressionAutomaton(
            with_equivalent_states_united(states), 2 * len(self._labels), len(query.automaton.conditions)
        )
        selector, count, any_length = kernel_selector(asked.selector, MOST_COUNT)
        self.watcher.add_query(
            automaton,
            self._words(map(self._named_node, asked.starts)) if given is None else given,
            self._words(map(self._named_node, asked.ends)).tolist() if asked.ends else None,
            asked.restrictor.value, selector, count, any_length, asked.not_back,
        )  # fmt: skip

    def _given(self, starts: Starts | None) -> dict[str, Words]:
        """The starts that the program gives, by query."""
        names = [query.name for query in self.queries]
        if starts is None:
            return {}
        if isinstance(starts, Mapping):
            if unknown := [name for name in starts if name not in names]:
                raise OptionError(f"starts are given for the query {unknown[0]}; here are {', '.join(names)}")
            return {name: self._start_words(some) for name, some in starts.items()}
        return dict.fromkeys(names, self._start_words(starts))

    def _start_words(self, starts: Iterable[Any]) -> Words:
        if isinstance(starts, str | np.ndarray) or not isinstance(starts, Iterable):
            raise OptionError(f"starts of a stream are an iterable of terms or names, not {starts!r:.80}")
        return self._words(map(self._start, starts))

    def _start(self, start: Any) -> bytes:
        if type(start) is str:
            return self._name(start)
        try:
            return term_bytes(start)
        except PatternError as error:
            raise OptionError(f"starts are nodes or names: {error}") from None

    def _named_node(self, node: NodeName) -> bytes:
        return b"I" + node.value.encode() if isinstance(node, Iri) else self._name(node.text)

    def _name(self, text: str) -> bytes:
        """The node that is called so."""
        if not self._named:
            raise OptionError(f"LABEL {text!r}: a stream has no labels; give a graph with them (labels), or IRIs")
        return node_bytes(text)

    def _words(self, texts: Iterable[bytes]) -> Words:
        return self.terms.intern_many(list(texts))


def _predicates(query: PreparedPath) -> Iterator[str]:
    """The IRIs that the expression names."""
    for state in query.automaton.states:
        match state.step:
            case EdgeStep(predicate):
                yield predicate
            case NegatedStep(forward, inverse):
                yield from (*(forward or ()), *(inverse or ()))


# ── paths that appeared ──────────────────────────────────────────────────────────────────────────────────
Times = NDArray[np.int64]
Numbers = NDArray[np.uint32]
NativeColumns = tuple[NDArray[np.uint64], Numbers, Numbers, Numbers, Numbers, Words, Words]  # ``WindowWatcher.take``


class OwnVertices:
    """Terms of vertices by their ``words``, which live as long as this does; they are decoded when somebody asks."""

    def __init__(self, terms: Terms, words: Words) -> None:
        self.terms = terms
        self.words = words
        terms.hold(self)

    def value(self, vertex: int) -> Value:
        """The term of a vertex."""
        return shown(self.terms.bytes(int(self.words[vertex])))

    def __reduce__(self) -> tuple[Callable[[list[bytes]], OwnVertices], tuple[list[bytes]]]:
        """As canonical bytes."""
        return own_vertices, (self.terms.bytes_many(self.words),)


def own_vertices(texts: list[bytes]) -> OwnVertices:
    """Vertices with these canonical bytes, in a table of their own."""
    terms = Terms()
    return OwnVertices(terms, terms.intern_many(texts))


@dataclass(frozen=True, slots=True)
class OwnNames:
    """What some paths call their nodes and predicates."""

    terms: OwnVertices
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppearedPath(Path):
    """A path, and the time (microseconds) of the event with which it appeared."""

    time: int

    def to_dict(self) -> dict[str, Any]:
        """As of ``Path``, and the time."""
        path = Path.to_dict(self)
        return {"query": path.pop("query"), "time": iso(self.time), **path}


class Appeared(Paths):
    """Paths that have appeared, in the order of their events, whose ``times`` (int64[n]) are microseconds."""

    def __init__(self, graph: OwnNames, names: Sequence[str], columns: PathColumns, times: Times) -> None:
        super().__init__(graph, names, columns, True, ())
        self.own = graph
        self.times = times

    @staticmethod
    def of(terms: Terms, names: Sequence[str], found: NativeColumns, times: Times) -> Appeared:
        """What a kernel gave, whose words are of ``terms``; ``times`` are those of its events."""
        ends, queries, events, vertices, symbols, nodes, predicates = found
        own = OwnNames(
            OwnVertices(terms, nodes), tuple(text[1:].decode() for text in terms.bytes_many(predicates))
        )  # fmt: skip
        return Appeared(own, names, PathColumns(queries, ends, vertices, symbols), times[events])

    @staticmethod
    def join(terms: Terms, names: Sequence[str], parts: Sequence[Appeared]) -> Appeared:
        """Several, one after the other, whose words are all of ``terms``."""
        if len(parts) == 1:
            return parts[0]
        words = [np.empty(0, np.uint64)]
        predicates: list[str] = []
        moved, vertex_count = [], 0
        for part in parts:
            columns, own = part.columns, part.own
            vertices = columns.vertices + np.uint32(vertex_count)
            symbols = columns.symbols + np.uint32(2 * len(predicates))
            moved.append(PathColumns(columns.queries, columns.ends, vertices, symbols))
            words.append(own.terms.words)
            vertex_count += len(own.terms.words)
            predicates += own.predicates
        times = np.concatenate([np.empty(0, np.int64), *(part.times for part in parts)])
        own_names = OwnNames(OwnVertices(terms, np.concatenate(words)), tuple(predicates))
        return Appeared(own_names, names, PathColumns.join(moved), times)

    def __getitem__(self, number: Any) -> Any:
        found = super().__getitem__(number)
        if isinstance(number, slice):
            return found
        place = range(len(self))[number]
        return AppearedPath(found.graph, found.query, found.vertices, found.symbols, int(self.times[place]))

    def part(self, start: int, stop: int) -> Appeared:
        """Paths ``start`` … ``stop - 1``."""
        return Appeared(self.own, self.names, self.columns.part(start, stop), self.times[start:stop])

    def runs(self) -> Iterator[Appeared]:
        """The paths in their order, in pieces of one query each."""
        return (self.part(*bounds) for bounds in self.columns.of_each_query())

    def by_query(self) -> Mapping[str, Appeared]:
        """The paths of each query that has some."""
        found = {}
        for number in np.unique(self.columns.queries).tolist():
            chosen = np.flatnonzero(self.columns.queries == number)
            columns = self.columns.take(chosen)
            found[self.names[number]] = Appeared(self.own, self.names, columns, self.times[chosen])
        return found

    def to_arrow(self) -> Any:
        """As of ``Paths``, and a column ``time`` behind the query."""
        import pyarrow

        table = super().to_arrow()
        times = pyarrow.array(self.times, pyarrow.int64()).cast(pyarrow.timestamp("us", "UTC"))
        return table.add_column(1, "time", times)
