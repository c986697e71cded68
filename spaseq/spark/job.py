"""What a job with SPAseq queries is: its queries, its background, and into how many engines they are partitioned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow

import spaseq.graphs
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.background import Background
from spaseq.graphs.kind import GraphKind, new_evaluator
from spaseq.graphs.queries import AnyQuery
from spaseq.plan.description import Partitioning
from spaseq.plan.sequences.templates import Instance
from spaseq.results.table import MatchTable
from spaseq.runtime.bounded import Bound
from spaseq.spark.job_queries import JobQuery
from spaseq.spark.jobs import Batches, PackedForm, ShardEngine
from spaseq.spark.log import BUCKETS, PARTITIONS, SHARING
from spaseq.spark.map_stage import sift
from spaseq.spark.packing import ROUTED, events_of
from spaseq.spark.results import DecidedTypes, late_rows, misfits, result_ddl, result_rows
from spaseq.spark.shards import Router, ShardGroup, labels, owned, parts, splits


class GraphShard(spaseq.graphs.Engine, ShardEngine):
    """An engine that takes packed events; the results of a family stay together."""

    def _keep(self, kind: GraphKind) -> None:
        super()._keep(kind)
        kind.keeps_families = True

    def push_packed(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[MatchTable]:
        """See ``ShardEngine``."""
        return self.push_arrow(events_of(rows), promise)

    @property
    def left_out(self) -> int:
        """See ``ShardEngine``."""
        each = (query.shed for query in self.core.at_work)
        return sum(shed.steps + shed.cells + shed.curtailed for shed in each)


BACKGROUND, BOUND = "the background", "the bound on work"  # in the identity of a job
FOREVER = 2**62  # µs: what is too late is found by whoever knows the watermark


@dataclass(frozen=True)
class Job:
    """``queries`` next to ``background``; those that may be cut are, into ``buckets``, but for ``whole``.

    It pickles.  ``partitions`` is the number of shuffle partitions of Spark.  ``skip``: rows that are no events are
    counted and left out, else they are a StreamError.  Variables with ``types`` are columns of the results; ``late``:
    late events are among these.  ``new_background``: a state may be of another background.  Each engine has the
    ``bound`` on work.
    """

    queries: tuple[JobQuery, ...]
    background: Background
    buckets: int
    partitions: int
    whole: frozenset[str] = frozenset()
    skip: bool = False
    types: DecidedTypes = field(default_factory=dict)
    late: bool = False
    new_background: bool = False
    sharing: bool = True
    bound: Bound | None = None

    @cached_property
    def splits(self) -> dict[str, Partitioning]:
        """Where each query is cut; patterns are compiled to find that out."""
        return splits(self.queries, new_evaluator("auto", Terms(), self.background), self.whole)

    @cached_property
    def parts(self) -> tuple[ShardGroup, ...]:
        """The parts of the job."""
        return parts(self.queries, self.buckets, self.splits)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The IRIs of the streams that no query derives."""
        queries = [one.query for one in self.queries]
        derived = {query.into for query in queries}
        return tuple(dict.fromkeys(s.iri for query in queries for s in query.streams if s.iri not in derived))

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The label of each engine by number."""
        return labels(sum(part.buckets for part in self.parts), self.partitions)

    def part_of(self, engine: int) -> ShardGroup:
        """The part that an engine, given by number, is of."""
        return next(part for part in self.parts if engine in part.numbers)

    # ── as of any job ────────────────────────────────────────────────────────────────────────────────────
    form = PackedForm(ROUTED, "time", "stream", "counted")

    @property
    def results(self) -> str:
        """See ``EngineJob``."""
        return result_ddl(self.types)

    def sift(self, batches: Iterable[pyarrow.RecordBatch], ticks: bool = False) -> Batches:
        """See ``EngineJob``."""
        return sift(self, batches, ticks)

    def started(self, number: int) -> GraphShard:
        """See ``EngineJob``."""
        engine = GraphShard(self.background, lateness=FOREVER, sharing=self.sharing, bound=self.bound)
        for name, query in self._queries_of(number):
            engine.registration.register(query, name, None, None)
        return engine

    def restored(self, number: int, snapshot: bytes) -> GraphShard:
        """See ``EngineJob``."""
        queries = {
            name: query.query(name) if isinstance(query, Instance) else query
            for name, query in self._queries_of(number)
        }
        return GraphShard.restore(snapshot, queries, self.background, sharing=self.sharing, bound=self.bound)

    def rows(self, number: int, found: MatchTable) -> pyarrow.RecordBatch | None:
        """See ``EngineJob``: an event with several keys stands in several engines."""
        assert isinstance(found.terms, Terms)
        own = owned(found, self.part_of(number), number, found.terms)
        return result_rows(own, self.types) if len(own) else None

    def _queries_of(self, number: int) -> Iterator[tuple[str, AnyQuery | Instance]]:
        return (named for one in self.part_of(number).queries_of(number) for named in one.by_name().items())

    def empty(self, query: str) -> MatchTable:
        """A table of a query without results."""
        engine = spaseq.graphs.Engine(self.background)
        (own,) = (one for one in self.queries if query in one.names)
        engine.registration.register(own.by_name()[query], query, None, None)
        return engine.core.query_named(query).empty_of(query)

    def late_rows(self, rows: pyarrow.Table) -> pyarrow.RecordBatch:
        """See ``EngineJob``."""
        return late_rows(events_of(rows), self.types)

    def misfits(self, results: pyarrow.RecordBatch) -> int:
        """See ``EngineJob``."""
        return misfits(results, self.types)

    @property
    def free(self) -> frozenset[str]:
        """See ``EngineJob``."""
        return frozenset({BACKGROUND} if self.new_background else ())

    @cached_property
    def identity(self) -> dict[str, str]:
        """What must be equal for a state to be of this job, by what it is called in errors."""
        whole = ", ".join(sorted(self.whole))
        sharing = {SHARING: "True"} if any(one.is_shared for one in self.queries) else {}
        queries = {name: digest for one in self.queries for name, digest in one.identity.items()}
        cut = {PARTITIONS: str(self.partitions), BUCKETS: str(self.buckets)}  # which follow from partitions
        bound = {} if self.bound is None else {BOUND: self.bound.text()}
        return {**sharing, **bound, **queries, BACKGROUND: self.background.fingerprint(), **cut, "what is whole": whole}

    def reader(self) -> tuple[spaseq.graphs.Engine, Router]:
        """What reads rows as events for all engines, and what finds these engines for them."""
        engine = spaseq.graphs.Engine(self.background)
        for one in self.queries:
            one.prime(engine)
        return engine, Router(self.parts, engine.kind.evaluator)

    def __getstate__(self) -> dict[str, object]:
        """What it was made of, and what takes long to find out; workers find the rest again."""
        known = {"splits": self.splits, "identity": self.identity}
        return {name: vars(self)[name] for name in self.__dataclass_fields__} | known
