"""What is printed parses back to an equal tree, and means the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from spaseq.languages.paths import format_queries, tree
from spaseq.languages.paths.parser import parse_tree
from tests.language.paths.strategies import files

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(files)
def test_round_trip(queries: tree.Queries) -> None:
    text = format_queries(queries)
    again = parse_tree(text)
    assert again == queries, text
    assert format_queries(again) == text
