"""What the plan keeps, when it waits, when paths compete or coincide, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spaseq.errors import QueryError
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from tests.cases.loader import query_text
from tests.plan.sequences.test_golden import described

SLIDING = "10 SECONDS SLIDING"
ANONYMOUS = {"A": "[] :A []"}


def plan(seq: str, **spec: Any) -> Plan:
    return compile_plan(parse(query_text({"seq": seq, **spec})).query)


def states(one: Plan) -> list[dict[str, Any]]:
    found = json.loads(one.explain("json"))["states"]
    assert isinstance(found, list)
    return found


def live(one: Plan) -> list[list[str]]:
    """Live columns of the states that wait for a step."""
    return [state["live"] for state in states(one) if state["role"] == "waiting"]


# ── liveness ─────────────────────────────────────────────────────────────────────────────────────────────
def test_head_and_shoulders_keeps_only_prices_that_later_filters_read() -> None:
    waiting = [set(state["live"]) for state in described("head-and-shoulders")["states"] if state["role"] == "waiting"]
    kept = [{"p1"}, {"p2"}, {"p2", "p3"}, {"p2", "p3", "p4"}, {"p3", "p4", "p5"}, {"p3", "p5"}]
    assert waiting == [{"company", *prices} for prices in kept]


def test_select_keeps_nothing_alive() -> None:
    for select in ("*", "?va ?vb (?va + ?vb AS ?s)", "DISTINCT ?va", "(COUNT(*) AS ?n)"):
        assert live(plan("A ; B ; C", select=select)) == [[], []]


def test_construct_keeps_nothing_alive() -> None:
    assert live(plan("A ; B", construct="?a :P ?va", into="D")) == [[]]


def test_a_key_is_alive_until_its_last_join() -> None:
    third = {"C": "?c :C ?vc"}
    assert live(plan("A ; B ; C", keyed=True, gpm=third)) == [["k"], []]
    assert live(plan("A ; B ; C", keyed=True)) == [["k"], ["k"]]


def test_a_negation_keeps_what_it_joins_or_compares() -> None:
    assert live(plan("A ; N! ; B", keyed=True, gpm={"B": "?b :B ?vb"})) == [["k"]]
    compared = {"N": "?n :N ?vn FILTER(?vn > ?va)"}
    assert live(plan("A ; N! ; B", gpm=compared)) == [["va"]]


def test_a_negation_that_reads_what_comes_later_keeps_nothing() -> None:
    assert live(plan("A ; N! ; B", gpm={"N": "?n :N ?vn FILTER(?vn > ?vb)"})) == [[]]


def test_previous_values_are_alive_in_the_repetition_only() -> None:
    rising = {"A": "?a :A ?va FILTER(!BOUND(PREV(?va)) || PREV(?va) < ?va)"}
    assert live(plan("A;+ ; B", gpm=rising)) == [[], ["va"]]


# ── ambiguity ────────────────────────────────────────────────────────────────────────────────────────────
AMBIGUOUS = [
    ("A & A", ANONYMOUS),
    ("A:+ : A:+", ANONYMOUS),
    ("(A;+);+", {}),
    ("(A ; B) | (A ; B)", {}),
    ("(A ; B?) | (A ; C)", {}),
    ("A{1,2} : A{1,2}", ANONYMOUS),
]
PLAIN = [
    ("A", {}),
    ("A | A", {}),
    ("A | B", {}),
    ("A & B", {}),
    ("A;+", {}),
    ("A:{2,4}", {}),
    ("A ; B? ; C", {}),
    ("A ; B;+ ; C", {}),
    ("(A ; B):+", {}),
    ("A ; ((B ; D) | C)", {}),
    ("A : A", ANONYMOUS),
    ("N! ; A ; N!", {}),
    ("A? : A", ANONYMOUS),
]


@pytest.mark.parametrize(("seq", "gpm"), AMBIGUOUS)
def test_ambiguous(seq: str, gpm: dict[str, str]) -> None:
    one = plan(seq, gpm=gpm, select="(1 AS ?one)")
    assert json.loads(one.explain("json"))["ambiguous"]


@pytest.mark.parametrize(("seq", "gpm"), PLAIN)
def test_unambiguous(seq: str, gpm: dict[str, str]) -> None:
    """Most queries need no comparison of results: no two paths show the same picks."""
    one = plan(seq, gpm=gpm, select="(1 AS ?one)")
    assert not json.loads(one.explain("json"))["ambiguous"]


# ── competition ──────────────────────────────────────────────────────────────────────────────────────────
def test_two_ways_past_one_absence_compete() -> None:
    found = states(plan("A ; (B* | C*) ; D"))
    competing = {one["number"]: one["competes_with"] for one in found if one["competes_with"]}
    assert len(competing) >= 2
    assert all(number in competing[other] for number, others in competing.items() for other in others)


def test_two_occurrences_of_an_operator_do_not_compete() -> None:
    assert not any(one["competes_with"] for one in states(plan("A ; B? ; C")))


# ── decision ─────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("seq", "waits"),
    [("A ; B", False), ("A ; N! ; B", False), ("N! ; A", False), ("A ; N!", True), ("A ; B?", True), ("A ; B*", True),
     ("(A ; N!) | B", True), ("(A ; N!)+", True)],
)  # fmt: skip
def test_decided_by_edge(seq: str, waits: bool) -> None:
    assert plan(seq, within=SLIDING).decided_by_edge is waits


# ── results ──────────────────────────────────────────────────────────────────────────────────────────────
def test_columns_are_those_that_select_reads() -> None:
    assert plan("A ; B", select="?vb (?va + 1 AS ?n)").columns == ("vb", "va")
    assert plan("A;+", select="(SUM(?va) AS ?s) ?a").columns == ("SUM(?va)", "a")
    assert plan("A ; B", construct="?a :P ?vb", into="D").columns == ("a", "vb")


def test_match_aggregates() -> None:
    assert plan("A ; B", select="(COUNT(*) AS ?n)").match_aggregates
    assert plan("A ; B", select="(SUM(?va) AS ?n)").match_aggregates
    assert not plan("A+ , B", select="(SUM(?va) AS ?n)").match_aggregates


def test_fingerprint_is_that_of_the_meaning() -> None:
    same = [plan("A ; B ; C"), plan("(A ; B) ; C"), plan("A;B;C")]
    assert len({one.fingerprint() for one in same}) == 1
    others = [plan("A ; B : C"), plan("A ; B ; C", within=SLIDING), plan("A ; B ; C", select="?a")]
    assert len({one.fingerprint() for one in (*same, *others)}) == 4


# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────


def balanced(parts: list[str], sign: str) -> str:
    """The parts joined as a tree: depth is not what is tested here."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"({balanced(parts[:half], sign)} {sign} {balanced(parts[half:], sign)})"


