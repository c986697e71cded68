"""``match``: queries on data frames of Spark, whose columns are looked at before any worker is; and ``finish``."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import pyarrow

from spaseq.errors import Location, OptionError, StreamError
from spaseq.graphs.background import Background, BackgroundSources, Entail, read_background
from spaseq.graphs.graph_run import Queries
from spaseq.graphs.queries import stream_order
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.bounded import check_bounded
from spaseq.results.arrow import Types
from spaseq.runtime.bounded import Bound
from spaseq.sources.parameter_rows import RowSources
from spaseq.spark.cluster import carried, shuffle_partitions
from spaseq.spark.data_frames import check_losses, data_frame
from spaseq.spark.engine_stage import match_batch, told
from spaseq.spark.job import Job
from spaseq.spark.job_queries import job_queries
from spaseq.spark.jobs import Batches, EngineJob
from spaseq.spark.log import LiveEngines, LoggedEngine, is_of
from spaseq.spark.map_stage import NOBODY
from spaseq.spark.results import result_types
from spaseq.spark.row_events import from_rows
from spaseq.spark.shards import numbers_of
from spaseq.streams.timestamps import duration_microseconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.types import StructType

    from spaseq.graphs.mapped import AnyMapping
    from spaseq.spark.map_stage import Losses


COLUMNS = ("stream", "time", "event", "graph")
# By column: the types that it may have, as Spark calls them, and what errors say of them.
_TYPES = {
    "stream": (("string",), "string, not {}"),
    "time": (
        ("timestamp", "timestamp_ntz", "bigint"),
        "timestamp or bigint, not {}; to_timestamp makes one of a text, bigint are microseconds",
    ),
    "event": (("string", "void"), "string, not {}"),
    "graph": (("string", "binary"), "string or binary, not {}"),
}


def event_frames(df: object) -> list[DataFrame]:
    """One data frame of events or several, of their columns alone.

    OptionError: there is none, some are bounded and some are not, or a column is missing or of another type.
    """
    frames = [data_frame(one) for one in (df if isinstance(df, list | tuple) else [df])]
    if not frames:
        raise OptionError("there is no data frame")
    if len({one.isStreaming for one in frames}) > 1:
        raise OptionError("either all data frames are streaming, or none is")
    return [one.select(*event_columns(one.schema)) for one in frames]


def event_columns(schema: StructType) -> list[str]:
    """The columns of events that there are; ``event`` may be missing.  OptionError: see ``event_frames``."""
    names = schema.names
    if missing := [name for name in COLUMNS if name not in names and name != "event"]:
        raise OptionError(f"a stream of events has the columns {', '.join(COLUMNS)}; {', '.join(missing)} is missing")
    found = [name for name in COLUMNS if name in names]
    for name in found:
        if names.count(name) > 1:
            raise OptionError(f"there are {names.count(name)} columns {name}")
        _check_type(name, schema[name].dataType.simpleString())
    return found


def _check_type(name: str, type_: str) -> None:
    """OptionError: a column of this name cannot have this type."""
    types, message = _TYPES[name]
    if type_.partition(" collate ")[0] not in types:
        raise OptionError(f"the column {name} is of type {message.format(type_[:80])}")


BUCKETS_EACH = 4  # engines of a query for each shuffle partition


def match(
    df: DataFrame | Sequence[DataFrame],
    queries: Queries,
    background: BackgroundSources | Background | None = None,
    entail: Entail = (),
    lateness: timedelta | int = timedelta(0),
    buckets: int | None = None,
    whole: Iterable[str] = (),
    on_error: str = "stop",
    types: Types | None = None,
    late: bool = False,
    new_background: bool = False,
    losses: Losses | None = None,
    given: RowSources = None,
    sharing: bool = True,
    bound: Bound | None = None,
    mapping: AnyMapping | None = None,
) -> DataFrame:
    """The matches of ``queries`` (as of ``spaseq.run``) in the events of ``df``, bounded or streaming.

    Its rows are events: ``stream`` (name or IRI), ``time``, ``event`` (IRI, maybe NULL) and ``graph`` (N-Triples or
    N-Quads).  What comes back has ``query``, ``first``, ``last``, ``events`` and ``bindings`` (maps; terms are
    N-Triples), and of a CONSTRUCT ``derived``.  A query that may be cut (``spaseq explain``) is cut into ``buckets``
    engines, by default four for each of ``spark.sql.shuffle.partitions``; those named in ``whole`` are not.  ``given``
    has the rows of queries with parameters, and ``sharing`` says whether these, and queries that differ only in
    constants, run together, both as of ``spaseq.run``; what runs together is cut as one query.  ``bound`` is how much
    work events may take (``Bound(work=…)``), in each engine for its events.
    With a ``mapping`` the rows of ``df`` have any columns, and it says what each means, as of ``from_rows``.
    ``types`` (as of ``MatchTable.to_arrow``) makes columns of variables of the one SELECT query; a term that is no such
    value is NULL there, and counted.

    A bounded input is put in order.  Of a streaming one an event may be ``lateness`` older than the newest one (a
    timedelta, or microseconds); of several data frames each has a newest one, and those that are behind hold the others
    back.  Later ones are dropped, and counted in the progress of the query.  With ``late`` they
    are rows, too, without query: ``first`` and ``last`` are their time, ``derived`` is the event with the lines of its
    graph that queries use.  It needs Spark's RocksDB state store.

    A state in the checkpoint goes on with the same queries, rows, background, buckets, whole and number of partitions;
    with ``new_background``, after a change of that, what windows still hold is matched again with the new one.

    QuerySyntaxError, QueryError, OptionError, StreamError (background): the arguments are wrong.  While Spark works:
    StreamError: an event has several keys; RowError: a row is no event, or of a stream that no query
    reads (``on_error="skip"``: such rows are left out, and the workers log how many; ``losses`` counts them, and
    what no query needs and what fits no type, of a bounded input).
    """
    inputs = event_frames(df) if mapping is None else [data_frame(df)]
    check_losses(losses, inputs[0].isStreaming)
    graphs, delay = read_background(background, entail), duration_microseconds(lateness)
    partitions = shuffle_partitions(inputs[0].sparkSession)
    job = job_of(
        queries, graphs, buckets, whole, on_error, partitions, types, late, new_background, given, sharing,
        bound,
    )  # fmt: skip
    if mapping is not None:
        inputs = [_mapped(inputs[0], mapping, job, on_error, losses)]
    if not inputs[0].isStreaming:
        return match_batch(inputs, job, losses)
    from spaseq.spark.engine_stage import match_streaming

    return match_streaming(inputs, job, delay, secrets.token_hex(8))


def _mapped(df: DataFrame, mapping: AnyMapping, job: Job, on_error: str, losses: Losses | None) -> DataFrame:
    """Rows as events of the only stream that is read.  OptionError: there are several."""
    if len(job.inputs) != 1:
        listed = ", ".join(f"<{iri}>" for iri in job.inputs)
        raise OptionError(f"mapping is about one stream, and these are read: {listed}; from_rows makes events of each")
    return from_rows(df, mapping, job.inputs[0], on_error, losses)


def job_of(
    queries: Queries,
    background: Background,
    buckets: int | None,
    whole: Iterable[str],
    on_error: str,
    partitions: int,
    types: Types | None = None,
    late: bool = False,
    new_background: bool = False,
    given: RowSources = None,
    sharing: bool = True,
    bound: Bound | None = None,
) -> Job:
    """The job of these arguments; errors as of ``match``."""
    if on_error not in ("stop", "skip"):
        raise OptionError(f'on_error is "stop" or "skip", not {on_error!r:.80}')
    if not isinstance(sharing, bool):
        raise OptionError(f"sharing is True or False, not {sharing!r:.80}")
    kept = frozenset(whole)
    sharing = sharing and bound is None  # where work has a bound each runs by itself
    known = job_queries(queries, given, sharing, kept)
    stream_order([one.query for one in known])
    names = [name for one in known for name in one.names]
    if bound is not None:
        check_bound(bound, names, [plan for one in known for plan in one.plans])
    if unknown := sorted(kept.difference(names)):
        raise OptionError(f"whole names queries, but not {', '.join(unknown)}; here are {', '.join(names)}")
    if not isinstance(late, bool):
        raise OptionError(f"late is True or False, not {late!r:.80}")
    typed = result_types(
        types, {name: shown for one in known if one.query.into is None for name, shown in one.columns().items()}
    )
    number, skip = checked_buckets(buckets, partitions), on_error == "skip"
    return Job(known, background, number, partitions, kept, skip, typed, late, new_background, sharing, bound)


def check_bound(bound: object, names: Sequence[str], plans: Iterable[Plan]) -> None:
    """OptionError: it is no bound on work, a priority is of no query, or the work of some query may have none."""
    if not (isinstance(bound, Bound) and bound.latency is None):
        raise OptionError(f"on Spark a bound is one on work, Bound(work=…), not {bound!r:.80}")
    if bound.sample:
        raise OptionError(
            "on Spark it is not estimated which part of all results is found: give a Bound without a sample"
        )
    bound.check_names(names)
    check_bounded(plans)


def checked_buckets(buckets: int | None, partitions: int) -> int:
    """How many engines a query is cut into; OptionError: that is no number of them."""
    if buckets is None:
        return BUCKETS_EACH * partitions
    if type(buckets) is not int or buckets < 1:
        raise OptionError(f"buckets is a number of engines from 1 on, not {buckets!r:.80}")
    return buckets


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
    given: RowSources = None,
    sharing: bool = True,
    bound: Bound | None = None,
) -> DataFrame:
    """The matches that the end of all streams decides, of a streaming ``match`` that has stopped; a bounded data frame.

    ``checkpoint`` is the ``checkpointLocation`` of its query, the other arguments are as they were there.  What the
    job has written and this are all matches; the state stays as it is.  Errors as of ``match``; StreamError: there is
    no such state at ``checkpoint``.  SnapshotError, while Spark works: it is of another job.
    """
    graphs, partitions = read_background(background, entail), partitions_of(spark, checkpoint)
    job = job_of(
        queries, graphs, buckets, whole, "stop", partitions, types, new_background=new_background, given=given,
        sharing=sharing, bound=bound,
    )  # fmt: skip
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
