"""Background knowledge of 10 thousand, 100 thousand and 1 million triples: loading it, and joining events with it.

Every company has a sector and a rating.  The query joins each event with the sector of its company, a random one of the
knowledge base: `?q stock:company ?company . GRAPH <kb> { ?company :sector ?sector }`.  Prints seconds to load and to
index, and microseconds per event, from bytes to rows, the sizes in turn.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Job, interleaved
from gpm.algebra import Graph, Group, Iri, Triple, Triples, Variable
from gpm.background import BackgroundGraphs
from gpm.evaluator import Evaluator
from nfa_native.terms.dictionary import Terms
from spaseq.datasets import workloads
from spaseq.streams import WireOptions, WireReport, read_source

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 7
COMPANY = "https://spaseq.org/data/stock/company/"
KB = "http://example.org/"
JOINED = Group(
    (
        Triples((Triple(Variable("q"), Iri("https://spaseq.org/ontology/stock#company"), Variable("company")),)),
        Graph(Iri(KB), Group((Triples((Triple(Variable("company"), Iri(KB + "sector"), Variable("sector")),)),))),
    )
)


def turtle(triples: int) -> bytes:
    """A knowledge base of two triples for each company."""
    line = f"<{COMPANY}{{0}}> :sector <{KB}sector/{{1}}> ; :rating {{2}} .\n"
    return f"@prefix : <{KB}> .\n{''.join(line.format(n, n % 997, n % 100) for n in range(triples // 2))}".encode()


class Prepared:
    """An evaluator next to a knowledge base of that many triples, and a stream whose events name its companies."""

    def __init__(self, folder: Path, triples: int, stocks: bytes) -> None:
        knowledge, self.stream = folder / f"{triples}.ttl", folder / f"{triples}.nq"
        knowledge.write_bytes(turtle(triples))
        companies = random.Random(1)
        named = re.compile(re.escape(COMPANY.encode()) + rb"\d+")
        self.stream.write_bytes(named.sub(lambda _: f"{COMPANY}{companies.randrange(triples // 2)}".encode(), stocks))
        start = time.process_time()
        background = BackgroundGraphs({KB: knowledge})
        self.load_seconds = time.process_time() - start
        self.evaluator = Evaluator(Terms(), background)
        start = time.process_time()
        self.patterns = [self.evaluator.compile(JOINED, ("company", "sector"))]
        self.index_seconds = time.process_time() - start

    def rows(self) -> int:
        """Bytes to rows, which are counted."""
        source = read_source(str(self.stream), "urn:s", WireOptions(), WireReport(), self.evaluator.encoder)
        found = (self.evaluator.evaluate(events.graphs, self.patterns) for events in source)
        return sum(len(rows.row_event) for (rows,) in found)

    def ready(self) -> Job:
        """Everything is prepared."""
        return self.rows


def main(events: int = 100_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as name:
        stocks = workloads()["stocks"].write(Path(name), events, 1)["stock"].read_bytes()
        prepared = {f"{size:,}": Prepared(Path(name), size, stocks) for size in SIZES}
        for one in prepared.values():  # indexes are made when they are first probed
            assert one.rows() == events
        seconds = interleaved({size: one.ready for size, one in prepared.items()}, ROUNDS)
    least = min(seconds.values())
    print(f"{events:,} events of 6 triples joined with background knowledge, bytes to rows, one process, CPU time")
    print(f"{'triples':>12}{'load s':>9}{'encode s':>10}{'µs/event':>10}{'× least':>9}")
    for size, one in prepared.items():
        print(
            f"{size:>12}{one.load_seconds:9.2f}{one.index_seconds:10.2f}"
            f"{seconds[size] / events * 1e6:10.2f}{seconds[size] / least:9.2f}"
        )


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