LIMITS = [
    ("A{5000}", "steps, more than 4,096"),
    ("((A{20}){20}){20}", "steps, more than 4,096"),
    (balanced(["A;+"] * 65, ";"), "more than 64 Kleene operators"),
    (balanced(["(A | B)", "(C | D)", "(E | F)"] * 3, "&"), "more than 256 alternatives"),
    (" && ".join(["A"] * 1025), "more than 1,024 sides"),
    (f"A ; ({' && '.join(['B'] * 29)})", "more than 28 parts of && and | begin at one"),
    ("(A && B ; C){256}", "&& begins in more than 255 places"),
]


@pytest.mark.parametrize(("seq", "message"), LIMITS, ids=[message for _, message in LIMITS])
def test_limits(seq: str, message: str) -> None:
    names = {name: f"[] :{name} []" for name in "ABCDEF"}
    with pytest.raises(QueryError, match=message):
        plan(seq, gpm=names, select="(1 AS ?one)")


def test_large_but_within_the_limits() -> None:
    assert len(states(plan("A{200}"))) == 201
    assert len(states(plan(f"A ; ({' && '.join(['B'] * 28)})"))) == 31
    assert len(states(plan(balanced(["A;+"] * 20, ";"), gpm=ANONYMOUS, select="(1 AS ?one)"))) > 20


ACROSS = {"A": "[] :A ?x", "C": "[] :C []", "D": "[] :D ?x"}
REFUSED = [
    ("(A | B) & (C & B) && D", {"B": "[] :B ?v FILTER(?v < ?x)"}, "GPM B stands twice at one step"),
    (
        "B && D",
        {"B": "[] :B ?v FILTER(?v < ?x || EXISTS { ?v :p [] })"},
        "EXISTS cannot read a variable of another",
    ),
    ("A ; (B? | C?) ; (D && C)", {"B": "[] :B []"}, "several ways past optional parts to one &&"),
]


@pytest.mark.parametrize(("seq", "gpm", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_what_any_order_refuses(seq: str, gpm: dict[str, str], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        plan(seq, gpm=ACROSS | gpm, select="(1 AS ?one)")


def test_filters_across_of_a_gpm_that_stands_twice_at_one_step() -> None:
    for seq in ("A & B & B && D", "B & B && D"):
        plan(seq, gpm=ACROSS | {"B": "[] :B ?v FILTER(?v < ?x)"}, select="(1 AS ?one)")
