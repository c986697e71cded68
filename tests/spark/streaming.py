"""A streaming job without Spark: batches, watermarks, and workers whose engines are right, behind or missing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow

from spaseq.graphs.background import read_background
from spaseq.graphs.graph_run import Queries
from spaseq.runtime.bounded import Bound
from spaseq.sources.parameter_rows import RowSources
from spaseq.sources.rdf.events import Event, Events
from spaseq.spark.job import Job
from spaseq.spark.job_queries import job_queries
from spaseq.spark.log import LiveEngines, LoggedEngine, Report
from spaseq.spark.map_stage import routed
from spaseq.spark.packing import EVENT, packed


@dataclass
class DictStore:
    """The state of one engine in memory."""

    data: bytes | None = None
    entries: dict[int, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.data or b"") + sum(map(len, self.entries.values()))

    def meta(self) -> bytes | None:
        return self.data

    def keep_meta(self, data: bytes) -> None:
        self.data = data

    def entry(self, number: int) -> bytes:
        return self.entries[number]

    def keep_entry(self, number: int, data: bytes) -> None:
        self.entries[number] = data

    def drop_entry(self, number: int) -> None:
        del self.entries[number]


class Cluster:
    """Some workers, any of which may be given an engine; now and then one dies."""

    def __init__(
        self, queries: Queries, background: Mapping[str, Any], buckets: int, chance: random.Random,
        whole: Iterable[str] = (), workers: int = 2, given: RowSources = None, sharing: bool = True,
        bound: Bound | None = None, death: float = 0.2,
    ) -> None:  # fmt: skip
        running = job_queries(queries, given, sharing and bound is None, whole)
        known = read_background(background, ())
        self.job = Job(running, known, buckets, 2, frozenset(whole), sharing=sharing, bound=bound)
        self.reader, self.router = self.job.reader()
        self.stores = {number: DictStore() for part in self.job.parts for number in part.numbers}
        self.workers = [LiveEngines() for _ in range(workers)]
        self.chance, self.death = chance, death
        self.how: list[str] = []
        self.late = self.left_out = 0

    def batch(self, events: Sequence[Event], watermark: int) -> Iterator[pyarrow.RecordBatch]:
        """One microbatch, with the watermark that Spark promises in it."""
        rows = self._packed(events)
        for number in self.stores:
            if self.chance.random() < self.death:
                self.chance.choice(self.workers).clear()
            report, engine = Report(), self._engine(number)
            yield from engine.step(rows.get(number, []), watermark, self.stores[number], report)
            self.how.append(report.how)
            self.late += sum(report.late.values())
            self.left_out += report.left_out

    def finish(self) -> Iterator[pyarrow.RecordBatch]:
        """What an ended input left."""
        for number in self.stores:
            yield from self._engine(number).finish()

    def _engine(self, number: int) -> LoggedEngine:
        return LoggedEngine(self.job, number, self.stores[number], self.chance.choice(self.workers), "run")

    def _packed(self, events: Sequence[Event]) -> dict[int, list[bytes]]:
        found: dict[int, list[bytes]] = {}
        for stream in dict.fromkeys(event.stream for event in events):
            some = [event for event in events if event.stream == stream]
            columns = Events.of(stream, some, self.reader.kind.encoders[stream])
            rows = columns.to_arrow(pruned=True).cast(EVENT)
            for share in routed(columns, self.router)[0]:
                found.setdefault(share.engine, []).append(packed(share.of(rows, self.job.form)))
        return found
