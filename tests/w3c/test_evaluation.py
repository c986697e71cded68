"""The evaluation tests of the W3C SPARQL suites that a graph pattern can express.

``paths.toml`` says of every test of the suites which way it takes, or why no graph pattern expresses it, or whose
solutions differ from ours and why.  A test fails if reality is otherwise.  ``SPASEQ_UPDATE_GOLDEN=1`` writes the file
anew, but for the reasons of new deviations; read the difference before committing it.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from gpm.errors import PatternError
from gpm.evaluator import Mode
from tests.w3c.manifests import EvaluationTest, evaluation_tests
from tests.w3c.paths import Deviation, Listed, listed
from tests.w3c.pattern import InexpressibleError, as_pattern
from tests.w3c.runs import by_pyoxigraph, by_us
from tests.w3c.solutions import Solutions, equal, expected

UPDATE = bool(os.environ.get("SPASEQ_UPDATE_GOLDEN"))
TESTS = {test.id: test for test in evaluation_tests()}


@pytest.mark.parametrize("name", TESTS)
def test_w3c_evaluation(name: str) -> None:
    found, known = outcome(TESTS[name]), listed()
    if UPDATE:
        known = updated(known, name, found)
        known.write()
    assert found.inexpressible.get(name) == known.inexpressible.get(name)
    assert found.paths.get(name) == known.paths.get(name)
    deviation, explained = found.deviations.get(name), known.deviations.get(name)
    assert (deviation and deviation.results) == (explained and explained.results)
    assert explained is None or explained.reason, "a deviation without explanation"


def test_nothing_else_is_listed() -> None:
    known = listed()
    assert known.paths.keys() | known.inexpressible.keys() == TESTS.keys()
    assert not known.paths.keys() & known.inexpressible.keys()
    assert known.deviations.keys() <= known.paths.keys()


def outcome(test: EvaluationTest) -> Listed:
    """What becomes of a test, without the reason of a deviation."""
    try:
        pattern = as_pattern(test.query, test.query_iri)
    except InexpressibleError as reason:
        return Listed({test.id: str(reason)})
    path, solutions = by_us(test, pattern, Mode.AUTO)
    if path.startswith("native"):
        modes = [Mode.NATIVE, Mode.PYOXIGRAPH, Mode.VERIFY]
    else:
        modes = [Mode.PYOXIGRAPH]
        with pytest.raises(PatternError, match="cannot be evaluated natively"):
            by_us(test, pattern, Mode.NATIVE)
    for mode in modes:
        assert equal(by_us(test, pattern, mode)[1], solutions), f"{mode.value} does not give the same"
    found = Listed(paths={test.id: path})
    if results := others_than(solutions, test):
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
        without(known.paths) | found.paths,
    )
    if name in found.deviations and name in known.deviations:
        new.deviations[name] = Deviation(found.deviations[name].results, known.deviations[name].reason)
    return new
