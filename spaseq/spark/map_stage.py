"""The first stage of a job, before the shuffle: rows become events, each packed for the engines that it matters to.

So the dear part runs on all cores, whatever the keys are, and Spark moves few rows.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

import numpy as np
import pyarrow

import spaseq.graphs
from gpm.rows import TextColumn
from spaseq.graphs.arrow_rows import read_lines
from spaseq.sources.rdf.arrow import rows_of
from spaseq.sources.rdf.events import Events
from spaseq.spark.executors import event_place
from spaseq.spark.jobs import PackedForm
from spaseq.spark.packing import EVENT, Packer, Share, row_of
from spaseq.spark.routing import Router
from spaseq.streams.losses import Skipped, counted, were
from spaseq.streams.timestamps import LEAST

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
        digest.update("\n".join(sorted(map(str, block))).encode())
    return PREFIX + digest.hexdigest()
