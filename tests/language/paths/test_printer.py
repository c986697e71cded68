"""What is printed parses back to an equal tree, and means the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from spaseq.languages.paths import format_queries, printer, tree
from spaseq.languages.paths.parser import parse_tree
from spaseq.languages.spaseq import tree as tree_of_spaseq
from spaseq.languages.spaseq.parser import parse_tree as parse_tree_of_spaseq
from spaseq.languages.spaseq.printer import path as printed_in_spaseq
from tests.language import strategies as of_spaseq
from tests.language.paths.strategies import files

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(files)
def test_round_trip(queries: tree.Queries) -> None:
    text = format_queries(queries)
    again = parse_tree(text)
    assert again == queries, text
    assert format_queries(again) == text


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(of_spaseq.paths)
def test_property_paths_of_sparql_are_read(path: tree_of_spaseq.Path) -> None:
    (query,) = parse_tree(f"QUERY q {printed_in_spaseq(path)}").items
    assert isinstance(query, tree.Query)
    assert _as_spaseq_reads(printer.path(query.path)) == path


def _as_spaseq_reads(path: str) -> object:
    text = f"SELECT * FROM STREAM s <s:s> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?s {path} ?o }} }}"
    (triples,) = parse_tree_of_spaseq(text).definitions[0].group.elements
    assert isinstance(triples, tree_of_spaseq.Triples)
    return triples.statements[0].properties[0].verb
