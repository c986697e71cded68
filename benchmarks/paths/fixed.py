"""Walks of two steps for 1,000 questions of MetaQA at once, and for one: ``python -m benchmarks.paths.fixed``.

Beside our queries, compiled: walks in numpy, those of equal questions together, which were grouped before;
dictionaries, one by one; property paths of pyoxigraph (end points alone); and a plain program in C++, compiled here.
CPU time of one thread, medians of turns.  The data are in ``$SPASEQ_SHARED`` or ``../shared/data``.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import NamedNode, Quad, Store

from benchmarks.metaqa import ROOT, expression, questions
from benchmarks.timing import Job, Preparation, interleaved
from spaseq.paths import Graph
from spaseq.paths.search import CompiledPaths

QUESTIONS, FEW, TIMES, ROUNDS, LATENCIES = 1_000, 50, 10, 7, 2_000
Rows = tuple[NDArray[np.uint32], NDArray[np.uint32]]  # offsets by vertex, and targets
Steps = tuple[tuple[str, bool], ...]
Columns = list[NDArray[np.uint32]]


@dataclass(frozen=True)
class Asked:
    """Questions on a graph: of each the start, and the symbols of two steps."""

    graph: Graph
    expressions: Sequence[str]
    starts: Sequence[int]

    @staticmethod
    def some(count: int) -> Asked:
        """Questions of two hops, as they come by chance."""
        graph = Graph.load(ROOT / "kb.txt")
        known = [one for one in questions(2) if len(graph.labelled(one.start))]
        chosen = random.Random(1).sample(known, count)
        starts = [int(graph.labelled(one.start)[0]) for one in chosen]
        return Asked(graph, [expression(one.type) for one in chosen], starts)

    @cached_property
    def compiled(self) -> CompiledPaths:
        """As queries that name where they start."""
        names = [self.graph.terms.value(start).text.replace('"', '\\"') for start in self.starts]
        texts = (
            f'QUERY q{number} FROM LABEL "{name}" ALL WALK {path}'
            for number, (name, path) in enumerate(zip(names, self.expressions, strict=True))
        )
        return self.graph.compile(texts)

    @cached_property
    def steps(self) -> Sequence[tuple[tuple[str, bool], tuple[str, bool]]]:
        """The steps of each question: predicate, and whether it is inverse."""
        return [tuple(map(_step, path.split("/"))) for path in self.expressions]  # type: ignore[misc]

    @cached_property
    def rows(self) -> Mapping[tuple[str, bool], Rows]:
        """The edges of each predicate, both ways."""
        found = {}
        for number, iri in enumerate(self.graph.predicates):
            subjects, objects = self.graph.edges_of(number)
            found[iri, False] = _rows(subjects, objects, self.graph.vertex_count)
            found[iri, True] = _rows(objects, subjects, self.graph.vertex_count)
        return found


def _step(text: str) -> tuple[str, bool]:
    return "urn:relation:" + text.removeprefix("^").removeprefix(":"), text.startswith("^")


def _rows(sources: NDArray[np.uint32], targets: NDArray[np.uint32], vertices: int) -> Rows:
    order = np.argsort(sources, kind="stable")
    offsets = np.zeros(vertices + 1, np.uint32)
    np.cumsum(np.bincount(sources, minlength=vertices), out=offsets[1:])
    return offsets, np.ascontiguousarray(targets[order])


# ── the candidates: each gives how many walks there are ──────────────────────────────────────────────────────
def ours(asked: Asked) -> Job:
    """Ids of all walks."""
    compiled = asked.compiled
    compiled.match()
    return lambda: len(compiled.match())


def in_numpy(asked: Asked, with_columns: bool) -> Job:
    """Ids of all walks, questions with the same steps together; ``with_columns``: the columns that we give."""
    groups: dict[Steps, list[int]] = defaultdict(list)
    for number, steps in enumerate(asked.steps):
        groups[steps].append(number)
    numbers = {steps: np.array(some, np.uint32) for steps, some in groups.items()}
    starts = {steps: np.array(asked.starts, np.uint32)[some] for steps, some in numbers.items()}
    rows, symbols = asked.rows, {step: np.uint32(number) for number, step in enumerate(asked.rows)}

    def expand(vertices: NDArray[np.uint32], along: Rows) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        offsets, targets = along
        first, counts = offsets[vertices].astype(np.int64), (offsets[vertices + 1] - offsets[vertices]).astype(np.int64)
        origin = np.repeat(np.arange(len(vertices)), counts)
        before = np.cumsum(counts) - counts
        return origin, targets[np.arange(len(origin)) - before[origin] + first[origin]]

    def walked() -> Iterator[tuple[Steps, Columns]]:
        for steps, some in starts.items():
            walks = [numbers[steps], some]
            for step in steps:
                origin, reached = expand(walks[-1], rows[step])
                walks = [*(column[origin] for column in walks), reached]
            yield steps, walks

    def columns() -> int:
        whose, nodes, taken = [], [], []
        for steps, (queries, *walks) in walked():
            whose.append(queries)
            nodes.append(np.stack(walks, axis=1).ravel())
            taken.append(np.tile(np.array([symbols[step] for step in steps]), len(queries)))
        together = np.concatenate(whose), np.concatenate(nodes), np.concatenate(taken)
        ends = np.arange(1, len(together[0]) + 1, dtype=np.uint64) * np.uint64(len(asked.steps[0]))
        return len(ends)

    return columns if with_columns else lambda: sum(len(walks[0]) for _, walks in walked())


def in_dictionaries(asked: Asked) -> Job:
    """All walks, one question after the other."""
    known: dict[tuple[str, bool], dict[int, list[int]]] = {}
    for step, (offsets, targets) in asked.rows.items():
        bounds, reached = offsets.tolist(), targets.tolist()
        known[step] = {v: reached[a:b] for v, (a, b) in enumerate(pairwise(bounds)) if a < b}

    def run() -> int:
        count = 0
        for start, (first, second) in zip(asked.starts, asked.steps, strict=True):
            one, two = known[first], known[second]
            count += len([(start, middle, end) for middle in one.get(start, ()) for end in two.get(middle, ())])
        return count

    return run


def in_pyoxigraph(asked: Asked) -> Job:
    """End points of the first few questions."""
    store = Store()
    for number, iri in enumerate(asked.graph.predicates):
        edges = zip(*(ends.tolist() for ends in asked.graph.edges_of(number)), strict=True)
        store.extend(Quad(NamedNode(f"urn:{a}"), NamedNode(iri), NamedNode(f"urn:{b}")) for a, b in edges)
    texts = []
    for start, steps in zip(asked.starts[:FEW], asked.steps[:FEW], strict=True):
        path = "/".join(f"{'^' if inverse else ''}<{iri}>" for iri, inverse in steps)
        texts.append(f"SELECT ?x {{ <urn:{start}> {path} ?x }}")
    return lambda: sum(len(list(store.query(text))) for text in texts)  # type: ignore[arg-type, misc]


class _Rows(ctypes.Structure):
    _fields_ = (("offsets", ctypes.c_void_p), ("targets", ctypes.c_void_p), ("symbol", ctypes.c_uint32))


def in_plain_cpp(asked: Asked, folder: Path, name: str) -> Job:
    """Ids of all walks, by loops that are compiled for two steps, into memory that is kept: functions of walk.cpp."""
    library, source = folder / f"{name}.so", Path(__file__).with_name("walk.cpp")
    subprocess.run(["c++", "-std=c++17", "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    walk = ctypes.CDLL(str(library))[name]
    walk.restype = ctypes.c_size_t
    starts = np.array(asked.starts, np.uint32)
    numbers = {step: number for number, step in enumerate(asked.rows)}
    sides = []
    for side in (0, 1):
        rows = [(*asked.rows[steps[side]], numbers[steps[side]]) for steps in asked.steps]
        sides.append(
            (_Rows * len(rows))(*(_Rows(one.ctypes.data, two.ctypes.data, symbol) for one, two, symbol in rows))
        )
    count, first = ctypes.c_size_t(len(starts)), starts.ctypes.data_as(ctypes.c_void_p)
    return lambda: int(walk(count, first, *sides))


# ── what is printed ──────────────────────────────────────────────────────────────────────────────────────────
def batch(asked: Asked) -> None:
    """All questions at once."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = {
            "ours, compiled": ours(asked),
            "numpy, equal questions together, the same columns": in_numpy(asked, True),
            "numpy, equal questions together, query and nodes": in_numpy(asked, False),
            "dictionaries, one by one": in_dictionaries(asked),
            f"pyoxigraph, {FEW} of them": in_pyoxigraph(asked),
            "C++, plain loops, the same columns": in_plain_cpp(asked, Path(folder), "walk_columns"),
            "C++, plain loops, query and nodes": in_plain_cpp(asked, Path(folder), "walk"),
        }
        found = {name: job() for name, job in jobs.items()}
        seconds = interleaved({name: repeated(job) for name, job in jobs.items()}, ROUNDS)
    own, *others = seconds
    print(f"{len(asked.starts):,} questions of two hops, {found[own]:,} walks; CPU time of one thread")
    mine = seconds[own] / TIMES / len(asked.starts)
    for name, taken in seconds.items():
        each = taken / TIMES / (FEW if "pyoxigraph" in name else len(asked.starts))
        print(f"  {name:<50} {1 / each:>13,.0f} questions/s, {each / mine:8.2f} x what ours cost")
    if len({found[name] for name in (own, *others) if "pyoxigraph" not in name}) > 1:
        sys.exit(f"they do not find the same: {found}")


def repeated(job: Job) -> Preparation:
    """The job, some times in a row."""

    def run() -> None:
        for _ in range(TIMES):
            job()

    return lambda: run


def single(asked: Asked) -> None:
    """One question from Python."""
    compiled = asked.graph.compile(f"QUERY q ALL WALK {asked.expressions[0]}")
    start = asked.starts[0]

    def many() -> None:
        for _ in range(LATENCIES):
            compiled.match(start)

    seconds = interleaved({"": lambda: many}, ROUNDS)[""]
    print(f"one question, compiled, from Python: {1e6 * seconds / LATENCIES:.1f} µs (at most 10)")


def main() -> None:
    """Print all figures."""
    asked = Asked.some(QUESTIONS)
    batch(asked)
    single(asked)


if __name__ == "__main__":
    main()
