"""HAVING, DISTINCT in aggregates, STDEV, VARIANCE and MEDIAN in the oracle, against results derived by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracle import evaluate, to_text
from tests.oracle.aggregated import aggregated_pair
from tests.oracle.expressed import expressed_pair
from tests.oracle.expressions import Aggregate, Binary, Const, Expression, Var
from tests.oracle.generate import Size
from tests.oracle.model import Column, Kleene, Query, Select
from tests.oracle.test_oracle import A, B, events, gpm, integer, iri, matches, query, seq

COUNT = Aggregate("COUNT", None)
DOUBLE = '"{}"^^<http://www.w3.org/2001/XMLSchema#double>'.format


def counted(*having: Expression, group_by: tuple[str, ...] = ("k",)) -> Query:
    select = Select((*group_by, Column(COUNT, "n")), group_by=group_by, having=having)
    return query(seq(A, ":", B), keyed=True, select=select)


def rows(asked: Query, stream: str) -> list[dict[str, str]]:
    return [dict(one.row) for one in evaluate(asked, events(stream))]


def test_having_chooses_groups() -> None:
    stream = "a1@x=1 a2@x=2 a3@y=5 b1@x/b2@y"
    x, y = {"k": iri("x"), "n": integer(2)}, {"k": iri("y"), "n": integer(1)}
    assert rows(counted(), stream) == [x, y]
    assert rows(counted(Binary(">", COUNT, Const(1))), stream) == [x]
    assert rows(counted(Binary(">", Aggregate("SUM", "va"), Const(3))), stream) == [y]
    assert rows(counted(Binary("<", Var("n"), Const(2))), stream) == [y]
    assert rows(counted(Binary(">", COUNT, Const(0)), Binary(">", COUNT, Const(1))), stream) == [x]
    # Of one value there is no deviation, and an error is not true.
    assert rows(counted(Binary(">=", Aggregate("STDEV", "va"), Const(0))), stream) == [x]


def test_the_aggregate_may_stand_in_having_only() -> None:
    select = Select(("k",), group_by=("k",), having=(Binary(">", COUNT, Const(1)),))
    assert rows(query(seq(A, ":", B), keyed=True, select=select), "a1@x a2@x a3@y b1@x/b2@y") == [{"k": iri("x")}]


def test_groups_with_equal_rows() -> None:
    for distinct, number in ((False, 2), (True, 1)):
        select = Select((Column(COUNT, "n"),), distinct, ("k",))
        asked = query(seq(A, ":", B), keyed=True, select=select)
        assert rows(asked, "a1@x a2@y b1@x/b2@y") == [{"n": integer(1)}] * number


VALUES = [
    # VARIANCE is of a sample: the sum of squares is 32, of eight values.
    ("2 4 4 4 5 5 7 9", "VARIANCE", False, DOUBLE(32 / 7)),
    ("2 4 4 4 5 5 7 9", "STDEV", False, DOUBLE("2.138089935299395")),
    ("2 4 4 4 5 5 7 9", "MEDIAN", False, DOUBLE("4.5")),
    ("3 1 2", "MEDIAN", False, DOUBLE(2)),
    ("1 1 3", "MEDIAN", True, DOUBLE(2)),
    ("1 1 3", "VARIANCE", True, DOUBLE(2)),
    ("1 1 3", "COUNT", True, integer(2)),
    ("1 1 3", "SUM", True, integer(4)),
    ("5", "MEDIAN", False, DOUBLE(5)),
    ("5", "STDEV", False, None),
    ("5 5", "STDEV", False, DOUBLE(0)),
    ("5 5", "STDEV", True, None),
]


@pytest.mark.parametrize(("values", "function", "distinct", "expected"), VALUES)
def test_aggregates_of_matches(values: str, function: str, distinct: bool, expected: str | None) -> None:
    select = Select((Column(Aggregate(function, "va", distinct), "x"),))
    stream = " ".join(f"a{number}={value}" for number, value in enumerate(values.split())) + " b1"
    assert rows(query(seq(A, ":", B), select=select), stream) == [{"x": expected} if expected else {}]


@pytest.mark.parametrize(("values", "function", "distinct", "expected"), VALUES)
def test_aggregates_of_iterations(values: str, function: str, distinct: bool, expected: str | None) -> None:
    number = len(values.split())
    select = Select((Column(Aggregate(function, "va", distinct), "x"),))
    stream = " ".join(f"a{number}={value}" for number, value in enumerate(values.split())) + " b1"
    asked = query(seq(Kleene(A, number, number), ";", B), select=select)
    assert rows(asked, stream) == [{"x": expected} if expected else {}]


def test_aggregates_in_filters() -> None:
    least = Binary("<", Aggregate("MEDIAN", "va"), Var("vb"))
    asked = query(seq(Kleene(A, 1, None), ",", B), gpm("B", least))
    assert matches(asked, "a1=1 a2=2 a3=9 b1=3") == {"a1 a2 a3 b1"}
    few = gpm("A", Binary("<", Aggregate("COUNT", "va", distinct=True), Const(2)))
    assert matches(query(Kleene(A, 3, None), few), "a1=1 a2=1 a3=5 a4=7") == {"a1 a2 a3"}


def test_aggregates_of_expressions() -> None:
    # Of each iteration, with what was bound before; where there is no value the iteration is left out.
    product = Aggregate("SUM", Binary("*", Var("va"), Var("vb")))
    select = Select((Column(product, "x"),))
    asked = query(seq(B, ",", Kleene(A, 2, 2)), select=select)
    assert rows(asked, "b1=10 a1=1 a2=2") == [{"x": integer(30)}]
    unbound = Select((Column(Aggregate("SUM", Binary("+", Var("va"), Var("other"))), "x"),))
    assert rows(query(Kleene(A, 1, 1), select=unbound), "a1=3") == [{"x": integer(0)}]
    # Over matches: of each solution.
    difference = Select((Column(Aggregate("MAX", Binary("-", Var("vb"), Var("va"))), "x"),))
    assert rows(query(seq(A, ":", B), select=difference), "a1=1 a2=5 b1=4") == [{"x": integer(3)}]


@pytest.mark.parametrize("partitioned", [False, True])
def test_random_pairs_cover_expressions(partitioned: bool) -> None:
    counts: Counter[str] = Counter()
    for seed in range(200):
        counts.update(expressed_pair(seed, Size(4, 6, 1, 3), partitioned).labels)
    assert min(counts[f"{place} aggregate of an expression"] for place in ("select", "filter")) > 10


def test_text() -> None:
    text = to_text(
        counted(Binary(">", Aggregate("COUNT", "va", distinct=True), Const(1)), Binary("<", COUNT, Const(9)))
    )
    assert text.endswith("}\nGROUP BY ?k\nHAVING ((COUNT(DISTINCT ?va) > 1)) ((COUNT(*) < 9))\n")


@pytest.mark.parametrize("partitioned", [False, True])
def test_random_pairs_cover_aggregates(partitioned: bool) -> None:
    counts: Counter[str] = Counter()
    for seed in range(400):
        pair = aggregated_pair(seed, Size(4, 6, 1, 3), partitioned)
        counts.update(pair.labels)
        counts["matches"] += bool(evaluate(pair.query, pair.events))
    places = ("select", "filter")
    wanted = {f"{place} {function}" for place in places for function in ("STDEV", "VARIANCE", "MEDIAN", "COUNT")}
    wanted |= {f"{place} DISTINCT in an aggregate" for place in places} | {
        "select HAVING",
        "select COUNT(*)",
        "matches",
    }
    assert {label for label in wanted if counts[label] < 4} == set()
