"""Which lanes the plan chooses for a query of CEQL."""

from __future__ import annotations

import pytest

from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import chosen_lanes, planned

CHOSEN = [
    ("SELECT * FROM S WHERE A ; B ; C WITHIN 9 EVENTS", "PLAIN PLAIN PLAIN", "ROWS"),
    ("SELECT ANY * FROM S WHERE A ; B WITHIN 9 EVENTS", "PLAIN PLAIN", "ROWS"),
    ("SELECT * FROM S WHERE A ; B WITHIN 9 [v]", "GENERAL GENERAL", "EACH"),
    ("SELECT * FROM S WHERE A : B WITHIN 9 EVENTS", "GENERAL GENERAL", "EACH"),
    ("SELECT * FROM S WHERE A ; B+ ; C WITHIN 9 EVENTS", "PLAIN PLAIN PLAIN", "EACH"),
    ("SELECT * FROM S WHERE A AS a ; B AS b FILTER b[v > a.v] WITHIN 9 EVENTS", "SWIFT SWIFT", "EACH"),
    ("SELECT a FROM S WHERE A AS a ; B+ ; C WITHIN 9 EVENTS", "PLAIN PLAIN PLAIN", "DISTINCT"),
    ("SELECT a FROM S WHERE A AS a ; B+ ; C WITHIN 9 EVENTS LIMIT 1", "PLAIN PLAIN PLAIN", "EACH"),
    ("SELECT NEXT * FROM S WHERE A ; B+ ; C WITHIN 9 EVENTS", "PLAIN PLAIN PLAIN", "BEST"),
    ("SELECT LAST a FROM S WHERE A AS a ; B+ ; C WITHIN 9 EVENTS", "PLAIN PLAIN PLAIN", "BEST"),
    ("SELECT MAX * FROM S WHERE A ; B+ ; C WITHIN 9 EVENTS", "PLAIN PLAIN PLAIN", "MAXIMAL"),
    ("SELECT MAX * FROM S WHERE A ; B WITHIN 9 EVENTS", "PLAIN PLAIN", "ROWS"),
    ("SELECT STRICT * FROM S WHERE A ; B WITHIN 9 EVENTS", "GENERAL GENERAL", "EACH"),
]


@pytest.mark.parametrize(("text", "steps", "enumeration"), CHOSEN)
def test_chosen_lanes(text: str, steps: str, enumeration: str) -> None:
    parsed = parse(text)
    found = chosen_lanes(parsed.query, planned(parsed.query, parsed.normal_form))
    assert " ".join(step.name for step in found.steps) == steps
    assert found.enumeration.name == enumeration
