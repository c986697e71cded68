"""Queries that differ only in constants run as one: what their users see is what each gives by itself."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import Any

import pytest

import spaseq
from spaseq.graphs.families import LEAST
from spaseq.graphs.graph_family import GraphFamily

STOCK = "https://spaseq.org/ontology/stock#"
COMPANY = "https://spaseq.org/data/stock/company/"
QUERY = """
PREFIX stock: <https://spaseq.org/ontology/stock#>
PREFIX company: <https://spaseq.org/data/stock/company/>
SELECT ?p1 ?p2 ({threshold} AS ?limit)
WITHIN {seconds} SECONDS SLIDING
FROM STREAM stock <https://spaseq.org/stream/stock>
WHERE {{
  SEQ(A ; B ; C)
  DEFINE GPM A ON stock {{ ?q1 stock:company {company} ; stock:price ?p1 . FILTER(?p1 > {threshold}) }}
  DEFINE GPM B ON stock {{ ?q2 stock:company {company} ; stock:price ?p2 . FILTER(?p2 > ?p1) }}
  DEFINE GPM C ON stock {{ ?q3 stock:company {company} ; stock:price ?p3 . FILTER(?p3 < ?p2) }}
}}
"""


def quote(number: int) -> tuple[int, bytes]:
    """A quote of one of four companies, whose prices rise and fall."""
    price = 20 + number * 37 % 101
    graph = f"<q:{number}> <{STOCK}company> <{COMPANY}{number % 4}> ; <{STOCK}price> {price} ."
    return number * 2_000_000, graph.encode()


QUOTES = [quote(number) for number in range(90)]


def text(threshold: str = "40", seconds: int = 40, company: str = "company:0") -> str:
    return QUERY.format(threshold=threshold, seconds=seconds, company=company)


FAMILIES = {
    "equal": [text()] * 10,
    "thresholds": [text(str(20 + 7 * n)) for n in range(12)],
    "numbers of all kinds": [text(one) for one in ("1", "40.5", "4e1", "90", "50.00", "50", "1e3", "041", "0.0")],
    "windows": [text(seconds=5 + 3 * n) for n in range(12)],
    "companies": [text(company=f"company:{n % 6}") for n in range(12)],
    "names of variables": [
        text(str(30 + n)).replace("?p1", f"?first{n % 3}").replace("?limit", f"?at{n % 2}").replace("?q2", f"?x{n}")
        for n in range(9)
    ],
    "all of these": [text(str(30 + 5 * n), 10 + n, f"company:{n % 3}") for n in range(20)],
}


def families(engine: spaseq.Engine) -> list[GraphFamily]:
    return [one for one in engine.kind.core.at_work if isinstance(one, GraphFamily)]


def named(texts: list[str]) -> dict[str, str]:
    return {f"q{number}": one for number, one in enumerate(texts)}


def run(texts: list[str], sharing: bool, **options: Any) -> spaseq.Run:
    return spaseq.run(named(texts), {"stock": QUOTES}, sharing=sharing, **options)


def in_turn(matches: Iterable[spaseq.Match]) -> list[Any]:
    """Each time and query in turn, with its results in any order."""
    turns = groupby(matches, key=lambda match: (match.microseconds.decided, match.query))
    return [(turn, Counter(its)) for turn, its in turns]


@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_all_is_as_by_itself(texts: list[str]) -> None:
    together = run(texts, sharing=True)
    assert [list(family.names) for family in families(together.engine)] == [list(named(texts))]
    found = list(together)
    assert in_turn(found) == in_turn(run(texts, sharing=False))
    assert together.counts() == {name: Counter(match.query for match in found)[name] for name in named(texts)}


@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_tables_are_each_of_one_query(texts: list[str]) -> None:
    tables = list(run(texts, sharing=True).tables())
    assert Counter(match for table in tables for match in table) == Counter(run(texts, sharing=False))
    assert all({match.query for match in table} == {table.query} for table in tables)


@pytest.mark.parametrize("texts", FAMILIES.values(), ids=FAMILIES)
def test_results_in_one_order_as_tables(texts: list[str]) -> None:
    merged = [match for part in run(texts, sharing=True).merged() for table in part.runs() for match in table]
    assert in_turn(merged) == in_turn(run(texts, sharing=False))


def test_counted_only() -> None:
    texts = FAMILIES["all of these"]
    counted = spaseq.Run(named(texts), {"stock": QUOTES}, count_only=True)
    assert list(counted.tables()) == []
    assert Counter(counted.counts()) == Counter(match.query for match in run(texts, sharing=False))


def test_a_frame_has_the_types_of_its_query() -> None:
    texts = FAMILIES["numbers of all kinds"]
    for name, kind in (("q0", "int64"), ("q1", "decimal128"), ("q2", "double")):
        frame = run(texts, sharing=True).to_arrow(query=name)
        assert str(frame.schema.field("limit").type).startswith(kind)
        apart = run(texts, sharing=False).to_arrow(query=name)
        assert (frame.schema, len(frame)) == (apart.schema, len(apart))


def test_few_run_by_themselves() -> None:
    engine = spaseq.Engine()
    for number in range(LEAST - 1):
        engine.register(text(str(number)))
    assert families(engine) == []
    engine.register(text("100"))
    assert [len(family.names) for family in families(engine)] == [LEAST]
    assert list(engine.queries) == [f"query{number + 1}" for number in range(LEAST)]


def test_queries_that_saw_events_go_on_by_themselves() -> None:
    engine = spaseq.Engine()
    for number in range(LEAST - 1):
        engine.register(text(str(number)))
    engine.push("stock", b"<a:q> <https://spaseq.org/ontology/stock#price> 5 .", 0)
    for number in range(LEAST):
        engine.register(text(str(number)), f"late{number}")
    assert [len(family.names) for family in families(engine)] == [LEAST]


def test_more_may_differ_later() -> None:
    texts = [*FAMILIES["thresholds"], *FAMILIES["companies"], *FAMILIES["windows"]]
    together = run(texts, sharing=True)
    assert [len(family.names) for family in families(together.engine)] == [len(texts)]
    assert in_turn(together) == in_turn(run(texts, sharing=False))


def test_constants_that_are_always_equal_are_one_parameter() -> None:
    texts = FAMILIES["companies"]
    (family,) = families(run(texts, sharing=True).engine)
    assert family.plan.query.given is not None and len(family.plan.query.given.names) == 1
    texts = [*texts, text().replace("?q2 stock:company company:0", "?q2 stock:company company:1"), text()]
    together = run(texts, sharing=True)
    (family,) = families(together.engine)
    assert family.plan.query.given is not None and len(family.plan.query.given.names) == 2
    assert in_turn(together) == in_turn(run(texts, sharing=False))


def test_what_is_no_constant_of_a_rule_is_planned_apart() -> None:
    distinct = [one.replace("SELECT", "SELECT DISTINCT") for one in FAMILIES["thresholds"]]
    together = run(distinct, sharing=True)
    assert families(together.engine) == []
    assert list(together) == list(run(distinct, sharing=False))


def test_each_has_its_callback_and_its_end() -> None:
    told: list[tuple[str, str]] = []
    engine = spaseq.Engine()
    for number, one in enumerate(FAMILIES["equal"]):
        name = f"q{number}"
        engine.register(one, name, on_match=lambda m, name=name: told.append((name, m.query)), max_results=number + 1)
    found = pushed(engine, QUOTES)
    assert told == [(match.query, match.query) for match in found]
    counts = Counter(match.query for match in found)
    assert [counts[f"q{number}"] for number in range(4)] == [1, 2, 3, 4]
    over = {name: query["over"] for name, query in engine.statistics()["queries"].items()}
    assert over["q0"] and over["q3"]


def test_a_query_goes() -> None:
    engine = spaseq.Engine()
    for name, one in named(FAMILIES["equal"]).items():
        engine.register(one, name)
    engine.unregister("q3")
    with pytest.raises(spaseq.OptionError, match='no query named "q3"'):
        engine.unregister("q3")
    assert "q3" not in engine.statistics()["queries"]
    engine.register(text("1"), "q3")
    for name in named(FAMILIES["equal"]):
        engine.unregister(name)
    assert engine.queries == {} and engine.statistics()["streams"] == {}


def test_statistics_tell_that_they_are_of_many() -> None:
    texts = [text("0"), *(text(f"{900 + n}") for n in range(9))]
    together = run(texts, sharing=True)
    found = list(together)
    told = together.statistics()["queries"]
    assert (told["q0"]["family"], told["q0"]["results"], told["q0"]["why"]) == (10, len(found), [])
    assert told["q1"]["results"] == 0 and "run together" in told["q1"]["why"][0]


def test_a_match_that_is_kept_is_of_its_query() -> None:
    match = next(run(FAMILIES["thresholds"], sharing=True))
    again = pickle.loads(pickle.dumps(match))
    assert again == match and again.query == match.query and again.to_dict() == match.to_dict()


@pytest.mark.parametrize("at", [0, 30, 60])
def test_a_snapshot_has_the_queries(at: int) -> None:
    texts = named(FAMILIES["all of these"])
    engine, whole = spaseq.Engine(), spaseq.Engine(sharing=False)
    for name, one in texts.items():
        engine.register(one, name)
        whole.register(one, name)
    found = pushed(engine, QUOTES[:at])
    gone = list(texts)[5]
    engine.unregister(gone)
    whole_found = pushed(whole, QUOTES[:at])
    whole.unregister(gone)
    del texts[gone]
    engine = spaseq.Engine.restore(engine.snapshot(), dict(reversed(texts.items())))
    assert [len(family.names) for family in families(engine)] == [len(texts)]
    engine.register(text("3"), "new")
    whole.register(text("3"), "new")
    assert [len(family.names) for family in families(engine)] == [len(texts) + 1]
    found, whole_found = found + pushed(engine, QUOTES[at:]), whole_found + pushed(whole, QUOTES[at:])
    assert in_turn(found) == in_turn(whole_found)


def pushed(engine: spaseq.Engine, quotes: list[tuple[int, bytes]]) -> list[spaseq.Match]:
    return [match for time, graph in quotes for match in engine.push("stock", graph, time)]


def test_a_snapshot_is_of_these_queries() -> None:
    engine = spaseq.Engine()
    for name, one in named(FAMILIES["thresholds"]).items():
        engine.register(one, name)
    others = named(FAMILIES["thresholds"]) | {"q4": text("77")}
    with pytest.raises(spaseq.SnapshotError, match='another query "q4"'):
        spaseq.Engine.restore(engine.snapshot(), others)


def test_a_snapshot_leaves_out_what_ran_queries_that_are_over() -> None:
    """Those that came while events waited run beside them, and go on."""
    engine = spaseq.Engine(lateness=20_000_000)
    known = named([text()] * LEAST)
    for name, query in known.items():
        engine.register(query, name, max_results=1)
    for time, graph in QUOTES[:3]:
        engine.push("stock", graph, time)
    known["later"] = text()
    engine.register(known["later"], "later")
    (family,) = families(engine)
    found = [match.query for time, graph in QUOTES[3:40] for match in engine.push("stock", graph, time)]
    assert Counter(found) == dict.fromkeys(known, 1) | {"later": found.count("later")}
    assert len(list(family.members)) == 1
    restored = spaseq.Engine.restore(engine.snapshot(), known)
    assert in_turn(pushed(restored, QUOTES[40:])) == in_turn(pushed(engine, QUOTES[40:]))
