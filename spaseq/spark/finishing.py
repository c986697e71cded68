"""``finish``: what an ended input has left in the state of a streaming job."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.graphs.background import Background, BackgroundSources, Entail, read_background
from spaseq.graphs.graph_run import Queries
from spaseq.results.arrow import Types
from spaseq.spark.batch import told
from spaseq.spark.executors import carried
from spaseq.spark.jobs import Batches, EngineJob
from spaseq.spark.log import LiveEngines, LoggedEngine, is_of
from spaseq.spark.map_stage import NOBODY
from spaseq.spark.matching import job_of
from spaseq.spark.shards import numbers_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

META = -1  # the number of the row with the meta data, before the entries of a log
Kept: TypeAlias = "tuple[int, int, bytes]"  # label, number, data


def finish(
    spark: SparkSession,
    checkpoint: str,
    queries: Queries,
    background: BackgroundSources | Background | None = None,
    entail: Entail = (),
    buckets: int | None = None,
    whole: Iterable[str] = (),
    types: Types | None = None,
    new_background: bool = False,
) -> DataFrame:
    """The matches that the end of all streams decides, of a streaming ``match`` that has stopped; a bounded data frame.

    ``checkpoint`` is the ``checkpointLocation`` of its query, the other arguments are as they were there.  What the
    job has written and this are all matches; the state stays as it is.  Errors as of ``match``; StreamError: there is
    no such state at ``checkpoint``.  SnapshotError, while Spark works: it is of another job.
    """
    graphs, partitions = read_background(background, entail), partitions_of(spark, checkpoint)
    job = job_of(queries, graphs, buckets, whole, "stop", partitions, types, new_background=new_background)
    return finished(spark, checkpoint, job)


def finished(spark: SparkSession, checkpoint: str, job: EngineJob) -> DataFrame:
    """What the end of all streams decides, of the state of a job."""
    operator = _operator_of(spark, checkpoint, job)
    meta = _state(spark, checkpoint, "meta", operator).selectExpr("key.label", f"{META}L AS number", "value.data")
    log = _state(spark, checkpoint, "log", operator).selectExpr(
        "key.label", "user_map_key.number", "user_map_value.data"
    )
    kept = meta.unionByName(log).repartition(job.partitions, "label").sortWithinPartitions("label", "number")
    return kept.mapInArrow(carried(partial(ended, job)), job.results)


def ended(job: EngineJob, batches: Iterable[pyarrow.RecordBatch]) -> Batches:
    """Rows of the results for the state of engines, whose rows are in order of label and number."""
    numbers = numbers_of(job.labels)
    for label, rows in groupby(_rows(batches), key=itemgetter(0)):
        store = KeptState({number: data for _, number, data in rows})
        if label == NOBODY:
            continue
        if label not in numbers:
            raise StreamError("the state is of a job with other queries, buckets or partitions")
        yield from told(job, LoggedEngine(job, numbers[label], store, LiveEngines(), "").finish())


@dataclass(frozen=True, slots=True)
class KeptState:
    """The state of one engine, to be read only."""

    kept: dict[int, bytes] = field(default_factory=dict)

    def meta(self) -> bytes | None:
        """See ``EngineState``."""
        return self.kept.get(META)

    def entry(self, number: int) -> bytes:
        """See ``EngineState``."""
        return self.kept[number]


def _rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Kept]:
    for batch in batches:
        yield from zip(*(batch[name].to_pylist() for name in ("label", "number", "data")), strict=True)


def _state(spark: SparkSession, checkpoint: str, variable: str, operator: int) -> DataFrame:
    reading = spark.read.format("statestore").option("stateVarName", variable).option("operatorId", operator)
    return reading.load(checkpoint)


def partitions_of(spark: SparkSession, checkpoint: str) -> int:
    """The number of shuffle partitions of the job."""
    return int(_operators(spark, checkpoint)[0].numPartitions)


def _operator_of(spark: SparkSession, checkpoint: str, job: EngineJob) -> int:
    """The operator with the state of a job: several jobs may be one streaming query."""
    numbers = [int(operator.operatorId) for operator in _operators(spark, checkpoint)]
    if len(numbers) == 1:
        return numbers[0]
    for number in numbers:
        state = _state(spark, checkpoint, "meta", number).select("value.data").limit(1).collect()
        if not state or is_of(bytes(state[0].data), job.identity, job.free):
            return number
    raise StreamError("the checkpoint has the state of other jobs, and not of this one", Location(checkpoint))


def _operators(spark: SparkSession, checkpoint: str) -> list[Row]:
    """The operators of a streaming query that have such state; StreamError: there are none."""
    from pyspark.errors import PySparkException

    try:
        operators = spark.read.format("state-metadata").load(checkpoint).collect()
    except PySparkException as error:
        reason = str(error).partition("\n")[0]
        raise StreamError(f"there is no state of a streaming job: {reason}", Location(checkpoint)) from None
    found = [operator for operator in operators if {"meta", "log"} <= _variables(operator)]
    if not found:
        raise StreamError("there is no state of a streaming job of SPAseq", Location(checkpoint))
    return found


def _variables(operator: Row) -> set[str]:
    return {one["stateName"] for one in json.loads(operator.operatorProperties).get("stateVariables", ())}
