"""The walks from one node that match an expression, as walks through pairs of a node and a residue.

A walk has one residue at each of its nodes, so there are as many matching walks as walks through the pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .matches import matches
from .model import Expression, Graph, Path, Step, Term
from .residues import Residue, after, done, whole
from .walks import permitted

State = tuple[Term, Residue]
BUDGET = 3_000


class TooLargeError(Exception):
    """There is more to look at than a test has time for."""


@dataclass(frozen=True, eq=False)
class Product:
    """The pairs that can be reached from a start; ``targets`` are the nodes where a path may end."""

    graph: Graph
    expression: Expression
    start: Term
    targets: frozenset[Term]
    not_back: bool = False

    # ── pairs ────────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def first(self) -> State:
        return self.start, whole(self.expression)

    @cached_property
    def reached(self) -> dict[State, list[tuple[Step, State]]]:
        """The steps from each pair."""
        found: dict[State, list[tuple[Step, State]]] = {}
        todo = [self.first] if self.start in self.graph.steps else []
        while todo:
            state = todo.pop()
            if state not in found:
                found[state] = self._steps(state)
                todo += [following for _, following in found[state]]
        return found

    def _steps(self, state: State) -> list[tuple[Step, State]]:
        node, residue = state
        steps = [(step, (end, after(residue, node, step))) for step, end in self.graph.steps[node]]
        return [
            (step, (end, rest)) for step, (end, rest) in steps if rest and not (self.not_back and end == self.start)
        ]

    def ends(self, state: State) -> bool:
        """Whether a path may end here."""
        return state[0] in self.targets and done(state[1], state[0])

    @cached_property
    def alive(self) -> frozenset[State]:
        """The pairs from which an end can be reached."""
        before: dict[State, list[State]] = {state: [] for state in self.reached}
        for state, steps in self.reached.items():
            for _, following in steps:
                before[following].append(state)
        found, todo = set(), [state for state in self.reached if self.ends(state)]
        while todo:
            state = todo.pop()
            if state not in found:
                found.add(state)
                todo += before[state]
        return frozenset(found)

    # ── walks ────────────────────────────────────────────────────────────────────────────────────────────
    def fit(self, restrictor: str, longest: float = float("inf")) -> Iterator[Path]:
        """All matching paths that the restrictor permits, up to a length.

        Without a length this ends if the expression is bounded, or under any restrictor but WALK.
        """
        todo = [(Path((self.start,)), self.first)] if self.first in self.alive else []
        for _ in range(BUDGET):
            if not todo:
                return
            path, state = todo.pop()
            if self.ends(state):
                yield self._sure(path)
            if len(path) < longest:
                longer = [(path.longer(step, to[0]), to) for step, to in self.reached[state] if to in self.alive]
                todo += [(walk, to) for walk, to in longer if permitted(restrictor, walk)]
        raise TooLargeError

    def of_length(self, end: Term, length: int) -> Iterator[Path]:
        """All matching walks of exactly this length to a node."""
        layers = self._layers_to(end, length)
        todo = [(Path((self.start,)), self.first)] if self.first in layers[0] else []
        for _ in range(BUDGET):
            if not todo:
                return
            path, state = todo.pop()
            if len(path) == length:
                yield self._sure(path)
                continue
            layer = layers[len(path) + 1]
            todo += [(path.longer(step, to[0]), to) for step, to in self.reached[state] if to in layer]
        raise TooLargeError

    def _layers_to(self, end: Term, length: int) -> list[set[State]]:
        """For 0, 1, … steps already taken: the pairs from which the rest leads to the end."""
        layers = [{state for state in self.reached if state[0] == end and self.ends(state)}]
        for _ in range(length):
            layers.append({state for state, steps in self.reached.items() if any(to in layers[-1] for _, to in steps)})
        return layers[::-1]

    def _sure(self, path: Path) -> Path:
        if not matches(path, self.expression):
            raise AssertionError(f"the oracle contradicts itself: {path} and {self.expression}")
        return path

    # ── lengths ──────────────────────────────────────────────────────────────────────────────────────────
    def bound(self, count: int) -> int:
        """The ``count`` shortest walks to a node are shorter than this.

        A walk of j · n steps through n pairs is at one of them j + 1 times or more.  To leave out what lies between the
        first of these and another gives j shorter walks of different lengths, so it is not among the j shortest.
        """
        return count * len(self.alive)

    def lengths(self, count: int, longest: int | None = None) -> dict[Term, tuple[int, ...]]:
        """The lengths of the ``count`` shortest matching walks to each node, or of all if there are fewer."""
        found: dict[Term, list[int]] = {}
        for length, arrived in enumerate(self._arrivals(self.bound(count) if longest is None else longest)):
            for (node, residue), number in arrived.items():
                if self.ends((node, residue)):
                    found.setdefault(node, []).extend([length] * min(number, count))
            if all(len(found.get(node, ())) >= count for node in self._possible):
                break
        return {node: tuple(lengths[:count]) for node, lengths in found.items()}

    @cached_property
    def _possible(self) -> frozenset[Term]:
        return frozenset(state[0] for state in self.reached if self.ends(state))

    def _arrivals(self, longest: int) -> Iterator[Counter[State]]:
        """For each length how many walks arrive at each pair."""
        arrived: Counter[State] = Counter([self.first] if self.first in self.alive else [])
        for _ in range(longest + 1):
            yield arrived
            following: Counter[State] = Counter()
            for state, number in arrived.items():
                for _, to in self.reached[state]:
                    if to in self.alive:
                        following[to] += number
            arrived = following
