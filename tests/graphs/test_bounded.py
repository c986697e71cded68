"""Results come in tables of bounded size: the same ones in the same order, however small the tables are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any
from unittest.mock import patch

import pyoxigraph
import pytest

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.results.table import merged_matches
from spaseq.streams import Event
from tests.agreement.test_push import KB, KNOWN, MORE, PREFIX, S, moving, one_by_one

ANY = f"""{PREFIX} SELECT ?x ?v WITHIN 9 SECONDS SLIDING FROM STREAM s <{S}> WHERE {{ SEQ(A : B:+ : C)
    DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?y :q ?b }} DEFINE GPM C ON s {{ ?z :r ?c }} }}"""
OTHERS = {
    **MORE,
    "any": ANY,
    "distinct": ANY.replace("SELECT ?x", "SELECT DISTINCT ?x"),
    "computed": ANY.replace("SELECT ?x ?v", "SELECT (STR(?v) AS ?w)"),
    "parted any": f"""{PREFIX} SELECT ?x ?v WITHIN 6 EVENTS SLIDING FROM STREAM s <{S}> PARTITION BY ?x WHERE {{
        SEQ(A : B) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?x ?q ?w }} }}""",
    "counts": f"""{PREFIX} SELECT ?v (COUNT(*) AS ?n) WITHIN 6 SECONDS SLIDING FROM STREAM s <{S}> WHERE {{
        SEQ(A : B) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?y :r ?w FILTER(?w != ?v) }} }} GROUP BY ?v
        HAVING (COUNT(*) > 1)""",
}


@contextmanager
def tables_of(rows: int) -> Iterator[None]:
    with patch("spaseq.graphs.graph_query.MOST", rows), patch("spaseq.graphs.graph_query.MOST_HELD", 3 * rows):
        yield


def engine_of(**queries: str) -> spaseq.Engine:
    engine = spaseq.Engine({KB: KNOWN})
    for name, query in queries.items():
        engine.register(query, name)
    return engine


def by_query(matches: list[Any]) -> dict[str, list[Any]]:
    return {name: [match for match in matches if match.query == name] for name in OTHERS}


def all_of(engine: spaseq.Engine, events: list[Event]) -> list[Any]:
    found = [match for table in engine.push_events(events) for match in table]
    return found + [match for table in engine.close_tables() for match in table]


def pushed(engine: spaseq.Engine, events: list[Event]) -> list[Any]:
    return one_by_one(engine, events) + engine.close()


def in_order(engine: spaseq.Engine, events: list[Event]) -> list[Any]:
    """As ``Run`` gives them, one by one."""
    steps = (lambda: engine.kind.push(engine.kind.columns(events)), engine.core.close)
    return [match for step in steps for match in step().merged_by(merged_matches)]


@pytest.mark.parametrize("rows", [1, 3])
def test_the_size_of_tables_changes_nothing(rows: int) -> None:
    found = 0
    for seed in range(2):
        events = moving(random.Random(seed), 40)
        wanted = [way(engine_of(**OTHERS), events) for way in (all_of, pushed, in_order)]
        with tables_of(rows):
            assert all_of(engine_of(**OTHERS), events) == wanted[0]
            assert pushed(engine_of(**OTHERS), events) == wanted[1]
            assert in_order(engine_of(**OTHERS), events) == wanted[2]
        found += len(wanted[0])
    assert found > 1000


def test_tables_are_small() -> None:
    with tables_of(5):
        tables = list(engine_of(any=ANY).push_events(dense(8)))
    assert len(tables) > 10
    assert max(map(len, tables)) <= 6


def test_what_is_not_taken_comes_with_the_next_call() -> None:
    events = moving(random.Random(2), 40)
    wanted = all_of(engine_of(**OTHERS), events)
    with tables_of(2):
        engine = engine_of(**OTHERS)
        found = []
        for event in events:
            found += [match for table in islice(engine.push_events([event]), 1) for match in table]
            engine.statistics()
        found += [match for table in islice(engine.close_tables(), 3) for match in table]
        found += engine.close()
    assert {name: len(some) for name, some in by_query(found).items()} == {
        name: len(some) for name, some in by_query(wanted).items()
    }
    assert by_query(found)["any"] == by_query(wanted)["any"]


def test_no_snapshot_before_all_tables_are_taken() -> None:
    with tables_of(2):
        engine = engine_of(any=ANY)
        tables = engine.push_events(dense(8))
        next(tables)
        del tables
        with pytest.raises(OptionError, match="take all"):
            engine.snapshot()
        engine.push_batch("s", [])
        assert engine.snapshot()


# ── so many and no more ──────────────────────────────────────────────────────────────────────────────────
def dense(count: int) -> list[Event]:
    """An A, many Bs and a C: the C ends more matches than can be given."""
    kinds = ["p", *"q" * count, "r"]
    return [_event(number, kind) for number, kind in enumerate(kinds)]


def _event(number: int, kind: str) -> Event:
    text = f"<urn:x> <http://example.org/{kind}> <urn:v> ."
    triples = [quad.triple for quad in pyoxigraph.parse(text, pyoxigraph.RdfFormat.N_TRIPLES)]
    return Event(S, number, f"urn:e{number}", triples)


@pytest.mark.parametrize("query", [ANY, OTHERS["computed"]])
def test_a_query_is_over_after_max_results(query: str) -> None:
    engine = spaseq.Engine()
    engine.register(query, "any", max_results=7)
    engine.register(query.replace("B:+", "B"), "other")
    events = dense(200)
    matches = [match for table in engine.push_events(events) for match in table if match.query == "any"]
    assert len(matches) == 7
    told = engine.statistics()["queries"]["any"]
    assert (told["results"], told["max_results"], told["over"], told["stored_events"]) == (7, 7, True, 0)
    streamset = engine.core.inputs[0]
    assert [query.name for query in streamset.queries] == ["other"], "it is fed no more"


def test_push_gives_a_list_of_what_was_asked_for() -> None:
    engine = spaseq.Engine()
    engine.register(ANY, max_results=3)
    *before, last = dense(200)
    assert one_by_one(engine, before) == []
    assert len(engine.push(last.stream, list(last.triples), last.timestamp, last.name)) == 3
    assert engine.push(last.stream, list(last.triples), last.timestamp + 1) == []


def test_push_tables() -> None:
    engine = spaseq.Engine()
    engine.register(ANY)
    *before, last = dense(200)
    one_by_one(engine, before)
    with tables_of(100):
        tables = engine.push_tables(last.stream, list(last.triples), last.timestamp, last.name)
        assert sum(map(len, islice(tables, 2))) > 100


def test_a_query_that_is_over_stays_so_in_a_snapshot() -> None:
    engine = spaseq.Engine()
    engine.register(ANY, "any", max_results=2)
    engine.register(ANY, "more", max_results=10_000)
    events = dense(8)
    wanted = [match.query for match in all_of(engine, events)]
    engine = spaseq.Engine()
    engine.register(ANY, "any", max_results=2)
    engine.register(ANY, "more", max_results=10_000)
    found = [match.query for table in engine.push_events(events[:-1]) for match in table]
    found += [match.query for table in engine.push_events(events[-1:]) for match in table]
    restored = spaseq.Engine.restore(engine.snapshot(), {"any": ANY, "more": ANY})
    assert restored.statistics()["queries"] == engine.statistics()["queries"]
    assert restored.statistics()["queries"]["any"]["over"]
    assert found + [match.query for match in restored.close()] == wanted


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "3"])
def test_max_results_is_a_number(most: Any) -> None:
    with pytest.raises(OptionError, match="max_results"):
        spaseq.Engine().register(ANY, max_results=most)


def test_a_run_ends_when_its_queries_are_over() -> None:
    given = [(event.timestamp, list(event.triples), event.name) for event in dense(200)]
    read = []

    def items() -> Iterator[Any]:
        for item in given:
            read.append(item)
            yield item

    run = spaseq.run(ANY, {"s": items()}, max_results=4)
    assert len(list(run)) == 4
    assert run.counts() == {"query1": 4}


def test_matches_of_a_run_come_one_by_one() -> None:
    given = [(event.timestamp, list(event.triples), event.name) for event in dense(200)]
    assert len(list(islice(spaseq.run([ANY, ANY], {"s": given}), 10))) == 10


def test_more_matches_than_can_be_counted_are_an_error_of_their_query() -> None:
    engine = spaseq.Engine()
    engine.register(
        """SELECT (COUNT(*) AS ?n) WITHIN 1 HOURS SLIDING FROM STREAM s <urn:s> WHERE { SEQ(A : B:+ : C)
        DEFINE GPM A ON s { ?x <urn:a> ?a } DEFINE GPM B ON s { ?x <urn:b> ?b }
        DEFINE GPM C ON s { ?x <urn:c> ?c FILTER(?c > ?a) } }""",
        "many",
    )
    with pytest.raises(StreamError, match="<query many>: error: there are more matches than 64 bits can count"):
        for number, name in enumerate(["a", *"b" * 70, "c"]):
            text = f'<urn:x> <urn:{name}> "{number}"^^<http://www.w3.org/2001/XMLSchema#integer> .'
            engine.push("s", text.encode(), number * 1_000_000)
