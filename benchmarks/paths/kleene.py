"""End points of repetitions over a giant component, and 1,000 queries together: ``python -m benchmarks.paths.kleene``.

Beside ours, compiled: python-graphblas (breadth first by vectors and a matrix), property paths of pyoxigraph, and a
plain program in C++, compiled here.  Then 1,000 queries that have prefixes in common, together and one by one.  CPU
time of one thread, medians of turns.  The graph is MetaQA's, in ``$SPASEQ_SHARED`` or ``../shared/data``, else a random
one.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import NamedNode, Quad, Store

from benchmarks.metaqa import ROOT
from benchmarks.timing import interleaved
from spaseq.paths import Graph

STARTS, FEW, ROUNDS = 20, 2, 7
Numbers = NDArray[np.uint32]
Count = Callable[[], int]
RELATIONS = (
    "directed_by", "written_by", "starred_actors", "release_year", "in_language", "has_tags", "has_genre",
    "has_imdb_votes", "has_imdb_rating",
)  # fmt: skip


def opened() -> Graph:
    """MetaQA's graph, or a random one of its size."""
    if (ROOT / "kb.txt").exists():
        return Graph.load(ROOT / "kb.txt")
    print(f"{ROOT} is not there: a random graph of the same size instead")
    import pyarrow

    chance = np.random.default_rng(1)
    nodes = [f"n{number}" for number in range(43_000)]
    ends = (chance.zipf(1.3, 260_000).reshape(2, -1) + chance.integers(43_000, size=(2, 130_000))) % 43_000
    relations = [RELATIONS[number] for number in chance.integers(len(RELATIONS), size=130_000)]
    columns = [[nodes[n] for n in ends[0]], relations, [nodes[n] for n in ends[1]]]
    return Graph.from_table(pyarrow.table(columns, names=["subject", "relation", "object"]))


@dataclass(frozen=True)
class Repetition:
    """Edges of some relations, either way, any number of times."""

    graph: Graph
    relations: Sequence[str]

    @property
    def expression(self) -> str:
        """As a path."""
        return f"({'|'.join(f':{one}|^:{one}' for one in self.relations)})*"

    @cached_property
    def edges(self) -> tuple[Numbers, Numbers]:
        """Its edges, both ways: from where, and to where."""
        both = [self.graph.edges_of(self.graph.labels[f"urn:relation:{one}"]) for one in self.relations]
        sources = np.concatenate([ends for pair in both for ends in pair])
        return sources, np.concatenate([ends for pair in both for ends in reversed(pair)])

    @cached_property
    def rows(self) -> tuple[Numbers, Numbers]:
        """Offsets by vertex, and targets."""
        sources, targets = self.edges
        order = np.argsort(sources, kind="stable")
        offsets = np.zeros(self.graph.vertex_count + 1, np.uint32)
        np.cumsum(np.bincount(sources, minlength=self.graph.vertex_count), out=offsets[1:])
        return offsets, np.ascontiguousarray(targets[order])

    @cached_property
    def starts(self) -> Numbers:
        """Some nodes of the giant component."""
        compiled = self.graph.compile(f"QUERY q {self.expression}")
        some = np.random.default_rng(3).choice(self.edges[0], 50)
        reached = max((compiled.ends(int(start)).end_vertices for start in some), key=len)
        return np.random.default_rng(4).choice(reached, STARTS, replace=False)


# ── the candidates: each gives how many ends there are from all starts, one after the other ──────────────────
def ours(asked: Repetition) -> Count:
    """Numbers of the ends."""
    compiled, starts = asked.graph.compile(f"QUERY q {asked.expression}"), asked.starts.tolist()
    return lambda: sum(len(compiled.ends(start).end_vertices) for start in starts)


def ours_at_once(asked: Repetition) -> Count:
    """Numbers of starts and ends, all starts in one search."""
    compiled, starts = asked.graph.compile(f"QUERY q {asked.expression}"), asked.starts
    return lambda: len(compiled.ends(starts).end_vertices)


