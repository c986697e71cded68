"""The oracle gives what the cases say."""

from __future__ import annotations

import pytest

from tests.oracle.paths.answers import Answers
from tests.oracle.paths.model import Path
from tests.oracle.paths.read import read
from tests.paths.cases import Case, cases

CASES = {case.label: case for case in cases()}


@pytest.mark.parametrize("label", CASES)
def test_the_oracle_answers_the_case(label: str) -> None:
    case = CASES[label]
    assert answered(case) in case.right


@pytest.mark.parametrize("label", CASES)
def test_each_right_answer_is_right(label: str) -> None:
    case = CASES[label]
    for right in case.right:
        for query in read(case.text):
            paths = [Path(nodes, steps) for name, nodes, steps in right if name == query.name]
            assert Answers(query, case.graph).complaints(paths) == []


def answered(case: Case) -> list:
    paths = [(query.name, path) for query in read(case.text) for path in Answers(query, case.graph).answer()]
    return sorted((name, path.nodes, path.steps) for name, path in paths)


def test_each_case_says_what_it_shows() -> None:
    reasons = [case.spec["why"] for case in CASES.values()]
    assert len(set(reasons)) == len(reasons) > 60
