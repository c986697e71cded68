"""Rows of parameters that run together against each by itself: what is decided at each time, and what is counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

import pytest

import spaseq
from spaseq.plan.sequences.rule_plan import RulePlan
from tests.agreement.engines import ordered
from tests.agreement.harness import triples_of
from tests.oracle.chooser import Seeded
from tests.oracle.generate import Size
from tests.oracle.given import NAMES, GivenCase, make_case
from tests.oracle.model import Event

SIZE = Size(6, 14, 2, 3)
MOST = 12  # rows


class Together:
    """The rows on an engine that shares, and on one that does not."""

    def __init__(self, case: GivenCase) -> None:
        self.case = case
        self.engines = [spaseq.Engine(sharing=sharing) for sharing in (True, False)]
        for engine in self.engines:
            engine.register(case.text, "given", given=[self.row(row) for row in case.rows])

    @property
    def shared(self) -> int:
        """How many rows run with others."""
        query, _ = self.engines[0].registration.parametric("given")
        return sum(isinstance(member.plan, RulePlan) for member in query.rows.values())

    def row(self, row: tuple[str, ...]) -> dict[str, Any]:
        terms = [term if term.startswith(":") else int(term) for term in row]
        return dict(zip(self.case.names, terms, strict=True))

    def change(self, rows: list[tuple[str, ...]], comes: bool) -> None:
        """Rows come or go."""
        table = [self.row(row) for row in rows]
        for engine in self.engines:
            known = engine.given("given")
            known.add(table) if comes else known.remove(table)

    def restart(self) -> None:
        self.engines = [
            spaseq.Engine.restore(engine.snapshot(), {"given": self.case.text}, sharing=engine.kind.sharing)
            for engine in self.engines
        ]

    def push(self, events: list[Event]) -> None:
        items = [(event.time, list(triples_of(event.triples)), f"http://example.org/{event.name}") for event in events]
        self.compare(*(engine.push_batch(events[0].stream, items) for engine in self.engines))

    def compare(self, found: list[spaseq.Match], apart: list[spaseq.Match]) -> None:
        assert by_time(found) == by_time(apart)


def by_time(matches: list[spaseq.Match]) -> list[tuple[int, Counter[Any]]]:
    groups = groupby(matches, key=lambda match: match.microseconds.decided)
    return [(time, Counter(map(said, group))) for time, group in groups]


def said(match: spaseq.Match) -> Any:
    events = sorted((name, tuple(iris)) for name, iris in match.events.items())
    return match.microseconds, tuple(events), tuple(sorted((name, str(term)) for name, term in match.bindings.items()))


def with_more_rows(case: GivenCase, chance: random.Random) -> GivenCase:
    """The case with many rows of such terms as it has."""
    names = sorted({name for gpm in case.queries[0].gpms for name in NAMES.findall(gpm.pattern)})
    rows = dict.fromkeys(case.rows)
    for _ in range(chance.randint(2, MOST)):
        terms = [chance.choice(names) if term.startswith(":") else str(chance.randint(0, 5)) for term in case.rows[0]]
        rows[tuple(terms)] = None
    return replace(case, rows=tuple(row for row in rows if fits(case, row)))


def fits(case: GivenCase, row: tuple[str, ...]) -> bool:
    """Windows are positive."""
    return all(term != "0" or f"WITHIN ?{name} " not in case.text for name, term in zip(case.names, row, strict=True))


def portions(events: list[Event], chance: random.Random) -> Iterator[list[list[Event]]]:
    """The events in up to five parts, each by stream."""
    cuts = sorted(chance.sample(range(len(events) + 1), min(len(events), chance.randint(0, 4))))
    for start, end in pairwise([0, *cuts, len(events)]):
        streams = dict.fromkeys(event.stream for event in events[start:end])
        yield [[event for event in events[start:end] if event.stream == stream] for stream in streams]


def story(number: int) -> int:
    """One story; how many rows ran with others in the beginning."""
    chance = random.Random(number)
    case = with_more_rows(make_case(Seeded(number), SIZE), chance)
    both = Together(case)
    shared = both.shared
    events = ordered(case.queries[0], case.events)
    for batches in portions(events, chance):
        for batch in batches:
            both.push(batch)
        if chance.random() < 0.3:
            both.restart()
        if chance.random() < 0.4:
            both.change(chance.sample(case.rows, chance.randint(1, len(case.rows))), chance.random() < 0.6)
    both.compare(*(engine.close() for engine in both.engines))
    return shared


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_rows_together(start: int) -> None:
    assert sum(map(story, range(start, start + 40))) > 100
