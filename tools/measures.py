"""What ``tools/speed.py`` measures: each prints the CPU time of one piece of work, in microseconds.

They use what users use, so that they run with the code of any commit.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROUNDS = 9  # of which the median counts
V_SHAPE = """SELECT ?a ?b ?c WITHIN 60 SECONDS SLIDING FROM STREAM s <urn:s> WHERE { SEQ(A ; B ; C)
    DEFINE GPM A ON s { ?x <urn:key> ?k ; <urn:v> ?a FILTER(?a > 90) }
    DEFINE GPM B ON s { ?y <urn:key> ?k ; <urn:v> ?b FILTER(?b < 10) }
    DEFINE GPM C ON s { ?z <urn:key> ?k ; <urn:v> ?c FILTER(?c > ?a) } }"""
CEQL = {
    "row_pair": "SELECT * FROM S WHERE A ; B WITHIN 100 EVENTS",
    "row_partition": "SELECT * FROM S WHERE A ; B PARTITION BY [name] WITHIN 9 SECONDS",
    "row_shown": "SELECT a.price, b.price FROM S WHERE A AS a ; B AS b WITHIN 9 SECONDS",
}
Measure = Callable[[int], "tuple[Callable[[], Any], int]"]


def _graph(number: int) -> bytes:
    return f"<urn:e{number}> <urn:key> <urn:k{number % 50}> ; <urn:v> {number * 7919 % 100} .".encode()


def _lines(number: int) -> bytes:
    e = f"<urn:e{number}>"
    integer = "<http://www.w3.org/2001/XMLSchema#integer>"
    return (f'{e} <urn:key> <urn:k{number % 50}> .\n{e} <urn:v> "{number * 7919 % 100}"^^{integer} .\n').encode()


def push_bytes(count: int) -> tuple[Callable[[], Any], int]:
    """Events as N-Triples, one by one."""
    import spaseq

    engine = spaseq.Engine()
    engine.register(V_SHAPE)
    events = [_lines(n) for n in range(count)]
    state = [0]

    def work() -> None:
        first = state[0]
        for n, event in enumerate(events, first):
            engine.push("s", event, n * 100_000)
        state[0] += count

    return work, count


def push_quads(count: int) -> tuple[Callable[[], Any], int]:
    """Events as quads of pyoxigraph, one by one."""
    import pyoxigraph

    import spaseq

    engine = spaseq.Engine()
    engine.register(V_SHAPE)
    events = [list(pyoxigraph.parse(_lines(n), pyoxigraph.RdfFormat.N_QUADS)) for n in range(count)]
    state = [0]

    def work() -> None:
        first = state[0]
        for n, event in enumerate(events, first):
            engine.push("s", event, n * 100_000)
        state[0] += count

    return work, count


def push_batch(count: int) -> tuple[Callable[[], Any], int]:
    """Events as N-Triples, a hundred at once."""
    import spaseq

    engine = spaseq.Engine()
    engine.register(V_SHAPE)
    state = [0]

    def work() -> None:
        for first in range(state[0], state[0] + count, 100):
            engine.push_batch("s", [(n * 100_000, _lines(n - state[0])) for n in range(first, first + 100)])
        state[0] += count

    return work, count


def v_shape(count: int) -> tuple[Callable[[], Any], int]:
    """A file of N-Quads, read by ``run``."""
    import spaseq

    prov = "<http://www.w3.org/ns/prov#generatedAtTime>"
    place = Path(tempfile.mkdtemp()) / "s.nq"
    with place.open("wb") as file:
        for n in range(20 * count):
            instant = f"2026-01-01T{n // 36000:02}:{n // 600 % 60:02}:{n // 10 % 60:02}.{n % 10}Z"
            own = f"<urn:g{n}>"
            file.write(f'{own} {prov} "{instant}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'.encode())
            file.write(_lines(n).replace(b" .\n", f" {own} .\n".encode()))
    return lambda: sum(len(table) for table in spaseq.run(V_SHAPE, {"s": str(place)}).tables()), 20 * count


def _rows(text: str) -> Measure:
    def measure(count: int) -> tuple[Callable[[], Any], int]:
        from spaseq import tuples

        engine = tuples.Engine(time="time")
        engine.register(text)
        rows = [{"type": "ABC"[n % 3], "price": n * 7 % 11, "name": "xyz"[n % 3]} for n in range(count)]
        state = [0]

        def work() -> None:
            first = state[0]
            for n, row in enumerate(rows, first):
                engine.push([row | {"time": n * 1_000_000}])
            state[0] += count

        return work, count

    return measure


def ceql(count: int) -> tuple[Callable[[], Any], int]:
    """A table through ``match``."""
    import pyarrow

    from spaseq import tuples

    total = 200 * count
    table = pyarrow.table({
        "type": ["ABC"[n * 7 % 3] for n in range(total)], "price": [n * 7919 % 101 for n in range(total)],
        "name": ["uvwxyz"[n * 31 % 6] for n in range(total)], "time": range(0, 1000 * total, 1000),
    })  # fmt: skip
    query = "SELECT * FROM S WHERE A ; B ; C PARTITION BY [name] WITHIN 20 EVENTS"
    return lambda: tuples.match(query, table).count(), total


def csv(count: int) -> tuple[Callable[[], Any], int]:
    """CSV through ``match``, results shown."""
    from spaseq import tuples

    total = 100 * count
    text = "type,price,name\n" + "".join(f"{'ABC'[n * 7 % 3]},{n * 7919 % 101},{'uvw'[n % 3]}\n" for n in range(total))
    query = "SELECT * FROM S WHERE (A AS a ; B AS b) FILTER b[price > a.price] WITHIN 6 EVENTS"
    return lambda: sum(one.num_rows for one in tuples.match(query, io.BytesIO(text.encode()))), total


MEASURES: dict[str, Measure] = {
    "push_bytes": push_bytes, "push_quads": push_quads, "push_batch": push_batch, "v_shape": v_shape,
    **{name: _rows(text) for name, text in CEQL.items()}, "ceql": ceql, "csv": csv,
}  # fmt: skip


def main(name: str, rounds: int = ROUNDS) -> None:
    """Print the time of one piece of work, the median of some rounds."""
    if name == "--names":
        print(*MEASURES)
        return
    work, pieces = MEASURES[name](2000 if rounds == ROUNDS else 100)
    work()  # what comes once, comes now
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    print(1e6 * median(times) / pieces, pieces)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
