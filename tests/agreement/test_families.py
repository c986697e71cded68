"""Queries that differ only in constants, which run as one, against each by itself: what each finds at which time."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest

import spaseq
from spaseq.graphs import families
from spaseq.graphs.graph_family import GraphFamily
from spaseq.graphs.parameter_rows import read_rows
from spaseq.pattern.sequences import Query, bound
from tests.agreement.engines import ordered
from tests.agreement.harness import triples_of
from tests.agreement.test_rules import SIZE, portions, said, with_more_rows
from tests.oracle.chooser import Seeded
from tests.oracle.given import GivenCase, make_case
from tests.oracle.model import Event
from tests.slices import first


def queries_of(case: GivenCase) -> list[Query]:
    """A query for each row."""
    query = spaseq.parse(case.text).query
    table = [
        {name: term if term.startswith(":") else int(term) for name, term in zip(case.names, row, strict=True)}
        for row in case.rows
    ]
    return [replace(bound(query, row), row=None, name="") for row in read_rows(query, table)]


class Together:
    """Queries on an engine that lets them run together, and on one that does not."""

    def __init__(self) -> None:
        self.known: dict[str, Query] = {}
        self.most: dict[str, int | None] = {}
        self.engines = [spaseq.Engine(sharing=sharing) for sharing in (True, False)]

    @property
    def families(self) -> list[GraphFamily]:
        return [one for one in self.engines[0].core.at_work if isinstance(one, GraphFamily)]

    def register(self, name: str, query: Query, most: int | None) -> None:
        self.known[name], self.most[name] = query, most
        for engine in self.engines:
            engine.register(query, name, max_results=most)

    def unregister(self, name: str) -> None:
        del self.known[name]
        for engine in self.engines:
            engine.unregister(name)

    def restart(self) -> None:
        self.engines = [
            spaseq.Engine.restore(engine.snapshot(), self.known, sharing=engine.kind.sharing) for engine in self.engines
        ]

    def push(self, events: list[Event]) -> None:
        items = [(event.time, list(triples_of(event.triples)), f"http://example.org/{event.name}") for event in events]
        self.compare(*(engine.push_batch(events[0].stream, items) for engine in self.engines))

    def compare(self, found: list[spaseq.Match], apart: list[spaseq.Match]) -> None:
        together = {name for family in self.families for name in family.names}
        assert self.by_turn(found, together) == self.by_turn(apart, together)
        counts = [{name: one["results"] for name, one in e.statistics()["queries"].items()} for e in self.engines]
        assert counts[0] == counts[1]

    def by_turn(self, matches: list[spaseq.Match], together: set[str]) -> list[Any]:
        """The results of each time and query; queries on inputs of their own may have their turn in another order.

        Of queries that run together it is open in which order these come, and so which of them are the first.
        """
        assert [match.microseconds.decided for match in matches] == sorted(m.microseconds.decided for m in matches)
        turns = groupby(sorted(matches, key=turn), key=turn)
        return [(one, self.told(one[1], list(map(said, its)), together)) for one, its in turns]

    def told(self, name: str, results: list[Any], together: set[str]) -> Any:
        if name not in together:
            return results
        return Counter(results) if self.most[name] is None else len(results)


def turn(match: spaseq.Match) -> tuple[int, str]:
    return match.microseconds.decided, match.query


def story(number: int) -> int:
    """One story; how many queries ran with others in the beginning."""
    chance = random.Random(number)
    case = with_more_rows(make_case(Seeded(number), SIZE), chance)
    queries = queries_of(case)
    queries += chance.choices(queries, k=chance.randint(0, 6))
    both = Together()
    most = [chance.choice((None, None, None, 1, 2)) for _ in queries]
    first = chance.randint(len(queries) // 2, len(queries))
    for place in range(first):
        both.register(f"q{place}", queries[place], most[place])
    shared = sum(len(one.names) for one in both.families)
    events = ordered(case.queries[0], case.events)
    for batches in portions(events, chance):
        for batch in batches:
            both.push(batch)
        if chance.random() < 0.3:
            both.restart()
        for place in chance.sample(range(len(queries)), min(3, len(queries))) if chance.random() < 0.5 else ():
            if f"q{place}" not in both.known:
                both.register(f"q{place}", queries[place], most[place])
            elif len(both.known) > 1:
                both.unregister(f"q{place}")
    both.compare(*(engine.close() for engine in both.engines))
    return shared


@pytest.fixture(autouse=True)
def small_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "LEAST", 2)


@pytest.mark.parametrize("start", first(1, range(0, 100, 25)))
def test_families(start: int) -> None:
    assert sum(map(story, range(start, start + 25))) > 20  # as drawn: 61, 65, 44 and 25 of them
