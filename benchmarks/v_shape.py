"""The V shape ``p1 < p2 > p3`` per company: end to end from N-Quads, and the kernel alone.

100 companies in turn, one event of 6 triples every 10 ms, random-walk prices, a sliding window of 40 s: about 40 live
events a company.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyoxigraph

import spaseq
from benchmarks.timing import interleaved, rate
from gpm.evaluator import Evaluator
from gpm.rows import AtomRows, EventGraph
from nfa_native.words import Terms
from spaseq.datasets import workloads
from spaseq.engine.run import Run
from spaseq.languages.spaseq import parse
from spaseq.plan import Plan, compile_plan
from spaseq.streams.sources import read_source
from spaseq.streams.wire import WireOptions, WireReport

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "stocks"
BATCH = 4096


def end_to_end(stream: Path) -> Callable[[], int]:
    """Bytes to counted matches."""

    def job() -> int:
        run = Run(spaseq.parse((EXAMPLES / "v_shape.spaseq").read_text()), {"stock": str(stream)}, count_only=True)
        for _ in run.tables():
            pass
        return sum(run.counts().values())

    return job


def parse_alone(stream: Path) -> Callable[[], int]:
    """The baseline: pyoxigraph reads the same bytes and does nothing with them."""
    data = stream.read_bytes()
    return lambda: sum(1 for _ in pyoxigraph.parse(data, pyoxigraph.RdfFormat.N_QUADS))


class KernelRows:
    """The rows of a query's atoms on a stream, ready in memory, in batches."""

    def __init__(self, query: str, stream: Path) -> None:
        self.plan: Plan = compile_plan(parse((EXAMPLES / query).read_text()).query)
        self.terms = Terms()
        self.batches: list[tuple[np.ndarray, np.ndarray, list[AtomRows]]] = []
        self.rows = 0
        evaluator = Evaluator(self.terms)
        patterns = [evaluator.compile(one.pattern, one.variables) for one in self.plan.atoms]
        number = 0
        for events in read_source(str(stream), self.plan.query.streams[0].iri, WireOptions(), WireReport()):
            graphs = [EventGraph(one.triples, one.timestamp, number + i) for i, one in enumerate(events)]
            rows = evaluator.evaluate_graphs(graphs, patterns)
            times = np.array([one.timestamp for one in events], np.int64)
            self.batches.append((times, np.arange(number, number + len(events), dtype=np.uint64), rows))
            self.rows += sum(len(one.row_event) for one in rows)
            number += len(events)

    def match(self) -> int:
        """Feed all of them to a fresh matcher and count the matches."""
        matcher = self.plan.start(self.terms)
        matcher.count_only = True
        for batch in self.batches:
            matcher.feed(*batch)
        matcher.finish()
        return int(matcher.count)


def main(events: int = 100_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["stocks"].write(Path(folder), events, 1)["stock"]
        whole, alone = end_to_end(stream), parse_alone(stream)
        next_rows = KernelRows("v_shape.spaseq", stream)
        seconds = interleaved({"end to end": whole, "parse": alone, "kernel": next_rows.match})
        print(f"V shape, {events:,} events of 6 triples, {next_rows.match():,} matches, one process, CPU time")
        print(f"  end to end, bytes to matches   {rate(events, seconds['end to end']):>14} events")
        print(f"  pyoxigraph.parse alone         {rate(events, seconds['parse']):>14} events")
        print(f"  end to end / parse alone       {seconds['end to end'] / seconds['parse']:>14.2f} times its time")
        print(f"  kernel alone, rows to matches  {rate(next_rows.rows, seconds['kernel']):>14} rows")
        print(f"  kernel's share of end to end   {seconds['kernel'] / seconds['end to end']:>14.1%}")
        any_rows = KernelRows("v_shape_any.spaseq", stream)
        seconds = interleaved({"kernel": any_rows.match}, rounds=1)
        print(f"  the `:` variant, kernel alone  {rate(any_rows.rows, seconds['kernel']):>14} rows", end="")
        print(f", {any_rows.match():,} matches counted")


if __name__ == "__main__":
    main()
