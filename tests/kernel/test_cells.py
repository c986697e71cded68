"""Every kind of cell gives the same matches: those of an evaluator that keeps each partial match for itself."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.kinds import Cells
from nfa_native.terms.dictionary import Terms
from tests.kernel.driver import Driver, Happening, plan_of
from tests.kernel.explicit import Chain, matches, picked, random_sequence, random_stream
from tests.slices import first

Numbers = NDArray[np.int64]
KINDS = [None, *Cells]
PARTS = 6
SORTS = [
    (1, False),
    (1, True),
    (2, False),
    (2, True),
]  # rows of an event for an atom, and whether not all values compare


def found(
    sequence: Chain, cells: Cells | None, events: Sequence[Happening], cuts: Sequence[int] = ()
) -> set[tuple[tuple[int, ...], int]]:
    """What a matcher with cells of a kind finds; at each cut it goes on from a snapshot."""
    return picked(Driver(sequence.plan, cells).run(events, cuts, restore=bool(cuts)))


def check(seed: int, sort: tuple[int, bool]) -> bool:
    """Compare all kinds on one random sequence and stream; whether there were matches."""
    sequence = random_sequence(seed)
    events = random_stream(seed, sequence, 22, *sort)
    expected = matches(sequence, events)
    cuts = sorted(random.Random(seed).sample(range(1, len(events)), 3))
    for cells in KINDS:
        assert found(sequence, cells, events, cuts) == expected, (seed, sort, cells, sequence.text, sequence.patterns())
    assert found(sequence, None, events) == expected, (seed, sort)
    return bool(expected)


@pytest.mark.parametrize("part", first(4, range(PARTS)))
def test_random_sequences(part: int) -> None:
    assert sum(check(seed, SORTS[seed // PARTS % 4]) for seed in range(part, 420, PARTS)) > 25


@pytest.mark.deep
def test_many_random_sequences() -> None:
    assert sum(check(seed, sort) for seed in range(1000, 2000) for sort in SORTS) > 1500


def test_every_kind_is_chosen_and_can_be_forced() -> None:
    chosen: Counter[Cells] = Counter()
    for seed in range(60):
        plan = random_sequence(seed).plan
        for cells in KINDS:
            states = plan.start(Terms(), cells).automaton.states
            chosen.update((cells, state.cells) for state in states)
    for cells in Cells:
        assert chosen[cells, cells] > 20
    assert chosen[None, Cells.VIEWS] > 20 and chosen[None, Cells.ORDERED] > 20 and chosen[None, Cells.HASH] > 20


# ── adversarial streams ──────────────────────────────────────────────────────────────────────────────────
ROWS = 3000
VALLEY = {
    "B": "?b :B ?vb ; :key ?k FILTER(?vb > ?va)",
    "C": "?c :C ?vc ; :key ?k FILTER(?vc < ?vb)",
}
STEADY, DISTINCT = np.zeros(ROWS, np.int64), np.arange(ROWS)
STREAMS: dict[str, tuple[Numbers, Numbers, Numbers]] = {  # times in milliseconds, keys, values
    "random, one key": (DISTINCT, STEADY, np.random.default_rng(1).integers(0, 500, ROWS)),
    "random, some keys": (DISTINCT, DISTINCT % 7, np.random.default_rng(2).integers(0, 500, ROWS)),
    "falling": (DISTINCT, STEADY, -DISTINCT),
    "rising": (DISTINCT, STEADY, DISTINCT),
    "falling but for the last": (DISTINCT, STEADY, np.where(DISTINCT < ROWS - 20, -DISTINCT, DISTINCT)),
    "all values equal": (DISTINCT, STEADY, STEADY),
    "all keys distinct": (DISTINCT, DISTINCT, DISTINCT),
    "all at one time": (STEADY, STEADY, DISTINCT),
    "many at each time": (DISTINCT // 50, DISTINCT % 3, np.random.default_rng(3).integers(0, 500, ROWS)),
    "huge values": (DISTINCT, STEADY, np.random.default_rng(4).integers(-(2**58), 2**58, ROWS)),
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("within", [800, pytest.param(2500, marks=pytest.mark.deep)])
def test_adversarial_streams(name: str, within: int) -> None:
    """Each event is an A and a B, a few are Cs; all matches are counted by the definition."""
    times, keys, values = STREAMS[name]
    last = np.arange(250, ROWS, 457)
    plan = plan_of("A : B : C", keyed=True, gpm=VALLEY, within=f"{within} MILLISECONDS SLIDING")
    expected = sum(int(count_before(times, keys, values, event, within)) for event in last)
    for cells in (None, Cells.HASH):
        driver = Driver(plan, cells)
        driver.matcher.count_only = True
        for start in range(0, ROWS, 500):
            part = slice(start, start + 500)
            driver.matcher.feed(times[part] * 1000, np.arange(start, start + 500, dtype=np.uint64), [
                rows_of(driver, variables, keys[part], values[part], chosen)
                for variables, chosen in zip(
                    [one.variables for one in plan.atoms],
                    (np.arange(500), np.arange(500), last[(last >= start) & (last < start + 500)] - start),
                    strict=True,
                )
            ])  # fmt: skip
            driver.matcher.take()
            driver.restore()
            driver.matcher.count_only = True
        driver.matcher.finish()
        assert driver.matcher.count == expected


def rows_of(driver: Driver, variables: Sequence[str], keys: Numbers, values: Numbers, chosen: Numbers) -> AtomRows:
    """The rows of an atom on the chosen events."""
    known = {"k": keys, "v": values}
    words = [[driver.terms.integer(int(one)) for one in known.get(name[0], keys)[chosen]] for name in variables]
    return AtomRows(chosen.astype(np.uint32), np.array(words, np.uint64).reshape(len(variables), len(chosen)))


def count_before(times: Numbers, keys: Numbers, values: Numbers, event: int, within: int) -> int:
    """How many pairs of events make a match with the event as C."""
    able = (times < times[event]) & (times >= times[event] - within) & (keys == keys[event])
    when, what = times[able], values[able]
    middle = what > values[event]
    return np.count_nonzero((when[:, None] < when[middle]) & (what[:, None] < what[middle]))
