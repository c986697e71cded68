"""Random queries on Spark, in batch and in microbatches, beside one engine: ``python -m tests.spark.agreement N SEED``.

It prints how many were compared and how many differ; its status is 1 if any does.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow

import spaseq
from spaseq.graphs.queries import Prepared
from spaseq.sources.rdf.events import Event
from spaseq.spark import finish, match
from tests.agreement.any_order import random_case, refusal
from tests.agreement.test_metamorphic import arriving, plain
from tests.oracle.generate import Pair
from tests.oracle.text import to_text
from tests.spark.session import session, stream_of, why_not
from tests.spark.test_cut import pair_of
from tests.spark.test_streaming import DELAY, drained, written
from tests.spark.whole_suite import counted, has_several_keys, in_process, table_of

BUCKETS, AT_ONCE = 4, 60  # engines of a query, queries of a job
STREAMS = "http://example.org/stream/"


def own(seed: int) -> tuple[Prepared, list[Event]]:
    """A random query with its events, on streams that no other has."""
    pair, mine = _pair(seed), f"{STREAMS}{seed}/"
    events = sorted(arriving(plain(pair)), key=lambda event: event.timestamp)
    query = spaseq.prepare(to_text(pair.query).replace(STREAMS, mine))
    read = {stream.iri for stream in query.query.streams}
    renamed = (event._replace(stream=event.stream.replace(STREAMS, mine)) for event in events)
    return query, [event for event in renamed if event.stream in read]


def _pair(seed: int) -> Pair:
    """One of five with `&&`, unless the planner refuses that one."""
    in_any_order = random_case(seed)
    return in_any_order if seed % 5 == 0 and not refusal(to_text(in_any_order.query)) else pair_of(seed)


def differences(seeds: Sequence[int]) -> dict[str, int]:
    """How many results one way has and the other has not, of a batch job and of a streaming job, with all queries."""
    found = {f"q{seed}": own(seed) for seed in seeds}
    queries = {name: query for name, (query, _) in found.items()}
    events = [event for _, some in found.values() for event in some]
    whole = [name for name, (query, some) in found.items() if has_several_keys({name: query}, {}, some, BUCKETS)]
    wanted = in_process(queries, {}, table_of(events))
    return {
        "batch": differing(in_batch(queries, table_of(events), whole), wanted),
        "streaming": differing(in_microbatches(queries, events, whole), wanted),
        "results": wanted.total(),
    }


def in_batch(queries: dict[str, Prepared], rows: pyarrow.Table, whole: Sequence[str]) -> Counter[Any]:
    """The results of a batch job; ``whole`` are queries that are not cut."""
    df = session().createDataFrame(rows.to_pandas()).repartition(3, "time")  # simultaneous ones in their order
    return counted(match(df, queries, buckets=BUCKETS, whole=whole).toArrow().to_pylist(), queries)


def in_microbatches(
    queries: dict[str, Prepared], events: Sequence[Event], whole: Sequence[str], files: int = 5
) -> Counter[Any]:
    """The results of a streaming job with so many microbatches, and of the end of its input."""
    with tempfile.TemporaryDirectory() as name:
        written(events, Path(name) / "in", files, seed=1)
        found = match(stream_of(Path(name) / "in"), queries, lateness=DELAY, buckets=BUCKETS, whole=whole)
        rows, _ = drained(found, Path(name))
        left = finish(session(), str(Path(name) / "checkpoint"), queries, buckets=BUCKETS, whole=whole)
        return counted([*rows, *left.toArrow().to_pylist()], queries)


def differing(found: Counter[Any], wanted: Counter[Any]) -> int:
    return (found - wanted).total() + (wanted - found).total()


def main(number: int, first: int) -> int:
    """Compare so many queries."""
    if reason := why_not():
        print(f"skipped: {reason}")
        return 0
    sums: Counter[str] = Counter()
    for start in range(first, first + number, AT_ONCE):
        sums.update(differences(range(start, min(start + AT_ONCE, first + number))))
    told = f"{sums['batch']} differ in batch, {sums['streaming']} in streaming"
    print(f"{number} queries, {sums['results']} results: {told}")
    return 1 if sums["batch"] or sums["streaming"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
