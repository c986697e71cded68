"""Queries in CEQL that differ only in constants: together they find what each finds by itself, in the same order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pyarrow
import pytest

from spaseq.errors import QueryError, SnapshotError, SpaseqError
from spaseq.tuples import Engine, families, match
from spaseq.tuples.families import TupleFamilies
from spaseq.tuples.selection import rule_selection
from spaseq.tuples.tuple_family import TupleFamily
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.given import GivenPair, given_pair
from tests.oracle.ceql.text import to_text
from tests.oracle.chooser import Seeded
from tests.snapshots.tuples import forged
from tests.tuples.pushed import TYPES, batch, pieces, rows
from tests.tuples.test_given import earlier

ABOVE = "SELECT * FROM S WHERE A AS a ; B AS b FILTER a[p > {}] AND b[p >= {}] WITHIN {} EVENTS"
EVENTS = [{"type": kind, "p": value} for kind, value in zip("ABABCAABB", (1, 5, 3, 2, 9, 4, 2, 8, 7), strict=True)]


def texts(count: int) -> dict[str, str]:
    """Queries that differ in two of three constants, some of them equal."""
    return {f"q{number}": ABOVE.format(number % 5, number % 3 * 3, 6) for number in range(count)}


def found(engine: Engine, events: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """What events that are pushed one by one give."""
    return [(name, table.to_pylist()) for event in events for name, table in engine.push([event])]


def started(queries: dict[str, str], **options: Any) -> Engine:
    """An engine with these queries."""
    engine = Engine(**options)
    for name, text in queries.items():
        engine.register(text, name)
    return engine


def told(engine: Engine, *left_out: str) -> dict[str, Any]:
    """The statistics of queries."""
    out = {"kernel", "family", *left_out}
    return {
        name: {what: value for what, value in its.items() if what not in out}
        for name, its in engine.statistics()["queries"].items()
    }


# ── examples ─────────────────────────────────────────────────────────────────────────────────────────────
def test_queries_of_one_form_run_together() -> None:
    engine, apart = started(texts(12)), started(texts(12), sharing=False)
    assert found(engine, EVENTS) == found(apart, EVENTS)
    assert told(engine) == told(apart)
    assert engine.statistics()["queries"]["q3"]["family"] == 12
    (family,) = engine.core.at_work
    assert isinstance(family, TupleFamily)
    assert len(family.rows) == 12
    assert "family" not in apart.statistics()["queries"]["q3"]


def test_a_few_run_by_themselves() -> None:
    engine = started(texts(families.LEAST - 1))
    found(engine, EVENTS)
    assert not any(isinstance(query, TupleFamily) for query in engine.core.at_work)


def test_tables_are_read_once_for_all() -> None:
    table = pyarrow.Table.from_pylist(EVENTS)
    together, apart = (match(texts(12), table, sharing=sharing).to_arrow() for sharing in (True, False))
    assert together == apart
    assert match(texts(12), table).counts() == {name: one.num_rows for name, one in apart.items()}


def test_a_query_begins_with_the_next_event_and_leaves_nothing() -> None:
    engine, apart = started(texts(9)), started(texts(9), sharing=False)
    assert found(engine, EVENTS[:3]) == found(apart, EVENTS[:3])
    for one in (engine, apart):
        one.register(ABOVE.format(0, 0, 6), "late")
        one.register(ABOVE.format(0, 0, 6), "alike")
        one.unregister("q4")
        one.unregister("alike")
        one.register(ABOVE.format(1, 1, 6), "q4")
    assert found(engine, EVENTS[3:]) == found(apart, EVENTS[3:])
    assert told(engine) == told(apart)


def test_all_may_leave_and_others_come() -> None:
    engine = started(texts(9))
    found(engine, EVENTS)
    for name in texts(9):
        engine.unregister(name)
    assert not engine.core.at_work
    for name, text in texts(9).items():
        engine.register(text, name)
    apart = started(texts(9), sharing=False)
    found(apart, EVENTS)
    for name in texts(9):
        apart.unregister(name)
    for name, text in texts(9).items():
        apart.register(text, name)
    assert found(engine, EVENTS) == found(apart, EVENTS)


def test_a_query_that_makes_no_sense_ends_alone() -> None:
    queries = texts(9) | {"wrong": ABOVE.format("'x'", 1, 6)}
    engine, errors = started(queries), []
    results = []
    for event in EVENTS:
        try:
            results += found(engine, [event])
        except QueryError as error:
            errors.append(str(error))
            results += [(name, table.to_pylist()) for name, table in engine.push([])]
    (error,) = errors
    assert error.startswith("wrong: error: the attribute p of type int64 does not compare (>) with the text 'x'")
    assert results == found(started(texts(9)), EVENTS)


@pytest.mark.parametrize(
    "other",
    [
        "SELECT a FROM S WHERE A AS a ; B AS b FILTER a[p > 1] AND b[p >= 1] WITHIN 6 EVENTS",
        "SELECT * FROM S WHERE A AS a ; B AS b FILTER a[p > 1] AND b[p >= 1] WITHIN 7 EVENTS",
        "SELECT * FROM S WHERE A AS a ; B AS b FILTER a[p > 1] AND b[p > 1] WITHIN 6 EVENTS",
        "SELECT * FROM T WHERE A AS a ; B AS b FILTER a[p > 1] AND b[p >= 1] WITHIN 6 EVENTS",
        "SELECT NEXT * FROM S WHERE A AS a ; B AS b FILTER a[p > 1] AND b[p >= 1] WITHIN 6 EVENTS",
        "SELECT * FROM S WHERE A AS a ; B AS b FILTER a[p > 1] AND b[p >= 1] WITHIN 6 EVENTS LIMIT 3",
    ],
)
def test_what_is_no_constant_keeps_queries_apart(other: str) -> None:
    engine = started(texts(9) | {"other": other})
    with suppress(QueryError):
        found(engine, EVENTS)
    assert not isinstance(engine.core.running["other"], TupleFamily)


def test_one_is_not_true() -> None:
    text = "SELECT * FROM S WHERE A AS a FILTER a[p > {}] AND a[p IN ({})]"
    queries = {f"q{number}": text.format(number, "1, 4") for number in range(9)}
    queries |= {f"r{number}": text.format(number, "1.0, 4") for number in range(9)}
    engine = started(queries)
    assert found(engine, EVENTS) == found(started(queries, sharing=False), EVENTS)
    assert len(engine.core.at_work) == 2


def test_constants_of_all_kinds() -> None:
    text = "SELECT * FROM S WHERE A AS a FILTER a[{}]"
    constants = ["1", "1.0", "2", "1.5", str(2**70), "0.1", "1e300", "-3", "7"]
    queries = {f"{operator}{one}": text.format(f"p {operator} {one}") for operator in "<=" for one in constants}
    values: list[Any] = [1, 2, None, 2**62, 0, 1.5, 1e308, float("nan"), 0.1, 7]
    events = [{"type": "A", "p": None if one is None else float(one)} for one in values]
    wholes = [{"type": "A", "p": one} for one in values if isinstance(one, int | None)]
    for some in (events, wholes):
        engine = started(queries, types={"p": "double" if some is events else "int64"})
        apart = started(queries, types={"p": "double" if some is events else "int64"}, sharing=False)
        assert found(engine, some) == found(apart, some)
        assert any(isinstance(query, TupleFamily) for query in engine.core.at_work)


# ── the law ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass
class Story:
    """Queries that come and go between events; what each has found, and from where to where it ran."""

    given: GivenPair
    engine: Engine
    apart: Engine
    lives: dict[str, tuple[int, int]] = field(default_factory=dict)  # the number of the query, and where it began
    found: dict[str, list[ComplexEvent]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def change(self, chance: Random, position: int) -> None:
        """Register some, unregister some."""
        for number, query in enumerate(self.given.queries):
            if chance.random() < 0.5:
                name = f"q{number}-{position}-{chance.randrange(10**6)}"
                self.lives[name] = number, position
                for engine in (self.engine, self.apart):
                    engine.register(to_text(query), name)
        for name in [name for name in self.lives if chance.random() < 0.2]:
            self.ends[name] = (*self.lives.pop(name), position)
            for engine in (self.engine, self.apart):
                engine.unregister(name)

    def push(self, piece: Any) -> None:
        """The same events to both; they find the same."""
        mine, its = self.engine.push(piece), self.apart.push(piece)
        self.compare(mine, its)

    def compare(self, mine: Any, its: Any) -> None:
        """Results of both."""
        together = [(name, table.to_pylist()) for name, table in mine]
        assert together == [(name, table.to_pylist()) for name, table in its], self.given.text
        for name, some in together:
            if not self.given.queries[0].aggregates:
                self.found[name] += [
                    ComplexEvent(row["start"], row["end"], frozenset(row["positions"])) for row in some
                ]

    def check(self) -> None:
        """Each life of a query has the answers of the oracle; both engines tell the same.

        By itself, a query may take what events before it were for what fits it.
        """
        assert told(self.engine, "why") == told(self.apart, "why")
        events = self.given.events
        if self.given.queries[0].aggregates:
            return
        lives = self.ends | {name: (*one, len(events)) for name, one in self.lives.items()}
        for name, (number, begin, end) in lives.items():
            answers = [earlier(one, begin) for one in self.found[name]]
            assert disagreement(self.given.queries[number], events[begin:end], answers) is None, self.given.with_rows


def case(seed: int) -> GivenPair:
    """Some queries that differ in constants, and events."""
    return given_pair(random_pair(seed), Seeded(seed), to_text)


def again(engine: Engine, story: Story, sharing: bool) -> Engine:
    """The engine after a snapshot, which is the same once more."""
    data = engine.snapshot()
    queries = {name: to_text(story.given.queries[story.lives[name][0]]) for name in engine.queries}
    restored = Engine.restore(data, queries, sharing=sharing)
    assert restored.snapshot() == data
    return restored


def story(given: GivenPair, chance: Random) -> Story:
    """Events in order, cut anywhere, with snapshots in between."""
    given = replace(given, events=tuple(sorted(given.events, key=lambda event: event.time)))
    found = Story(given, *(Engine(time="time", types=TYPES, sharing=sharing) for sharing in (True, False)))
    position = 0
    found.change(chance, position)
    for piece in pieces(rows(given.events), chance):
        found.push(batch(piece, chance))
        position += len(piece)
        if chance.random() < 0.3:
            found.engine, found.apart = again(found.engine, found, True), again(found.apart, found, False)
        if chance.random() < 0.5:
            found.change(chance, position)
    found.compare(found.engine.close(), found.apart.close())
    found.check()
    return found


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two queries are many."""
    monkeypatch.setattr(families, "LEAST", 2)
    yield


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("start", range(0, 240, 40))
def test_random_stories(start: int) -> None:
    for seed in range(start, start + 40):
        story(case(seed), Random(seed))


