"""Negations that are judged when the next step is made give what they give when finished matches are judged, in order.

The streams are longer than those of the oracle: windows move on, sets are cut again and again, and events strike that
others have made needless.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import Cells
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from tests.kernel.driver import Driver, Found, Happening, plan_of, results

SECOND = 1_000_000
EVENTS = 300
NUMBER = "http://www.w3.org/2001/XMLSchema#"
KINDS = [None, *Cells]
TERMS = Terms()
SHAPES: dict[str, str] = {
    "any": "A : N! : C : D",
    "at the end": "A : N! : C",
    "next": "A ; N! ; C : D",
    "next of next": "A ; N! ; C ; D",
    "absent": "A : N? : C : D",
    "absent before next": "A ; N? ; C : D",
    "twice": "A : N! : C : N! : D",
    "two": "A : N! : M! : C : D",
    "either": "A : N! : (C | D)",
    "repeated before": "A:+ : N! : C : D",
    "repeated behind": "A : N! : C : D:+",
    "in an iteration": "A : (B : N! : C):+ : D",
    "both": "A & B : N! : C : D",
}
FILTERS: dict[str, dict[str, str]] = {
    "less": {"N": "FILTER(?vn < ?vc)"},
    "not less": {"N": "FILTER(?vn >= ?vc)"},
    "greater": {"N": "FILTER(?vn > ?vc)"},
    "not greater": {"N": "FILTER(?vc >= ?vn)"},
    "joined": {"N": "FILTER(?vn = ?vc)"},
    "two": {"N": "FILTER(?vn < ?vc && ?vn > 2)"},
    "two steps": {"N": "FILTER(?vn + 1 < ?vc)", "M": "FILTER(?vm > ?vc)"},
    "kept": {"N": "FILTER(?vn < ?vc && ?vn < ?va)", "C": "FILTER(?vc != ?va)"},
    "in views": {"N": "FILTER(?vn < ?vc)", "C": "FILTER(?vc > ?va)"},
    "in views by two": {"N": "FILTER(?vn - 1 < ?vc)", "C": "FILTER(?vc > ?va)"},
    "unbound": {"N": "OPTIONAL { ?n :key ?k } FILTER(?vn < ?vc)"},
}
WINDOWS = ("40 SECONDS SLIDING", "30 SECONDS", "50 EVENTS SLIDING", "40 EVENTS")


def plan_for(shape: str, filters: str, within: str) -> Any:
    """The plan of a query with a key that all events have, and values to compare."""
    gpm = {name: f"?{low} :{name} ?v{low} {{}}" for name, low in zip("ABCDNM", "abcdnm", strict=True)}
    for name, low in zip("ABCDNM", "abcdnm", strict=True):
        more = FILTERS[filters].get(name, "")
        key = "" if "OPTIONAL" in more else " ; :key ?k"
        gpm[name] = f"?{low} :{name} ?v{low}{key} {more}"
    return plan_of(SHAPES[shape], within=within, gpm={name: gpm[name] for name in gpm if name in SHAPES[shape]})


def stream(seed: int, mixed: bool, most_rows: int = 1) -> list[Happening]:
    """Events of random atoms, keys and values; ``mixed``: of several kinds, some of which do not compare."""
    chance = random.Random(seed)
    time, events = 0, []
    for _ in range(EVENTS):
        time += chance.choice((0, SECOND, SECOND, 2 * SECOND))
        atoms = chance.sample("ABCDNNM", chance.choice((1, 1, 1, 2)))
        events.append((time, {name: _rows(chance, name.lower(), mixed, most_rows) for name in atoms}))
    return events


def _rows(chance: random.Random, low: str, mixed: bool, most: int) -> list[dict[str, Any]]:
    rows = []
    for _ in range(chance.randint(1, most)):
        row = {low: chance.randrange(5), f"v{low}": _value(chance, mixed), "k": chance.randrange(3)}
        if low == "n" and mixed and chance.random() < 0.1:
            del row["k"]
        rows.append(row)
    return rows


def _value(chance: random.Random, mixed: bool) -> int | bytes:
    value = chance.randrange(12)
    forms = (f"T{NUMBER}decimal\0{value}.5", f"T{NUMBER}double\0{value}.0E0", f"S{value}")
    return chance.choice(forms).encode() if mixed and chance.random() < 0.3 else value


def begun(plan: Any, cells: Cells | None = None) -> Driver:
    """A driver whose words are those of all others."""
    driver = Driver(plan, cells)
    driver.terms = TERMS
    driver.matcher = plan.start(TERMS, cells)
    return driver


def judged_at_the_end(automaton: Automaton) -> Automaton:
    """The automaton without first chances."""
    states = (
        replace(state, guards=tuple(replace(guard, first_chance=False) for guard in state.guards))
        for state in automaton.states
    )
    steps = (replace(one, chances=()) for one in automaton.transitions)
    return replace(automaton, states=tuple(states), transitions=tuple(steps))


def expected(plan: Any, events: list[Happening], cells: Cells | None = None) -> Found:
    """What finished matches give, each of which is judged."""
    driver = begun(plan, cells)
    driver.matcher = Matcher(judged_at_the_end(driver.matcher.automaton), driver.terms)
    return driver.run(events)


def has_chance(plan: Any) -> bool:
    automaton = begun(plan).matcher.automaton
    return any(guard.first_chance for state in automaton.states for guard in state.guards)


@pytest.mark.parametrize("shape", SHAPES)
def test_as_judged_at_the_end(shape: str) -> None:
    for number, filters in enumerate(FILTERS):
        plan = plan_for(shape, filters, WINDOWS[number % len(WINDOWS)])
        events = stream(number, mixed=number % 3 == 1)
        wanted = expected(plan, events)
        assert begun(plan).run(events) == wanted, filters
        assert begun(plan).run(events, (50, 51, 90, 170, 230)) == wanted, filters


@pytest.mark.parametrize("shape", ["any", "next", "absent before next", "twice"])
@pytest.mark.parametrize("cells", KINDS)
def test_every_kind_of_cells(shape: str, cells: Cells | None) -> None:
    for number, filters in enumerate(FILTERS):
        plan = plan_for(shape, filters, WINDOWS[(number + 1) % len(WINDOWS)])
        events = stream(number + 100, mixed=number % 2 == 1)
        assert begun(plan, cells).run(events) == expected(plan, events, cells), filters


@pytest.mark.parametrize("filters", FILTERS)
def test_goes_on_from_snapshots(filters: str) -> None:
    for number, shape in enumerate(SHAPES):
        plan = plan_for(shape, filters, WINDOWS[number % len(WINDOWS)])
        events = stream(number + 200, mixed=number % 3 == 1)
        cuts = sorted(random.Random(number).sample(range(1, EVENTS), 25))
        found = begun(plan).run(events, cuts, restore=True)
        assert sorted(found) == sorted(expected(plan, events)), shape


@pytest.mark.parametrize("filters", ["less", "in views", "two"])
def test_an_event_with_several_rows(filters: str) -> None:
    """From then on finished matches are judged, also those that were half made by then."""
    plan = plan_for("any", filters, "30 SECONDS SLIDING")
    events = [*stream(1, mixed=False)[:150], *((time + 310 * SECOND, rows) for time, rows in stream(2, False, 2))]
    assert begun(plan).run(events) == expected(plan, events)
    assert sorted(begun(plan).run(events, (100, 150, 160), restore=True)) == sorted(expected(plan, events))


@pytest.mark.parametrize("shape", SHAPES)
def test_counted_by_sets(shape: str) -> None:
    for number, filters in enumerate(FILTERS):
        plan = plan_for(shape, filters, WINDOWS[number % len(WINDOWS)])
        events = stream(number + 300, mixed=False)
        driver = begun(plan)
        driver.matcher.count_only = True
        driver.feed(events)
        driver.matcher.finish()
        assert driver.matcher.count == len(expected(plan, events)), filters


def test_first_chances_are_taken() -> None:
    """Where all that is read is known by the next step; views stay what they are if it is not the same for all."""
    having = {shape: has_chance(plan_for(shape, "less", WINDOWS[0])) for shape in SHAPES}
    assert [shape for shape, has in having.items() if not has] == ["in an iteration"]
    assert all(has_chance(plan_for("any", filters, WINDOWS[0])) for filters in FILTERS if filters != "kept")


def test_a_state_of_before_is_judged_at_the_end() -> None:
    """A snapshot that a version without first chances made: its partial matches were not looked at."""
    plan = plan_for("any", "less", WINDOWS[0])
    events = stream(4, mixed=False)
    driver = begun(plan)
    driver.matcher = Matcher(judged_at_the_end(driver.matcher.automaton), driver.terms)
    driver.feed(events[:150])
    found = results(driver.matcher.take())
    driver.restore()
    driver.feed(events[150:])
    driver.matcher.finish()
    assert sorted(found + results(driver.matcher.take())) == sorted(expected(plan, events))
