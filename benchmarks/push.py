"""Events pushed one by one: CPU of a push beside that of ``pyoxigraph.parse`` of the same event.

Events of six triples as ``spaseq generate stocks`` makes them, the V shape of examples/stocks; what no event concerns
are V shapes of other predicates.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import rdflib
from pyoxigraph import DefaultGraph, Quad, RdfFormat, Triple, parse, serialize

import spaseq
from benchmarks.timing import Job, Preparation, interleaved
from spaseq.datasets import workloads
from spaseq.languages.spaseq import ParsedQuery
from spaseq.sources.rdf.wire import from_literal

V_SHAPE = (Path(__file__).resolve().parent.parent / "examples" / "stocks" / "v_shape.spaseq").read_text()
STOCK = "https://spaseq.org/ontology/stock#"
KB = "https://spaseq.org/kb/stock"
SECTOR = f"GRAPH <{KB}> {{ ?company stock:sector ?sector }}"
IN_A_SECTOR = V_SHAPE.replace("stock:price ?p1 .", f"stock:price ?p1 . {SECTOR}")
COMPANIES = 100
Graph = bytes | list[Quad] | rdflib.Graph
Events = list[tuple[int, Graph]]


def stock_events(count: int) -> list[tuple[int, list[Quad]]]:
    """Time and quads of each event."""
    with tempfile.TemporaryDirectory() as folder:
        data = workloads()["stocks"].write(Path(folder), count, 1)["stock"].read_bytes()
    quads = list(parse(data, RdfFormat.N_QUADS))
    times = {quad.subject: from_literal(quad.object) for quad in quads if quad.graph_name == DefaultGraph()}
    named = [quad for quad in quads if quad.graph_name != DefaultGraph()]
    return [(times[name], list(some)) for name, some in groupby(named, key=lambda quad: quad.graph_name)]


def as_bytes(quads: Iterable[Quad] | Iterable[Triple]) -> bytes:
    found = serialize(quads, format=RdfFormat.N_QUADS)
    assert found is not None
    return found


def as_rdflib(quads: Iterable[Quad]) -> rdflib.Graph:
    graph = rdflib.Graph()
    return graph.parse(data="".join(f"{quad.triple} .\n" for quad in quads), format="nt")


def longer(seconds: int) -> str:
    """The V shape in another window."""
    return V_SHAPE.replace("40 SECONDS", f"{40 + seconds} SECONDS")


@cache
def elsewhere(number: int) -> ParsedQuery:
    """A V shape that no event concerns."""
    return spaseq.parse(V_SHAPE.replace(STOCK, f"https://example.org/market{number}#"))


def pushing(
    queries: Sequence[str | ParsedQuery], events: Events, background: dict[str, Any] | None = None
) -> Preparation:
    """Push all events but a first one, which makes what the queries need, to a fresh engine."""

    def prepare() -> Job:
        engine = spaseq.Engine(background)
        for query in queries:
            engine.register(query)
        (time, graph), *others = events
        engine.push("stock", graph, time)

        def job() -> int:
            return sum(len(engine.push("stock", graph, time)) for time, graph in others)

        return job

    return prepare


def parsing(events: Events) -> Preparation:
    """Parse the bytes of all events but the first, one by one."""

    def job() -> None:
        for _, data in events[1:]:
            assert isinstance(data, bytes)
            list(parse(data, RdfFormat.N_QUADS))

    return lambda: job


def jobs(count: int) -> dict[str, Preparation]:
    """What is measured, by its name."""
    quads: Any = stock_events(count + 1)
    forms: dict[str, Callable[[Any], Graph]] = {"bytes": as_bytes, "quads": list, "rdflib.Graph": as_rdflib}
    companies = ((f"https://spaseq.org/data/stock/company/{n}", f"urn:sector:{n % 10}") for n in range(COMPANIES))
    sectors = "".join(f"<{company}> <{STOCK}sector> <{sector}> .\n" for company, sector in companies)
    found: dict[str, Preparation] = {}
    for name, form in forms.items():
        events: Events = [(time, form(some)) for time, some in quads]
        if name == "bytes":
            found["pyoxigraph.parse"] = parsing(events)
        found[f"{name}, one query"] = pushing([V_SHAPE], events)
        found[f"{name}, three queries"] = pushing([longer(n) for n in range(3)], events)
        found[f"{name}, 1,000 queries, 999 not concerned"] = pushing(
            [V_SHAPE, *(elsewhere(n) for n in range(999))], events
        )
        found[f"{name}, one query with a knowledge base"] = pushing([IN_A_SECTOR], events, {KB: sectors.encode()})
    return found


def main(events: int = 2_000) -> None:
    """Print all figures."""
    seconds = interleaved(jobs(events))
    alone = seconds["pyoxigraph.parse"]
    print(f"pushed one by one, {events:,} events of 6 triples, CPU time")
    for name, one in seconds.items():
        print(f"  {name:<46}{one / events * 1e6:8.1f} µs a push{one / alone:8.1f} times pyoxigraph.parse")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
