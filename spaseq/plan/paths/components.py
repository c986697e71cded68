"""The strongly connected parts of a directed graph (R. Tarjan, Depth-first search and linear graph algorithms)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


def components(targets: Sequence[Sequence[int]], first: int) -> list[list[int]]:
    """Of what can be reached from ``first``: each part, whose members rise, behind all parts that lead to it."""
    search = _Search(targets)
    search.run(first)
    return search.parts[::-1]


@dataclass(slots=True)
class _Search:
    targets: Sequence[Sequence[int]]
    parts: list[list[int]] = field(default_factory=list)
    order: dict[int, int] = field(default_factory=dict)  # of each vertex, when it was come to
    least: dict[int, int] = field(default_factory=dict)  # the order of the first one known to be in its part
    waiting: dict[int, None] = field(default_factory=dict)  # those whose part is not complete
    path: list[tuple[int, Iterator[int]]] = field(default_factory=list)  # and where each goes on

    def run(self, first: int) -> None:
        self._enter(first)
        while self.path:
            vertex, left = self.path[-1]
            to = next((to for to in left if not self._is_known(vertex, to)), None)
            if to is None:
                self._leave(vertex)
            else:
                self._enter(to)

    def _enter(self, vertex: int) -> None:
        self.order[vertex] = self.least[vertex] = len(self.order)
        self.waiting[vertex] = None
        self.path.append((vertex, iter(self.targets[vertex])))

    def _is_known(self, vertex: int, to: int) -> bool:
        if to in self.waiting:
            self.least[vertex] = min(self.least[vertex], self.order[to])
        return to in self.order

    def _leave(self, vertex: int) -> None:
        self.path.pop()
        if self.path:
            before = self.path[-1][0]
            self.least[before] = min(self.least[before], self.least[vertex])
        if self.least[vertex] < self.order[vertex]:
            return
        part: list[int] = []
        while not part or part[-1] != vertex:
            part.append(self.waiting.popitem()[0])
        self.parts.append(sorted(part))
