"""What is printed parses back to an equal tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from spaseq.languages.mappings import format_mapping, tree
from spaseq.languages.mappings.parser import parse_tree
from tests.language.mappings.strategies import mappings

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(mappings)
def test_round_trip(mapping: tree.Mapping) -> None:
    text = format_mapping(mapping)
    again = parse_tree(text)
    assert again == mapping, text
    assert format_mapping(again) == text
