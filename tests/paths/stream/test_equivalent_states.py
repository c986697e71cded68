"""States of automata that are one: the language stays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from spaseq.paths import prepare
from spaseq.paths.window import SymbolState, with_equivalent_states_united
from spaseq.pattern.paths import EdgeStep


def states_of(expression: str) -> list[SymbolState]:
    """The automaton of an expression over the steps :p, :q and :r, which are the symbols 0, 2 and 4, odd if inverse."""
    automaton = prepare(f"QUERY q ANY WALK {expression}")[0].automaton
    return [
        (() if state.step is None else (_symbol(state.step),), state.transitions, state.accepting)
        for state in automaton.states
    ]


def _symbol(step: object) -> int:
    assert isinstance(step, EdgeStep)
    return 2 * "pqr".index(step.predicate[-1]) + step.inverse


def accepts(states: Sequence[SymbolState], word: Sequence[int], conditions: int) -> bool:
    """Whether a walk along these symbols is a result, if all of its nodes fulfil these conditions."""
    now = {0}
    for symbol in word:
        ways = {to for state in now for to, guard in states[state][1] if not guard & ~conditions}
        now = {to for to in ways if symbol in states[to][0]}
    return any(not guard & ~conditions for state in now for guard in states[state][2])


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("(:p|:q)+", 2), ("(:p|^:q|:r){1,4}", 5), (":p/^:q/:r", 4), ("(:p/:q|:r/:q)+", 5), ("(:p|:q)/(:p|:r)", 3),
        ("(:p|:q/[?x: isIRI(?x)])+", 3), ("((:p|:q)/[?x: isIRI(?x)])*", 2), (":p?/(:q|:r)*", 3), ("(:p|:p)", 2),
    ],
)  # fmt: skip
def test_the_language_stays(expression: str, count: int) -> None:
    states = states_of(expression)
    merged = with_equivalent_states_united(states)
    assert len(merged) == count
    for length in range(5):
        for word in product((0, 2, 3, 4), repeat=length):
            for conditions in (0, 1):
                assert accepts(merged, word, conditions) == accepts(states, word, conditions)
