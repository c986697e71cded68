"""The stand-in takes the place of the plan where a test asks for it."""

from __future__ import annotations

import pytest

from spaseq.pattern.sequences import Query
from tests.graphs.standin import StandInPlan


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[StandInPlan]:
    """The plans that are compiled, in order; they are stand-ins."""
    made: list[StandInPlan] = []

    def compile_plan(query: Query) -> StandInPlan:
        made.append(StandInPlan(query))
        return made[-1]

    monkeypatch.setattr("spaseq.graphs.queries.compile_plan", compile_plan)
    return made
