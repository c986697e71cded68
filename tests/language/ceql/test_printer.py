"""What is printed parses back to an equal tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from spaseq.languages.ceql import format_query, tree
from spaseq.languages.ceql.parser import parse_tree
from tests.language.ceql.strategies import queries

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(queries)
def test_round_trip(query: tree.Query) -> None:
    text = format_query(query)
    again = parse_tree(text)
    assert again == query, text
    assert format_query(again) == text
