"""GIVEN in CEQL: queries with parameters, whose rows are queries of their own (semantics.md 3.7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pandas
import pyarrow
import pytest

from spaseq.tuples import Engine, match
from spaseq.tuples.selection import selection
from tests.oracle.ceql.aggregates import Row
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.given import GivenPair, given_pair
from tests.oracle.ceql.model import Query
from tests.oracle.ceql.text import to_text
from tests.oracle.chooser import Seeded
from tests.tuples.aggregated import Calculating, pair_of, text_of
from tests.tuples.eager import forget_at_once
from tests.tuples.pushed import SCHEMA, TYPES, arrival, batch, pieces, rows

SECOND = 1_000_000
Answer = tuple[int, ComplexEvent | Row]  # the number of the row, and one of its results


# ── what a query with parameters means ───────────────────────────────────────────────────────────────────
def case(seed: int) -> GivenPair:
    """A query that selects, or one that aggregates."""
    pair = random_pair(seed) if seed % 3 else pair_of(seed, Calculating)
    return given_pair(pair, Seeded(seed), text_of if pair.query.aggregates else to_text)


def answers(table: pyarrow.Table, query: Query) -> Iterator[Answer]:
    """A table as the oracle's answers, each with the number of its row."""
    if not query.aggregates:
        for row in table.to_pylist():
            yield row["label"], ComplexEvent(row["start"], row["end"], frozenset(row["positions"]))
        return
    keys = len(query.group_by)
    for end, label, *values in zip(*(column.to_pylist() for column in table.columns), strict=True):
        yield label, Row(end, tuple(values[:keys]), tuple(values[keys:]))


def check(given: GivenPair, found: Sequence[Answer]) -> None:
    """Each row has its answers, and all come in one order."""
    assert [(one.end, label) for label, one in found] == sorted((one.end, label) for label, one in found)
    for number, query in enumerate(given.queries):
        own = [one for label, one in found if label == number]
        assert disagreement(query, given.events, own) is None, (given.with_rows, number)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are taken a few at a time, and what no match can have any more is forgotten at once."""
    monkeypatch.setattr(selection, "MOST", 2)
    forget_at_once(monkeypatch)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", range(0, 240, 40))
def test_random_queries(start: int) -> None:
    """Rows in the text, in a table, or in dictionaries."""
    for seed in range(start, start + 40):
        check_on_table(case(seed), Random(seed))


def check_on_table(given: GivenPair, chance: Random) -> None:
    """Listed and counted."""
    table = pyarrow.Table.from_pylist(rows(sorted(given.events, key=lambda event: event.time)), SCHEMA)
    ordered = replace(given, events=tuple(sorted(given.events, key=lambda event: event.time)))
    text, table_of_rows = in_some_form(given, chance)
    found = match(text, table, time="time", given=table_of_rows).to_arrow()
    check(ordered, list(answers(found, given.queries[0])))
    assert match(text, table, time="time", given=table_of_rows).count() == found.num_rows


def in_some_form(given: GivenPair, chance: Random) -> tuple[str, Any]:
    """The text, and what has its rows if it does not."""
    numbers = range(len(given.rows))
    match chance.randrange(4):
        case 0:
            return given.with_rows, None
        case 1:
            return given.text, pandas.DataFrame(given.dictionaries(numbers))
        case 2:
            return given.text, pyarrow.Table.from_pylist(given.dictionaries(numbers))
    return given.text, given.dictionaries(numbers)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", range(500, 740, 40))
def test_random_queries_on_rows_that_are_pushed(start: int) -> None:
    for seed in range(start, start + 40):
        check_pushed(case(seed), Random(seed))


def check_pushed(given: GivenPair, chance: Random) -> None:
    """Late and shuffled, cut anywhere, with snapshots in between."""
    order = arrival(given.events, chance, chance.choice((0, SECOND, 5 * SECOND)))
    text, table_of_rows = in_some_form(given, chance)
    engine = Engine(time="time", types=TYPES, lateness=order.lateness)
    engine.register(text, "q", table_of_rows)
    found: list[Answer] = []
    for piece in pieces(rows(order.arriving), chance):
        found += (one for _, some in engine.push(batch(piece, chance)) for one in answers(some, given.queries[0]))
        if chance.random() < 0.3:
            data = engine.snapshot()
            engine = Engine.restore(data, {"q": text})
            assert engine.snapshot() == data
    found += (one for _, some in engine.close() for one in answers(some, given.queries[0]))
    check(replace(given, events=order.ordered), found)


# ── rows that come and go ────────────────────────────────────────────────────────────────────────────────
@dataclass
class Story:
    """Rows of a query that come and go between events, which are in order; what each has found in its lives."""

    given: GivenPair
    engine: Engine
    lives: dict[int, int] = field(default_factory=dict)  # of a row: the position at which it began
    found: dict[tuple[int, int], list[ComplexEvent | Row]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[tuple[int, int], int] = field(default_factory=dict)

    def change(self, chance: Random, position: int) -> None:
        """Add some rows, remove some."""
        rows, there = self.engine.given("q"), set(self.lives)
        some = [number for number in range(len(self.given.rows)) if chance.random() < 0.4]
        if chance.random() < 0.5:
            assert rows.add(self.given.dictionaries(some)) == len(set(some) - there)
            self.lives |= {number: position for number in some if number not in there}
        else:
            assert rows.remove(self.given.dictionaries(some)) == len(set(some) & there)
            for number in set(some) & there:
                self.ends[number, self.lives.pop(number)] = position
        assert len(rows) == len(self.lives)
        assert sorted(row["label"] for row in rows) == sorted(self.lives)

    def take(self, tables: list[tuple[str, pyarrow.Table]]) -> None:
        """Results came."""
        for _, table in tables:
            for number, one in answers(table, self.given.queries[0]):
                self.found[number, self.lives[number]].append(one)

    def check(self) -> None:
        """Each life of a row has the answers of its query on the events of that time."""
        events = self.given.events
        lives = self.ends | {(number, begin): len(events) for number, begin in self.lives.items()}
        assert self.found.keys() <= lives.keys()
        for (number, begin), end in lives.items():
            found = [earlier(one, begin) for one in self.found[number, begin]]
            assert disagreement(self.given.queries[number], events[begin:end], found) is None, self.given.with_rows


def earlier(one: ComplexEvent | Row, by: int) -> ComplexEvent | Row:
    """An answer with positions that count from elsewhere."""
    if isinstance(one, Row):
        return replace(one, end=one.end - by)
    return ComplexEvent(one.start - by, one.end - by, frozenset(position - by for position in one.positions))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("start", range(1000, 1240, 40))
def test_rows_come_and_go(start: int) -> None:
    for seed in range(start, start + 40):
        check_rows_that_change(case(seed), Random(seed))


def check_rows_that_change(given: GivenPair, chance: Random) -> None:
    """Added and removed between events."""
    given = replace(given, events=tuple(sorted(given.events, key=lambda event: event.time)))
    engine = Engine(time="time", types=TYPES)
    engine.register(given.text, "q", given=[])
    story, position = Story(given, engine), 0
    story.change(chance, position)
    for piece in pieces(rows(given.events), chance):
        story.take(story.engine.push(batch(piece, chance)))
        position += len(piece)
        if chance.random() < 0.4:
            story.engine = Engine.restore(story.engine.snapshot(), {"q": given.text})
        if chance.random() < 0.6:
            story.change(chance, position)
    story.take(story.engine.close())
    story.check()