def in_plain_cpp(asked: Repetition, folder: Path) -> Count:
    """Numbers of the ends, by loops over rows."""
    library, source = folder / "reach.so", Path(__file__).with_name("reach.cpp")
    subprocess.run(["c++", "-std=c++17", "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    reach = ctypes.CDLL(str(library)).reach
    reach.restype = ctypes.c_size_t
    offsets, targets = asked.rows
    found = np.zeros(len(asked.starts) * asked.graph.vertex_count, np.uint32)
    sizes = [ctypes.c_size_t(one) for one in (asked.graph.vertex_count, len(asked.starts))]
    arrays = [one.ctypes.data_as(ctypes.c_void_p) for one in (offsets, targets, asked.starts, found)]
    return lambda: int(reach(sizes[0], arrays[0], arrays[1], sizes[1], arrays[2], arrays[3]))


def in_graphblas(asked: Repetition) -> Count:
    """Numbers of the ends: vectors times a matrix, without those that were reached."""
    graphblas = import_module("graphblas")
    matrix, vector, any_pair = graphblas.Matrix, graphblas.Vector, graphblas.semiring.any_pair
    graphblas.ss.config["nthreads"] = 1
    size, (sources, targets) = asked.graph.vertex_count, asked.edges
    edges = matrix.from_coo(sources, targets, True, dtype=bool, nrows=size, ncols=size)

    def reached(start: int) -> int:
        seen = vector.from_coo([start], [True], size=size)
        front = seen.dup()
        while front.nvals:
            front(~seen.S, replace=True) << any_pair(front @ edges)
            seen(front.S) << True
        ends, _ = seen.to_coo(values=False)
        return len(ends)

    starts = asked.starts.tolist()
    return lambda: sum(map(reached, starts))


def in_pyoxigraph(asked: Repetition) -> Count:
    """Ends as terms, of the first few starts."""
    store = Store()
    for one in asked.relations:
        edges = zip(
            *(ends.tolist() for ends in asked.graph.edges_of(asked.graph.labels[f"urn:relation:{one}"])), strict=True
        )
        store.extend(
            Quad(NamedNode(f"urn:{a}"), NamedNode(f"urn:relation:{one}"), NamedNode(f"urn:{b}")) for a, b in edges
        )
    path = "|".join(f"<urn:relation:{one}>|^<urn:relation:{one}>" for one in asked.relations)
    texts = [f"SELECT ?x {{ <urn:{start}> ({path})* ?x }}" for start in asked.starts[:FEW].tolist()]
    return lambda: sum(len(list(store.query(text))) for text in texts)  # type: ignore[arg-type, misc]


def giant(asked: Repetition) -> None:
    """A repetition over the giant component."""
    jobs = {"ours, compiled": ours(asked), "ours, all starts at once": ours_at_once(asked)}
    with tempfile.TemporaryDirectory() as folder:
        jobs["C++, plain loops"] = in_plain_cpp(asked, Path(folder))
        if find_spec("graphblas"):
            jobs["python-graphblas"] = in_graphblas(asked)
        else:
            print("python-graphblas is not installed (pip install python-graphblas), and is left out")
        jobs[f"pyoxigraph, {FEW} starts"] = in_pyoxigraph(asked)
        found = {name: job() for name, job in jobs.items()}
        seconds = interleaved({name: (lambda job=job: job) for name, job in jobs.items()}, ROUNDS)  # type: ignore[misc]
    ends = found["ours, compiled"]
    print(f"{asked.expression}: {ends // STARTS:,} ends from each of {STARTS} nodes; CPU time of one thread")
    for name, taken in seconds.items():
        few = FEW if "pyoxigraph" in name else STARTS
        ratio = taken / few / seconds["ours, compiled"] * STARTS
        print(f"  {name:<26} {1e3 * taken / few:9.3f} ms a start, {ratio:8.2f} x what ours costs")
        assert found[name] == ends or few == FEW, f"{name} finds something else"


# ── many queries ─────────────────────────────────────────────────────────────────────────────────────────────
def many_expressions() -> Iterator[str]:
    """A thousand, with 20 prefixes, 5 repetitions and 10 ways to end."""
    firsts = RELATIONS[:3] + RELATIONS[5:7]
    seconds, repeated = (*RELATIONS[:3], "has_tags"), RELATIONS[:5]
    rests = ("", *(f"/:{one}" for one in RELATIONS))
    for first, second, often, rest in product(firsts, seconds, repeated, rests):
        yield f":{first}/^:{second}/(:{often}|^:{often})*{rest}"


def together(graph: Graph) -> Mapping[str, Count]:
    """All queries from the same two films, in one search, or one after the other."""
    offsets = graph.rows[graph.labels["urn:relation:starred_actors"]].along.offsets
    starts = np.argsort(np.diff(offsets.astype(np.int64)), kind="stable")[-FEW:].astype(np.uint32)
    texts = [f"QUERY q{number} ANY SHORTEST {one}" for number, one in enumerate(many_expressions())]
    all_, alone = graph.compile(texts), [graph.compile(text) for text in texts]
    return {
        "together": lambda: len(all_.ends(starts)),
        "one by one": lambda: sum(len(one.ends(starts)) for one in alone),
    }


def many(graph: Graph) -> None:
    """A thousand queries with prefixes in common."""
    jobs = together(graph)
    found = {name: job() for name, job in jobs.items()}
    seconds = interleaved({name: (lambda job=job: job) for name, job in jobs.items()}, 3)  # type: ignore[misc]
    print(f"{len(list(many_expressions())):,} queries from {FEW} nodes, {found['together']:,} pairs")
    for name, taken in seconds.items():
        print(f"  {name:<26} {1e3 * taken:9.1f} ms, {taken / seconds['together']:8.2f} x what they cost together")
    assert found["together"] == found["one by one"]


def main() -> None:
    """Print all figures."""
    graph = opened()
    for relations in (("starred_actors",), ("directed_by", "starred_actors"), RELATIONS):
        giant(Repetition(graph, relations))
    many(graph)


if __name__ == "__main__":
    main()
