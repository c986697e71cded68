"""The first stage of a job, before the shuffle: rows become events, each packed for the engines that it matters to.

So the dear part runs on all cores, whatever the keys are, and Spark moves few rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import pyarrow

from spaseq.engine.arrow_rows import read_rows
from spaseq.spark.job import Job
from spaseq.spark.packing import Packer
from spaseq.spark.schemas import EVENT
from spaseq.streams.event import Events

PREFIX = "urn:spaseq:event:"


def sift(job: Job, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``PACKED`` for rows of events: what no GPM matches is left out, unless a query counts it.

    RowError: a row is no event, and the job does not skip such.  StreamError: an event has several keys.
    """
    engine, router = job.reader()
    packer = Packer(job.labels)
    for batch in batches:
        engine.core.forget_terms()
        for events in read_rows(engine.core, batch, job.skip):
            events = events.named(lambda number, events=events: name_of(events, number))
            for number, places in router.route(events):
                chosen = events if len(places) == len(events) else events.take(places)
                yield from packer.add(number, chosen.to_arrow(pruned=True).cast(EVENT))
    yield from packer.rest()


def name_of(events: Events, number: int) -> str:
    """A name for an event that has none, equal wherever and whenever it is read: a digest of all that it is."""
    texts = events.graphs.texts
    block = memoryview(texts.blocks[int(texts.block[number])])
    digest = hashlib.blake2b(f"{events.stream} {int(events.times[number])} ".encode(), digest_size=16)
    digest.update(block[int(texts.starts[number]) : int(texts.stops[number])])
    return PREFIX + digest.hexdigest()
