"""Background knowledge of 10 thousand, 100 thousand and 1 million triples: loading it, and joining events with it.

Every company has a sector and a rating; 100,000 events name random companies of the knowledge base, and the query
asks `GRAPH <kb> { ?company :sector ?s }`.  Prints seconds to load and to index, and microseconds per event, of the
whole evaluation and of the join alone, the sizes in turn.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pyoxigraph import NamedNode, Triple

from benchmarks.timing import interleaved
from gpm.algebra import Graph, Group, Iri, Triples, Variable
from gpm.algebra import Triple as TriplePattern
from gpm.background import Background
from gpm.evaluator import CompiledPattern, Evaluator
from gpm.knowledge import Knowledge, KnowledgeTable
from gpm.rows import EventGraph
from gpm.tables import Table
from gpm.terms import encode
from nfa_native.words import Terms

NS = "http://example.org/"
SIZES = (10_000, 100_000, 1_000_000)
CALL = 4000  # events handed over at once
TRADE, COMPANY, SECTOR = Variable("trade"), Variable("company"), Variable("sector")
SECTORS = Graph(Iri(NS + "kb"), Group((Triples((TriplePattern(COMPANY, Iri(NS + "sector"), SECTOR),)),)))
PATTERN = Group((Triples((TriplePattern(TRADE, Iri(NS + "company"), COMPANY),)), SECTORS))


def turtle(triples: int) -> bytes:
    """A knowledge base of two triples for each company."""
    company = "<{0}company/{1}> :sector <{0}sector/{2}> ; :rating {3} .\n"
    lines = (company.format(NS, n, n % 997, n % 100) for n in range(triples // 2))
    return f"@prefix : <{NS}> .\n{''.join(lines)}".encode()


class Prepared:
    """An evaluator next to a knowledge base, with events that name its companies."""

    def __init__(self, triples: int, events: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kb.ttl"
            path.write_bytes(turtle(triples))
            start = time.process_time()
            background = Background({NS + "kb": path})
        self.evaluator = Evaluator(Terms(), background)
        loaded = time.process_time()
        self.pattern: CompiledPattern = self.evaluator.compile(PATTERN, ("company", "sector"))
        chosen = np.random.default_rng(1).integers(0, triples // 2, events)
        self.events = [trade(number, company) for number, company in enumerate(chosen.tolist())]
        self.load_seconds = loaded - start
        self.table, self.index_seconds = self._indexed(background)
        words = [encode(self.evaluator.terms, event.triples[0].object) for event in self.events]
        self.words = np.array([words], dtype=np.uint64)

    def _indexed(self, background: Background) -> tuple[KnowledgeTable, float]:
        """The table that the query is joined with, and how long it takes to make it, with words that are all new."""
        knowledge = Knowledge(background, Terms())
        start = time.process_time()
        table = knowledge.table(SECTORS, ("company", "sector"))
        assert table is not None
        table.pairs(Table(("company",), np.zeros(1, dtype=np.uint32), np.ones((1, 1), dtype=np.uint64)))
        seconds = time.process_time() - start
        shared = Knowledge(background, self.evaluator.terms).table(SECTORS, ("company", "sector"))
        assert shared is not None
        return shared, seconds

    def evaluate(self) -> int:
        """The number of rows of all events."""
        calls = range(0, len(self.events), CALL)
        parts = (self.evaluator.evaluate_graphs(self.events[first : first + CALL], [self.pattern]) for first in calls)
        return sum(len(rows.row_event) for (rows,) in parts)

    def join(self) -> int:
        """The number of rows of the join alone, of words that are ready in memory."""
        count = 0
        for first in range(0, self.words.shape[1], CALL):
            words = self.words[:, first : first + CALL]
            left = Table(("company",), np.arange(words.shape[1], dtype=np.uint32), words)
            count += len(self.table.combined(left, *self.table.pairs(left)).events)
        return count


def trade(number: int, company: int) -> EventGraph:
    """An event that names a company."""
    subject, object_ = NamedNode(f"{NS}trade/{number}"), NamedNode(f"{NS}company/{company}")
    return EventGraph([Triple(subject, NamedNode(NS + "company"), object_)], number, number)


def main(events: int = 100_000) -> None:
    """Print all figures."""
    prepared = {f"{size:,}": Prepared(size, events) for size in SIZES}
    whole = interleaved({name: one.evaluate for name, one in prepared.items()}, rounds=5)
    join = interleaved({name: one.join for name, one in prepared.items()}, rounds=9)
    print(f"{events:,} events joined with background knowledge, one process, CPU time")
    print(f"{'triples':>12}{'load s':>9}{'index s':>9}{'µs/event':>10}{'× least':>9}{'join alone':>12}{'× least':>9}")
    for name, one in prepared.items():
        print(
            f"{name:>12}{one.load_seconds:9.2f}{one.index_seconds:9.2f}"
            f"{whole[name] / events * 1e6:10.2f}{whole[name] / min(whole.values()):9.2f}"
            f"{join[name] / events * 1e6:12.3f}{join[name] / min(join.values()):9.2f}"
        )


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
