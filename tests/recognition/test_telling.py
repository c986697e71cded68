"""What tells of groups of partial matches what they may come to, and what a bound on their work refuses."""

from __future__ import annotations

import numpy as np
import pyarrow
import pytest

from nfa_native.automata.telling import Telling, judged_states, told_by_state
from nfa_native.events.recognizer import Recognizer, drawn_positions
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import RecognitionPlan, planned
from spaseq.tuples.encoding.correlation import ConditionMemory

SCHEMA = pyarrow.schema(
    [("type", pyarrow.string()), *((name, pyarrow.int64()) for name in "kvw"), ("r", pyarrow.float64())]
)


def plan_of(text: str) -> RecognitionPlan:
    parsed = parse(text)
    return planned(parsed.query, parsed.normal_form)


TOLD = [
    ("A AS a ; B AS b FILTER a[v < b.v]", [[Telling(0)], []], [False, False]),
    ("A AS a ; B AS b ; C AS c FILTER a[v < c.v]", [[Telling(0)], [Telling(0)], []], [True, True, False]),
    ("A AS a ; B AS b FILTER a[v != b.v]", [[], []], [False, False]),
    (
        "A AS a ; B AS b ; C AS c FILTER a[a.v + b.w < c.v]",
        [[Telling(0, 0)], [Telling(2)], []],
        [True, True, False],
    ),
    (
        "A AS a ; B AS b FILTER a[a.r + b.v < a.v * b.r]",
        [[Telling(0, 0, is_real=True), Telling(0, 1)], []],
        [True, False],
    ),
    ("A ; B+ ; C", None, None),
]


@pytest.mark.parametrize(("formula", "telling", "judged"), TOLD)
def test_what_tells(formula: str, telling: list[list[Telling]] | None, judged: list[bool] | None) -> None:
    plan = plan_of(f"SELECT * FROM S WHERE {formula} WITHIN 9 EVENTS")
    correlation = plan.automaton.correlation
    if correlation is None:
        assert telling is judged is None
        return
    programs = ConditionMemory(plan.asked, plan.computed, SCHEMA, forgets=True).conditions.native
    assert (told_by_state(correlation, programs), judged_states(correlation)) == (telling, judged)


def recognizer(**options: object) -> Recognizer:
    return Recognizer(plan_of("SELECT * FROM S WHERE A ; B WITHIN 9 EVENTS").automaton, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"strategy": "NEXT"}, {"strategy": "STRICT"}, {"consume": "ANY"}, {"forgets": False},
        {"partitioned": True, "events": 9},
    ],
)  # fmt: skip
def test_what_has_no_bound(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="has no bound"):
        recognizer(**options).bound_work(9, 9)


@pytest.mark.parametrize(
    ("rate", "window", "most"), [(-1, 9, 0), (9, 0, 0), (9, 9, -1), (float("nan"), 9, 0), (1e15, 9, 0)]
)
def test_bounds_that_are_none(rate: float, window: int, most: float) -> None:
    with pytest.raises(ValueError, match="is none"):
        recognizer().bound_work(rate, window, most)


def test_a_chance_needs_a_bound() -> None:
    one = recognizer()
    with pytest.raises(ValueError, match="has no bound"):
        one.reckless = 0.5
    one.bound_work(9, 9)
    one.reckless = 0.5
    assert (one.reckless, one.work_bound) == (0.5, 9)
    one.bound_work(0, 9)
    assert (one.reckless, one.work_bound) == (0, 0)


def test_work_is_counted_with_the_event_that_makes_it() -> None:
    one = recognizer()
    one.bound_work(3, 9)
    one.know_symbols([1, 2])
    numbers = np.arange(4, dtype=np.int64)
    one.feed(np.array([1, 0, 2, 1], np.uint32), numbers, numbers - 9)
    dropped, over, work, curtailed = one.shed()
    assert (dropped.tolist(), over, work, curtailed) == ([[0, 0], [0, 0]], 3, 24, 0)
    assert one.found == 1


def test_matches_begin_with_the_events_that_are_drawn() -> None:
    positions = np.arange(5_000)
    drawn = drawn_positions(positions, 0.1, 7)
    assert 400 < drawn.sum() < 600
    assert (drawn != drawn_positions(positions, 0.1, 8)).any()
    one = recognizer(drawn=(0.1, 7))
    one.know_symbols([1, 2])
    symbols = np.tile(np.array([1, 2], np.uint32), 2_500)
    one.feed(symbols, positions, positions - 9)
    assert set(one.take().starts.tolist()) == set(positions[drawn & (positions % 2 == 0)].tolist())


@pytest.mark.parametrize("part", [0, -0.5, 1.5, float("nan")])
def test_parts_that_are_none(part: float) -> None:
    with pytest.raises(ValueError, match="is no part"):
        drawn_positions(np.arange(3), part, 1)
    with pytest.raises(ValueError, match="is no part"):
        recognizer(drawn=(part, 1))
