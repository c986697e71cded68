"""The recognizer of rules by itself: whoever feeds it may be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nfa_native.automata.kinds import BOTH, EITHER, MOST_ATOMS
from nfa_native.events.recognizer import RuleRecognizer
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import planned

PAIR = parse("SELECT * WHERE A AS a ; B AS b")
AUTOMATON = planned(PAIR.query, PAIR.normal_form).automaton
A, B = 1, 2  # symbols: what is known of events
ALL = np.array([[0b111]], np.uint64)


def begun(rules: int = 3, conditions: Any = ((0,), ()), **options: Any) -> RuleRecognizer:
    """A recognizer of rules that ask something of A only."""
    found = RuleRecognizer(AUTOMATON, conditions, **options)
    found.know_symbols([0, 0b01, 0b10])
    found.change_rules(rules, np.empty(0, np.uint32))
    return found


def fed(recognizer: RuleRecognizer, symbols: list[int], places: list[int], sets: list[int], **options: Any) -> Any:
    """What comes of events, each of which passes a set of rules."""
    count = len(symbols)
    starts, least = np.arange(count, dtype=np.int64), np.zeros(count, np.int64)
    tests = [(np.array(places, np.uint32), np.array([sets], np.uint64).T.copy())]
    given = {"partitions": None, "at": 0, "most": 1 << 20, "columns": (), "tests": tests} | options
    recognizer.feed_rules(np.array(symbols, np.uint32), starts, least, *given.values())
    found = recognizer.take()
    assert found.rules is not None
    return list(zip(found.rules.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True))


def test_each_rule_has_its_matches() -> None:
    assert fed(begun(), [A, A, B], [0, 1, 0], [0b101, 0b110]) == [(0, 0, 2), (1, 1, 2), (2, 1, 2), (2, 0, 2)]


def test_conditions_are_made_of_tests() -> None:
    for conditions, passing in (((0, 0, BOTH), 0b101), ((0, 0, EITHER), 0b101), ((), 0b111)):
        found = fed(begun(conditions=(conditions, ())), [A, B], [0, 0], [0b101])
        assert sum(1 << rule for rule, _, _ in found) == passing


def test_results_are_taken_in_parts() -> None:
    recognizer, symbols = begun(), np.array([A, A, B, B], np.uint32)
    starts, least = np.arange(4, dtype=np.int64), np.zeros(4, np.int64)
    tests = [(np.zeros(4, np.uint32), ALL)]
    at, found = 0, []
    while at < 4:
        at = recognizer.feed_rules(symbols, starts, least, None, at, 1, (), tests)
        if recognizer.found:
            with pytest.raises(ValueError, match="go on to the end"):
                recognizer.snapshot()
            found += list(recognizer.take().rules)
    assert found == [0, 0, 1, 1, 2, 2] * 2


def test_rules_come_and_go() -> None:
    recognizer = begun()
    fed(recognizer, [A], [0], [0b111])
    recognizer.change_rules(3, np.array([0, 2], np.uint32))
    assert fed(recognizer, [B], [0], [0]) == [(0, 0, 1), (1, 0, 1)]
    recognizer.change_rules(0, np.empty(0, np.uint32))
    assert fed(recognizer, [A, B], [0, 0], [0]) == []


@pytest.mark.parametrize(
    ("places", "sets", "message"),
    [
        ([0, 5], [0b111], "set 5 is none of 1"),
        ([0], [0b111], "a test is of other events, or other rules"),
    ],
)
def test_wrong_tests_are_refused(places: list[int], sets: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fed(begun(), [A, B], places, sets)


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rules have fewer atoms"):
        RuleRecognizer(AUTOMATON, [()] * (MOST_ATOMS + 1))
    with pytest.raises(ValueError, match="rules have fewer atoms, and consume what is theirs"):
        RuleRecognizer(AUTOMATON, [()], consume="ANY")
    with pytest.raises(ValueError, match="there is no test 0"):
        fed(begun(), [A], [0], [0], tests=[])
    with pytest.raises(ValueError, match="there is no test 0"):
        fed(begun(conditions=((), (0,))), [A], [0], [0], tests=[])
    with pytest.raises(ValueError, match="a test is of other events, or other rules"):
        fed(begun(rules=100), [A], [0], [0])
    with pytest.raises(ValueError, match="symbol 3 is not known"):
        fed(begun(), [3], [0], [0])
    for kept in ([1, 0], [3], [0, 0]):
        with pytest.raises(ValueError, match="of 3 rules does not rise"):
            begun().change_rules(3, np.array(kept, np.uint32))
    with pytest.raises(ValueError, match="1 rules are fewer than they should be"):
        begun().change_rules(1, np.array([0, 1], np.uint32))
    with pytest.raises(ValueError, match="3 rules are fewer than they should be"):
        begun().change_rules(3, np.array([0], np.uint32), np.array([1], np.int64))


def test_a_snapshot_is_of_as_many_rules() -> None:
    recognizer = begun(partitioned=True)
    fed(recognizer, [A, A], [0, 0], [0b011], partitions=np.array([0, 1], np.uint32))
    assert recognizer.owned == 4
    data, again = recognizer.snapshot(0), begun(partitioned=True)
    again.restore(data, 1 << 60)
    assert again.snapshot(0) == data
    assert again.owned == 4
    with pytest.raises(ValueError, match="there are other rules"):
        begun(rules=2, partitioned=True).restore(data, 1 << 60)
    recognizer.sweep(1 << 40)
    assert recognizer.owned == 0


# ── results that are only counted ────────────────────────────────────────────────────────────────────────
RULES, EVENTS = 70, 300
CHAINS = (
    "A AS a ; B AS b",
    "A AS a ; B AS b ; A AS c",
    "A AS a ; B AS b ; A AS c ; B AS d",
    "A AS a ; A AS b ; A AS c",
)


def of_chain(formula: str, **options: Any) -> RuleRecognizer:
    """Rules that ask something of each event."""
    query = parse(f"SELECT * WHERE {formula}")
    automaton = planned(query.query, query.normal_form).automaton
    found = RuleRecognizer(automaton, [(0,)] * len(automaton.states), **options)
    found.know_symbols(range(1 << len(automaton.states)))
    found.change_rules(RULES, np.empty(0, np.uint32))
    return found


def random_feed(recognizer: RuleRecognizer, counts: Any, partitioned: bool = False) -> list[int]:
    """Batches of random events; by rule, how many results are found."""
    chance, total = np.random.default_rng(1), np.zeros(RULES, np.int64)
    for first in range(0, EVENTS, 60):
        symbols = chance.integers(0, recognizer.symbols, 60).astype(np.uint32)
        starts = np.arange(first, first + 60, dtype=np.int64)
        sets = np.ascontiguousarray(
            chance.integers(0, 1 << 62, (5, 2)).astype(np.uint64) & np.uint64(0x9249249249249249)
        )
        sets[:, 1] &= np.uint64((1 << RULES - 64) - 1)
        tests = [(chance.integers(0, 5, 60).astype(np.uint32), sets)]
        partitions = chance.integers(0, 2, 60).astype(np.uint32) if partitioned else None
        assert recognizer.feed_rules(symbols, starts, starts - 40, partitions, 0, 1 << 24, (), tests, counts) == 60
        rules = recognizer.take().rules
        assert rules is not None
        total += np.bincount(rules, minlength=RULES)
    return total.tolist() if counts is None else counts.tolist()


@pytest.mark.parametrize("options", [{}, {"limit": 3}, {"consume": "PARTITION"}, {"partitioned": True}])
@pytest.mark.parametrize("formula", CHAINS)
def test_results_are_counted_without_being_made(formula: str, options: dict[str, Any]) -> None:
    recognizer = of_chain(formula, **options)
    assert recognizer.counts_results
    wanted = random_feed(of_chain(formula, **options), None, "partitioned" in options)
    assert random_feed(recognizer, np.zeros(RULES, np.uint64), "partitioned" in options) == wanted
    assert sum(wanted) > 100


def test_too_many_to_be_counted() -> None:
    """They stay what is more than all that can be told."""
    recognizer = of_chain(" ; ".join(f"A AS a{number}" for number in range(7)))
    symbols = np.full(2_000, 0b1111111, np.uint32)
    starts, counts = np.arange(2_000, dtype=np.int64), np.zeros(RULES, np.uint64)
    tests = [(np.zeros(2_000, np.uint32), np.array([[1, 0]], np.uint64))]
    recognizer.feed_rules(symbols, starts, starts * 0, None, 0, 1, (), tests, counts)
    assert counts.tolist() == [2**64 - 1] + [0] * (RULES - 1)


def test_what_cannot_be_counted() -> None:
    recognizer = of_chain("A AS a ; B AS b", strategy="NEXT")
    assert not recognizer.counts_results
    with pytest.raises(ValueError, match="cannot be counted"):
        random_feed(recognizer, np.zeros(RULES, np.uint64))
    with pytest.raises(ValueError, match="cannot be counted"):
        random_feed(of_chain("A AS a ; B AS b"), np.zeros(RULES - 1, np.uint64))
