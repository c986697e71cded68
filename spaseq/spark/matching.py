"""``match``: queries on data frames of Spark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spaseq.engine.background import Background, BackgroundSources, Entail, read_background
from spaseq.engine.prepared import Prepared, prepare
from spaseq.engine.queries import as_query
from spaseq.engine.run import Queries, named_queries
from spaseq.errors import OptionError
from spaseq.spark.batch import match_batch
from spaseq.spark.job import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COLUMNS = ("stream", "time", "event", "graph")
BUCKETS_EACH = 4  # engines of a query for each shuffle partition


def match(
    df: DataFrame,
    queries: Queries,
    background: BackgroundSources | Background | None = None,
    entail: Entail = (),
    buckets: int | None = None,
    whole: Iterable[str] = (),
    on_error: str = "stop",
) -> DataFrame:
    """The matches of ``queries`` (as of ``spaseq.run``) in the events of ``df``.

    Its rows are events: ``stream`` (name or IRI), ``time``, ``event`` (IRI, maybe NULL) and ``graph`` (N-Triples or
    N-Quads).  What comes back has ``query``, ``first``, ``last``, ``events`` and ``bindings`` (maps; terms are
    N-Triples), and of a CONSTRUCT ``derived``.  A query that may be cut (``spaseq explain``) is cut into ``buckets``
    engines, by default four for each of ``spark.sql.shuffle.partitions``; those named in ``whole`` are not.

    QuerySyntaxError, QueryError, OptionError, StreamError (background): the arguments are wrong.  While Spark works:
    StreamError, RowError: a row is no event (``on_error="skip"``: such rows are left out).
    """
    missing = [name for name in COLUMNS if name not in df.columns and name != "event"]
    if missing:
        raise OptionError(f"a stream of events has the columns {', '.join(COLUMNS)}; {', '.join(missing)} is missing")
    if df.isStreaming:
        raise OptionError("streaming data frames are not supported yet: use spark.read")
    if on_error not in ("stop", "skip"):
        raise OptionError(f'on_error is "stop" or "skip", not {on_error!r:.80}')
    partitions = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    known: dict[str, Prepared] = {}
    for name, query in named_queries(queries):
        prepared = prepare(query)
        known[as_query(prepared, name, known).name] = prepared
    job = Job(
        known, read_background(background, entail), _buckets(buckets, partitions), partitions, frozenset(whole),
        on_error == "skip",
    )  # fmt: skip
    unknown = sorted(set(job.whole) - set(known))
    if unknown:
        raise OptionError(f"whole names queries, not {', '.join(unknown)}; here are {', '.join(known)}")
    return match_batch(df.select(*(name for name in COLUMNS if name in df.columns)), job)


def _buckets(buckets: int | None, partitions: int) -> int:
    if buckets is None:
        return BUCKETS_EACH * partitions
    if type(buckets) is not int or buckets < 1:
        raise OptionError(f"buckets is a number of engines from 1 on, not {buckets!r:.80}")
    return buckets
