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
