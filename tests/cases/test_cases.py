"""Every case, in every mode of the engine: all modes must give exactly the matches of the case file."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from tests.cases.loader import Case, cases
from tests.cases.runner import at_once, event_by_event, with_snapshots

CASES = list(cases())
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)


@each
def test_at_once(case: Case) -> None:
    assert sorted(at_once(case)) == case.expected, case.spec["why"]


@each
def test_event_by_event(case: Case) -> None:
    handed = event_by_event(case)
    assert sorted(match for _, match in handed) == case.expected, case.spec["why"]
    if case.handed is not None:
        assert sorted(handed) == case.handed, case.spec["why"]


@each
def test_in_tables_of_one_result(case: Case) -> None:
    with patch("spaseq.graphs.graph_query.MOST", 1):
        assert sorted(at_once(case)) == case.expected, case.spec["why"]


@each
def test_batches_of_two_with_snapshots(case: Case) -> None:
    assert sorted(with_snapshots(case)) == case.expected, case.spec["why"]


def test_there_are_many_cases_and_all_say_why() -> None:
    assert len(CASES) >= 100
    assert all(case.spec.get("why") for case in CASES)
