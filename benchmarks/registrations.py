"""Memory and CPU time while queries, or rows of one, come and go: each is another one, and is forgotten.

Run: ``python -m benchmarks.registrations [REGISTRATIONS] [NAME …]``, see ``WAYS``.  The exit code is 1 if in the second
half the memory was more than a tenth above or below what it was in its beginning.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count

from benchmarks.memory import resident
from spaseq import Engine, tuples

MOST = 1.1
SAMPLES = 20
FED = 10  # every so many queries see rows
QUERY = """
    SELECT ?s ?a ?b WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {{ SEQ(A ; B)
      DEFINE GPM A ON s {{ ?e <urn:p{0}> ?s ; <urn:value> ?a FILTER(?a > {0}.5 && ?s != <urn:x{0}>) }}
      DEFINE GPM B ON s {{ ?f <urn:p{0}> ?s ; <urn:name> "n{0}" ; <urn:value> ?b FILTER(REGEX(STR(?s), "{0}")) }} }}"""
EVENT = "<urn:e{0}> <urn:p{0}> <urn:s{0}> .\n<urn:e{0}> <urn:value> 5000000.5 .\n"
ROWS = """
    SELECT * WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> GIVEN ?name ?limit WHERE { SEQ(A ; B)
      DEFINE GPM A ON s { ?e <urn:name> ?name ; <urn:value> ?a FILTER(?a > ?limit) }
      DEFINE GPM B ON s { ?f <urn:name> ?name ; <urn:value> ?b FILTER(?b < ?limit) } }"""
ROW_EVENT = '<urn:e{0}> <urn:name> "n{0}" ; <urn:value> 5000000.5 .'
CEQL = "SELECT * FROM S WHERE A{0} AS x ; B AS y FILTER x[value > {0}] AND y[name = 'n{0}'] WITHIN 10 SECONDS"


def of_graphs() -> Iterator[None]:
    """One more query of SPAseq, beside one that stays."""
    engine = Engine()
    engine.register(QUERY.format("0000000"), "stays")
    for number in count(1):
        name = engine.register(QUERY.format(number), "goes")
        if number % FED == 0:
            engine.push("s", EVENT.format(number).encode(), number)
        engine.unregister(name)
        yield


def of_tuples() -> Iterator[None]:
    """One more query in CEQL, beside one that stays."""
    engine = tuples.Engine(type="type", time="time")
    engine.register(CEQL.format(0), "stays")
    for number in count(1):
        name = engine.register(CEQL.format(number), "goes")
        if number % FED == 0:
            engine.push([{"type": f"A{number}", "time": number, "value": number + 1, "name": f"n{number}"}])
        engine.unregister(name)
        yield


def of_rows() -> Iterator[None]:
    """One more row of parameters, beside a hundred; the oldest goes."""
    engine = Engine()
    engine.register(ROWS, "stays", given=[])
    given = engine.given("stays")
    for number in count(1):
        given.add([{"name": f"n{number}", "limit": number}])
        if number > 100:
            given.remove([{"name": f"n{number - 100}", "limit": number - 100}])
        if number % FED == 0:
            engine.push("s", ROW_EVENT.format(number).encode(), number * 1_000_000)
        yield


WAYS: dict[str, Callable[[], Iterator[None]]] = {"of graphs": of_graphs, "of tuples": of_tuples, "of rows": of_rows}


def is_flat(name: str, registrations: int) -> bool:
    """Print what is measured; whether memory was flat in the second half."""
    print(f"registrations {name}: {registrations:,} queries that come and go; resident memory, CPU time")
    samples, begun, way = [], time.process_time(), WAYS[name]()
    for number in range(1, registrations + 1):
        next(way)
        if number * SAMPLES // registrations > (number - 1) * SAMPLES // registrations:
            samples.append(resident(os.getpid()))
            print(f"  {number:>12,} {samples[-1]:8.1f} MB {time.process_time() - begun:8.1f} s", flush=True)
    half = samples[len(samples) // 2 :]
    most, least = max(half) / half[0], min(half) / half[0]
    print(f"  second half: memory from {least:.3f} to {most:.3f} of that in its beginning", flush=True)
    return most <= MOST and least >= 1 / MOST


def main(*arguments: str) -> int:
    """0 if memory was flat."""
    numbers = [int(one) for one in arguments if one.isdigit()]
    names = [one for one in arguments if not one.isdigit()]
    return int(not min([is_flat(name, *(numbers or [200_000])) for name in names or WAYS]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
