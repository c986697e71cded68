"""Items of Python as events: CPU of ``push_batch`` and ``run`` beside that of pyoxigraph, which parses each item alone.

Events of two triples, pairs of readings of a sensor.  All ways find what ``push`` finds, and say of a bad item what it
says, or the benchmark ends; so it does if one costs more than the parser.  Ratios within one run, medians of
interleaved rounds.  Run: ``python -m benchmarks.items [events]``.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace

from pyoxigraph import RdfFormat, parse

import spaseq
from benchmarks.timing import Job, Preparation, interleaved

MOST = 1.0  # times what the parser costs
SENSORS, ROUNDS = 100, 5
QUERY = """
    PREFIX : <https://example.org/>
    SELECT ?sensor ?high ?low WITHIN 10 SECONDS SLIDING FROM STREAM s :readings
    WHERE {
      SEQ(A ; B)
      DEFINE GPM A ON s { ?x :sensor ?sensor ; :value ?high FILTER(?high > 95) }
      DEFINE GPM B ON s { ?y :sensor ?sensor ; :value ?low FILTER(?low < 5) }
    }"""
READING = (
    "<https://example.org/reading/{0}> <https://example.org/sensor> <https://example.org/sensor/{1}> .\n"
    '<https://example.org/reading/{0}> <https://example.org/value> "{2}"'
    "^^<http://www.w3.org/2001/XMLSchema#decimal> .\n"
)
BAD = b"<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:p> nothing ."
Items = list[tuple[int, bytes]]
Way = Callable[[Items], int]


def readings(count: int) -> Items:
    """Time and lines of each event."""
    chance = random.Random(1)
    values = ((chance.randrange(SENSORS), chance.randrange(1000) / 10) for _ in range(count))
    return [(n * 10_000, READING.format(n, *some).encode()) for n, some in enumerate(values)]


def new_engine() -> spaseq.Engine:
    """An engine with the query."""
    engine = spaseq.Engine()
    engine.register(QUERY)
    return engine


def pushed(items: Items) -> int:
    """The matches of items that are pushed one by one."""
    engine = new_engine()
    return sum(len(engine.push("s", graph, time)) for time, graph in items)


WAYS: dict[str, Way] = {
    "push_batch": lambda items: len(new_engine().push_batch("s", items)),
    "push_batch, of 1,000": lambda items: in_batches(items, 1000),
    "run, a list": lambda items: sum(1 for _ in spaseq.run(QUERY, {"s": items})),
    "run, an iterator": lambda items: sum(1 for _ in spaseq.run(QUERY, {"s": iter(items)})),
}


def in_batches(items: Items, size: int) -> int:
    """The matches of batches."""
    engine = new_engine()
    return sum(len(engine.push_batch("s", items[at : at + size])) for at in range(0, len(items), size))


def parsed(items: Items) -> Preparation:
    """Each item by itself."""

    def job() -> None:
        for _, graph in items:
            list(parse(graph, RdfFormat.N_QUADS))

    return lambda: job


def job_of(way: Way, items: Items) -> Preparation:
    def prepare() -> Job:
        return lambda: way(items)

    return prepare


def told(way: Way, items: Items) -> str:
    """What is said of a bad item, but for which it is."""
    try:
        way(items)
    except spaseq.StreamError as error:
        return spaseq.StreamError(error.message, replace(error.location, path=""), error.expected, error.hint).render()
    return "nothing"


def main(events: int = 50_000) -> None:
    """Print all figures; they end the process if one is beyond its bound."""
    items = readings(events)
    bad = [*items[:100], (items[100][0], BAD), *items[100:200]]
    for name, way in WAYS.items():
        if way(items) != pushed(items) or told(way, bad) != told(pushed, bad):
            sys.exit(f"{name} does not find, or say, what push does")
    parser = "pyoxigraph.parse, one by one"
    seconds = interleaved({parser: parsed(items), **{name: job_of(way, items) for name, way in WAYS.items()}}, ROUNDS)
    print(f"items of Python, {events:,} events of 2 triples, {pushed(items):,} matches, CPU time")
    for name, one in seconds.items():
        print(f"  {name:<46}{one / events * 1e6:8.2f} µs an event{one / seconds[parser]:8.2f} times the parser")
    if max(seconds.values()) > MOST * seconds[parser]:
        sys.exit(f"the bound is {MOST} times the parser")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
