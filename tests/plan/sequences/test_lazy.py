"""Which steps may wait, and on which key what waits for them is kept."""

from __future__ import annotations

from typing import Any

import pytest

from nfa_native.automata.automaton import LazySegment
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import compile_plan
from tests.cases.loader import query_text

SUM = "FILTER(?va + ?vb < ?vc)"
KEYED = {name: f"?k :{name} ?v{name.lower()}" for name in "ABCD"}
APART = {name: f"?{name.lower()} :{name} ?v{name.lower()}" for name in "ABCD"}
SLIDING = "1 MINUTE SLIDING"


def segments(seq: str, third: str = SUM, gpm: dict[str, str] = APART, **spec: Any) -> tuple[LazySegment, ...]:
    names = gpm | {"C": f"{gpm['C']} {third}"}
    text = query_text({"seq": seq, "gpm": names, "within": SLIDING, "select": "(1 AS ?one)", **spec})
    return compile_plan(parse(text).query).automaton(Terms()).lazy


def test_a_sum_of_two() -> None:
    assert segments("A : B : C") == (LazySegment(1, 1, 2, (), ((2, ()),)),)
    assert segments("A : B : C", gpm=KEYED) == (LazySegment(1, 1, 2, ((0, 0),), ((2, (0,)),)),)


@pytest.mark.parametrize(
    "seq",
    ["A : B : C : D", "D : A : B : C", "A : B : C ; D", "D ; A : B : C", "A : B : (C & D)", "A+ : B : C", "A : B? : C"],
)
def test_what_comes_before_and_after_does_not_matter(seq: str) -> None:
    assert len(segments(seq)) == 1


NOT = """
A ; B : C
A : B ; C
A , B : C
A : B+ : C
A : D! : B : C
A : B : D! : C
(A : B : C) && D
A : (B | D) : C
A : (B & D) : C
A : B : C ; D!
""".strip().splitlines()


@pytest.mark.parametrize("seq", NOT)
def test_what_must_be_made_at_once(seq: str) -> None:
    assert segments(seq) == ()


def test_steps_that_keep_nothing_of_the_first_event_are_cheap() -> None:
    assert segments("A : B : C", "") == ()
    assert segments("A : B : C", "FILTER(?vb < ?vc)") == ()
    assert segments("A : B : C", "FILTER(?va < ?vc)") != ()
