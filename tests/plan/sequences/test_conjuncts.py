"""Conjunctions of stateful filters are split, and what the event alone decides is tested on it alone."""

from __future__ import annotations

import re

import pytest

from gpm.algebra import Expression, Filter
from gpm.printing import print_expression
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences.filters import split_conjunctions

QUERY = """
PREFIX : <urn:>
SELECT * WITHIN 9 SECONDS SLIDING FROM STREAM s <urn:s>
WHERE {{
  SEQ(A ; B)
  DEFINE GPM A ON s {{ ?a :p ?x OPTIONAL {{ ?a :o ?z }} }}
  DEFINE GPM B ON s {{ ?b :p ?y OPTIONAL {{ ?b :o ?z }} FILTER({0}) }}
}}
"""
CASES = {
    "?y > ?x && ?y > 3": (["(?y > ?x)"], ["(?y > 3)"]),
    "?y > 3 && (?x < 4 && ?y < 9)": (["(?x < 4)"], ["(?y > 3)", "(?y < 9)"]),
    "?y > ?x || ?y > 3": (["((?y > ?x) || (?y > 3))"], []),
    "?y > ?x && BOUND(?z)": (["(?y > ?x)", "BOUND(?z)"], []),  # an earlier event may have bound ?z
    "?y > ?x && EXISTS { ?b :q 1 }": (["(?y > ?x)", "EXISTS { ?b <urn:q> 1 . }"], []),
}


@pytest.mark.parametrize("text", CASES)
def test_conjunctions(text: str) -> None:
    definition = parse(QUERY.format(text)).query.atom("B")
    split = split_conjunctions(definition)
    stateful, static = CASES[text]
    assert [brief(one) for one in split.stateful] == stateful
    added = split.pattern.elements[len(definition.pattern.elements) :]
    assert [brief(one.expression) for one in added if isinstance(one, Filter)] == static
    assert len(added) == len(static)


def brief(expression: Expression) -> str:
    return re.sub(r'"(\d+)"\^\^<[^>]*>', r"\1", print_expression(expression))
