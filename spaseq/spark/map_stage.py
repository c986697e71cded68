# ruff: noqa: N802  (names of methods are Spark's interface)
"""The first stage of a job, before the shuffle: rows become events, each packed for the engines that it matters to.

So the dear part runs on all cores, whatever the keys are, and Spark moves few rows.  What it leaves out is counted, and
told by ``Losses``.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow
from pyspark.accumulators import AccumulatorParam

import spaseq.graphs
from gpm.rows import TextColumn
from spaseq.errors import OptionError
from spaseq.graphs.arrow_rows import read_lines
from spaseq.sources.rdf.arrow import rows_of
from spaseq.sources.rdf.events import Events
from spaseq.spark.cluster import event_place
from spaseq.spark.jobs import Batches, EngineJob, PackedForm
from spaseq.spark.packing import EVENT, Packer, Share, row_of
from spaseq.spark.shards import Router
from spaseq.streams.losses import Skipped, counted, were
from spaseq.streams.timestamps import LEAST

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


PREFIX = "urn:spaseq:event:"
NOBODY = -1  # the label of rows that only tell how far the streams are


class EventReader(Protocol):
    """For whom rows of events are read, and how."""

    @property
    def labels(self) -> Sequence[int]:
        """The label of each engine by number."""

    @property
    def form(self) -> PackedForm:
        """How rows are packed."""

    @property
    def skip(self) -> bool:
        """Whether rows that are no events are left out."""

    def reader(self) -> tuple[spaseq.graphs.Engine, Router]:
        """What reads rows as events for all engines, and what finds these engines for them."""


def sift(
    job: EventReader, batches: Iterable[pyarrow.RecordBatch], ticks: bool = False
) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``PACKED`` for rows of events: what no GPM matches is left out, unless a query counts it.

    ``ticks``: one more row has the latest time of all events, whether they are left out or not, and how many rows were
    no events or left out.  How many were no events stands in the log of the worker, too.
    RowError: a row is no event, and the job does not skip such.  StreamError: an event has several keys.
    """
    engine, router = job.reader()
    packer, latest, dropped, before = Packer(job.labels, job.form), LEAST, 0, 0
    for batch in batches:
        engine.kind.forget_terms()
        for read, lines in read_lines(engine.kind, batch, job.skip, partial(event_place, batch, before=before)):
            events = named(read)
            latest = max(latest, int(events.times.max(initial=LEAST)))
            shares, unused = routed(events, router)
            dropped += unused
            yield from packer.add(rows_with(events, lines), shares)
        before += batch.num_rows
    yield from packer.rest()
    skipped = told_skipped(engine.kind.skipped.values())
    if ticks:
        yield from tick(latest, skipped, dropped)


def tick(latest: int, skipped: int, dropped: int) -> Iterator[pyarrow.RecordBatch]:
    """The last row of a task: how far the streams are, and how many rows were no events, or nobody needs."""
    if latest > LEAST or skipped:
        time = latest if latest > LEAST else None
        yield row_of(NOBODY, time, time, 0, b"", skipped, dropped)


def routed(events: Events, router: Router) -> tuple[list[Share], int]:
    """What goes to each engine, and how many of the events go to none."""
    used = np.zeros(len(events), np.bool_)
    shares = []
    for engine, places in router.route(events):
        shares.append(Share(engine, places, ~used[places]))
        used[places] = True
    return shares, len(events) - int(used.sum())


def rows_with(events: Events, lines: TextColumn) -> pyarrow.RecordBatch:
    """Rows of ``EVENT`` for events, whose graphs are these lines."""
    return rows_of(events.stream, events.times, events.names.column, lines).cast(EVENT)


def told_skipped(found: Iterable[Skipped]) -> int:
    """How many rows were no events; if some were, the log of the worker says so."""
    some = [one for one in found if one.count]
    skipped = sum(one.count for one in some)
    if some:
        kind = "event" if skipped == 1 else "events"
        print(f"spaseq: {counted(skipped, 'row')} {were(skipped)} no {kind}: {some[0].first}", file=sys.stderr)
    return skipped


def named(events: Events) -> Events:
    """The events, those without a name called by what they are."""
    return events.named(partial(name_of, events))


def name_of(events: Events, number: int) -> str:
    """A name for an event that has none, equal wherever and whenever it is read: a digest of all that it is."""
    texts = events.graphs.texts
    block = texts.blocks[int(texts.block[number])]
    digest = hashlib.blake2b(f"{events.stream} {int(events.times[number])} ".encode(), digest_size=16)
    if isinstance(block, bytes | memoryview):
        digest.update(block[int(texts.starts[number]) : int(texts.stops[number])])
    else:
        digest.update("\n".join(sorted(map(str, texts[number]))).encode())
    return PREFIX + digest.hexdigest()


COUNTED = ("skipped", "dropped", "misfits")


class Sums(AccumulatorParam[dict[str, int]]):
    """Numbers by name, added up."""

    def zero(self, value: dict[str, int]) -> dict[str, int]:
        """Nothing was counted."""
        return {}

    def addInPlace(self, value1: dict[str, int], value2: dict[str, int]) -> dict[str, int]:
        """The sums."""
        return {name: value1.get(name, 0) + value2.get(name, 0) for name in {**value1, **value2}}


class Losses:
    """Counts what the jobs that it is given to leave out, each time that they are worked out.

    OptionError: the session is one of Spark Connect, which counts nothing.
    """

    def __init__(self, spark: SparkSession) -> None:
        from pyspark.errors import PySparkException

        try:
            context = spark.sparkContext
        except PySparkException:
            raise OptionError("a session of Spark Connect does not count what workers leave out") from None
        self._sums = context.accumulator({}, Sums())

    @property
    def counts(self) -> dict[str, int]:
        """By now: rows that were ``skipped`` as no events and ``dropped`` as no query needs them, ``misfits`` of types.

        Actions that are over are in it.  An action that works a job out again counts again.
        """
        return dict.fromkeys(COUNTED, 0) | self._sums.value

    def add(self, **counts: int) -> None:
        """Count more of these: in a worker."""
        self._sums.add(counts)


def sift_counted(job: EngineJob, losses: Losses, batches: Iterable[pyarrow.RecordBatch]) -> Batches:
    """As ``job.sift``; what is left out is counted."""
    for rows in job.sift(batches, ticks=True):
        if rows["label"][0].as_py() == NOBODY:
            losses.add(**{name: rows[name][0].as_py() for name in ("skipped", "dropped")})
        else:
            yield rows
