"""The V shape ``p1 < p2 > p3`` per company: end to end from N-Quads, and the kernel alone.

100 companies in turn, one event of 6 triples every 10 ms, random-walk prices, a sliding window of 40 s: about 40 live
events a company.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import spaseq
from benchmarks.patterns import parse_alone
from benchmarks.timing import Job, Preparation, interleaved, rate
from gpm.evaluator import Evaluator
from gpm.rows import AtomRows
from nfa_native.terms.dictionary import Terms
from spaseq.datasets import workloads
from spaseq.graphs.graph_run import Run
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.sources.rdf.files import read_source
from spaseq.sources.rdf.wire import WireOptions, WireReport

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "stocks"


def end_to_end(stream: Path) -> Preparation:
    """Bytes to counted matches; the query is registered before."""

    def prepare() -> Job:
        run = Run(spaseq.parse((EXAMPLES / "v_shape.spaseq").read_text()), {"stock": str(stream)}, count_only=True)

        def job() -> int:
            for _ in run.tables():
                pass
            return sum(run.counts().values())

        return job

    return prepare


class Stages:
    """A query's run taken apart: CPU seconds of reading, of matching graph patterns, and of the kernel.

    The rows stay in memory, so that ``match`` can feed them again.
    """

    def __init__(self, query: str, stream: Path) -> None:
        self.plan: Plan = compile_plan(parse((EXAMPLES / query).read_text()).query)
        self.terms = Terms()
        self.batches: list[tuple[np.ndarray, np.ndarray, list[AtomRows]]] = []
        self.rows = 0
        self.reading = self.matching = 0.0
        evaluator = Evaluator(self.terms)
        patterns = [evaluator.compile(one.pattern, one.variables) for one in self.plan.atoms]
        number = 0
        iri = self.plan.query.streams[0].iri
        source = read_source(str(stream), iri, WireOptions(), WireReport(), evaluator.encoder)
        while True:
            started = time.process_time()
            events = next(source, None)
            self.reading += time.process_time() - started
            if events is None:
                break
            started = time.process_time()
            rows = evaluator.evaluate(events.graphs, patterns)
            self.matching += time.process_time() - started
            self.batches.append((events.times, np.arange(number, number + len(events), dtype=np.uint64), rows))
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
        whole, alone = end_to_end(stream), parse_alone(stream.read_bytes())
        stages = Stages("v_shape.spaseq", stream)
        seconds = interleaved({"end to end": whole, "parse": alone, "kernel": lambda: stages.match}, rounds=5)
        print(f"V shape, {events:,} events of 6 triples, {stages.match():,} matches, one process, CPU time")
        print(f"  end to end, bytes to matches   {rate(events, seconds['end to end']):>14} events")
        print(f"  pyoxigraph.parse alone         {rate(events, seconds['parse']):>14} events")
        print(f"  parse alone / end to end       {seconds['parse'] / seconds['end to end']:>14.2f} times its time")
        print(f"  kernel alone, rows to matches  {rate(stages.rows, seconds['kernel']):>14} rows")
        split(events, seconds["end to end"], [Stages("v_shape.spaseq", stream) for _ in range(3)], seconds["kernel"])
        any_rows = Stages("v_shape_any.spaseq", stream)
        seconds = interleaved({"kernel": lambda: any_rows.match}, rounds=1)
        print(f"  the `:` variant, kernel alone  {rate(any_rows.rows, seconds['kernel']):>14} rows", end="")
        print(f", {any_rows.match():,} matches counted")


def split(events: int, whole: float, runs: list[Stages], kernel: float) -> None:
    """Print where the time of an event goes."""
    parts = {
        "reading: tokens, grouping, encoding": statistics.median(run.reading for run in runs),
        "graph patterns": statistics.median(run.matching for run in runs),
        "kernel": kernel,
    }
    parts["the rest: batches, order, results"] = max(0.0, whole - sum(parts.values()))
    print("  cost of an event in µs, and its share")
    for name, seconds in parts.items():
        print(f"    {name:<36}{seconds / events * 1e6:8.2f}  {seconds / whole:6.1%}")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
