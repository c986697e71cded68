"""Rows of parameters that run together against each by itself: what is decided at each time, and what is counted."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
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
from tests.slices import first

SIZE = Size(6, 14, 2, 3)
MOST = 12  # rows
READER = """PREFIX : <http://example.org/>
SELECT * FROM STREAM d <http://example.org/derived> WHERE { SEQ(D) DEFINE GPM D ON d { ?x ?p ?y } }"""


class Together:
    """The rows on an engine that shares, and on one that does not."""

    def __init__(self, case: GivenCase) -> None:
        self.case = case
        self.engines = [spaseq.Engine(sharing=sharing) for sharing in (True, False)]
        self.derives = "CONSTRUCT" in case.text
        for engine in self.engines:
            engine.register(case.text, "given", given=[self.row(row) for row in case.rows])
            if self.derives:
                engine.register(READER, "reader")

    @property
    def shared(self) -> int:
        """How many rows run with others."""
        query, _ = self.engines[0].registration.parametric("given")
        return sum(isinstance(member.plan, RulePlan) for member in query.rows.values())

    @property
    def queries(self) -> dict[str, str]:
        return {"given": self.case.text} | ({"reader": READER} if self.derives else {})

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
            spaseq.Engine.restore(engine.snapshot(), self.queries, sharing=engine.kind.sharing)
            for engine in self.engines
        ]

    def push(self, events: list[Event]) -> None:
        items = [(event.time, list(triples_of(event.triples)), f"http://example.org/{event.name}") for event in events]
        self.compare(*(engine.push_batch(events[0].stream, items) for engine in self.engines))

    def compare(self, found: list[spaseq.Match], apart: list[spaseq.Match]) -> None:
        says = said_anew if self.derives else said_once if self.case.queries[0].select.distinct else said
        assert by_time(found, says) == by_time(apart, says)


def by_time(matches: list[spaseq.Match], says: Callable[[spaseq.Match], Any]) -> list[tuple[int, Counter[Any]]]:
    groups = groupby(matches, key=lambda match: match.microseconds.decided)
    return [(time, Counter(map(says, group))) for time, group in groups]


def said_once(match: spaseq.Match) -> Any:
    """What DISTINCT shows once: any match may stand for it."""
    return match.microseconds.last, said(match)[2]


def said(match: spaseq.Match) -> Any:
    events = sorted((name, tuple(iris)) for name, iris in match.events.items())
    return match.microseconds, tuple(events), tuple(sorted((name, str(term)) for name, term in match.bindings.items()))


def said_anew(match: spaseq.Match) -> Any:
    """What is known of a match that makes an event."""
    derived = None if match.derived is None else (*match.derived[:3], *sorted(map(str, match.derived.triples)))
    return match.query, said(match), derived


def deriving(case: GivenCase) -> GivenCase:
    """The case with CONSTRUCT in the place of SELECT: an event for each match, of all that it binds."""
    variables = dict.fromkeys(name for gpm in case.queries[0].gpms for name in gpm.variables)
    about = " ; ".join(f":{name} ?{name}" for name in (*variables, *case.names))
    form = f"CONSTRUCT {{ [] {about} . ?k :is _:one }} INTO STREAM <http://example.org/derived>"
    text = re.sub(r"^ *(GROUP BY|HAVING) .*\n", "", case.text, flags=re.MULTILINE)
    return replace(case, text=re.sub(r"^SELECT .*$", form, text, flags=re.MULTILINE))


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


def story(number: int, derives: bool = False) -> int:
    """One story; how many rows ran with others in the beginning."""
    chance = random.Random(number)
    case = with_more_rows(make_case(Seeded(number), SIZE), chance)
    case = deriving(case) if derives else case
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


@pytest.mark.parametrize("start", first(2, range(0, 80, 20)))
def test_rows_together(start: int) -> None:
    assert sum(map(story, range(start, start + 20))) > 50


@pytest.mark.parametrize("start", first(2, range(0, 80, 20)))
def test_rows_that_derive_events(start: int) -> None:
    assert sum(story(number, derives=True) for number in range(start, start + 20)) > 50
