"""Runs a query on an engine, in batches of random sizes, with snapshots; results come in the oracle's form."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import spaseq
from spaseq import streams as engine_streams
from spaseq.results.table import MatchTable
from tests.agreement.harness import Run, plan_for, triples_of
from tests.oracle.evaluate import Result, evaluate, streamset
from tests.oracle.generate import BASE, Pair
from tests.oracle.model import Event, Query
from tests.oracle.text import to_text


class EngineRun(Run):
    """A query on an engine, with the results in the oracle's form."""

    def __init__(self, query: Query, gpm: str) -> None:
        self.query, self.text, self.gpm = query, to_text(query), gpm
        self.plan = plan_for(self.text)
        self.results: list[Result] = []
        self._use(spaseq.Engine(gpm=gpm))
        self.engine.register(self.text, "query")

    def _use(self, engine: spaseq.Engine) -> None:
        self.engine, self.terms = engine, engine.terms

    def push(self, events: Iterable[Event], promise: int | None = None) -> None:
        """Push some events, which get the names that the oracle knows."""
        given = [
            engine_streams.Event(one.stream, one.time, BASE + one.name, list(triples_of(one.triples))) for one in events
        ]
        self._take(self.engine.push_events(given, promise))

    def restart(self) -> None:
        """Go on with an engine restored from a snapshot."""
        self._use(spaseq.Engine.restore(self.engine.snapshot(), {"query": self.text}, gpm=self.gpm))

    def finish(self) -> list[Result]:
        self.close()
        return self.taken()

    def close(self) -> None:
        """The end of the input."""
        self._take(self.engine.close_tables())

    def taken(self) -> list[Result]:
        """The results since this was asked last."""
        results, self.results = self.results, []
        return [replace(one, picks=tuple((name, _short(events)) for name, events in one.picks)) for one in results]

    def _take(self, tables: Iterable[MatchTable] = ()) -> None:
        for table in tables:
            self._add(table)


def _short(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.removeprefix(BASE) for name in names)


def run(query: Query, events: Sequence[Event], gpm: str, chance: random.Random) -> list[Result]:
    """The results of a run in batches of random sizes, some of which promise that nothing more comes at their end."""
    return fed(EngineRun(query, gpm), events, chance)


def fed(one: EngineRun, events: Sequence[Event], chance: random.Random) -> list[Result]:
    """What a query gives in such batches, in the order in which it does."""
    cuts = sorted(chance.sample(range(len(events) + 1), chance.randint(0, len(events))))
    for start, end in pairwise([0, *cuts, len(events)]):
        later = [event.time for event in events[end:]] or [0]
        one.push(events[start:end], chance.choice([None, min(later)]))
        if chance.random() < 0.3:
            one.restart()
    return one.finish()


def ordered(query: Query, events: Iterable[Event]) -> list[Event]:
    """The events of the query's streams in their order."""
    known = {iri for _, iri in query.streams}
    return streamset(query, [event for event in events if event.stream in known])


@lru_cache(maxsize=4)
def wanted_of(query: Query, events: tuple[Event, ...]) -> list[Result]:
    """The oracle's results, which several runs are compared with."""
    return evaluate(query, events)


def disagreement(pair: Pair, found: Sequence[Result]) -> str:
    """Empty if these are the oracle's results and come in order of decision, else a report to reproduce it."""
    events = ordered(pair.query, pair.events)
    wanted = wanted_of(pair.query, tuple(events))
    decided = [one.decided for one in found]
    if Counter(found) == Counter(wanted) and decided == sorted(decided):
        return ""
    lines = [to_text(pair.query), *(f"{e.time:>12} {e.stream} {e.name} {e.triples}" for e in events)]
    lines += [f"missing {one}" for one in (Counter(wanted) - Counter(found)).elements()]
    lines += [f"extra   {one}" for one in (Counter(found) - Counter(wanted)).elements()]
    return "\n".join([*lines, f"decided {decided}"])
