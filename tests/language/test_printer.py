"""What is printed parses back to an equal tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from spaseq.languages.spaseq import format_query, tree
from spaseq.languages.spaseq.parser import parse_tree
from tests.language.strategies import queries

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(queries)
def test_round_trip(query: tree.Query) -> None:
    text = format_query(query)
    again = parse_tree(text)
    assert again == query, text
    assert format_query(again) == text
