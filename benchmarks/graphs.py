"""Graphs of path queries: what it costs to read a million edges, to save and to open them again, and to change some.

CPU time of one process, medians of turns; files are in the cache of the system.  The memory of a graph that is read is
how much the peak of a process of its own rises above what its modules take.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow
from pyarrow import parquet
from pyoxigraph import NamedNode, Triple

from benchmarks.timing import Preparation, interleaved
from spaseq.paths import Graph

NODES, PREDICATES = 100_000, 30
PREFIX = "http://example.org/resource/"
BOUNDS = {"read N-Triples": 1.0, "open a saved graph": 0.01}  # seconds for a million edges
FILES = ("graph.nt", "graph.txt", "graph.parquet", "iris.parquet")
PEAK = """
import os, sys
import pyarrow.compute, pyarrow.parquet, spaseq.paths, spaseq.paths.tables
from benchmarks.memory import most_resident
before = most_resident(os.getpid())
graph = spaseq.paths.Graph.load(sys.argv[1])
print(round(most_resident(os.getpid()) - before))
"""


def edges(count: int, seed: int) -> list[tuple[str, str, str]]:
    """Different edges between random nodes, some of which have many more than others."""
    chance, found = random.Random(seed), dict[tuple[int, int, int], None]()
    while len(found) < count:
        found[chance.randrange(NODES), chance.randrange(PREDICATES), int(NODES * chance.random() ** 1.5)] = None
    return [(f"Node_{subject}", f"relation{predicate}", f"Node_{object_}") for subject, predicate, object_ in found]


def triple(edge: tuple[str, str, str]) -> Triple:
    """An edge in RDF."""
    return Triple(*(NamedNode(PREFIX + name) for name in edge))


def write_table(path: Path, rows: list[tuple[str, str, str]], prefix: str = "") -> None:
    """A Parquet file of edges."""
    columns = zip(("subject", "relation", "object"), zip(*rows, strict=True), strict=True)
    parquet.write_table(pyarrow.table({name: [prefix + one for one in column] for name, column in columns}), path)


def peak(file: Path) -> int:
    """MB by which reading a graph raises the peak of memory of a process."""
    return int(subprocess.run([sys.executable, "-c", PEAK, file], check=True, capture_output=True, text=True).stdout)


def jobs(folder: Path, count: int) -> Mapping[str, Preparation]:
    """What is measured, by its name."""
    rows, more = edges(count, 1), [[triple(edge) for edge in edges(size, 2)] for size in (1, 1000)]
    nt, txt, table, iris = (folder / name for name in FILES)
    saved = folder / "graph.spaseqgraph"
    nt.write_text("".join(f"{triple(edge)} .\n" for edge in rows))
    txt.write_text("".join("|".join(edge) + "\n" for edge in rows))
    write_table(table, rows)
    write_table(iris, rows, PREFIX)
    graph = Graph.load(nt)
    graph.save(saved)
    opened = Graph.load(saved)
    return {
        "read N-Triples": lambda: lambda: Graph.load(nt),
        "read a table": lambda: lambda: Graph.load(txt),
        "read Parquet of names": lambda: lambda: Graph.load(table),
        "read Parquet of IRIs": lambda: lambda: Graph.load(iris),
        "save": lambda: lambda: graph.save(saved),
        "open a saved graph": lambda: lambda: Graph.load(saved),
        "add 1 edge": lambda: lambda: graph.with_edges(more[0]),
        "add 1,000 edges": lambda: lambda: graph.with_edges(more[1]),
        "the same, to a saved graph": lambda: lambda: opened.with_edges(more[1]),
    }


def main(count: int = 1_000_000, rounds: int = 5) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = interleaved(jobs(Path(folder), count), rounds)
        peaks = {name: peak(Path(folder) / name) for name in FILES}
    print(f"{count:,} edges of {PREDICATES} predicates between {NODES:,} nodes, CPU time (medians of {rounds})")
    for name, took in seconds.items():
        bound = f"   at most {BOUNDS[name] * 1000:,.0f} for 1,000,000" if name in BOUNDS else ""
        print(f"  {name:<28}{took * 1000:>9.1f} ms{bound}")
    print("memory: " + ", ".join(f"{name} {size} MB" for name, size in peaks.items()))


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
