"""Rows of parameters that run together: which ones do, what they ask, and how they come and go (semantics.md 3.7)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyoxigraph
import pytest

import spaseq
from spaseq.plan.sequences.rule_plan import RulePlan
from tests.slices import first

E = "http://e/"
X = "http://www.w3.org/2001/XMLSchema#"
HEAD = f"PREFIX ex: <{E}> "
FROM = "FROM STREAM s <urn:s>"
A = "DEFINE GPM A ON s { ?a ex:of ?who ; ex:p ?x FILTER(?x > ?limit) }"
B = "DEFINE GPM B ON s { ?b ex:of ?who ; ex:p ?y FILTER(?y > ?x) }"
NAMED = B.replace("FILTER", "OPTIONAL { ?b ex:n ?name } FILTER")
QUERY = f"{HEAD} SELECT * WITHIN 9 SECONDS SLIDING {FROM} GIVEN ?limit WHERE {{ SEQ(A ; B) {A} {B} }}"
LIMITS = ("03", "5", "5.0", "7.50")


def event(number: int, value: object) -> tuple[int, bytes]:
    """One each second, of two in turn."""
    who = "ab"[number % 2]
    return number * 1_000_000, f"<{E}{number}> <{E}of> <{E}{who}> ; <{E}p> {value} .".encode()


def rows(*limits: int) -> list[dict[str, int]]:
    return [{"limit": limit} for limit in limits]


def members(engine: spaseq.Engine) -> list[Any]:
    """What runs the rows of the query."""
    query, _ = engine.registration.parametric("q")
    return list(query.members)


def said(match: spaseq.Match) -> Any:
    events = tuple(sorted((name, tuple(iris)) for name, iris in match.events.items()))
    return match.microseconds, events, tuple(sorted((name, str(term)) for name, term in match.bindings.items()))


# ── which run together ───────────────────────────────────────────────────────────────────────────────────
APART = {
    "aggregates range over the matches of one row": QUERY.replace("*", "(COUNT(*) AS ?n)"),
    "a negated part depends on the row": QUERY.replace("A ; B", "B ; A? ; B"),
    "a match may come about in several ways": QUERY.replace("A ; B", "A+ ; A? ; B"),
    "substreams count their own events": QUERY.replace("SECONDS SLIDING", "EVENTS").replace(
        "WHERE", "PARTITION BY ?who WHERE"
    ),
}


@pytest.mark.parametrize("why", APART)
def test_what_keeps_rows_apart(why: str) -> None:
    prepared = spaseq.prepare(APART[why])
    assert f"rows      each by itself: {why}" in prepared.plan.explain()
    engine = spaseq.Engine()
    engine.register(prepared, "q", given=rows(1, 2))
    assert not any(isinstance(member.plan, RulePlan) for member in members(engine))


def test_rows_derive_events_together() -> None:
    """Each row those that it would derive by itself, however its terms are written."""
    text = QUERY.replace("SELECT *", "CONSTRUCT { ?a ex:above ?limit ; ex:then [ ex:p ?y ] } INTO STREAM <urn:t>")
    given = [{"limit": pyoxigraph.Literal(limit, datatype=pyoxigraph.NamedNode(X + "decimal"))} for limit in LIMITS]
    stream = [event(number, number * 7 % 11) for number in range(30)]
    engine = spaseq.Engine()
    engine.register(text, "q", given=given)
    assert [type(member.plan) for member in members(engine)] == [RulePlan]
    found = [derived(spaseq.run(text, {"s": stream}, given=given, sharing=sharing)) for sharing in (True, False)]
    assert found[0] == found[1] and len({name for _, (_, _, name, _) in found[0]}) == found[0].total() > 20


def derived(results: spaseq.Results) -> Counter[Any]:
    found = ((one.microseconds, one.derived) for one in results if one.derived is not None)
    return Counter((times, (*event[:3], frozenset(event.triples))) for times, event in found)


def test_distinct_is_of_each_row() -> None:
    """Also after a snapshot, beside other rows and in another order."""
    text = QUERY.replace("SELECT *", "SELECT DISTINCT ?who").replace("A ; B", "A : B")
    engine = spaseq.Engine()
    engine.register(text, "q", given=rows(1, 2, 3))
    assert [type(member.plan) for member in members(engine)] == [RulePlan]
    assert len(engine.push_batch("s", [event(0, 5), event(2, 7), event(4, 8)])) == 6  # at 2 and at 4, for each row
    engine = spaseq.Engine.restore(engine.snapshot(), {"q": text}, given={"q": rows(3, 1, 4)})
    assert not engine.push("s", event(8, 9)[1], 4_000_000)  # at 4 there was one for each that has seen a beginning
    assert len(engine.push("s", *reversed(event(6, 10)))) == 3


def test_rows_that_differ_where_no_step_can_ask() -> None:
    text = QUERY.replace("GIVEN ?limit", "GIVEN ?limit ?name").replace(
        "FILTER(?y", "OPTIONAL { ?b ex:n ?name } FILTER(?y"
    )
    assert "rows      together, as far as they agree in ?name" in spaseq.prepare(text).plan.explain()
    engine = spaseq.Engine()
    engine.register(text, "q", given=[{"limit": n, "name": f"n{n % 2}"} for n in range(6)])
    assert [len(member.plan.keys) for member in members(engine)] == [3, 3]


WITHOUT = QUERY.replace("9 SECONDS SLIDING", "?seconds SECONDS SLIDING").replace(
    "GIVEN ?limit", "GIVEN ?limit ?seconds"
)


@pytest.mark.parametrize(
    "text",
    [
        WITHOUT.replace(" SLIDING", ""),
        WITHOUT.replace("SECONDS SLIDING", "EVENTS"),
        WITHOUT.replace("A ; B", "A ; B!"),
        WITHOUT.replace("A ; B", "B! ; A"),
    ],
)
def test_windows_whose_edges_decide_part_the_rows(text: str) -> None:
    """Rows run together as far as their windows are equally long."""
    assert "rows      together, as far as they agree in ?seconds" in spaseq.prepare(text).plan.explain()
    given = [{"limit": limit, "seconds": seconds} for limit in range(8) for seconds in (3, 4)]
    stream = [event(number, number * 7 % 11) for number in range(30)]
    engine = spaseq.Engine()
    engine.register(text, "q", given=given)
    assert [len(member.plan.keys) for member in members(engine)] == [8, 8]
    found = [list(map(said, spaseq.run(text, {"s": stream}, given=given, sharing=one))) for one in (True, False)]
    assert Counter(found[0]) == Counter(found[1]) and found[0]
    alone = [one for row in given for one in spaseq.run(bound_text(text, row), {"s": stream})]
    together = spaseq.run({f"q{number}": bound_text(text, row) for number, row in enumerate(given)}, {"s": stream})
    assert Counter(map(said, together)) == Counter(map(said, alone)) and len(alone) == len(found[0])
    assert {one.get("family") for one in together.statistics()["queries"].values()} == {8}


def bound_text(text: str, row: dict[str, int]) -> str:
    """The text of a row."""
    text = text.replace("GIVEN ?limit ?seconds", "")
    return text.replace("?limit", str(row["limit"])).replace("?seconds", str(row["seconds"]))


def test_windows_may_differ_where_no_edge_decides() -> None:
    for text in (WITHOUT, WITHOUT.replace("A ; B", "A ; B! ; A")):
        assert "rows      together\n" in spaseq.prepare(text).plan.explain()


def test_all_others_run_together() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=rows(*range(50)))
    (member,) = members(engine)
    assert len(member.plan.keys) == 50
    assert "rows      together\n" in spaseq.prepare(QUERY).plan.explain()


# ── what they give ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("count", [1, 2, 30])
def test_counts_are_those_of_rows_alone(count: int) -> None:
    events = [event(number, number * 7 % 11) for number in range(60)]
    listed = list(spaseq.run(QUERY, {"s": events}, given=rows(*range(count))))
    for sharing in (True, False):
        run = spaseq.Run(QUERY, {"s": events}, given=rows(*range(count)), count_only=True, sharing=sharing)
        assert list(run) == []
        assert run.counts() == {"query1": len(listed)}
        assert run.statistics()["queries"]["query1"]["results"] == len(listed)
    assert listed


def test_results_of_one_time_come_in_the_order_of_rows() -> None:
    """Whatever order the automaton has them in, and whoever runs them."""
    text = QUERY.replace("GIVEN ?limit", "GIVEN ?limit ?name").replace(
        "FILTER(?y", "OPTIONAL { ?b ex:n ?name } FILTER(?y"
    )
    given = [{"limit": limit, "name": name} for limit, name in ((3, "m"), (1, "n"), (2, "m"), (0, "n"))]
    found = list(spaseq.run(text, {"s": [event(number, number + 4) for number in range(6)]}, given=given))
    for time in {match.microseconds.decided for match in found}:
        its = [match.bindings["limit"].toPython() for match in found if match.microseconds.decided == time]
        assert its == [3, 1, 2, 0]


VALUES = (
    *("0", "1", "2", "-1", "1.0", "1.5", "0.3", "1e0", "2.5e0"),
    *("123456789012345678901234567890", "0.1000000000000000001"),
    *(f'"{lexical}"^^<{X}double>' for lexical in ("NaN", "INF", "-INF", "1")),
    *(f'"2026-01-0{day}T00:00:00{zone}"^^<{X}dateTime>' for day in (1, 2) for zone in ("Z", "", "+05:00")),
    *('"a"', '"b"', '"a"@en', "true", "false", f"<{E}a>", f"<{E}b>", f'"x"^^<{E}type>', f'"01"^^<{X}integer>'),
)  # fmt: skip
ASKED = {
    "pattern": ("?a ex:p ?limit", ""),
    "same": ("?a ex:p ?x", "FILTER(sameTerm(?x, ?limit))"),
    **{sign: ("?a ex:p ?x", f"FILTER(?x {sign} ?limit)") for sign in ("=", "!=", "<", "<=", ">", ">=")},
    **{f"turned {sign}": ("?a ex:p ?x", f"FILTER(?limit {sign} ?x)") for sign in ("=", "<", "<=", ">", ">=")},
    "computed": ("?a ex:p ?x", "FILTER(?x + 1 > ?limit)"),
    "in": ("?a ex:p ?x", "FILTER(?x IN (?limit, 2))"),
    "of two": ("?a ex:p ?x", "FILTER(?x < ?limit + ?more)"),
    "text": ("?a ex:p ?x", "FILTER(STR(?x) = STR(?limit))"),
}


def told(value: str) -> Any:
    """A value of a row."""
    term = next(iter(pyoxigraph.parse(f"<{E}x> <{E}y> {value} .".encode(), pyoxigraph.RdfFormat.TURTLE))).object
    return str(term)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("operator", first(1, [";", ":", ","]))
def test_terms_of_all_kinds(asked: str, operator: str) -> None:
    """What a rule asks is decided by order and equality of words where that is the same, and else by the filter."""
    pattern, filter_ = ASKED[asked]
    text = (
        f"{HEAD} SELECT ?a ?b ?limit ?more WITHIN 6 SECONDS SLIDING {FROM} GIVEN ?limit ?more "
        f"WHERE {{ SEQ(A {operator} B) DEFINE GPM A ON s {{ {pattern} {filter_} }} "
        f"DEFINE GPM B ON s {{ ?b ex:p ?y {filter_.replace('?x', '?y')} }} }}"
    )
    chance = random.Random(asked)
    events = [event(number, ", ".join(chance.sample(VALUES, chance.randint(1, 3)))) for number in range(40)]
    given = [{"limit": told(value), "more": more} for value in VALUES for more in (1, 2)]
    results = [
        Counter(map(said, spaseq.run(text, {"s": events}, given=given, sharing=sharing))) for sharing in (True, False)
    ]
    assert results[0] == results[1]
    assert results[0]


# ── they come and go ─────────────────────────────────────────────────────────────────────────────────────
def test_rows_join_those_that_run() -> None:
    engine, apart = spaseq.Engine(), spaseq.Engine(sharing=False)
    for one in (engine, apart):
        one.register(QUERY, "q", given=rows(3))
    chance, found = random.Random(1), [Counter[Any](), Counter[Any]()]
    for number in range(300):
        for one, results in zip((engine, apart), found, strict=True):
            results.update(map(said, one.push("s", *reversed(event(number, number * 7 % 11)))))
        limits = chance.sample(range(10), 3)
        for one in (engine, apart):
            one.given("q").add(rows(*limits[:2]))
            one.given("q").remove(rows(*limits[2:]))
        assert len(engine.given("q")) == len(apart.given("q"))
    assert found[0] == found[1]
    assert len(members(engine)) == 1
    assert len(members(engine)[0].plan.keys) <= 10  # those that are gone are forgotten when others come


def test_a_longer_window_comes() -> None:
    text = QUERY.replace("9 SECONDS", "?length SECONDS").replace("GIVEN ?limit", "GIVEN ?limit ?length")
    engine, apart = spaseq.Engine(), spaseq.Engine(sharing=False)
    found = []
    for one in (engine, apart):
        results = Counter[Any]()
        one.register(text, "q", given=[{"limit": 3, "length": 4}])
        for number in range(80):
            results.update(map(said, one.push("s", *reversed(event(number, number * 7 % 11)))))
            if number % 20 == 10:
                one.given("q").add([{"limit": number % 7, "length": number}])
            if number == 60:
                one.given("q").remove([{"limit": 50 % 7, "length": 50}])
        found.append(results)
    assert found[0] == found[1]
    assert len(members(engine)) == 1


@pytest.mark.parametrize("sequence", ["(A & B) ; C", "C ; (B & A)"])
def test_a_row_does_not_see_the_event_before_it_at_its_own_time(sequence: str) -> None:
    c = "DEFINE GPM C ON s { ?c ex:of ?who }"
    both = B.replace("FILTER(?y > ?x)", "FILTER(?y != ?x)")
    text = QUERY.replace(f"A ; B) {A} {B}", f"{sequence}) {A} {both} {c}")
    found = []
    for sharing in (True, False):
        engine, results = spaseq.Engine(sharing=sharing), Counter[Any]()
        engine.register(text, "q", given=rows(0))
        for number in range(60):
            _, triples = event(number * 2, number % 5)
            results.update(map(said, engine.push("s", triples, number // 4 * 1_000_000)))
            if number % 4 == 1:
                engine.given("q").add(rows(number % 11))
        results.update(map(said, engine.close()))
        found.append(results)
    assert found[0] == found[1]
    assert found[0]


def test_all_rows_go_and_others_come() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", given=rows(1, 2))
    engine.push("s", event(0, 5)[1], 0)
    engine.given("q").remove(rows(1, 2))
    assert not members(engine)
    assert list(engine.push("s", event(2, 6)[1], 1)) == []
    engine.given("q").add(rows(1))
    engine.push("s", event(4, 5)[1], 2)
    assert [str(match.bindings["x"]) for match in engine.push("s", event(6, 6)[1], 3)] == ["5"]
