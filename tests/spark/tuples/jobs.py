"""Jobs with queries in CEQL without Spark, and what one run over all rows gives, both as values that compare."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow
import pyarrow.csv
from pyspark.sql.pandas.types import from_arrow_schema

from spaseq.spark.engine_stage import evaluate
from spaseq.spark.jobs import EngineJob
from spaseq.spark.log import LiveEngines, LoggedEngine, Report
from spaseq.spark.tuples.job import TupleJob
from spaseq.spark.tuples.matching import tuple_job
from spaseq.tuples import match
from spaseq.tuples.parameter_rows import with_rows
from spaseq.tuples.queries import Prepared, ReadingOptions, prepare
from tests.cli.conftest import ROOT
from tests.oracle.ceql.generate import Pair
from tests.oracle.ceql.text import to_text
from tests.spark.streaming import DictStore
from tests.tuples.aggregated import text_of
from tests.tuples.pushed import SCHEMA, rows

Found = Counter[Any]
EXAMPLES = sorted((ROOT / "examples" / "tuples").glob("*.ceql"))
ROWS = SCHEMA.append(pyarrow.field("id", pyarrow.int64()))


def job_of(text: str, schema: pyarrow.Schema = ROWS, buckets: int = 3, **options: Any) -> TupleJob:
    """A job on rows with the types and times of ``tests.tuples.pushed``."""
    whole, given, sharing = options.pop("whole", False), options.pop("given", None), options.pop("sharing", True)
    reading, query = ReadingOptions(**{"time": "time"} | options), with_rows(prepare(text), given)
    return tuple_job(from_arrow_schema(schema), query, reading, buckets, whole, 2, sharing=sharing)


def query_of(pair: Pair) -> str:
    return text_of(pair.query) if pair.query.aggregates else to_text(pair.query)


def table_of(pair: Pair) -> pyarrow.Table:
    """The rows of a pair, numbered."""
    return pyarrow.Table.from_pylist([row | {"id": number} for number, row in enumerate(rows(pair.events))], ROWS)


def trades() -> pyarrow.Table:
    """The trades of the examples, in the columns of random pairs, each at a time of its own.

    Spark has no order of rows that come at one time.
    """
    given = pyarrow.csv.read_csv(EXAMPLES[0].parent / "trades.csv").to_pylist()
    times = [int(row["time"].timestamp() * 1_000_000) + number for number, row in enumerate(given)]
    rows = [row | {"id": number, "time": time} for number, (row, time) in enumerate(zip(given, times, strict=True))]
    return pyarrow.Table.from_pylist(rows, ROWS)


def sifted(job: EngineJob, tables: Iterable[pyarrow.Table], ticks: bool = False) -> list[dict[str, Any]]:
    batches = (batch for table in tables for batch in table.to_batches())
    return [row for found in job.sift(batches, ticks) for row in found.to_pylist()]


def in_batch(job: TupleJob, tables: Sequence[pyarrow.Table]) -> list[dict[str, Any]]:
    """What the job gives for rows that came in several tasks."""
    packed = [batch for table in tables for batch in job.sift(iter(table.to_batches()))]
    if not packed:
        return []
    shuffled = pyarrow.Table.from_batches(packed).sort_by([(name, "ascending") for name in ("label", "first", "last")])
    return [row for found in evaluate(job, shuffled.to_batches()) for row in found.to_pylist()]


@dataclass
class JobCluster:
    """Some workers, any of which may be given an engine; now and then one dies."""

    job: EngineJob
    chance: random.Random
    late: int = 0

    def __post_init__(self) -> None:
        self.stores = {label: DictStore() for label in self.job.labels}
        self.workers = [LiveEngines() for _ in range(2)]
        self.how: list[str] = []
        self.events = 0
        self.late_by_stream: Counter[str] = Counter()
        self.late_rows: list[dict[str, Any]] = []

    def batch(self, table: pyarrow.Table, watermark: int) -> Iterator[dict[str, Any]]:
        """One microbatch, with the watermark that Spark promises in it."""
        given = sifted(self.job, [table])
        for number, label in enumerate(self.job.labels):
            if self.chance.random() < 0.2:
                self.chance.choice(self.workers).clear()
            report, store = Report(), self.stores[label]
            rows = [row["data"] for row in given if row["label"] == label]
            for found in self._engine(number, label).step(rows, watermark, store, report):
                yield from found.to_pylist()
            self.how.append(report.how)
            self.late += sum(report.late.values())
            self.late_by_stream.update(report.late)
            self.late_rows += [row for late in report.late_rows for row in late.to_pylist()]
            self.events += report.events

    def finish(self) -> Iterator[dict[str, Any]]:
        """What an ended input left."""
        for number, label in enumerate(self.job.labels):
            for found in self._engine(number, label).finish():
                yield from found.to_pylist()

    def _engine(self, number: int, label: int) -> LoggedEngine:
        return LoggedEngine(self.job, number, self.stores[label], self.chance.choice(self.workers), "run")


# ── results that compare ─────────────────────────────────────────────────────────────────────────────────
def is_free(query: Prepared) -> bool:
    """Whether it is free which results of an end are given."""
    return query.query.strategy.value == "ANY" or query.query.limit is not None


def counted(found: Iterable[dict[str, Any]], query: Prepared) -> Found:
    """Rows of a job: times, and the rows that variables hold by ``id``, or aggregates."""
    count = 1 if query.query.aggregates else 2
    return Counter(seen(list(row.values())[:count], dict(list(row.items())[count:]), query) for row in found)


def seen(times: Sequence[Any], shown: dict[str, Any], query: Prepared) -> Any:
    """A result; which one of several is free where the query does not say so."""
    if is_free(query):
        return times[-1]
    if query.query.aggregates:
        return *times, *map(str, shown.values())
    held = {name: _compared(value) for name, value in shown.items()}
    if query.query.projected:
        return *times, () if query.plan.automaton.ambiguous else str(held)
    constants = {name: value for name, value in held.items() if not isinstance(value, tuple)}
    picked = tuple(sorted({one for some in held.values() if isinstance(some, tuple) for one in some}))
    told = constants if query.plan.automaton.ambiguous else held
    return *times, picked, tuple(sorted((name, str(value)) for name, value in told.items()))


def _compared(value: Any) -> Any:
    """Rows by ``id``, and lists, as values that compare."""
    return tuple(one["id"] if isinstance(one, dict) else one for one in value) if isinstance(value, list) else value


def in_process(text: str, table: pyarrow.Table) -> Found:
    """What ``tuples.match`` gives for the rows in the order of their times, in the same form."""
    ordered = table.take(pyarrow.array(sorted(range(len(table)), key=lambda place: table["time"][place].as_py())))
    given, query = ordered.to_pylist(), prepare(text)
    result, found = match(query, ordered, time="time"), []
    for row in result.to_arrow().to_pylist():
        columns = list(row.values())
        ends = columns[:1] if query.query.aggregates else columns[:2]
        shown = dict(list(row.items())[1 if query.query.aggregates else 3 :])
        if not query.query.aggregates:
            shown = {
                name: [given[place] for place in value] if name in result.variables else value
                for name, value in shown.items()
            }
        found.append(seen([instant(given[place]["time"]) for place in ends], shown, query))
    return Counter(found)


def instant(time: int) -> Any:
    return pyarrow.scalar(time, pyarrow.timestamp("us", "UTC")).as_py()
