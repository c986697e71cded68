"""Totals of matches: very many of them, numbers beyond all bounds, and what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest

import spaseq
from nfa_native.match_totals import MatchTotals
from spaseq.errors import StreamError
from spaseq.plan.sequences import Plan, compile_plan
from tests.kernel.driver import Driver, Happening

SECOND = 1_000_000


def plan_of(
    sequence: str, select: str = "(COUNT(*) AS ?n)", window: str = "WITHIN 1000 SECONDS SLIDING", key: str = ""
) -> Plan:
    """The plan of a query with GPMs A to D, which bind ?a to ?d, and maybe the key ?k."""
    gpms = "\n".join(
        f"DEFINE GPM {name} ON S {{ ?{key or 's' + name} :{name} ?{name.lower()} }}"
        for name in "ABCD"
        if name in sequence
    )
    group = f"GROUP BY ?{key}" if f"?{key} " in select else ""
    text = f"PREFIX : <http://ex.org/> SELECT {select} {window} FROM STREAM S <urn:s>"
    return compile_plan(spaseq.parse(f"{text} WHERE {{ SEQ({sequence}) {gpms} }} {group}").query)


def happening(time: int, name: str, key: int = 1, value: int = 7) -> Happening:
    """An event that one GPM matches."""
    row = {"k": key, f"s{name}": key, name.lower(): value}
    return time * SECOND, {name: [row]}


def totals(plan: Plan, events: Sequence[Happening], cuts: Iterable[int] = ()) -> list[tuple[Any, ...]]:
    """(first, last, totals) of each row."""
    driver = Driver(plan)
    assert isinstance(driver.matcher, MatchTotals)
    found: list[tuple[Any, ...]] = []
    edges = [0, *cuts, len(events)]
    for start, end in pairwise(edges):
        driver.feed(events[start:end])
        found += rows(driver)
    driver.matcher.finish()
    return found + rows(driver)


def rows(driver: Driver) -> list[tuple[Any, ...]]:
    raw = driver.matcher.take()
    return list(zip(raw.first.tolist(), raw.last.tolist(), raw.totals, strict=True))


def kleene(length: int) -> list[Happening]:
    """An A, many Bs, a C: every subset of the Bs but the empty one makes a match of ``A : B:+ : C``."""
    return [happening(0, "A"), *(happening(1 + n, "B") for n in range(length)), happening(1 + length, "C")]


def test_two_to_the_two_hundredth_matches_are_counted() -> None:
    plan = plan_of("A : B:+ : C", "(COUNT(*) AS ?n) (SUM(?a) AS ?sum)")
    ((first, last, (count, *_)),) = totals(plan, kleene(200), cuts=[100])
    assert (first, last, count) == (0, 201 * SECOND, 2**200 - 1)


def test_a_window_slides_over_very_many_matches() -> None:
    """Whatever the window: a C ends a match for each subset of the Bs after each A that is in it."""
    plan = plan_of("A : B:+ : C", window="WITHIN 120 SECONDS SLIDING")
    events = [happening(time, "ABBBC"[time % 5]) for time in range(1000)]
    for (_, last, (count, *_)), end in zip(totals(plan, events, cuts=[333]), range(4, 1000, 5), strict=True):
        begins = [time for time in range(0, end, 5) if time >= end - 120]
        assert last == end * SECOND
        assert count == sum(2 ** (3 * ((end + 1 - time) // 5)) - 1 for time in begins)


def test_the_engine_gives_integers_of_any_size() -> None:
    query = """PREFIX : <http://ex.org/> SELECT (COUNT(*) AS ?n) (SUM(?v) AS ?sum) (AVG(?v) AS ?mean)
        FROM STREAM S <urn:s> WHERE { SEQ(A : B:+)
        DEFINE GPM A ON S { ?s :a ?v } DEFINE GPM B ON S { ?t :b ?w } }"""
    graphs = [b"_:e <http://ex.org/a> 1.5 ."] + [b"_:e <http://ex.org/b> 1 ."] * 100
    matches = spaseq.run(query, {"S": [(time, graph) for time, graph in enumerate(graphs)]})
    *_, last = ({name: str(value) for name, value in match.bindings.items()} for match in matches)
    assert last == {"n": str(2**99), "sum": str(3 * 2**98), "mean": "1.5"}


def test_a_number_of_thousands_of_digits_is_an_error() -> None:
    plan = plan_of("A : B:+ : C", window="")
    ((_, _, (count, *_)),) = totals(plan, kleene(13_000))
    assert count == 2**13_000 - 1
    ((_, _, (count, *_)),) = totals(plan, kleene(20_000))
    assert count is None
    with pytest.raises(StreamError, match=r"COUNT\(\*\) .* more than 4,200 digits"):
        projected(plan, kleene(20_000))


def projected(plan: Plan, events: Sequence[Happening]) -> None:
    from spaseq.results.projection import Projector

    driver = Driver(plan)
    driver.feed(events)
    driver.matcher.finish()
    Projector(plan, driver.terms, str).project(driver.matcher.take())


def test_keys_have_totals_of_their_own() -> None:
    plan = plan_of("A : B", "?k (COUNT(*) AS ?n)", key="k")
    events = [happening(time, "AB"[time // 50], key=time % 3) for time in range(100)]
    found = totals(plan, events)
    assert len(found) == 50
    assert sum(count for _, _, (count, *_) in found) == sum((17, 17, 16)[time % 3] for time in range(50, 100))


def test_what_is_kept_is_bounded_by_the_window() -> None:
    """Neither old events nor keys that nobody mentions any more stay."""
    plan = plan_of("A : B", "?k (COUNT(*) AS ?n)", "WITHIN 10 SECONDS SLIDING", key="k")
    driver = Driver(plan)
    for time in range(0, 50_000, 100):
        driver.feed([happening(at, "AB"[at % 2], key=at // 2) for at in range(time, time + 100)])
        driver.matcher.take()
    kept = driver.matcher._aggregation.statistics()
    assert kept["substreams"] <= 2048
    assert kept["log"] <= 2048
    assert len(driver.matcher._history) <= 200
    assert len(driver.matcher.snapshot()) < 10_000


def test_strict_contiguity_is_broken_by_events_of_other_keys() -> None:
    plan = plan_of("A , B", "?k (COUNT(*) AS ?n)", key="k")
    assert totals(plan, [happening(0, "A", 1), happening(1, "B", 1)])
    assert not totals(plan, [happening(0, "A", 1), happening(1, "A", 2), happening(2, "B", 1)])


def test_a_negated_event_drops_the_partial_matches_of_its_key() -> None:
    plan = plan_of("A : B! : C", "?k (COUNT(*) AS ?n)", key="k")
    events = [happening(time, name, key) for time, (name, key) in enumerate([("A", 1), ("A", 2), ("B", 1), ("A", 1)])]
    found = totals(plan, [*events, happening(9, "C", 1), happening(9, "C", 2)])
    assert sorted((first, count) for first, _, (count, *_) in found) == [(1 * SECOND, 1), (3 * SECOND, 1)]


@pytest.mark.parametrize(
    ("sequence", "select", "why"),
    [
        (
            "A ; B? ; C",
            "(COUNT(*) AS ?n)",
            "a negation or an optional part looks at more than one event, key, or place in between",
        ),
        ("A : B", "(COUNT(DISTINCT ?a) AS ?n)", "COUNT(DISTINCT …) asks for single values"),
        ("A : B", "(GROUP_CONCAT(?b) AS ?n)", "GROUP_CONCAT asks for single values"),
        ("A & A", "(COUNT(*) AS ?n)", "one set of events may match along several paths"),
    ],
)
def test_where_totals_are_not_enough(sequence: str, select: str, why: str) -> None:
    plan = plan_of(sequence, select)
    assert plan.totals is not None
    assert plan.totals.why_not == why
    assert f"all matches are enumerated, as {why}" in plan.explain()


def test_enumeration_takes_over_where_an_event_has_several_solutions() -> None:
    plan = plan_of("A : B", "(COUNT(*) AS ?n) (SUM(?a) AS ?sum)", "WITHIN 5 SECONDS SLIDING")
    driver = Driver(plan)
    driver.feed([happening(0, "A"), happening(4, "A"), happening(5, "B"), happening(7, "A")])
    assert not driver.matcher.enumerates
    time, (name, (row,)) = 8 * SECOND, ("A", happening(0, "A")[1]["A"])
    driver.feed([(time, {name: [row, {**row, "a": 8}]}), happening(9, "B")])
    driver.matcher.finish()
    raw = driver.matcher.take()
    assert driver.matcher.enumerates
    assert [count for count, *_ in raw.totals] == [2]  # at 5 s
    assert raw.first.tolist() == [0, *(time * SECOND for time in (8, 8, 7, 4))]
    assert raw.decided.tolist() == [5 * SECOND, *[9 * SECOND] * 4]
