"""A recognizer goes on where another one was: random pairs, cut anywhere."""

from __future__ import annotations

import random

import pytest

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.events.recognizer import Recognizer
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.text import to_text
from tests.recognition.harness import is_recognized, run


@pytest.mark.parametrize("start", range(5000, 6500, 100))
def test_random_pairs(start: int) -> None:
    for seed in range(start, start + 100):
        pair, chance = random_pair(seed), random.Random(seed)
        if is_recognized(pair.query):
            cuts = [chance.randrange(1, 9) for _ in range(3)]
            answers = run(to_text(pair.query), pair.events, cuts, chance.choice([1, 2, 1000]), moves=True)
            assert disagreement(pair.query, pair.events, answers) is None, seed


def test_not_between_results() -> None:
    """All results are taken before a snapshot."""
    automaton = ComplexEventAutomaton((PickState(frozenset({0}), initial=True, final=True),))
    recognizer = Recognizer(automaton)
    recognizer.know_symbols([1])
    import numpy as np

    ones = np.ones(4, np.uint32)
    recognizer.feed(ones, np.arange(4), np.zeros(4, np.int64), None, 0, 2)
    with pytest.raises(ValueError, match="take the results"):
        recognizer.snapshot()
    with pytest.raises(ValueError, match="no archive"):
        Recognizer(automaton).restore(b"nothing")
