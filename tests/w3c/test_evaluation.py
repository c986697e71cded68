"""The evaluation tests of the W3C SPARQL suites that a graph pattern can express.

``paths.toml`` says of every test of the suites which way it takes, or why no graph pattern expresses it, or whose
solutions differ from ours and why.  A test fails if reality is otherwise.  ``SPASEQ_UPDATE_GOLDEN=1`` writes the file
anew, but for the reasons of new deviations; read the difference before committing it.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.w3c.manifests import SUITES, EvaluationTest, evaluation_tests
from tests.w3c.paths import Deviation, Listed, listed
from tests.w3c.pattern import InexpressibleError, as_pattern
from tests.w3c.runs import MODES, by_pyoxigraph, by_us
from tests.w3c.solutions import Solutions, equal, expected

UPDATE = bool(os.environ.get("SPASEQ_UPDATE_GOLDEN"))
TESTS = {test.id: test for test in evaluation_tests()}

pytestmark = pytest.mark.skipif(not SUITES.exists(), reason="the W3C test suites are not at hand")


@pytest.mark.parametrize("name", TESTS)
def test_w3c_evaluation(name: str) -> None:
    found, known = outcome(TESTS[name]), listed()
    if UPDATE:
        known = updated(known, name, found)
        known.write()
    assert found.inexpressible.get(name) == known.inexpressible.get(name)
    assert found.paths == {mode: {name: known.paths[mode][name]} for mode in found.paths}
    deviation, explained = found.deviations.get(name), known.deviations.get(name)
    assert (deviation and deviation.results) == (explained and explained.results)
    assert explained is None or explained.reason, "a deviation without explanation"


def test_nothing_else_is_listed() -> None:
    known = listed()
    expressed = [set(paths) for paths in known.paths.values()]
    assert all(names | known.inexpressible.keys() == TESTS.keys() for names in expressed)
    assert known.deviations.keys() <= TESTS.keys() - known.inexpressible.keys()
    assert known.paths.keys() == set(MODES)


def outcome(test: EvaluationTest) -> Listed:
    """What becomes of a test, without the reason of a deviation."""
    try:
        pattern = as_pattern(test.query, test.query_iri)
    except InexpressibleError as reason:
        return Listed({test.id: str(reason)})
    ours = {mode: by_us(test, pattern, mode) for mode in MODES}
    found = Listed(paths={mode: {test.id: path} for mode, (path, _) in ours.items()})
    differing = {others_than(solutions, test) for _, solutions in ours.values()}
    assert len(differing) == 1, "the modes do not agree"
    if results := differing.pop():
        found.deviations[test.id] = Deviation(results)
    return found


def others_than(solutions: Solutions, test: EvaluationTest) -> tuple[str, ...]:
    """Whose solutions are not these."""
    others = {"W3C": expected(test.result), "pyoxigraph": by_pyoxigraph(test)}
    return tuple(name for name, other in others.items() if other is None or not equal(solutions, other))


def updated(known: Listed, name: str, found: Listed) -> Listed:
    """The list with what was found of one test; the reason of a deviation is kept."""

    def without(entries: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in entries.items() if key != name and key in TESTS}

    new = Listed(
        without(known.inexpressible) | found.inexpressible,
        without(known.deviations) | found.deviations,
        {mode: without(known.paths.get(mode, {})) | found.paths.get(mode, {}) for mode in MODES},
    )
    if name in found.deviations and name in known.deviations:
        new.deviations[name] = Deviation(found.deviations[name].results, known.deviations[name].reason)
    return new
