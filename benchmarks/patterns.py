"""Graph patterns from bytes to rows, beside pyoxigraph: parsing alone, and parse, Store and query for each event.

100,000 events of 6 triples (and their times), whose bytes are in memory for all of them, one process, CPU time.
Run: ``python -m benchmarks.patterns [events]``.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import cast

import pyoxigraph
from pyoxigraph import QuerySolutions, RdfFormat, Store

from benchmarks.timing import Job, Preparation, interleaved, rate
from gpm.evaluator import Evaluator
from nfa_native.terms.dictionary import Terms
from spaseq.datasets import workloads
from spaseq.languages.spaseq import parse
from spaseq.pattern.sequences import Query
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.nquads import read_nquads
from spaseq.streams import WireOptions, WireReport

STOCK = "https://spaseq.org/ontology/stock#"
PATTERNS = {
    "2 triples, numeric filter": "?q stock:company ?company ; stock:price ?price . FILTER(?price > 60)",
    "star of 5": "?q a stock:Quote ; stock:company ?company ; stock:price ?price ; stock:volume ?volume ; "
    "stock:exchange ?exchange .",
}
FEW = 5_000  # events that are enough to know the slow way's cost


def query_of(pattern: str) -> Query:
    """A query of one graph pattern."""
    text = (
        f"PREFIX stock: <{STOCK}> SELECT * WITHIN 1 SECONDS SLIDING FROM STREAM s <urn:s> "
        f"WHERE {{ SEQ(A) DEFINE GPM A ON s {{ {pattern} }} }}"
    )
    return parse(text).query


def natively(data: bytes, pattern: str) -> Preparation:
    """Bytes to rows in this engine; the pattern is compiled before."""
    atom = query_of(pattern).atoms[0]

    def prepare() -> Job:
        evaluator = Evaluator(Terms())
        compiled = [evaluator.compile(atom.pattern, tuple(name for name in atom.variables if name != "q"))]
        assembler = EventAssembler("urn:s", WireOptions(), WireReport(), evaluator.encoder)
        source = read_nquads(io.BytesIO(data), "memory", assembler)
        return lambda: sum(
            len(rows.row_event) for events in source for rows in evaluator.evaluate(events.graphs, compiled)
        )

    return prepare


def event_by_event(data: bytes, pattern: str, count: int) -> Preparation:
    """What one would write with pyoxigraph: parse, a fresh Store, query."""
    lines = data.splitlines(keepends=True)[: 7 * count]
    texts = [b"".join(lines[7 * n : 7 * n + 7]) for n in range(count)]
    names = " ".join(f"?{name}" for name in query_of(pattern).atoms[0].variables if name != "q")
    query = f"PREFIX stock: <{STOCK}> SELECT {names} {{ GRAPH ?g {{ {pattern} }} }}"

    def job() -> int:
        rows = 0
        for text in texts:
            store = Store()
            store.extend(pyoxigraph.parse(text, RdfFormat.N_QUADS))
            rows += len(list(cast(QuerySolutions, store.query(query))))
        return rows

    return lambda: job


def parse_alone(data: bytes) -> Preparation:
    """pyoxigraph reads the same bytes and does nothing with them."""
    return lambda: lambda: sum(1 for _ in pyoxigraph.parse(data, RdfFormat.N_QUADS))


def main(events: int = 100_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        data = workloads()["stocks"].write(Path(folder), events, 1)["stock"].read_bytes()
    few = min(FEW, events)
    jobs: dict[str, Preparation] = {"parse": parse_alone(data)}
    for name, pattern in PATTERNS.items():
        jobs[name] = natively(data, pattern)
        jobs[f"{name}, event by event"] = event_by_event(data, pattern, few)
    seconds = interleaved(jobs, rounds=5)
    parse_event = seconds["parse"] / events
    print(f"bytes in memory to rows, {events:,} events of 6 triples, one process, CPU time")
    print(f"  {'pyoxigraph.parse alone':<28}{rate(events, seconds['parse']):>14} events")
    for name in PATTERNS:
        event, slow = seconds[name] / events, seconds[f"{name}, event by event"] / few
        print(f"  {name:<28}{rate(events, seconds[name]):>14} events, {jobs[name]()():,} rows")
        print(f"  {'':<28}{slow / event:>14.0f} times pyoxigraph per event ({slow * 1e6:.1f} µs)")
        print(f"  {'':<28}{parse_event / event:>14.1f} times parsing alone")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
