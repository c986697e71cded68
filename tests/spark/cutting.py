"""A job without Spark: events routed to the engines of its parts, each of which knows nothing of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from spaseq.graphs.background import BackgroundSources, read_background
from spaseq.graphs.graph_run import Queries
from spaseq.results.match import Match, Microseconds
from spaseq.results.table import MatchTable
from spaseq.sources.parameter_rows import RowSources
from spaseq.sources.rdf.events import Event, Events
from spaseq.spark.job import Job
from spaseq.spark.job_queries import job_queries
from spaseq.spark.shards import owned

Seen = Counter[tuple[Match, Microseconds]]
FOREVER = 10**15  # µs: nothing is late


class Engines:
    """All engines of a job in one process; the queries that are named in ``kept`` stay whole."""

    def __init__(
        self, queries: Queries, buckets: int, background: BackgroundSources | None = None, kept: Iterable[str] = (),
        given: RowSources = None, sharing: bool = True,
    ) -> None:  # fmt: skip
        running = job_queries(queries, given, sharing, kept)
        self.job = Job(running, read_background(background, ()), buckets, 2, frozenset(kept), sharing=sharing)
        self.reader, self.router = self.job.reader()
        self.engines = {number: self.job.started(number) for part in self.job.parts for number in part.numbers}

    def push(self, events: Iterable[Event]) -> list[Match]:
        by_stream: dict[str, list[Event]] = {}
        for event in events:
            by_stream.setdefault(event.stream, []).append(event)
        found: list[Match] = []
        for stream, some in by_stream.items():
            for number, places in self.router.route(Events.of(stream, some, self.reader.kind.encoders[stream])):
                found += self._own(number, self.engines[number].push_events([some[n] for n in places.tolist()]))
        return found

    def advance(self, time: int) -> list[Match]:
        tables = {number: engine.advance_tables(time) for number, engine in self.engines.items()}
        return [match for number, some in tables.items() for match in self._own(number, some)]

    def close(self) -> list[Match]:
        tables = {number: engine.close_tables() for number, engine in self.engines.items()}
        return [match for number, some in tables.items() for match in self._own(number, some)]

    def _own(self, number: int, tables: Iterable[MatchTable]) -> Iterator[Match]:
        """The matches that are this engine's to give."""
        for table in tables:
            yield from owned(table, self.job.part_of(number), number, self.engines[number].terms)


def seen(matches: Iterable[Match]) -> Seen:
    """Matches in any order, with all that they show."""
    return Counter((match, match.microseconds) for match in matches)
