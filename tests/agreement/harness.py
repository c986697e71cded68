"""Runs a query text on events through language, plan, rows and matcher, and brings results into the oracle's form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyoxigraph

from gpm.evaluator import Evaluator
from gpm.rows import AtomRows, EventGraph
from gpm.terms import decode
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.results.projection import Projector
from spaseq.results.table import MatchTable
from tests.oracle.evaluate import Result, evaluate, streamset
from tests.oracle.model import Event, Query
from tests.oracle.text import to_text

FOREVER = 2**63 - 1


@lru_cache(maxsize=4096)
def triples_of(triples: tuple[tuple[str, str, str], ...]) -> tuple[pyoxigraph.Triple, ...]:
    """Triples of N-Triples terms."""
    text = "".join(f"{s} {p} {o} .\n" for s, p, o in triples)
    return tuple(quad.triple for quad in pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.N_TRIPLES))


@lru_cache(maxsize=1024)
def plan_for(text: str) -> Plan:
    return compile_plan(parse(text).query)


class Run:
    """One query in process, fed in batches cut where one likes."""

    def __init__(
        self,
        query: Query,
        terms: Terms | None = None,
        evaluator: Evaluator | None = None,
        text: str | None = None,
        enumerates: bool = False,
    ) -> None:
        self.query = query
        self.terms = terms or Terms()
        self.plan = plan_for(text or to_text(query))
        self.evaluator = evaluator or Evaluator(self.terms)
        self.patterns = [self.evaluator.compile(one.pattern, one.variables) for one in self.plan.atoms]
        self.matcher = self.plan.start(self.terms, enumerates=enumerates)
        self.projector = Projector(self.plan, self.terms, lambda handle: self.names[handle])
        self.matcher.tallies = self.projector.counts_only
        self.names: list[str] = []
        self.results: list[Result] = []
        self.table: MatchTable | None = None

    def feed(self, events: Sequence[Event]) -> None:
        if not events:
            return
        start = len(self.names)
        self.names += [event.name for event in events]
        rows = [
            self._rows(events, one.stream, pattern) for one, pattern in zip(self.plan.atoms, self.patterns, strict=True)
        ]
        times = np.array([event.time for event in events], np.int64)
        self.matcher.feed(times, np.arange(start, start + len(events), dtype=np.uint64), rows)
        self._take()

    def _rows(self, events: Sequence[Event], stream: str, pattern: object) -> AtomRows:
        places = [i for i, event in enumerate(events) if event.stream == stream]
        graphs = [EventGraph(triples_of(events[i].triples), events[i].time, i) for i in places]
        rows = self.evaluator.evaluate_graphs(graphs, [pattern])[0]
        return AtomRows(np.array(places, np.uint32)[rows.row_event].astype(np.uint32), rows.columns)

    def finish(self) -> list[Result]:
        self.matcher.finish()
        self._take()
        self._add(self.projector.finish())
        return self.results

    def _take(self) -> None:
        self._add(self.projector.project(self.matcher.take()))

    def _add(self, table: MatchTable) -> None:
        self.table = table
        listed = not self.plan.match_aggregates and not self.query.select.distinct
        for i in range(len(table)):
            row = {
                name: str(decode(self.terms, int(word)))
                for name, word in zip(table.columns, table.words[i], strict=True)
                if word
            }
            picks = tuple(sorted((name, tuple(sorted(events))) for name, events in table.events(i).items() if events))
            decided = int(table.decided[i])
            self.results.append(
                Result(
                    picks if listed else (),
                    int(table.first[i]) if listed else None,
                    None if self.plan.match_aggregates else int(table.last[i]),
                    tuple(sorted(row.items())),
                    float("inf") if decided == FOREVER else decided,
                )
            )


def run(
    query: Query,
    events: Iterable[Event],
    terms: Terms | None = None,
    cuts: Sequence[int] = (),
    enumerates: bool = False,
) -> list[Result]:
    """All results of the engine's parts, with batches that end before the events numbered in ``cuts``."""
    ordered = streamset(query, list(events))
    one = Run(query, terms, enumerates=enumerates)
    edges = [0, *cuts, len(ordered)]
    for start, end in pairwise(edges):
        one.feed(ordered[start:end])
    return one.finish()


def difference(query: Query, events: Sequence[Event], cuts: Sequence[int] = ()) -> str:
    """Empty if engine and oracle agree, else a report to reproduce it."""
    found, wanted = run(query, events, cuts=cuts), evaluate(query, events)
    if Counter(found) == Counter(wanted):
        return ""
    lines = [to_text(query), *(f"{e.time:>12} {e.stream} {e.name} {e.triples}" for e in events)]
    lines += [f"missing {one}" for one in (Counter(wanted) - Counter(found)).elements()]
    lines += [f"extra   {one}" for one in (Counter(found) - Counter(wanted)).elements()]
    return "\n".join(lines)
