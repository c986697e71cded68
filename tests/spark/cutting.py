"""A job without Spark: events routed to the engines of its parts, each of which knows nothing of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import spaseq
from nfa_native.terms.words import Terms
from spaseq.engine.background import BackgroundSources, read_background
from spaseq.engine.core import new_evaluator
from spaseq.engine.prepared import Prepared
from spaseq.results.match import Match, Microseconds
from spaseq.results.table import MatchTable
from spaseq.spark.owned import owned
from spaseq.spark.parts import Part, parts
from spaseq.spark.routing import Router
from spaseq.streams.event import Event, Events

Queries = Mapping[str, Prepared]
Seen = Counter[tuple[Match, Microseconds]]
FOREVER = 10**15  # µs: nothing is late


class Job:
    """All engines of a job in one process; the queries that are named in ``kept`` stay whole."""

    def __init__(
        self, queries: Queries, buckets: int, background: BackgroundSources | None = None, kept: Iterable[str] = ()
    ) -> None:
        self.background = read_background(background, ())
        evaluator = new_evaluator("auto", Terms(), self.background)
        plans = [query.plan.named(name) for name, query in queries.items()]
        self.parts = parts(plans, buckets, evaluator, dict.fromkeys(kept, "so it was asked for"))
        self.router = Router(self.parts, evaluator)
        self.engines = {number: self._engine(part, queries) for part in self.parts for number in part.numbers}

    def _engine(self, part: Part, queries: Queries) -> spaseq.Engine:
        engine = spaseq.Engine(self.background, lateness=FOREVER)
        for plan in part.plans:
            engine.register(queries[plan.query.name], plan.query.name)
        return engine

    def push(self, events: Iterable[Event]) -> list[Match]:
        by_stream: dict[str, list[Event]] = {}
        for event in events:
            by_stream.setdefault(event.stream, []).append(event)
        found: list[Match] = []
        for stream, some in by_stream.items():
            for number, places in self.router.route(Events.of(stream, some, self.router.evaluator.encoder)):
                found += self._own(number, self.engines[number].push_events([some[n] for n in places.tolist()]))
        return found

    def advance(self, time: int) -> list[Match]:
        return [
            match for number, engine in self.engines.items() for match in self._own(number, engine.advance_tables(time))
        ]

    def close(self) -> list[Match]:
        tables = {number: engine.close_tables() for number, engine in self.engines.items()}
        return [match for number, some in tables.items() for match in self._own(number, some)]

    def _own(self, number: int, tables: Iterable[MatchTable]) -> Iterator[Match]:
        """The matches that are this engine's to give."""
        part = next(part for part in self.parts if number in part.numbers)
        for table in tables:
            yield from owned(table, part, number, self.engines[number].terms)


def seen(matches: Iterable[Match]) -> Seen:
    """Matches in any order, with all that they show."""
    return Counter((match, match.microseconds) for match in matches)
