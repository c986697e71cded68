"""Alternatives become one state where results do not tell them apart."""

from __future__ import annotations

import pytest

from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import planned


@pytest.mark.parametrize(
    ("query", "states"),
    [
        ("SELECT * FROM S WHERE (A OR B) AS x ; C", 2),
        ("SELECT * FROM S WHERE (A OR B) ; C", 3),
        ("SELECT C FROM S WHERE (A OR B) ; C", 2),
        ("SELECT A FROM S WHERE (A OR B) AS x ; C", 3),
        ("SELECT * FROM S WHERE (A AS x OR B AS y) ; C", 3),
        ("SELECT x, A.v FROM S WHERE (A OR B) AS x ; C", 3),
        ("SELECT COUNT(*), SUM(x.v) FROM S WHERE (A OR B) AS x ; C", 2),
        ("SELECT COUNT(*), SUM(A.v) FROM S WHERE (A OR B) AS x ; C", 3),
        ("SELECT * FROM S WHERE (A OR B) AS x ; C FILTER C[v > x.v]", 2),
        ("SELECT * FROM S WHERE (A OR B) AS x ; C FILTER C[v > A.v]", 3),
        ("SELECT * FROM S WHERE ((A OR B) AS x)+ ; C", 2),
        ("SELECT * FROM S WHERE ((A AS x ; C FILTER C[v > x.v]) OR (B AS x ; C)) ; D", 5),
    ],
)
def test_states(query: str, states: int) -> None:
    parsed = parse(query)
    assert len(planned(parsed.query, parsed.normal_form).automaton.states) == states