@pytest.mark.usefixtures("eager")
def test_many_stories_are_of_families(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[bool] = []
    takes = TupleFamilies.takes
    monkeypatch.setattr(TupleFamilies, "takes", lambda *asked: met.append(takes(*asked)) or met[-1])
    for seed in range(2_000, 2_040):
        story(case(seed), Random(seed))
    assert sum(met) > len(met) / 6


# ── what a reader of the code found ──────────────────────────────────────────────────────────────────────
ABOVE_ONE = "SELECT * FROM S WHERE A AS a ; B AS b FILTER a[p > {}]"
GIVEN = "SELECT * FROM S GIVEN $x WHERE A AS a ; B AS b FILTER a[p > $x]"


def nine(sharing: bool = True, first: int = 100) -> Engine:
    """Nine queries that differ in one constant."""
    return started({f"k{number}": ABOVE_ONE.format(first + number) for number in range(9)}, sharing=sharing)


def event(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "p": value}


@pytest.mark.parametrize("sharing", [True, False])
def test_a_query_that_comes_again_is_another_one(sharing: bool) -> None:
    engine = nine(sharing)
    found(engine, [event("C", 0)])
    engine.register(ABOVE_ONE.format(0), "z")
    found(engine, [event("A", 9)])
    engine.unregister("z")
    engine.register(ABOVE_ONE.format(50), "y")
    engine.register(ABOVE_ONE.format(0), "z")
    assert found(engine, [event("B", 9)]) == []


@pytest.mark.parametrize("sharing", [True, False])
def test_a_row_that_comes_again_is_another_one(sharing: bool) -> None:
    engine = Engine(sharing=sharing)
    engine.register(GIVEN, "q", [{"x": 0}, {"x": 100}])
    found(engine, [event("A", 5)])
    engine.given("q").remove([{"x": 0}])
    engine.given("q").add([{"x": 0}])
    assert found(engine, [event("B", 9)]) == []


def test_a_family_of_which_nothing_fits_ends() -> None:
    wrong = {f"q{number}": f"SELECT * FROM S WHERE A AS a FILTER a[p = '{number}']" for number in range(9)}
    with pytest.raises(QueryError, match="the attribute p of type int64"):
        match(wrong, pyarrow.table({"type": ["A"], "p": [1]}))
    engine = started(wrong)
    with pytest.raises(QueryError, match="the attribute p of type int64"):
        engine.push([event("A", 1)])
    assert engine.push([event("A", 1)]) == []


def test_what_does_not_fit_leaves_a_running_family_alone() -> None:
    engine = nine(first=0)
    found(engine, [event("A", 9)])
    engine.register(ABOVE_ONE.format("'x'"), "bad")
    with pytest.raises(QueryError, match="bad: error: the attribute p"):
        engine.push([event("B", 9)])
    assert len(engine.push([event("B", 9)])) == 9


def test_a_query_of_many_that_does_not_fit_is_told_by_match() -> None:
    queries = {f"q{number}": ABOVE_ONE.format(number) for number in range(9)} | {"bad": ABOVE_ONE.format("'x'")}
    with pytest.raises(QueryError, match="bad: error: the attribute p"):
        match(queries, pyarrow.table({"type": ["A"], "p": [1]}))


def test_queries_of_one_rule_lose_nothing_when_results_are_left() -> None:
    engine = started({f"q{number}": ABOVE_ONE.format(number // 2) for number in range(9)})
    some = engine.push_tables([event("A", 9), event("B", 2)])
    names = [next(some)[0]]
    some.close()
    names += [name for name, _ in engine.push([])]
    assert sorted(names) == [f"q{number}" for number in range(9)]


def test_results_of_a_row_that_comes_while_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_selection, "MOST", 2)
    counts = []
    for sharing in (True, False):
        engine = Engine(time="t", unit="s", lateness=5_000_000, sharing=sharing)
        engine.register(GIVEN, "q", [{"x": 0}, {"x": 1}])
        push = [{"type": kind, "p": 9, "t": time} for time, kind in enumerate("AABBAB")]
        waiting = engine.push_tables([*push, {"type": "C", "p": 0, "t": 12}])
        got = [next(waiting)[1]]
        waiting.close()
        engine.given("q").add([{"x": 2}])
        later = [{"type": kind, "p": 9, "t": time} for time, kind in ((20, "A"), (21, "B"), (40, "C"))]
        got += [table for _, table in engine.push(later)]
        counts.append(sorted(row["x"] for table in got for row in table.to_pylist()))
    assert counts[0] == counts[1]
    assert 2 in counts[0]


def test_conditions_beside_a_parameter_are_checked() -> None:
    engine = Engine()
    engine.register("SELECT * FROM S GIVEN $x { 1 } WHERE A AS a FILTER a[p > $x OR name > 5]", "q")
    with pytest.raises(QueryError, match="the attribute name"):
        engine.push([{"type": "A", "p": 1, "name": "n"}])


def test_a_constant_beside_a_parameter() -> None:
    engine = Engine()
    engine.register("SELECT * FROM S GIVEN $x { 'u' 'v' } WHERE A AS a FILTER a[p > 1 AND 'u' = $x]", "q")
    ((_, table),) = engine.push([event("A", 2)])
    assert table["x"].to_pylist() == ["u"]


def test_a_snapshot_after_a_query_left_its_family() -> None:
    queries = {f"q{number}": ABOVE_ONE.format(number if number != 4 else "'x'") for number in range(10)}
    engine = started(queries)
    with pytest.raises(QueryError, match="q4: error"):
        engine.push([event("A", 9)])
    restored = Engine.restore(engine.snapshot(), queries)
    assert len(restored.push([event("B", 9)])) == 8


def test_a_restored_engine_ends_a_new_row_that_does_not_fit() -> None:
    engine = Engine()
    engine.register(GIVEN, "q", [{"x": 0}, {"x": 1}])
    found(engine, [event("A", 9)])
    restored = Engine.restore(engine.snapshot(), {"q": GIVEN}, given={"q": [{"x": 0}, {"x": 1}, {"x": "bad"}]})
    with pytest.raises(QueryError, match=r"row \('bad'\)"):
        restored.push([event("B", 9)])
    assert [len(table) for _, table in restored.push([event("B", 9)])] == [4]


def test_what_repeats_is_counted_by_totals() -> None:
    events = pyarrow.table({"type": ["A", *"B" * 60, "C"], "p": [1] * 62})
    text = "SELECT * WHERE A AS a ; B+ AS b ; C AS c FILTER a[p >= {}]"
    given = text.format("$x").replace("WHERE", "GIVEN $x { 0 1 2 } WHERE")
    assert match(given, events).count() == 2 * (2**60 - 1)
    counts = match({f"q{number}": text.format(number) for number in range(9)}, events).counts()
    assert counts == {f"q{number}": 2**60 - 1 if number < 2 else 0 for number in range(9)}


def test_counts_after_some_results() -> None:
    events = pyarrow.Table.from_pylist([event("A", 9), event("B", 1), event("B", 2)])
    queries = {f"q{number}": ABOVE_ONE.format(number) for number in range(9)}
    some = match(queries, events)
    first, batch = next(some)
    counts = some.counts()
    counts[first] += batch.num_rows
    assert counts == dict.fromkeys(queries, 2)


@pytest.mark.parametrize("sharing", [True, False])
def test_a_query_leaves_the_input_that_it_has(sharing: bool) -> None:
    engine = Engine(time="t", unit="s", lateness=3_000_000, sharing=sharing)
    engine.register(ABOVE_ONE.format(0), "first")
    engine.push([{"type": "A", "p": 1, "t": 1}])
    engine.register(ABOVE_ONE.format(0), "second")
    engine.push([{"type": "A", "p": 1, "t": 9}])
    engine.push([{"type": "B", "p": 1, "t": 19}])
    engine.unregister("second")
    assert engine.queries == ("first",)
    assert {name for name, _ in engine.close()} == {"first"}


# ── snapshots ────────────────────────────────────────────────────────────────────────────────────────────
def test_a_snapshot_of_queries_apart_and_one_of_a_family_go_on_either_way() -> None:
    queries = texts(12)
    for sharing in (True, False):
        engine = started(queries, sharing=sharing)
        found(engine, EVENTS[:5])
        for later in (True, False):
            restored = Engine.restore(engine.snapshot(), queries, sharing=later)
            whole = started(queries)
            found(whole, EVENTS[:5])
            assert found(restored, EVENTS[5:]) == found(whole, EVENTS[5:])


def test_forged_families_are_refused_or_harmless() -> None:
    engine = started(texts(12))
    found(engine, EVENTS[:6])
    data, chance, refused = engine.snapshot(), Random(1), 0
    for _ in range(150):
        try:
            entered = Engine.restore(forged(data, chance), texts(12))
        except SnapshotError:
            refused += 1
            continue
        with suppress(SpaseqError):
            entered.statistics()
            found(entered, EVENTS)
    assert 40 < refused < 150
