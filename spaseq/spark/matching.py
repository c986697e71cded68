"""``match``: queries on data frames of Spark."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from spaseq.errors import OptionError
from spaseq.graphs.background import Background, BackgroundSources, Entail, read_background
from spaseq.graphs.prepared import Prepared, prepare
from spaseq.graphs.queries import as_query, stream_order
from spaseq.graphs.run import Queries, named_queries
from spaseq.results.arrow import Types
from spaseq.spark.batch import match_batch
from spaseq.spark.inputs import check_losses, event_frames
from spaseq.spark.job import Job
from spaseq.spark.machine import shuffle_partitions
from spaseq.spark.results import result_types
from spaseq.streams.timestamps import duration_microseconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spaseq.spark.losses import Losses

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
) -> DataFrame:
    """The matches of ``queries`` (as of ``spaseq.run``) in the events of ``df``, bounded or streaming.

    Its rows are events: ``stream`` (name or IRI), ``time``, ``event`` (IRI, maybe NULL) and ``graph`` (N-Triples or
    N-Quads).  What comes back has ``query``, ``first``, ``last``, ``events`` and ``bindings`` (maps; terms are
    N-Triples), and of a CONSTRUCT ``derived``.  A query that may be cut (``spaseq explain``) is cut into ``buckets``
    engines, by default four for each of ``spark.sql.shuffle.partitions``; those named in ``whole`` are not.
    ``types`` (as of ``MatchTable.to_arrow``) makes columns of variables of the one SELECT query; a term that is no such
    value is NULL there, and counted.

    A bounded input is put in order.  Of a streaming one an event may be ``lateness`` older than the newest one (a
    timedelta, or microseconds); of several data frames each has a newest one, and those that are behind hold the others
    back.  Later ones are dropped, and counted in the progress of the query.  With ``late`` they
    are rows, too, without query: ``first`` and ``last`` are their time, ``derived`` is the event with the lines of its
    graph that queries use.  It needs Spark's RocksDB state store.

    A state in the checkpoint goes on with the same queries, background, buckets, whole and number of partitions; with
    ``new_background``, after a change of that, what windows still hold is matched again with the new one.

    QuerySyntaxError, QueryError, OptionError, StreamError (background): the arguments are wrong.  While Spark works:
    StreamError: an event has several keys; RowError: a row is no event, or of a stream that no query
    reads (``on_error="skip"``: such rows are left out, and the workers log how many; ``losses`` counts them, and
    what no query needs and what fits no type, of a bounded input).
    """
    inputs = event_frames(df)
    check_losses(losses, inputs[0].isStreaming)
    graphs, delay = read_background(background, entail), duration_microseconds(lateness)
    partitions = shuffle_partitions(inputs[0].sparkSession)
    job = job_of(queries, graphs, buckets, whole, on_error, partitions, types, late, new_background)
    if not inputs[0].isStreaming:
        return match_batch(inputs, job, losses)
    from spaseq.spark.streaming import match_streaming

    return match_streaming(inputs, job, delay, secrets.token_hex(8))


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
) -> Job:
    """The job of these arguments; errors as of ``match``."""
    if on_error not in ("stop", "skip"):
        raise OptionError(f'on_error is "stop" or "skip", not {on_error!r:.80}')
    known: dict[str, Prepared] = {}
    for name, query in named_queries(queries):
        prepared = prepare(query)
        known[as_query(prepared, name, known).name] = prepared
    stream_order([query.query for query in known.values()])
    kept = frozenset(whole)
    if unknown := sorted(kept - known.keys()):
        raise OptionError(f"whole names queries, but not {', '.join(unknown)}; here are {', '.join(known)}")
    if not isinstance(late, bool):
        raise OptionError(f"late is True or False, not {late!r:.80}")
    typed = result_types(types, [query.plan.named(name).query for name, query in known.items()])
    number, skip = checked_buckets(buckets, partitions), on_error == "skip"
    return Job(known, background, number, partitions, kept, skip, typed, late, new_background)


def checked_buckets(buckets: int | None, partitions: int) -> int:
    """How many engines a query is cut into; OptionError: that is no number of them."""
    if buckets is None:
        return BUCKETS_EACH * partitions
    if type(buckets) is not int or buckets < 1:
        raise OptionError(f"buckets is a number of engines from 1 on, not {buckets!r:.80}")
    return buckets
