"""``X && Y`` as its users meet it: orders of a shop whose goods and papers come in any order (semantics.md 3.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
import rdflib

import spaseq

SECOND = 1_000_000
PREFIX = "http://example.org/"
GPMS = {
    "Order": "?order a :Order",
    "Goods": "?order :weighs ?weight",
    "Papers": "?order :declares ?declared",
    "Paid": "?order :paid ?sum",
    "Cancelled": "?order a :Cancelled",
}


def query(
    sequence: str,
    select: str = "*",
    window: str = "WITHIN 1 HOUR SLIDING",
    partition: str = "",
    grouping: str = "",
    **filters: str,
) -> str:
    """A query of some of the GPMs, of which some have a filter."""
    names = dict.fromkeys(re.findall(r"\w+", sequence))
    gpms = "\n".join(f"DEFINE GPM {name} ON S {{ {GPMS[name]} {filters.get(name, '')} }}" for name in names)
    return f"""PREFIX : <{PREFIX}> SELECT {select} {window} FROM STREAM S :stream {partition}
        WHERE {{ SEQ({sequence})\n{gpms} }} {grouping}"""


def numbered(events: Sequence[str]) -> Iterator[tuple[int, bytes, str]]:
    """Time, graph and name of events `second triples`, which are called e1, e2 …"""
    for number, text in enumerate(events, 1):
        second, _, triples = text.partition(" ")
        yield int(second) * SECOND, f"@prefix : <{PREFIX}> . {triples} .".encode(), f"{PREFIX}e{number}"


def matches(text: str, *events: str) -> list[spaseq.Match]:
    """The matches of a query on events that are pushed one by one."""
    engine, found = spaseq.Engine(), []
    engine.register(text, "orders")
    for time, graph, name in numbered(events):
        found += engine.push("S", graph, time, name)
    return found + engine.close()


def picked(text: str, *events: str) -> list[str]:
    """The names of the events of each match, sorted."""
    return sorted(map(names, matches(text, *events)))


def names(match: spaseq.Match) -> str:
    """The events of a match, each once."""
    return " ".join(sorted({iri.removeprefix(PREFIX) for some in match.events.values() for iri in some}))


def values(match: spaseq.Match) -> dict[str, str]:
    """What the variables of a match are bound to, without the prefix."""
    return {name: str(term).removeprefix(PREFIX) for name, term in match.bindings.items()}


BOTH = query("Goods && Papers")


def test_either_may_come_first() -> None:
    goods_first = matches(BOTH, "1 :o1 :weighs 40", "2 :o1 :declares 45")
    papers_first = matches(BOTH, "1 :o1 :declares 45", "2 :o1 :weighs 40")
    assert [values(match) for match in goods_first] == [{"order": "o1", "weight": "40", "declared": "45"}]
    assert [values(match) for match in papers_first] == [values(match) for match in goods_first]
    assert names(goods_first[0]) == names(papers_first[0]) == "e1 e2"


def test_a_match_is_decided_when_the_last_of_them_comes() -> None:
    (match,) = matches(BOTH, "1 :o1 :declares 45", "3 :o1 :weighs 40", "9 :o2 :weighs 1")
    assert match.microseconds == (1 * SECOND, 3 * SECOND, 3 * SECOND)


def test_both_may_come_at_one_time_or_in_one_event() -> None:
    assert picked(BOTH, "1 :o1 :declares 45", "1 :o1 :weighs 40") == ["e1 e2"]
    assert picked(BOTH, "1 :o1 :weighs 40 ; :declares 45") == ["e1"]


def test_each_goes_with_each() -> None:
    events = ["1 :o1 :weighs 40", "2 :o1 :declares 45", "3 :o1 :weighs 50", "4 :o1 :declares 55"]
    assert picked(BOTH, *events) == ["e1 e2", "e1 e4", "e2 e3", "e3 e4"]


def test_what_both_name_joins_them() -> None:
    assert picked(BOTH, "1 :o1 :weighs 40", "2 :o2 :declares 45", "3 :o1 :declares 42") == ["e1 e3"]


@pytest.mark.parametrize("papers", [1, 3, 5, 7])
def test_a_side_may_be_a_sequence(papers: int) -> None:
    """Papers come before, between or behind what is in parentheses."""
    events = {2: ":o1 a :Order", 4: ":o1 :paid 9", 6: ":o1 :weighs 40", papers: ":o1 :declares 45"}
    text = query("(Order ; Paid ; Goods) && Papers")
    assert picked(text, *(f"{time} {events[time]}" for time in sorted(events))) == ["e1 e2 e3 e4"]


def test_a_side_may_be_repeated() -> None:
    text = query("Goods+ && Papers", "?order (SUM(?weight) AS ?total)")
    found = matches(text, "1 :o1 :weighs 10", "2 :o1 :declares 45", "3 :o1 :weighs 30")
    totals = {names(match): values(match)["total"] for match in found}
    assert totals == {"e1 e2": "10", "e1 e2 e3": "40", "e2 e3": "30"}


FOLLOWING = ["1 :o1 a :Order", "2 :o1 :weighs 40", "2 :o1 :declares 45", "3 :o1 :declares 42"]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (":", ["e1 e2 e3", "e1 e2 e4"]),  # any later ones
        (";", ["e1 e2 e3"]),  # each the next one that fits
        (",", ["e1 e2 e3"]),  # both at the next time of the stream
    ],
)
def test_the_operator_before_holds_for_each_side(operator: str, expected: list[str]) -> None:
    text = query(f"Order {operator} (Goods && Papers)")
    assert picked(text, *FOLLOWING) == expected


def test_sides_do_not_compete_for_what_is_next() -> None:
    text = query("Order ; (Goods && Papers)")
    events = ["1 :o1 a :Order", "2 :o1 :declares 45", "3 :o1 :declares 42", "4 :o1 :weighs 40"]
    assert picked(text, *events) == ["e1 e2 e4"]
    strict = query("Order , (Goods && Papers)")
    assert picked(strict, "1 :o1 a :Order", "2 :o1 :declares 45", "3 :o1 :weighs 40") == []


def test_what_follows_comes_after_all_sides() -> None:
    text = query("(Goods && Papers) ; Paid")
    assert picked(text, "1 :o1 :weighs 40", "2 :o1 :paid 1", "3 :o1 :declares 45", "4 :o1 :paid 9") == ["e1 e3 e4"]


THREE = ["Goods && Papers && Paid", "(Goods && Papers) && Paid", "Paid && (Papers && Goods)"]


@pytest.mark.parametrize("sequence", THREE)
def test_three_sides(sequence: str) -> None:
    events = ["1 :o1 :paid 9", "2 :o1 :weighs 40", "3 :o2 :declares 45", "4 :o1 :declares 45", "5 :o1 :paid 10"]
    assert picked(query(sequence), *events) == ["e1 e2 e4", "e2 e4 e5"]


def test_beside_an_alternative_the_earliest_first_event_counts() -> None:
    text = query("Order ; (Goods && Papers | Cancelled)")
    goods, papers, cancelled = ":o1 :weighs 40", ":o1 :declares 45", ":o1 a :Cancelled"
    assert picked(text, "1 :o1 a :Order", f"2 {goods}", f"3 {cancelled}", f"4 {papers}") == ["e1 e2 e4"]
    assert picked(text, "1 :o1 a :Order", f"2 {cancelled}", f"3 {goods}", f"4 {papers}") == ["e1 e2"]


@pytest.mark.parametrize("filtered", ["Goods", "Papers"])
def test_a_filter_may_name_what_another_side_binds(filtered: str) -> None:
    text = query("Goods && Papers", **{filtered: "FILTER(?weight <= ?declared)"})
    assert picked(text, "1 :o1 :weighs 40", "2 :o1 :declares 45", "3 :o1 :weighs 50", "4 :o1 :declares 60") == [
        "e1 e2", "e1 e4", "e3 e4",
    ]  # fmt: skip


def test_such_a_filter_does_not_make_a_side_wait_for_another_event() -> None:
    events = ["1 :o1 a :Order", "2 :o1 :declares 50", "3 :o1 :weighs 60", "4 :o1 :weighs 50"]
    light = "FILTER(?weight <= ?declared)"
    assert picked(query("Order ; (Goods && Papers)", Goods=light), *events) == []
    assert picked(query("Order : (Goods && Papers)", Goods=light), *events) == ["e1 e2 e4"]


def test_a_window_has_all_of_it() -> None:
    events = ["1 :o1 :declares 45", "3 :o1 :weighs 40", "4 :o1 :weighs 41"]
    assert picked(query("Goods && Papers", window="WITHIN 2 SECONDS SLIDING"), *events) == ["e1 e2"]
    assert picked(query("Goods && Papers", window="WITHIN 2 EVENTS SLIDING"), *events) == ["e1 e2"]


def test_a_negation_before_ends_at_the_earliest_event() -> None:
    text = query("Order ; Cancelled! ; (Goods && Papers)")
    cancelled_between = ["1 :o1 a :Order", "2 :o1 :weighs 40", "3 :o1 a :Cancelled", "4 :o1 :declares 45"]
    assert picked(text, *cancelled_between) == ["e1 e2 e4"]
    assert picked(text, "1 :o1 a :Order", "2 :o1 a :Cancelled", "3 :o1 :weighs 40", "4 :o1 :declares 45") == []


def test_a_negation_behind_begins_at_the_latest_event() -> None:
    text = query("(Goods && Papers) ; Cancelled!", window="WITHIN 5 SECONDS SLIDING")
    cancelled_between = ["1 :o1 :weighs 40", "2 :o1 a :Cancelled", "3 :o1 :declares 45", "9 :o2 a :Order"]
    assert picked(text, *cancelled_between) == ["e1 e3"]
    assert picked(text, "1 :o1 :weighs 40", "2 :o1 :declares 45", "3 :o1 a :Cancelled", "9 :o2 a :Order") == []


def test_an_event_may_have_several_solutions() -> None:
    found = matches(BOTH, "1 :o1 :weighs 40 . :o2 :weighs 50", "2 :o2 :declares 55 . :o1 :declares 45, 46")
    rows = sorted((one["order"], one["weight"], one["declared"]) for one in map(values, found))
    assert rows == [("o1", "40", "45"), ("o1", "40", "46"), ("o2", "50", "55")]


def test_matches_are_counted() -> None:
    text = query("Goods && Papers", "?order (COUNT(*) AS ?n) (SUM(?weight) AS ?sum)", grouping="GROUP BY ?order")
    events = ["1 :o1 :weighs 40", "1 :o1 :weighs 50", "2 :o1 :declares 45", "2 :o1 :declares 46", "3 :o2 :weighs 1"]
    assert [values(match) for match in matches(text, *events)] == [{"order": "o1", "n": "4", "sum": "180"}]


def test_each_key_has_a_stream_of_its_own() -> None:
    text = query("Order , (Goods && Papers)", partition="PARTITION BY ?order")
    events = ["1 :o1 a :Order", "2 :o2 a :Order", "3 :o1 :weighs 40", "3 :o1 :declares 45", "4 :o2 :weighs 1"]
    assert picked(text, *events) == ["e1 e3 e4"]


def test_a_snapshot_between_the_sides() -> None:
    whole, _, papers = numbered(["1 :o1 :weighs 40", "2 :o2 :weighs 50", "2 :o1 :declares 45"])
    engine = spaseq.Engine()
    engine.register(BOTH, "orders")
    assert engine.push("S", whole[1], whole[0], whole[2]) == []
    engine = spaseq.Engine.restore(engine.snapshot(), {"orders": BOTH})
    assert [names(match) for match in engine.push("S", papers[1], papers[0], papers[2])] == ["e1 e3"]


def test_statistics() -> None:
    engine = spaseq.Engine()
    engine.register(BOTH, "orders")
    for time, graph, name in numbered(["1 :o1 :weighs 40", "2 :o1 :declares 45", "3 :o1 :weighs 41", "4 :o1 a :Order"]):
        engine.push("S", graph, time, name)
    found = engine.statistics()["queries"]["orders"]
    assert found["results"] == 2
    assert {name: gpm["matched"] for name, gpm in found["gpms"].items()} == {"Goods": 2, "Papers": 1}


def test_a_run_of_graphs_of_rdflib() -> None:
    graphs = [(time, rdflib.Graph().parse(data=graph.decode()), name) for time, graph, name in numbered(FOLLOWING)]
    run = spaseq.run(query("Order : (Goods && Papers)"), {"S": graphs})
    assert [names(match) for match in run] == ["e1 e2 e3", "e1 e2 e4"]
    counting = spaseq.Run(query("Order : (Goods && Papers)"), {"S": graphs}, count_only=True)
    assert (list(counting), counting.counts()) == ([], {"query1": 2})
