"""Prepared queries: what an engine costs that shares all that is compiled, beside one that compiles its own.

Times are medians; memory is that of a thousand engines next to 100,000 triples of background knowledge.  Run:
``python -m benchmarks.prepared [rounds]``.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Triple

import spaseq
from benchmarks.many import QUERY as V_SHAPE
from spaseq.graphs.background import Common
from spaseq.graphs.queries import Prepared
from spaseq.plan.sequences import compile_plan

STOCK = "https://spaseq.org/ontology/stock#"
KB = "https://example.org/kb"
QUERY = V_SHAPE.format(window=20, threshold=41)
GROUPS = 10_000
ENGINES = 1_000
SECTORS = f"""
PREFIX stock: <{STOCK}>
SELECT ?company ?sector ?p1 WITHIN 10 SECONDS SLIDING
FROM STREAM stock <https://spaseq.org/stream/stock>
WHERE {{
  SEQ(A ; B)
  DEFINE GPM A ON stock {{
    ?q1 stock:company ?company ; stock:price ?p1 . GRAPH <{KB}> {{ ?company stock:sector ?sector }}
  }}
  DEFINE GPM B ON stock {{ ?q2 stock:company ?company ; stock:price ?p2 . FILTER(?p2 > ?p1) }}
}}
"""


def median(job: Callable[[], object], rounds: int) -> float:
    """Median seconds of a job."""
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        job()
        found.append(time.perf_counter() - started)
    return statistics.median(found)


def quote(number: int, company: int, price: int) -> list[Triple]:
    """A quote of a company."""
    node = NamedNode(f"https://example.org/quote/{number}")
    about: dict[str, NamedNode | Literal] = {
        "company": NamedNode(f"https://example.org/company/{company}"),
        "price": Literal(price),
    }
    return [Triple(node, NamedNode(STOCK + name), value) for name, value in about.items()]


def full(query: Prepared) -> spaseq.Engine:
    """An engine with ten thousand groups of partial matches."""
    engine = spaseq.Engine()
    name = engine.register(query)
    number = 0
    while engine.core.running[name].groups() < GROUPS:
        for _ in range(100):
            engine.push("stock", quote(number, number % 5_000, 42 + number % 97), number)
            number += 1
    return engine


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def prepared_anew() -> None:
    """All that is done for a query once in a process: read, planned, compiled."""
    query = Prepared(QUERY, compile_plan(spaseq.parse(QUERY).query))
    Common([query], spaseq.Engine().background, spaseq.Engine().kind.evaluator.mode)


def memory() -> tuple[float, float]:
    """kB of an engine that shares a query and its background: as it is made, and after an event."""
    text = "\n".join(
        f"<https://example.org/company/{number}> <{STOCK}sector> <https://example.org/sector/{number % 1000}> ."
        for number in range(100_000)
    )
    background, query = spaseq.Background.load({KB: text.encode()}), spaseq.prepare(SECTORS)
    engines = [spaseq.Engine(background) for _ in range(ENGINES)]
    engines[0].register(query)
    engines[0].push("stock", quote(0, 0, 50), 0)
    before = resident()
    for engine in engines[1:]:
        engine.register(query)
    made = resident()
    for number, engine in enumerate(engines[1:]):
        engine.push("stock", quote(number, number, 50), 0)
    return (made - before) / ENGINES / 1024, (resident() - before) / ENGINES / 1024


def main(rounds: int = 200) -> None:
    """Print all of it."""
    query = spaseq.prepare(QUERY)
    empty = spaseq.Engine()
    empty.register(query)
    data, large = empty.snapshot(), full(query).snapshot()
    print("Prepared queries: the V shape")
    print(f"  to prepare, all that is done once  {median(prepared_anew, rounds) * 1e3:8.2f} ms")
    for name, one in (("from its text", QUERY), ("prepared", query)):
        made = median(lambda one=one: spaseq.Engine().register(one), rounds)  # type: ignore[misc]
        restored = median(lambda one=one: spaseq.Engine.restore(data, [one]), rounds)  # type: ignore[misc]
        print(f"  {name:14} an engine {made * 1e6:10.0f} µs, restored without events {restored * 1e6:8.0f} µs")
    restored = median(lambda: spaseq.Engine.restore(large, [query]), max(5, rounds // 10))
    print(f"  prepared, restored with {GROUPS:,} groups {restored * 1e3:8.1f} ms, {len(large):,} bytes")
    made, used = memory()
    print(f"  {ENGINES:,} engines, one background of 100,000 triples: {made:.1f} kB each, {used:.1f} after an event")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
