"""Rows that come and go while events wait: together they give what queries give that are registered in their place."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any

import pytest

import spaseq
from tests.agreement.engines import ordered
from tests.agreement.harness import triples_of
from tests.oracle.generate import Size
from tests.oracle.given import GivenCase, random_case
from tests.oracle.model import Event
from tests.slices import first

SIZE = Size(3, 12, 1, 8)
LATENESS = 2_000_000


@dataclass
class Both:
    """An engine with the rows, and one with a query for each; what they have given."""

    case: GivenCase
    engines: list[spaseq.Engine] = field(default_factory=list)
    running: list[tuple[str, ...]] = field(default_factory=list)  # rows, in the order in which they came

    def __post_init__(self) -> None:
        self.engines = [spaseq.Engine(lateness=LATENESS), spaseq.Engine(lateness=LATENESS)]
        self.engines[0].register(self.case.text, "given", given=[])
        self.engines[1].register(self.alone(self.case.rows[0]), "first")  # both know the streams from the beginning

    def alone(self, row: tuple[str, ...]) -> str:
        return replace(self.case, rows=(row,)).with_rows

    def table(self, row: tuple[str, ...]) -> list[dict[str, Any]]:
        terms = [term if term.startswith(":") else int(term) for term in row]
        return [dict(zip(self.case.names, terms, strict=True))]

    def add(self, row: tuple[str, ...]) -> None:
        if row not in self.running:
            assert self.engines[0].given("given").add(self.table(row)) == 1
            self.engines[1].register(self.alone(row), str(row))
            self.running.append(row)

    def remove(self, row: tuple[str, ...]) -> None:
        if row in self.running:
            assert self.engines[0].given("given").remove(self.table(row)) == 1
            self.engines[1].unregister(str(row))
            self.running.remove(row)

    def restart(self) -> None:
        texts = {"first": self.alone(self.case.rows[0])} | {str(row): self.alone(row) for row in self.running}
        self.engines = [
            spaseq.Engine.restore(self.engines[0].snapshot(), {"given": self.case.text}),
            spaseq.Engine.restore(self.engines[1].snapshot(), texts),
        ]

    def push(self, events: list[Event]) -> None:
        """Push events of one stream; the results must be the same, in the order of decision and then of the rows."""
        items = [(event.time, list(triples_of(event.triples)), f"http://example.org/{event.name}") for event in events]
        self.compare(*(engine.push_batch(events[0].stream, items) for engine in self.engines))

    def compare(self, found: list[spaseq.Match], apart: list[spaseq.Match]) -> None:
        places = {str(row): place for place, row in enumerate(self.running)}
        wanted = [match for match in apart if match.query in places]
        wanted.sort(key=lambda match: (match.microseconds.decided, places[match.query]))
        assert len(found) == len(wanted)
        rest = iter(found)
        for _, group in groupby(wanted, key=lambda match: (match.microseconds.decided, match.query)):
            its = list(group)  # in what order a row decides them at once depends on what an engine has met
            assert sorted(said(next(rest)) for _ in its) == sorted(map(said, its))


def said(match: spaseq.Match) -> tuple[Any, ...]:
    terms = sorted((name, str(term)) for name, term in match.bindings.items())
    return match.microseconds, sorted(match.events.items()), terms


def arrivals(case: GivenCase, chance: random.Random) -> list[Event]:
    """The events, some of them late but within what is allowed."""
    events = ordered(case.queries[0], case.events)
    return sorted(events, key=lambda event: event.time + chance.randint(0, LATENESS))


def story(number: int) -> int:
    """One story; how many rows came."""
    chance = random.Random(number)
    case = random_case(number, SIZE)
    both, came = Both(case), 0
    events = arrivals(case, chance)
    cuts = sorted(chance.sample(range(len(events) + 1), chance.randint(1, len(events))))
    for start, end in pairwise([0, *cuts, len(events)]):
        for row in case.rows:
            if chance.random() < 0.4:
                both.add(row)
                came += 1
            elif chance.random() < 0.15:
                both.remove(row)
        if chance.random() < 0.3:
            both.restart()
        for stream in dict.fromkeys(event.stream for event in events[start:end]):
            both.push([event for event in events[start:end] if event.stream == stream])
    both.compare(*(engine.close() for engine in both.engines))
    return came


@pytest.mark.parametrize("start", first(2, range(0, 100, 25)))
def test_rows_come_and_go(start: int) -> None:
    assert sum(map(story, range(start, start + 25))) > 50
