"""How soon a search with a time limit is back, and how soon Ctrl-C is heard: ``python -m benchmarks.paths.budget``.

A ladder has two ways from each of its rungs to the next one, so 2^40 walks of 40 steps.  Times are those of the wall,
from the call to its return, with all that was found in columns; medians, and the slowest, of turns.
"""

from __future__ import annotations

import signal
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from pyoxigraph import NamedNode, Triple

from spaseq.paths import Graph, Paths, prepare
from spaseq.paths.best import StepWeights
from spaseq.paths.search import CompiledPaths

STEPS, ROUNDS = 40, 41
LIMIT, BOUND = 0.005, 0.010  # seconds
FORMS = {
    "all walks": "ALL WALK (:left|:right){40}", "trails": "TRAIL (:left|:right)+",
    "chain": f"ALL WALK {'/'.join(['!:none'] * STEPS)}",
}  # fmt: skip


def ladder() -> Graph:
    """Two edges from each node to the next one."""
    nodes = [NamedNode(f"urn:rung:{number}") for number in range(STEPS + 1)]
    ways = [NamedNode(f"urn:relation:{way}") for way in ("left", "right")]
    return Graph(Triple(nodes[number], way, nodes[number + 1]) for number in range(STEPS) for way in ways)


def searches(graph: Graph) -> dict[str, Callable[[], Paths]]:
    """Searches that would take for ever."""
    prepared = {name: prepare(f"QUERY q FROM <urn:rung:0> {form}") for name, form in FORMS.items()}
    weights = StepWeights(np.random.default_rng(1).random(2), np.random.default_rng(2).random(graph.vertex_count))
    limited: dict[str, Callable[[], Paths]] = {
        name: lambda queries=queries: graph.match(queries, time_limit=LIMIT)  # type: ignore[misc]
        for name, queries in prepared.items()
    }
    limited["best first"] = lambda: graph.best(prepared["all walks"], weights, time_limit=LIMIT)
    return limited


def checked(found: Paths) -> None:
    """AssertionError: a search that was cut off found nothing, says that it is all, or found what is no walk."""
    assert len(found) and not found.complete
    path = found[len(found) - 1]
    assert path.vertices == tuple(range(path.vertices[0], path.vertices[0] + len(path) + 1))


def seconds_of(search: Callable[[], Paths]) -> list[float]:
    """How long it takes, each time."""
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        found = search()
        taken.append(time.perf_counter() - started)
        checked(found)
    return taken


def seconds_to_stop(compiled: CompiledPaths) -> list[float]:
    """From Ctrl-C, 50 ms after a search began, until it is over."""
    begun = 0.0

    def interrupted(*_: object) -> None:
        nonlocal begun
        begun = time.perf_counter()
        raise KeyboardInterrupt

    taken, before = [], signal.signal(signal.SIGALRM, interrupted)
    for _ in range(5):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            compiled.match()
        except KeyboardInterrupt:
            taken.append(time.perf_counter() - begun)
    signal.signal(signal.SIGALRM, before)
    return taken


def tell(name: str, seconds: Sequence[float]) -> None:
    """Print them."""
    print(f"{name:<16} median {statistics.median(seconds) * 1000:6.2f} ms, most {max(seconds) * 1000:6.2f} ms")


def main() -> int:
    """Print times; 1 if a median is above the bound."""
    graph = ladder()
    print(f"2^{STEPS} walks of {STEPS} steps, time limit {LIMIT * 1000:g} ms, bound {BOUND * 1000:g} ms")
    medians = []
    for name, search in searches(graph).items():
        seconds = seconds_of(search)
        tell(name, seconds)
        medians.append(statistics.median(seconds))
    tell("Ctrl-C", seconds_to_stop(graph.compile(f"QUERY q FROM <urn:rung:0> {FORMS['all walks']}")))
    return int(max(medians) > BOUND)


if __name__ == "__main__":
    sys.exit(main())
