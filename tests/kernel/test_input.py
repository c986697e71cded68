"""Wrong input is refused; filters outside the native subset are asked for, and their failures surface."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpm.rows import AtomRows
from tests.kernel.driver import Driver, plan_of
from tests.kernel.worlds import SHORT, random_events

ONE = {"A": [{"a": 1, "va": 1}]}


def arrays(times: list[int], events: list[int] | None = None) -> tuple[Any, Any]:
    handles = events if events is not None else list(range(len(times)))
    return np.array(times, np.int64), np.array(handles, np.uint64)


def rows(driver: Driver, places: list[int], columns: int | None = None) -> AtomRows:
    slots = len(driver.plan.atoms[0].variables) if columns is None else columns
    return AtomRows(np.array(places, np.uint32), np.ones((slots, len(places)), np.uint64))


def test_time_that_runs_backwards() -> None:
    driver = Driver(plan_of("A"))
    with pytest.raises(ValueError, match="order of time"):
        driver.feed([(5, ONE), (4, ONE)])
    driver = Driver(plan_of("A"))
    driver.feed([(5, ONE)])
    driver.feed([(5, ONE)])
    with pytest.raises(ValueError, match="order of time"):
        driver.feed([(4, ONE)])


def test_time_before_a_promise() -> None:
    driver = Driver(plan_of("A"))
    driver.matcher.advance(10)
    with pytest.raises(ValueError, match="order of time"):
        driver.feed([(9, ONE)])


BAD: list[tuple[str, Callable[[Driver], tuple[Any, Any, Any]]]] = [
    ("too few atoms", lambda d: (*arrays([0]), [])),
    ("too many atoms", lambda d: (*arrays([0]), [rows(d, [0]), rows(d, [0])])),
    ("too many columns", lambda d: (*arrays([0]), [rows(d, [0], 3)])),
    (
        "rows of another length",
        lambda d: (*arrays([0]), [AtomRows(np.zeros(1, np.uint32), np.ones((1, 2), np.uint64))]),
    ),
    ("fewer handles than times", lambda d: (*arrays([0, 1], [0]), [rows(d, [0])])),
    ("more handles than times", lambda d: (*arrays([0], [0, 1]), [rows(d, [0])])),
    ("a row of no event of the batch", lambda d: (*arrays([0]), [rows(d, [1])])),
    ("rows not in order", lambda d: (*arrays([0, 1]), [rows(d, [1, 0])])),
    ("times of another type", lambda d: (np.zeros(1), np.zeros(1, np.uint64), [rows(d, [0])])),
    ("two dimensions", lambda d: (np.zeros((1, 1), np.int64), np.zeros(1, np.uint64), [rows(d, [0])])),
]


@pytest.mark.parametrize("make", [make for _, make in BAD], ids=[name for name, _ in BAD])
def test_wrong_shapes(make: Callable[[Driver], tuple[Any, Any, Any]]) -> None:
    driver = Driver(plan_of("A", select="?va"))
    with pytest.raises(ValueError):
        driver.matcher.feed(*make(driver))
    assert driver.matcher.statistics()["events"] == 0, "nothing was taken"
    driver.feed([(0, ONE)])
    assert len(driver.matcher.take().first) == 1


def test_an_empty_batch() -> None:
    driver = Driver(plan_of("A", select="?va"))
    driver.feed([])
    assert driver.run([(0, ONE)]) == [(0, 0, 0, ((0, 0),), (driver.terms.integer(1),))]


FILTERS = [
    ("REGEX(STR(?vb + ?va), '^[5-9]')", "?vb + ?va >= 5 && ?vb + ?va <= 9"),
    ("CONTAINS(CONCAT(STR(?va), STR(?vb)), '3')", "?va = 3 || ?vb = 3"),
    ("xsd:integer(STR(?vb)) > ?va", "?vb > ?va"),
]


@pytest.mark.parametrize(("outside", "native"), FILTERS)
@pytest.mark.parametrize("seq", ["A ; B", "A , B", "A : B", "A ; B? ; C", "A & B"])
def test_filters_outside_the_native_subset(outside: str, native: str, seq: str) -> None:
    found = []
    for text in (outside, native):
        plan = plan_of(seq, gpm={"B": f"?b :B ?vb FILTER({text})"}, within=SHORT)
        found.append([sorted(Driver(plan).run(random_events(seed, 24))) for seed in range(5)])
    assert found[0] == found[1]
    assert any(found[0])


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_exception_of_the_evaluator_surfaces_once(error: type[BaseException]) -> None:
    def fail(table: Any, now: Any, terms: Any) -> Any:
        raise error("the evaluator failed")

    plan = plan_of("A ; B", gpm={"B": "?b :B ?vb FILTER(REGEX(STR(?vb + ?va), '[5-9]'))"})
    driver = Driver(plan)
    formulas = driver.matcher._formulas  # type: ignore[attr-defined]
    driver.matcher._formulas = tuple(dataclasses.replace(one, ask=fail) for one in formulas)  # type: ignore[attr-defined]
    driver.feed([(0, {"A": [{"a": 1, "va": 1}]})])
    with pytest.raises(error, match="the evaluator failed"):
        driver.feed([(1, {"B": [{"b": 1, "vb": 6}]})])
    driver.matcher._formulas = formulas  # type: ignore[attr-defined]
    driver.feed([(2, {"B": [{"b": 2, "vb": 7}]})])
    assert [match[1] for match in driver.run([])] == [2], "the matcher goes on: the step that failed was none"
