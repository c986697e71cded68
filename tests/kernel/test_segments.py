"""Steps that wait: what the kernel finds on longer streams, also with numbers that columns cannot tell apart, is what
it finds when steps are made at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.kinds import Evaluating
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan

Words = NDArray[np.uint64]
EVENTS, BATCH = 400, 37
QUERY = """
SELECT * WITHIN {window} SLIDING FROM STREAM s <urn:s>
WHERE {{
  SEQ({sequence})
  DEFINE GPM A ON s {{ ?{a} <urn:A> ?av OPTIONAL {{ ?{a} <urn:w> ?aw }} }}
  DEFINE GPM B ON s {{ ?{b} <urn:B> ?bv {second} }}
  DEFINE GPM C ON s {{ ?{c} <urn:C> ?cv {third} }}
  DEFINE GPM D ON s {{ ?d <urn:D> ?dv }}
}}
"""
SUM, SQUARES = "FILTER(?av + ?bv < ?cv)", "FILTER((?av - ?bv) * (?av - ?bv) + (?bv - ?cv) * (?bv - ?cv) < 9)"
LARGE = 2**53
KINDS = ("small", "large", "decimals", "doubles", "mixed")


@dataclass(frozen=True, slots=True)
class Case:
    """A query by its parts."""

    third: str
    second: str = ""
    sequence: str = "A : B : C"
    keys: tuple[str, str, str] = ("a", "b", "c")
    window: str = "60 SECONDS"

    @property
    def plan(self) -> Plan:
        a, b, c = self.keys
        parts = {"third": self.third, "second": self.second, "sequence": self.sequence, "window": self.window}
        return compile_plan(parse(QUERY.format(a=a, b=b, c=c, **parts)).query)


CASES = {
    "sum": Case(SUM),
    "squares": Case(SQUARES),
    "key": Case(SUM, keys=("k", "k", "k")),
    "key of two": Case(SUM, keys=("k", "k", "c")),
    "key of the others": Case(SUM, keys=("k", "b", "k")),
    "filter of the second": Case(SUM, "FILTER(?bv > ?av)"),
    "comparison": Case("FILTER(?cv > ?av)"),
    "as they are": Case("FILTER(?av < ?cv || ?bv < ?av)"),
    "either": Case("FILTER(?av * ?bv = ?cv || ?av + ?bv <= ?cv)"),
    "not": Case("FILTER(!(?av + ?bv < ?cv) && ?av != ?cv)"),
    "outside of columns": Case("FILTER(ABS(?av - ?bv) IN (?cv, 1, 2.0))"),
    "outside of the native subset": Case('FILTER(REGEX(STR(?av + ?bv), "1") && ?av < ?cv)', window="5 SECONDS"),
    "unbound": Case("FILTER(COALESCE(?aw, 3) + ?bv < ?cv)"),
    "goes on": Case(SUM, sequence="A : B : C ; D"),
    "begins before": Case("FILTER(?av + ?bv < ?cv)", sequence="D : A : B : C"),
    "events": Case(SUM, window="50 EVENTS"),
}


# ── streams ──────────────────────────────────────────────────────────────────────────────────────────────
def pool(terms: Terms, kind: str) -> list[int]:
    """Words of numbers of a kind; mixed ones have others, too."""
    kinds: dict[str, list[int]] = {
        "small": [terms.integer(value) for value in range(-3, 30)],
        "large": [terms.integer(base + more) for base in (LARGE, -LARGE, 2 * LARGE) for more in range(-3, 4)],
        "decimals": [terms.decimal(value, scale) for value in (-7, 1, 15, 133) for scale in (0, 1, 2, 17)],
        "doubles": [terms.double(value) for value in (0.1, 0.2, 0.3, -0.1, 1e300, 2.5, 0.0)],
    }
    other = [terms.boolean(True), terms.double(math.nan), terms.double(math.inf)]
    return kinds.get(kind) or [*other, *(word for words in kinds.values() for word in words)]


def batches(plan: Plan, terms: Terms, kind: str, seed: int) -> Iterator[tuple[Any, Any, list[AtomRows | None]]]:
    """Events a second apart, or at one time; some fit two atoms, few have two rows."""
    chance, words = np.random.default_rng(seed), np.array(pool(terms, kind), np.uint64)
    times = np.cumsum(chance.integers(0, 2, EVENTS)).astype(np.int64) * 1_000_000
    for start in range(0, EVENTS, BATCH):
        count = min(BATCH, EVENTS - start)
        rows = [atom_rows(terms, words, one.variables, count, chance) for one in plan.atoms]
        yield times[start : start + count], np.arange(start, start + count, dtype=np.uint64), rows


def atom_rows(
    terms: Terms, words: Words, variables: tuple[str, ...], count: int, chance: np.random.Generator
) -> AtomRows | None:
    at = np.sort(chance.choice(count, chance.integers(0, count // 2), replace=False))
    if chance.random() < 0.2 and len(at):
        at = np.sort(np.append(at, at[0]))  # an event with two rows
    keys = np.array([terms.integer(1000 + key) for key in range(3)], np.uint64)
    columns = [chance.choice(words if len(name) > 1 else keys, len(at)) for name in variables]
    for name, column in zip(variables, columns, strict=True):
        if name == "aw":
            column[chance.random(len(at)) < 0.5] = 0
    if not len(at):
        return None
    table = np.unique(np.array([at.astype(np.uint64), *columns], np.uint64), axis=1)
    return AtomRows(table[0].astype(np.uint32), np.ascontiguousarray(table[1:]))


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────
def found(plan: Plan, kind: str, seed: int, way: Evaluating, counts: bool = False, restores: bool = False) -> Any:
    """All results as a counter, or their number."""
    terms, results = Terms(), Counter[Any]()
    matcher = plan.start(terms, enumerates=True)
    assert isinstance(matcher, Matcher)
    matcher.evaluation, matcher.count_only = way, counts
    for batch in batches(plan, terms, kind, seed):
        matcher.feed(*batch)
        note(matcher, results)
        if restores:
            matcher = again(plan, terms, matcher, way)
    matcher.finish()
    note(matcher, results)
    return matcher.count if counts else results


def again(plan: Plan, terms: Terms, matcher: Matcher, way: Evaluating) -> Matcher:
    """One that goes on where another was; what it tells is the same."""
    restored = Matcher.restore(plan.automaton(terms), terms, matcher.snapshot(), lambda words: words)
    assert restored.snapshot() == matcher.snapshot()
    restored.evaluation = way
    return restored


def note(matcher: Matcher, results: Counter[Any]) -> None:
    """Count what was found since."""
    raw = matcher.take()
    for i in range(len(raw.first)):
        picks = slice(raw.pick_offsets[i], raw.pick_offsets[i + 1])
        events = zip(raw.pick_atoms[picks].tolist(), raw.pick_events[picks].tolist(), strict=True)
        results[raw.decided[i].item(), tuple(events), tuple(raw.words[i].tolist())] += 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_results(case: Case, kind: str) -> None:
    plan = case.plan
    wanted = found(plan, kind, 1, Evaluating.EAGER)
    assert found(plan, kind, 1, Evaluating.LAZY) == wanted
    assert found(plan, kind, 1, Evaluating.ALTERNATING, restores=True) == wanted
    assert found(plan, kind, 1, Evaluating.LAZY, counts=True) == wanted.total()


def test_most_find_something() -> None:
    totals = {name: found(case.plan, "mixed", 1, Evaluating.LAZY, counts=True) for name, case in CASES.items()}
    assert all(totals.values()), totals


def test_what_waits() -> None:
    """All but some have a segment; those under `;` have none."""
    assert all(case.plan.automaton(Terms()).lazy for case in CASES.values())
    assert not Case(SUM, sequence="A ; B : C").plan.automaton(Terms()).lazy
    assert not Case(SUM, sequence="A : B ; C").plan.automaton(Terms()).lazy


# ── blocks of sets that bounds rule out ──────────────────────────────────────────────────────────────────
FILTERS = {
    "sum": SUM,
    "squares": "FILTER((?av - ?bv) * (?av - ?bv) + (?bv - ?cv) * (?bv - ?cv) < 900)",
    "distances": "FILTER(ABS(?av - ?bv) < 20 && ABS(?bv - ?cv) < 20)",
    "product": "FILTER(?av * ?bv = ?cv * 100)",
    "neither": "FILTER(!(?av + 300 > ?cv || -?av + ?bv != 7))",
    "negative": "FILTER((-?av) * ?bv < -?cv * 500 && ?av != ?cv)",
}


def rising(terms: Terms, kind: str, chance: np.random.Generator, events: int) -> Words:
    """Numbers that rise with time, and fall again; few of them are no numbers."""
    numbers = np.abs(np.arange(events) - events // 2) + chance.integers(0, 60, events)
    made = {
        "integers": lambda number: terms.integer(number - 300),
        "decimals": lambda number: terms.decimal(10 * number - 3000 + number % 7, 1),
        "doubles": lambda number: terms.double(number / 3),
        "mixed": lambda number: terms.integer(number) if number % 97 else terms.boolean(True),
    }[kind]
    return np.array([made(number) for number in numbers.tolist()], np.uint64)


def found_in_blocks(filter: str, kind: str, way: Evaluating) -> int:
    """How many matches of events a second apart there are, in windows of some hundred sets."""
    plan, terms, chance = Case(filter, window="600 SECONDS").plan, Terms(), np.random.default_rng(1)
    matcher = plan.start(terms, enumerates=True)
    assert isinstance(matcher, Matcher)
    matcher.evaluation, matcher.count_only = way, True
    kinds, words = chance.choice(3, 1_200, p=(0.6, 0.3, 0.1)), rising(terms, kind, chance, 1_200)
    rows = [kind_rows(np.flatnonzero(kinds == number), words, one) for number, one in enumerate(plan.atoms)]
    matcher.feed(np.arange(1_200) * 1_000_000, np.arange(1_200, dtype=np.uint64), rows)
    matcher.finish()
    count: int = matcher.count
    return count


@pytest.mark.parametrize("kind", ("integers", "decimals", "doubles", "mixed"))
@pytest.mark.parametrize("filter", FILTERS.values(), ids=FILTERS)
def test_blocks(filter: str, kind: str) -> None:
    assert found_in_blocks(filter, kind, Evaluating.LAZY) == found_in_blocks(filter, kind, Evaluating.EAGER)


# ── what is chosen ───────────────────────────────────────────────────────────────────────────────────────
def chosen(third: str, rare: int, values: int, events: int = 8_000) -> dict[str, int]:
    """What statistics tell of a segment, when C was one event in so many, with so many different values."""
    plan, terms = Case(third, window="1000 SECONDS").plan, Terms()
    matcher = plan.start(terms, enumerates=True)
    assert isinstance(matcher, Matcher)
    matcher.count_only = True
    chance = np.random.default_rng(1)
    kinds = np.where(chance.random(events) < 1 / rare, 2, chance.integers(0, 2, events))
    words = np.array([terms.integer(value) for value in range(values)], np.uint64)[chance.integers(0, values, events)]
    for start in range(0, events, 1000):
        part = slice(start, start + 1000)
        numbers = np.arange(start, start + 1000)
        rows = [kind_rows(np.flatnonzero(kinds[part] == kind), words[part], one) for kind, one in enumerate(plan.atoms)]
        matcher.feed(numbers * 1_000_000, numbers.astype(np.uint64), rows)
    found: dict[str, int] = matcher.statistics()["segments"][0]
    return found


def kind_rows(at: NDArray[np.int64], words: Words, atom: Any) -> AtomRows | None:
    """Rows of one GPM: what is no value is not bound, or all alike."""
    columns = [words[at] if name in ("av", "bv", "cv") else np.zeros(len(at), np.uint64) for name in atom.variables]
    return AtomRows(at.astype(np.uint32), np.array(columns, np.uint64)) if len(at) else None


def test_sets_wait_where_what_asks_for_them_is_rare() -> None:
    assert chosen(SUM, rare=500, values=3000)["lazy"] == 1
    assert chosen(SQUARES, rare=500, values=3000)["lazy"] == 1


def test_steps_are_made_at_once_where_values_repeat() -> None:
    assert chosen("FILTER(?cv > ?av)", rare=3, values=40)["lazy"] == 0
