"""Which attributes are known to be equal in all events of every match, and what is left to ask then."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from spaseq.languages.ceql import parse
from spaseq.pattern.formulas.printing import print_formula
from spaseq.plan.formulas.automaton import planned
from spaseq.plan.formulas.clauses import common_keys, without_equalities
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.generate import Pair, joined, random_pair
from tests.oracle.ceql.labels import labels_of
from tests.tuples.tables import answers

CASES = [
    # formula, keys, what is left
    ("A ; B ; C FILTER B[k = A.k] AND C[k = A.k]", "k", "A ; B ; C"),
    ("A ; B ; C FILTER B[k = A.k] AND C[k = B.k]", "k", "A ; B ; C"),
    ("A ; B ; C FILTER B[k = A.k AND v > A.v] AND C[k = A.k]", "k", "(A ; B FILTER B.v > A.v) ; C"),
    ("A ; B FILTER B[k = A.k AND l = A.l]", "k l", "A ; B"),
    ("A ; B ; C FILTER B[k = A.k]", "", None),
    ("A ; B ; C FILTER B[k = A.k] AND C[l = A.l]", "", None),
    ("A ; B FILTER A.k = B.l", "", None),
    ("A ; B FILTER A.k = B.k OR A.v = 1", "", None),
    ("A ; B FILTER NOT A.k != B.k", "k", "A ; B"),
    ("A ; B FILTER A.k + 1 = B.k + 1", "", None),
    ("A : B FILTER B[k = A.k]", "", None),
    ("A ; B+ FILTER B[k = A.k]", "k", "A ; B+"),
    ("A ; B:+ FILTER B[k = A.k]", "", None),
    ("(A ; B FILTER B[k = A.k])+", "", None),
    ("(A ; B FILTER B[k = A.k])+ ; C FILTER C[k = A.k]", "k", "(A ; B)+ ; C"),
    ("(A ; B)+ ; C FILTER C[k = A.k]", "", None),
    ("(A ; B)+ ; C FILTER C[k = A.k] AND B[k = A.k]", "k", "(A ; B)+ ; C"),
    ("(A ; B)+ FILTER B[k = A.k]", "k", "(A ; B)+"),
    ("A ; (B OR C) FILTER B[k = A.k]", "", None),
    ("A ; (B OR C) FILTER B[k = A.k] AND C[k = A.k]", "", None),
    ("A ; (B AS x OR C AS x) FILTER x[k = A.k]", "k", "A ; (B AS x OR C AS x)"),
    ("(A ; B FILTER B[k = A.k]) OR C", "", None),
    ("(A ; B FILTER B[k = A.k]) OR (B ; C FILTER B[k = C.k])", "k", None),
    ("A AS x ; A AS x ; B FILTER B[k = x.k]", "k", "A AS x ; A AS x ; B"),
    ("A", "", None),
]


@pytest.mark.parametrize(("formula", "keys", "left"), CASES)
def test_what_all_events_share(formula: str, keys: str, left: str | None) -> None:
    normal = parse(f"SELECT * FROM S WHERE {formula}").normal_form
    found = common_keys(normal)
    assert found == tuple(keys.split())
    if left is not None:
        assert print_formula(without_equalities(normal, found)) == left
    elif not keys:
        assert without_equalities(normal, found) == normal


@pytest.mark.parametrize(
    ("rest", "partition"),
    [
        ("", "k"),
        ("WITHIN 9 EVENTS", "k"),
        ("CONSUME BY PARTITION", "k"),
        ("PARTITION BY [l]", "l k"),
        ("PARTITION BY [l] WITHIN 9 EVENTS", "l"),
        ("PARTITION BY [l] CONSUME BY PARTITION", "l"),
        ("PARTITION BY [l] CONSUME BY ANY", "l k"),
    ],
)
def test_where_it_makes_no_difference(rest: str, partition: str) -> None:
    parsed = parse(f"SELECT * FROM S WHERE A ; B FILTER B[k = A.k] {rest}")
    assert planned(parsed.query, parsed.normal_form).partition == tuple(partition.split())


def test_strict_results_have_no_gap_in_the_whole_stream() -> None:
    parsed = parse("SELECT STRICT * FROM S WHERE A ; B FILTER B[k = A.k]")
    assert planned(parsed.query, parsed.normal_form).partition == ()


@pytest.mark.parametrize("start", range(0, 900, 300))
def test_the_definition(start: int) -> None:
    for seed in range(start, start + 300):
        drawn, chance = random_pair(seed), Random(seed)
        query = joined(replace(drawn.query, aggregates=(), group_by=()), chance)
        pair = Pair(query, drawn.events, labels_of(query, drawn.events))
        assert disagreement(query, pair.events, answers(pair, chance.randrange(1, 9))) is None, seed
