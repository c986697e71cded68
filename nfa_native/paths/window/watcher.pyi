"""Path queries on the edges of a time window: what Python sees of it."""

from collections.abc import Iterable, Sequence

import numpy
from numpy.typing import NDArray

from nfa_native.paths.searcher import ExpressionAutomaton

Words = NDArray[numpy.uint64]
Numbers = NDArray[numpy.uint32]

class WindowWatcher:
    """Edges that came at most ``width`` (microseconds) ago, and path queries that are told of each.

    Nodes and predicates are words.  ``labels`` are the predicates that queries name: symbol 2 * i is an edge with the i-th
    of them, symbol 2 * len(labels) one with any other; odd ones are against the direction.  ``conditions`` counts those of
    all queries.  Memory follows the window.
    """

    labels: int
    conditions: int
    def __init__(self, width: int, labels: Sequence[int]) -> None: ...
    def add_query(
        self,
        automaton: ExpressionAutomaton,
        starts: Words,
        ends: Iterable[int] | None = None,
        restrictor: str = "WALK",
        selector: str = "ALL",
        count: int = 1,
        any_length: bool = False,
        not_back: bool = False,
    ) -> None:
        """A query from now on, before edges come; ``starts`` and ``ends`` (None: anywhere) are words of nodes.

        ``restrictor`` and ``selector`` are keys of RESTRICTORS and SELECTORS; ``count`` is that of SHORTEST, which with
        ``any_length`` is ANY: paths count whatever their length, those first that were there before.
        ValueError: something does not fit the window, or edges have come already.
        """

    def take_events(
        self, words: Words, flags: NDArray[numpy.uint8], times: NDArray[numpy.int64], ends: NDArray[numpy.int64],
        first: int, most_paths: int,
    ) -> int:
        """Events from number ``first`` on, until so many paths wait or some thousand edges came; how many have come.

        ``words`` is uint64[3, n], the edges of event i are columns ends[i - 1] to ends[i]; ``times`` do not fall, also from
        call to call.  ``flags`` is uint8[2 * conditions, n]: whether each condition holds for the subject, and for the
        object.  A path appears if it is a result with an event and was none just before; of those that a selector
        chooses, as many appear as there are more.
        ValueError: columns do not fit, or there are too many edges or walks.
        """

    def pass_time(self, time: int) -> None:
        """Nothing comes, but time goes on."""

    def give_all(self, query: int) -> None:
        """Let the walk of each pair wait that has one now, of a query that is WALK with SHORTEST and count 1."""

    def take(
        self,
    ) -> tuple[Words, Numbers, Numbers, Numbers, Numbers, Words, Words]:
        """ends, queries, events, vertices, symbols, nodes, predicates: the paths that waited.

        Path i has the steps ends[i - 1] to ends[i] of ``symbols``, and one of ``vertices`` more: from ends[i - 1] + i on.
        It is of query queries[i], and appeared with event events[i].  A vertex is a place in ``nodes``, words that each
        come once; a symbol is twice a place in ``predicates``, and 1 more if the edge is taken against its direction.
        """

    def __len__(self) -> int:
        """How many edges there are."""

    def edges(self) -> tuple[Words, NDArray[numpy.int64]]:
        """uint64[3, n], int64[n]: the edges from the oldest to the newest, and when each came last."""

    def words(self) -> Words:
        """uint64[n]: the words of all nodes and predicates that edges have."""
