"""The states of an automaton and the ways between them, as places of the ε-graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from spaseq.errors import QueryError
from spaseq.pattern.sequences import Strategy
from spaseq.plan.sequences.filters import alternatives
from spaseq.plan.sequences.graph import (
    END,
    START,
    Absent,
    Begin,
    End,
    EpsilonGraph,
    EpsilonPath,
    Fork,
    Item,
    Meeting,
    Move,
    Operator,
    is_ambiguous,
    routes,
)

MOST_GUARDS = 20_000


class _Hashed:
    """What is a key again and again: its hash, which takes as long as its items are many, is found once."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(vars(self).values()))


@dataclass(frozen=True)
class Exit(_Hashed):
    """A state: a node of the graph, and the items from there up to and including the governing operator.

    A state with no ``strategy`` is initial (at the start node), final (``ends``), or that of a side of && that is
    complete (``arrives``).
    """

    node: int
    items: tuple[Item, ...]
    strategy: Strategy | None
    ends: bool
    arrives: Fork | None = None

    __hash__ = _Hashed.__hash__


@dataclass(frozen=True)
class Way(_Hashed):
    """A transition: from a state past ``items`` through ``names`` (one choice of the BOp at ``place``) to a node."""

    source: Exit
    items: tuple[Item, ...]
    place: int
    names: tuple[str, ...]
    node: int

    __hash__ = _Hashed.__hash__

    @property
    def forks(self) -> tuple[Fork, ...]:
        """The sides that begin with it, outermost first."""
        return tuple(item for item in self.items if isinstance(item, Fork))


def exit_of(node: int, route: EpsilonPath, side: Fork | None) -> Exit:
    """The state in which a route waits: all items at the end, else those up to the last operator.

    ``side`` is that of && which ends with the route, if one does: it is complete in one state, whatever its last step.
    """
    if side is not None:
        return Exit(route.node, (), None, False, side)
    if route.place is None:
        return Exit(node, route.items, None, route.node == END)
    last = max((i for i, item in enumerate(route.items) if isinstance(item, Operator)), default=-1)
    operator = route.items[last] if last >= 0 else None
    strategy = operator.strategy if isinstance(operator, Operator) and node != START else None
    return Exit(node, route.items[: last + 1], strategy, False)


def guards_in(items: tuple[Item, ...]) -> list[tuple[int, tuple[Item, ...]]]:
    """The guards on a path, each with the items before it."""
    return [(item.guard, items[:i]) for i, item in enumerate(items) if isinstance(item, Absent)]


def begun(items: tuple[Item, ...]) -> frozenset[int]:
    """The Kleenes that an ε-path begins."""
    return frozenset(item.kleene for item in items if isinstance(item, Begin))


def ended(items: tuple[Item, ...]) -> frozenset[int]:
    """The Kleenes that an ε-path ends."""
    return frozenset(item.kleene for item in items if isinstance(item, End))


# ── all of them ──────────────────────────────────────────────────────────────────────────────────────────
Routes = dict[int, list[tuple[Exit, EpsilonPath]]]


def routes_of(graph: EpsilonGraph) -> Routes:
    """The routes out of every node that a match can be at, each with its state."""
    found: Routes = {}
    waiting, guards = [START], 0
    while waiting:
        node = waiting.pop(0)
        if node in found:
            continue
        ways = [route for route in routes(graph, node) if not (node == START and route.place is None)]
        guards += sum(isinstance(item, Absent) for route in ways for item in route.items)
        if guards > MOST_GUARDS:
            raise QueryError(f"optional and negated parts meet in more than {MOST_GUARDS} places of the automaton")
        found[node] = [(exit_of(node, route, _side(graph, route)), route) for route in ways]
        sides = [side for route in ways if (side := _side(graph, route)) is not None]
        waiting += [route.node for route in ways if route.place is not None]
        waiting += [node for side in sides for node in _behind(graph.junctions[side.junction], side.side)]
    return found


def _side(graph: EpsilonGraph, route: EpsilonPath) -> Fork | None:
    """The side of && that is complete at the end of a route."""
    return graph.ends.get(route.node) if route.place is None else None


def _behind(meeting: Meeting, side: int) -> tuple[int, int]:
    """The nodes where a side ends, and from where all of them go on."""
    return meeting.ends[side], meeting.node


def exits_in(found: Routes) -> tuple[Exit, ...]:
    """All states: the initial ones first, the final ones last."""
    some = dict.fromkeys(one for ways in found.values() for one, _ in ways)
    return tuple(sorted(some, key=lambda state: state.ends))


def ways_in(graph: EpsilonGraph, found: Routes) -> tuple[Way, ...]:
    """All ways between states, each once."""
    some: dict[Way, None] = {}
    for ways in found.values():
        for state, route in ways:
            if route.place is not None:
                rest = route.items[len(state.items) :]
                for names in alternatives(graph.places[route.place].body):
                    some[Way(state, rest, route.place, names, route.node)] = None
    return tuple(some)


def may_repeat(found: Routes, ways: Iterable[Way]) -> bool:
    """Whether two accepting paths may show the same picks (``spaseq.plan.sequences.graph``); there is no &&."""
    exits = exits_in(found)
    numbers = {state: number for number, state in enumerate(exits)}
    moves: list[list[Move]] = [[] for _ in exits]
    for way in ways:
        entered = tuple(dict.fromkeys(numbers[state] for state, _ in found[way.node]))
        moves[numbers[way.source]].append((tuple(sorted(way.names)), entered))
    starts = (number for number, state in enumerate(exits) if state.node == START)
    return is_ambiguous(moves, starts, (number for number, state in enumerate(exits) if state.ends))
