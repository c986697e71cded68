"""Lists with views or merged cells, chosen while events come: results, groups, and what the choice hangs on."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.automata.automaton import Merging
from nfa_native.automata.kinds import Cells
from nfa_native.core import archive
from spaseq.plan.sequences import Plan
from tests.kernel.bounded import SUM as KLEENE_SUM, BoundedRun, stream
from tests.kernel.driver import Driver, Found, plan_of
from tests.kernel.explicit import Chain, matches, picked, random_sequence, random_stream
from tests.kernel.test_cells import SORTS, rows_of

NEVER, ALWAYS, SOON = Merging(None), Merging(0), Merging(1, 1)
PARTS = 4


class Merger(Driver):
    """A matcher that chooses as one likes."""

    def __init__(self, plan: Plan, merging: Merging = Merging(), cells: Cells | None = None) -> None:
        super().__init__(plan, cells)
        self.merging = merging
        self.matcher = plan.start(self.terms, automaton=self._automaton())

    def _automaton(self) -> Any:
        automaton = self.plan.automaton(self.terms, self.cells)
        return replace(automaton, merging=self.merging, lazy=())  # what waits is in no cell

    def restore(self, same: Any = lambda words: words) -> None:
        self.matcher = self.plan.restore(
            self.terms, self.matcher.snapshot(), same, self.cells, automaton=self._automaton()
        )

    def states(self) -> list[dict[str, int]]:
        found: list[dict[str, int]] = self.matcher.statistics()["states"]
        return found

    def switches(self) -> int:
        return sum(one.get("switches", 0) for one in self.states())


def has_views(plan: Plan) -> bool:
    return any(state.cells is Cells.VIEWS for state in Driver(plan).matcher.automaton.states)


def order(found: Found) -> list[Any]:
    """Results without words, which may be others in another process."""
    return [one[:4] for one in found]


def check(seed: int, sort: tuple[int, bool], count: int, merging: Merging) -> tuple[int, bool]:
    """Compare with the definition, cut and restored anywhere; how often cells changed, whether there were matches."""
    sequence = random_sequence(seed)
    if not has_views(sequence.plan):
        return 0, False
    events = random_stream(seed, sequence, count, *sort)
    cuts = sorted(random.Random(seed).sample(range(1, count), 3))
    expected = matches(sequence, events)
    whole = Merger(sequence.plan, merging)
    found = whole.run(events)
    said = (seed, sort, merging, sequence.text, sequence.patterns())
    assert picked(found) == expected, said
    assert order(Merger(sequence.plan, merging).run(events, cuts)) == order(found), said
    for places in (cuts, range(1, count)):
        restored = Merger(sequence.plan, merging)
        assert picked(restored.run(events, places, restore=True)) == expected, said
        if not sequence.optional:  # events with unbound keys take groups along by their places, which restoring changes
            assert restored.switches() == whole.switches(), said
    assert counted(sequence, merging, events) == len(found), said
    return whole.switches(), bool(expected)


def counted(sequence: Chain, merging: Merging, events: Any) -> int:
    driver = Merger(sequence.plan, merging)
    driver.matcher.count_only = True
    driver.run(events)
    return driver.matcher.count


@pytest.mark.parametrize("part", range(PARTS))
def test_random_sequences_change_with_every_set(part: int) -> None:
    done = [check(seed, SORTS[seed // PARTS % 4], 22, ALWAYS) for seed in range(part, 120, PARTS)]
    assert sum(switches for switches, _ in done) > 80 and sum(some for _, some in done) > 8


@pytest.mark.parametrize("part", range(PARTS))
def test_random_sequences_choose_soon(part: int) -> None:
    done = [check(seed, SORTS[seed // PARTS % 4], 36, SOON) for seed in range(part, 60, PARTS)]
    assert sum(switches for switches, _ in done) > 5 and sum(some for _, some in done) > 4


@pytest.mark.deep
@pytest.mark.parametrize("merging", [ALWAYS, SOON])
def test_many_random_sequences(merging: Merging) -> None:
    assert sum(some for seed in range(1000, 3000) for _, some in [check(seed, SORTS[seed % 4], 30, merging)]) > 500


# ── what is chosen ───────────────────────────────────────────────────────────────────────────────────────
SUM = {"A": "?a :A ?va", "B": "?b :B ?vb", "C": "?c :C ?vc FILTER(?va + ?vb + 10 < ?vc)"}
LESS = {"A": "?a :A ?va", "B": "?b :B ?vb", "C": "?c :C ?vc FILTER(?vc > ?va)"}
KEYED = {name: f"{pattern} . ?{name.lower()} :key ?k" for name, pattern in LESS.items() if name != "C"} | {
    "C": "?c :C ?vc ; :key ?k FILTER(?vc > ?va)"
}


def fed(driver: Merger, values: NDArray[np.int64], seed: int = 1, first: int = 0, keys: int = 3) -> Merger:
    """Count matches of random steps, one event of a value after the other; ``first`` events came before."""
    names = [one.name for one in driver.plan.atoms]
    steps = np.random.default_rng(seed).integers(0, len(names), len(values))
    driver.matcher.count_only = True
    for start in range(0, len(values), 100):
        part = values[start : start + 100]
        numbers = np.arange(first + start, first + start + len(part))
        rows = [
            rows_of(driver, one.variables, numbers % keys, part, np.flatnonzero(steps[start : start + 100] == number))
            for number, one in enumerate(driver.plan.atoms)
        ]
        driver.matcher.feed(numbers * 1000, numbers.astype(np.uint64), rows)
    return driver


def few(count: int, most: int = 30) -> NDArray[np.int64]:
    return np.random.default_rng(2).integers(0, most, count)


def many(count: int) -> NDArray[np.int64]:
    return np.random.default_rng(3).integers(0, 2**50, count)


@pytest.mark.parametrize("patterns", [LESS, KEYED])
def test_values_that_repeat_are_merged(patterns: dict[str, str]) -> None:
    plan = plan_of("A : B : C", gpm=patterns, within="300 EVENTS SLIDING")
    values = few(6000)
    chosen, never, merged = (
        fed(Merger(plan), values), fed(Merger(plan, NEVER), values), fed(Merger(plan, NEVER, Cells.ORDERED), values)
    )  # fmt: skip
    assert chosen.matcher.count == never.matcher.count == merged.matcher.count > 0
    assert chosen.switches() == 1
    assert chosen.matcher.groups() <= 1.1 * merged.matcher.groups() < 0.2 * never.matcher.groups()


def test_values_that_differ_are_listed() -> None:
    plan = plan_of("A : B : C", gpm=SUM, within="300 EVENTS SLIDING")
    assert fed(Merger(plan), many(3000)).switches() == 0


def test_it_is_chosen_again() -> None:
    plan = plan_of("A : B : C", gpm=SUM, within="200 EVENTS SLIDING")
    values = np.concatenate([few(3000), many(3000), few(3000)])
    chosen, never = fed(Merger(plan), values), fed(Merger(plan, NEVER), values)
    assert chosen.switches() == 3
    assert chosen.matcher.count == never.matcher.count


def test_a_view_that_goes_on_is_cheaper_than_merged_cells() -> None:
    patterns = {"A": "?a :A ?va", "B": "?b :B ?vb FILTER(?vb > ?va)", "C": "?c :C ?vc"}
    plan = plan_of("A : B : C", gpm=patterns, within="600 EVENTS SLIDING")
    assert fed(Merger(plan), few(12_000, 6)).switches() == 0


def test_views_of_few_values_are_merged_cells_that_go_on() -> None:
    """Sums of a Kleene that are less than C's value are few, of many; each has one group, in the loop and behind it."""
    run = BoundedRun.of(KLEENE_SUM, 2000, 0)
    run.feed(stream(8000), 0, 8000)
    cells = archive.unpack(run.matcher.snapshot())["cells"][1]
    assert [one["switches"] for one in run.matcher.statistics()["states"] if "switches" in one] == [1]
    counts, first = cells["of state"].tolist(), 0
    for state, count in zip(run.matcher.automaton.states, counts, strict=True):
        rows = cells["words"][first : first + count * state.width].reshape(count, state.width)
        first += count * state.width
        assert count <= 1.1 * len(np.unique(rows, axis=0))


