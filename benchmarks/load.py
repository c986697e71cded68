"""A bound on latency while events come faster than exact evaluation bears: do results come in time, and how many?

Events of SHARP's DS2 come at their times on the wall clock, at a part or a multiple of the rate at which exact
evaluation would be busy without a pause; a driver pushes what has come as soon as what came before is done.  The query
has few matches for its work, so that results are no part of it: ``A : B:+ : E : F`` with a sum of two in F, less 140.
Latency is that from when an event should have come to when its results are there; recall is beside exact evaluation of
the same events.  Then a burst of ten times the rate ends, and it is counted what is left out two windows later.

Run: ``python -m benchmarks.load [events]`` (``make bench-bound`` has it, too), on a machine that does nothing else.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.bound import DS2
from spaseq import Bound, Engine

WINDOW, LATENCY, LOADS = 2000, 0.1, (0.2, 2.0, 10.0)
SLOW = 20_000  # events that come more slowly than they could
TOGETHER = 256  # events of a batch, where latency is not asked for
GPMS = "".join(
    f" DEFINE GPM {name} ON s {{ ?{name.lower()} <urn:{name}> ?{name.lower()}x ; <urn:id> ?id {given} }}"
    for name, given in {"A": "", "B": "", "E": "", "F": "FILTER(?ax + SUM(?bx) < ?ex + ?fx - 140)"}.items()
)
QUERY = f"SELECT * WITHIN {WINDOW} EVENTS SLIDING FROM STREAM s <urn:s> WHERE {{ SEQ(A : B:+ : E : F){GPMS} }}"
INTEGER = '"{{{}}}"^^<http://www.w3.org/2001/XMLSchema#integer>'
TRIPLES = f"<urn:e> <urn:{{kind}}> {INTEGER.format('value')} .\n<urn:e> <urn:id> {INTEGER.format('id')} .\n"
Item = tuple[int, bytes]


def items(events: int) -> list[Item]:
    """Events with their times, a millisecond apart."""
    columns = DS2.columns(events)
    kinds, ids, values = (columns[name].tolist() for name in ("kind", "id", "x"))
    return [
        (1000 * number, TRIPLES.format(kind=DS2.kinds[kind], value=value, id=one).encode())
        for number, (kind, one, value) in enumerate(zip(kinds, ids, values, strict=True))
    ]


def engine(bound: Bound | None) -> Engine:
    """One with the query."""
    made = Engine(bound=bound)
    made.register(QUERY, "sums")
    return made


@dataclass(frozen=True, slots=True)
class Exact:
    """Without a bound: matches, and seconds an event."""

    matches: int
    each: float


def exactly(came: Sequence[Item]) -> Exact:
    """All of them, as fast as can be."""
    made, found, started = engine(None), 0, time.perf_counter()
    for first in range(0, len(came), TOGETHER):
        found += len(made.push_batch("urn:s", came[first : first + TOGETHER]))
    return Exact(found, (time.perf_counter() - started) / len(came))


def paced(made: Engine, came: Sequence[Item], apart: float) -> tuple[int, NDArray[np.float64]]:
    """How many matches are found of events so many seconds apart, and the latency of each event."""
    latencies, found, first = np.empty(len(came)), 0, 0
    started = time.perf_counter()
    while first < len(came):
        last = min(int((time.perf_counter() - started) / apart) + 1, len(came))
        if last <= first:
            time.sleep(max(0.0, first * apart - (time.perf_counter() - started)))
            continue
        found += len(made.push_batch("urn:s", came[first:last]))
        latencies[first:last] = time.perf_counter() - started - apart * np.arange(first, last)
        first = last
    return found, latencies


def told(load: float, came: Sequence[Item], exact: Exact) -> str:
    """A line for a load."""
    made = engine(Bound(latency=timedelta(seconds=LATENCY)))
    found, latencies = paced(made, came, exact.each / load)
    half, p99 = (float(np.quantile(latencies, part)) for part in (0.5, 0.99))
    times = ", ".join(
        f"{name} {1e3 * one:.1f}" for name, one in (("p50", half), ("p99", p99), ("max", latencies.max()))
    )
    units = made.statistics()["queries"]["sums"]["bound"]["work"] / len(came)
    return (
        f"load {load:4.1f}  recall {found / exact.matches:.3f}   latency {times} ms   "
        f"p99 / bound {p99 / LATENCY:.2f}   {units:,.0f} units an event"
    )


def after_a_burst(came: Sequence[Item], exact: Exact) -> str:
    """How many steps are left out while events come ten times too fast, within two windows after it, and later."""
    made, counts = engine(Bound(latency=timedelta(seconds=LATENCY))), [0]
    third = len(came) // 3
    edges = [0, third, third + 2 * WINDOW, len(came)]
    for (start, end), load in zip(pairwise(edges), (10.0, 0.1, 0.1), strict=True):
        paced(made, came[start:end], exact.each / load)
        counts.append(sum(one["worth_too_little"] + one["no_room"] for one in dropped(made)))
    burst, windows, later = (after - before for before, after in pairwise(counts))
    return f"burst     {burst:,} steps left out within it, {windows:,} within two windows after it, {later:,} later"


def dropped(made: Engine) -> Sequence[dict[str, int]]:
    """What was left out, by state."""
    found: Sequence[dict[str, int]] = made.statistics()["queries"]["sums"]["bound"]["dropped"]
    return found


def main(arguments: Sequence[str]) -> None:
    """Print all figures."""
    came = items(int(arguments[0]) if arguments else 150_000)
    gc.collect()
    gc.freeze()  # else the garbage collector looks at all events now and then, which takes a part of the bound
    exactly(came[:SLOW])  # to warm up
    exact = exactly(came)
    cost, bound = exact.each * 1e6, LATENCY * 1e3
    print(f"{len(came):,} events, {exact.matches:,} matches, exact {cost:.1f} µs an event, bound {bound:.0f} ms")
    for load in LOADS:
        some = came if load > 1 else came[:SLOW]
        print(told(load, some, exact if load > 1 else exactly(some)), flush=True)
    print(after_a_burst(came[:15_000], exact))


if __name__ == "__main__":
    main(sys.argv[1:])
