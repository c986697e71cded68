"""Whether steps wait, as it is chosen where rates change: the same choice however events are cut, and restored."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.kinds import Evaluating
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq.plan.sequences import Plan
from tests.kernel.test_segments import CASES, SQUARES, SUM, Case, again, batches, kind_rows, note

Batch = tuple[Any, Any, list[AtomRows | None]]
PHASE, WINDOW, CUT, VALUES, RARE = 4000, 300, 500, 3000, 1 / 200
OLD = Path(__file__).parent / "segments-1.bin.gz"  # written when archives had the first version of segments


def kinds_of(phases: Sequence[str]) -> NDArray[np.int64]:
    """Which GPM each event is of, where another one is rare in each phase."""
    chance = np.random.default_rng(1)
    weights = [np.array([RARE if kind == rare else 1 for kind in "ABC"]) for rare in phases]
    return np.concatenate([chance.choice(3, PHASE, p=one / one.sum()) for one in weights])


def stream(plan: Plan, terms: Terms, phases: Sequence[str], size: int) -> Iterator[Batch]:
    """Events a second apart, in batches of a size."""
    kinds = kinds_of(phases)
    chosen = np.random.default_rng(2).integers(0, VALUES, len(kinds))
    words = np.array([terms.integer(value) for value in range(VALUES)], np.uint64)[chosen]
    for start in range(0, len(kinds), size):
        part = slice(start, start + size)
        numbers = np.arange(len(kinds))[part]
        rows = [kind_rows(np.flatnonzero(kinds[part] == kind), words[part], one) for kind, one in enumerate(plan.atoms)]
        yield numbers * 1_000_000, numbers.astype(np.uint64), rows


def plan_of(third: str) -> Plan:
    return Case(third, window=f"{WINDOW} SECONDS").plan


def choices(third: str, phases: Sequence[str], size: int = CUT, restores: bool = False) -> list[tuple[int, int]]:
    """Whether sets wait, and how often that changed, whenever so many events have come."""
    plan, terms, found = plan_of(third), Terms(), []
    matcher = plan.start(terms, enumerates=True)
    assert isinstance(matcher, Matcher)
    matcher.evaluation, matcher.count_only = Evaluating.AUTO, True
    for number, batch in enumerate(stream(plan, terms, phases, size)):
        matcher.feed(*batch)
        if restores:
            matcher = again(plan, terms, matcher, Evaluating.AUTO)
            matcher.count_only = True
        if (number + 1) * size % CUT == 0:
            segment = matcher.statistics()["segments"][0]
            found.append((segment["lazy"], segment["switches"]))
    return found


def at_ends(third: str, phases: Sequence[str]) -> list[int]:
    """Whether sets wait when a phase ends."""
    return [lazy for lazy, _ in choices(third, phases)[PHASE // CUT - 1 :: PHASE // CUT]]


# ── what is chosen ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("third", [SUM, SQUARES])
def test_sets_wait_where_they_make_many_steps(third: str) -> None:
    assert at_ends(third, ("C", "", "C")) == [1, 1, 1]


def test_steps_are_made_at_once_where_there_are_few() -> None:
    assert at_ends(SUM, ("A", "C", "A", "C")) == [0, 1, 0, 1]


def test_it_soon_follows_what_is_rare() -> None:
    """A tenth of a phase, or two windows, after it began."""
    found = choices(SUM, ("A", "C", "A", "C"))
    assert [found[i][0] for i in (8, 9, 24, 25)] == [1, 1, 1, 1]


def test_it_hardly_ever_changes_within_a_phase() -> None:
    assert choices(SQUARES, ("A", "B", "C", "", "A", "B", "C"))[-1][1] <= 6


# ── the same choice ──────────────────────────────────────────────────────────────────────────────────────
def test_it_is_the_same_however_events_are_cut() -> None:
    phases = ("A", "C", "", "B")
    wanted = choices(SUM, phases)
    assert choices(SUM, phases, 50) == choices(SUM, phases, 4) == wanted
    assert wanted[-1][1] > 0


def test_it_is_restored() -> None:
    phases = ("A", "C", "", "B")
    assert choices(SUM, phases, 100, restores=True) == choices(SUM, phases)


# ── snapshots of before ──────────────────────────────────────────────────────────────────────────────────
def test_an_older_snapshot_goes_on() -> None:
    """Sets wait in it; its choice knows less."""
    plan, terms = CASES["sum"].plan, Terms()
    given = list(batches(plan, terms, "small", 1))
    restored = Matcher.restore(plan.automaton(terms), terms, gzip.decompress(OLD.read_bytes()), lambda words: words)
    assert restored.statistics()["segments"] == [{"waiting": 23, "lazy": 1, "switches": 0}]
    whole = plan.start(terms, enumerates=True)
    assert isinstance(whole, Matcher)
    assert rest(restored, given[5:]) == rest(whole, given, skips=5)


def rest(matcher: Matcher, given: Sequence[Batch], skips: int = 0) -> Counter[Any]:
    """What is found, but for that of the first batches."""
    found = Counter[Any]()
    for number, batch in enumerate(given):
        matcher.feed(*batch)
        note(matcher, found if number >= skips else Counter())
    matcher.finish()
    note(matcher, found)
    return found
