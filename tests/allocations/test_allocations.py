"""No memory is an error: whichever allocation fails, the run ends with one, and never with a wrong result."""

from __future__ import annotations

import pytest

from tests.allocations.injection import GOOD, LASTING, SINGLE, injector, tried
from tests.allocations.runs import RUNS

pytestmark = pytest.mark.skipif(injector() is None, reason="it takes a GNU system and a C++ compiler")
EVERY = {
    "sequences": 41,
    "complex events": 19,
    "aggregates": 23,
    "totals": 43,
    "snapshot": 97,
    "rows": 41,
    "rules": 97,
    "tuple rows": 47,
    "within": 97,
    "tuples within": 3,
    "row patterns": 7,
    "streamed patterns": 41,
    "edges": 41,
    "searches": 31,
}


@pytest.mark.parametrize("mode", [SINGLE, LASTING])
@pytest.mark.parametrize("name", RUNS)
def test_any_allocation_may_fail(name: str, mode: str) -> None:
    found = tried(name, 1 if mode == SINGLE else 11, 20_000, EVERY[name], mode)
    assert found.allocations > 300  # there is something to fail
    assert found.bad == {}
    assert set(found.verdicts) <= set(GOOD)
    assert found.verdicts["error"] > 3 * found.verdicts.get("harmless", 0)
