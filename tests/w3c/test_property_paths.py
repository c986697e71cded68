"""The oracle of path queries finds the end points that the W3C suite expects."""

from __future__ import annotations

import pytest

from tests.oracle.paths.answers import Answers
from tests.oracle.paths.model import Graph
from tests.oracle.paths.read import read
from tests.w3c.manifests import evaluation_tests
from tests.w3c.property_paths import FOLDER, LEFT_OUT, PropertyPath, property_paths, unlisted

TESTS = {test.id: test for test in property_paths()}
BOUNDED = {test.id: test for test in unlisted()}


@pytest.mark.parametrize("test", [*TESTS.values(), *BOUNDED.values()], ids=[*TESTS, *BOUNDED])
def test_end_points(test: PropertyPath) -> None:
    (query,) = read(test.text)
    assert Answers(query, Graph.of(test.edges), test.nodes).due.keys() == test.pairs


def test_all_tests_are_accounted_for() -> None:
    all_tests = {test.id for test in evaluation_tests() if test.folder == FOLDER}
    assert TESTS.keys() | LEFT_OUT.keys() == all_tests
    assert not TESTS.keys() & LEFT_OUT.keys()
