"""Rows, and queries that differ only in constants, in a job, beside one engine in which each runs by itself.

``python -m tests.spark.sharing N SEED`` compares so many jobs on Spark, in batch and in microbatches.  It prints how
many differ; its status is 1 if any does.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

import spaseq
from spaseq.errors import StreamError
from spaseq.graphs.queries import Prepared
from spaseq.pattern.sequences import Query
from spaseq.sources.rdf.events import Event
from spaseq.spark import finish, match
from tests.agreement.test_families import queries_of
from tests.agreement.test_metamorphic import arriving, plain
from tests.agreement.test_rules import SIZE, with_more_rows
from tests.oracle.chooser import Seeded
from tests.oracle.generate import Pair
from tests.oracle.given import GivenCase, make_case
from tests.spark.agreement import differing
from tests.spark.cutting import FOREVER, Engines
from tests.spark.session import session, stream_of, why_not
from tests.spark.test_streaming import DELAY, drained, written
from tests.spark.whole_suite import counted, rows_of, table_of

BUCKETS = 3


@dataclass(frozen=True)
class SharedCase:
    """Queries by name, the rows of the one that has parameters, and events in order of time."""

    queries: Mapping[str, str | Query]
    given: Mapping[str, list[dict[str, Any]]]
    events: list[Event]

    @cached_property
    def known(self) -> dict[str, Prepared]:
        """The queries, as results are compared by them."""
        return {name: spaseq.prepare(query) for name, query in self.queries.items()}

    def alone(self) -> Counter[Any]:
        """What an engine finds in which each query and row runs by itself."""
        engine = spaseq.Engine(lateness=FOREVER, sharing=False)
        for name, query in self.queries.items():
            engine.register(query, name, given=self.given.get(name))
        tables = [*engine.push_arrow(table_of(self.events)), *engine.close_tables()]
        return counted((row for table in tables for row in rows_of(table)), self.known)

    @cached_property
    def whole(self) -> tuple[str, ...]:
        """All queries, if some event lies in several engines."""
        job = Engines(self.queries, BUCKETS, given=self.given)
        try:
            job.push(self.events)
        except StreamError:
            return tuple(self.queries)
        return ()


def case_of(seed: int) -> SharedCase:
    """Every other one has rows, the others a query for each row."""
    chance = random.Random(seed)
    case = with_more_rows(make_case(Seeded(seed), SIZE), chance)
    events = sorted(arriving(plain(Pair(case.queries[0], case.events, frozenset()))), key=lambda event: event.timestamp)
    if " EVENTS" in case.text:  # Spark has no order of those that come at one time
        events = [event._replace(timestamp=event.timestamp + place) for place, event in enumerate(events)]
    if seed % 2:
        return SharedCase({"given": case.text}, {"given": [row_of(case, row) for row in case.rows]}, events)
    queries = queries_of(case)
    queries += chance.choices(queries, k=chance.randint(0, 4))
    return SharedCase({f"q{number}": query for number, query in enumerate(queries)}, {}, events)


def row_of(case: GivenCase, row: tuple[str, ...]) -> dict[str, Any]:
    """A row as a dictionary."""
    terms = [term if term.startswith(":") else int(term) for term in row]
    return dict(zip(case.names, terms, strict=True))


@contextmanager
def small_families() -> Iterator[None]:
    """Two queries are a family."""
    with patch("spaseq.graphs.families.LEAST", 2), patch("spaseq.spark.job_queries.LEAST", 2):
        yield


# ── on Spark ─────────────────────────────────────────────────────────────────────────────────────────────
def differences(seed: int) -> dict[str, int]:
    """How many results one way has and the other has not, of a batch job and of a streaming job."""
    case = case_of(seed)
    wanted = case.alone()
    return {
        "batch": differing(_batch(case), wanted),
        "streaming": differing(_streaming(case), wanted),
        "results": wanted.total(),
    }


def _batch(case: SharedCase) -> Counter[Any]:
    df = session().createDataFrame(table_of(case.events).to_pandas()).repartition(3)
    found = match(df, case.queries, buckets=BUCKETS, whole=case.whole, given=case.given)
    return counted(found.toArrow().to_pylist(), case.known)


def _streaming(case: SharedCase) -> Counter[Any]:
    job: dict[str, Any] = {"buckets": BUCKETS, "whole": case.whole, "given": case.given}
    with tempfile.TemporaryDirectory() as name:
        written(case.events, Path(name) / "in", 3, seed=1)
        rows, _ = drained(match(stream_of(Path(name) / "in"), case.queries, lateness=DELAY, **job), Path(name))
        left = finish(session(), str(Path(name) / "checkpoint"), case.queries, **job)
        return counted([*rows, *left.toArrow().to_pylist()], case.known)


def main(number: int, first: int) -> int:
    """Compare so many jobs; workers have families as small as here."""
    if reason := why_not():
        print(f"skipped: {reason}")
        return 0
    sums: Counter[str] = Counter()
    with small_families():
        for seed in range(first, first + number):
            sums.update(differences(seed))
    told = f"{sums['batch']} differ in batch, {sums['streaming']} in streaming"
    print(f"{number} jobs, {sums['results']} results: {told}")
    return 1 if sums["batch"] or sums["streaming"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