def test_a_snapshot_from_before_views_were_looked_into() -> None:
    plan = plan_of("A : B : C", gpm=KEYED, within="300 EVENTS SLIDING")
    driver = fed(Merger(plan), few(3000))
    driver.matcher.take()
    stores = archive.unpack(driver.matcher.snapshot())
    count, columns = stores["merging"]
    before = {"numbers": columns["numbers"].reshape(-1, 8)[:, :6].ravel()}
    data = archive.pack({**stores, "merging": (count, before)})
    matcher = plan.restore(driver.terms, data, lambda words: words, automaton=driver.matcher.automaton)
    assert matcher.statistics()["states"] == driver.states()


def test_an_older_snapshot_has_lists() -> None:
    """It says nothing of a choice."""
    plan = plan_of("A : B : C", gpm=LESS, within="300 EVENTS SLIDING")
    values = few(6000)
    driver = fed(Merger(plan, NEVER), values[:500])
    driver.merging = Merging()
    driver.matcher.take()
    driver.restore()
    fed(driver, values[500:], 7, 500)
    assert driver.switches() == 1


def test_the_choice_is_restored() -> None:
    plan = plan_of("A : B : C", gpm=KEYED, within="300 EVENTS SLIDING")
    values, going, restored = few(6000), Merger(plan), Merger(plan)
    for part in range(0, 6000, 500):
        fed(going, values[part : part + 500], part, part)
        fed(restored, values[part : part + 500], part, part)
        restored.matcher.take()
        restored.restore()
        assert restored.states() == going.states()
    assert restored.matcher.count == going.matcher.count > 0


def test_merged_cells_wait_for_their_key() -> None:
    plan = plan_of("A : B : C", gpm=KEYED, within="3000 EVENTS SLIDING")
    driver = fed(Merger(plan, ALWAYS), few(400), keys=2)
    state = next(i for i, one in enumerate(driver.matcher.automaton.states) if one.cells is Cells.VIEWS)
    keys = np.array([[driver.terms.integer(number) for number in range(5)]], np.uint64)
    assert driver.matcher.may_join(state, 0, keys).tolist() == [True, True, False, False, False]
