"""Paths between two nodes of MetaQA, beside networkx: ``python -m benchmarks.paths.pairs [PAIRS]``.

Random pairs of films and people that are connected by who acted, directed or wrote, and the two films of an issue: one
shortest path, and ten under each restrictor.  networkx has a graph without labels and parallel edges; how many paths
its paths are here is counted from these.  Each answer has the lengths of the other.  Ours are measured from the text of
the query on, and compiled before; bounds are on the former for ten paths, and on the latter for one, which takes less
than to read a text.  CPU time of one thread, medians of turns.  The data are in ``$SPASEQ_SHARED`` or
``../shared/data``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from math import prod

import networkx
import numpy as np

from benchmarks.metaqa import ROOT
from benchmarks.timing import interleaved
from spaseq.paths import Graph, Paths
from spaseq.paths.search import CompiledPaths

RELATIONS = ("starred_actors", "directed_by", "written_by")
EXPRESSION = f"({'|'.join(f':{one}|^:{one}' for one in RELATIONS)})+"
FAR = ("Fun Is Beautiful", "Zanjeer")
PATHS, ROUNDS, BOUND = 10, 3, 3.0
MODES = {
    "one": "ANY SHORTEST ACYCLIC", "ten acyclic": f"SHORTEST {PATHS} ACYCLIC", "ten simple": f"SHORTEST {PATHS} SIMPLE",
    "ten trails": f"SHORTEST {PATHS} TRAIL", "one walk": "ANY SHORTEST WALK",
}  # fmt: skip
Pair = tuple[str, str]
Lengths = list[int]


@dataclass(frozen=True)
class BothGraphs:
    """The same edges here and there."""

    graph: Graph

    @cached_property
    def ways(self) -> Counter[Pair]:
        """How many edges there are between two names, by either order."""
        found: Counter[Pair] = Counter()
        for one in RELATIONS:
            ends = self.graph.edges_of(self.graph.labels[f"urn:relation:{one}"])
            for subject, object_ in zip(*(self._names(some.tolist()) for some in ends), strict=True):
                found.update(((subject, object_), (object_, subject)))
        return found

    @cached_property
    def other(self) -> networkx.Graph:
        """That of networkx."""
        return networkx.Graph(list(self.ways))

    def _names(self, vertices: Sequence[int]) -> list[str]:
        return [self.graph.terms.value(vertex).text for vertex in vertices]

    def pairs(self, count: int) -> list[Pair]:
        """Random connected ones, none with itself, and then that of the issue."""
        names = sorted(self.other)
        chance = np.random.default_rng(29)
        some = iter(lambda: (names[chance.integers(len(names))], names[chance.integers(len(names))]), None)
        good = (pair for pair in some if pair[0] != pair[1] and networkx.has_path(self.other, *pair))
        return [*islice((pair for pair in good if '"' not in "".join(pair)), count), FAR]

    def ours(self, pair: Pair, mode: str) -> Lengths:
        """Lengths of the paths that are found here."""
        return lengths(self.compiled(pair, mode).match())

    def compiled(self, pair: Pair, mode: str) -> CompiledPaths:
        """The query."""
        start, end = pair
        return self.graph.compile(f'QUERY q FROM LABEL "{start}" TO LABEL "{end}" {MODES[mode]} {EXPRESSION}')

    def theirs(self, pair: Pair, mode: str) -> Lengths:
        """The same of networkx."""
        if mode.startswith("one"):
            return [len(networkx.shortest_path(self.other, *pair)) - 1]
        return list(islice(self._repeated(pair), PATHS))

    def _repeated(self, pair: Pair) -> Iterator[int]:
        for nodes in networkx.shortest_simple_paths(self.other, *pair):
            yield from [len(nodes) - 1] * prod(self.ways[step] for step in pairwise(nodes))


def lengths(found: Paths) -> Lengths:
    """How long each is."""
    return [int(number) for number in np.diff(found.columns.ends, prepend=np.uint64(0))]


def compared(both: BothGraphs, pair: Pair, mode: str) -> tuple[float, float, float]:
    """CPU seconds here from the text on, compiled, and there.  AssertionError: the lengths are not the same."""
    ours, theirs = both.ours(pair, mode), both.theirs(pair, mode)
    # a trail may come to a node again: it is never longer than the path without that
    assert ours == theirs or (mode == "ten trails" and ours[0] == theirs[0] and all(map(int.__le__, ours, theirs)))
    compiled = both.compiled(pair, mode)
    compiled.match()
    taken = interleaved(
        {
            "text": lambda: lambda: both.ours(pair, mode),
            "compiled": lambda: lambda: lengths(compiled.match()),
            "networkx": lambda: lambda: both.theirs(pair, mode),
        },
        ROUNDS,
    )
    return taken["text"], taken["compiled"], taken["networkx"]


def main(count: int = 50) -> int:
    """Status 1: a mode takes more than three times what networkx does."""
    both, wrong = BothGraphs(Graph.load(ROOT / "kb.txt")), 0
    pairs = both.pairs(count)
    print(f"{count} random connected pairs of {both.graph!r}, networkx {networkx.__version__}")
    for mode in MODES:
        taken = 1000 * np.array([compared(both, pair, mode) for pair in pairs])
        text, compiled, theirs = taken[:-1].sum(axis=0)
        print(f"{mode:12} {text:.1f} ms, compiled {compiled:.1f}, networkx {theirs:.1f}: {text / theirs:.2f} times, "
              f"compiled {compiled / theirs:.2f} (of a pair at most {(taken[:, 1] / taken[:, 2]).max():.2f}); "
              f"{' to '.join(FAR)}: {' / '.join(f'{one:.1f}' for one in taken[-1])} ms")  # fmt: skip
        ours = 1 if mode.startswith("one") else 0
        wrong += any(one[ours] > BOUND * one[2] for one in (taken[:-1].sum(axis=0), taken[-1]))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
