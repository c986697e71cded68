"""Queries with `&&`: a sample of the long comparison, and what semantics.md 3.6 says they equal, on the engine.

`tests.oracle.test_any_order_laws` has the laws on the oracle, `tests.oracle.test_any_order_conditions` why they need
their conditions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import islice, permutations

import pytest

from tests.agreement.any_order import SIZE, WAYS, random_case, refusal, small_partitions, small_worlds, way_of
from tests.agreement.harness import run
from tests.oracle.generate import Pair, random_pair
from tests.oracle.model import And, AnyOrder, Node, Or, Query, Seq
from tests.oracle.sequences import Sequences
from tests.oracle.templates import apart, fitting, reads_across, templated, with_sequence
from tests.oracle.test_any_order_laws import (
    MAYBE_ABSENT,
    SIGNS,
    Form,
    bops,
    follow_each_other,
    following,
    free,
    next_alone,
    next_before,
    next_beside,
    other_order,
    reads_one,
    sequenced,
)
from tests.oracle.text import to_text

CASES = 72


# ── a sample ─────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("start", range(len(WAYS)), ids=lambda start: WAYS[start].__name__)
def test_random_pairs(start: int) -> None:
    for number in range(start, CASES, len(WAYS)):
        pair = random_case(number)
        assert refusal(to_text(pair.query)) or not way_of(number)(pair), number


def test_the_planner_takes_nearly_all() -> None:
    texts = [to_text(random_case(number).query) for number in range(CASES)]
    assert sum(bool(refusal(text)) for text in texts) < CASES / 20


def test_small_worlds() -> None:
    """One of 2,000 pairs of a pattern of at most two operators and a stream of at most four events."""
    for number, pair in enumerate(islice(small_worlds(), 0, None, 2_000)):
        assert not way_of(number)(pair)


def test_small_worlds_of_two_keys() -> None:
    """One of 5,000 of those with PARTITION BY."""
    for number, pair in enumerate(islice(small_partitions(), 0, None, 5_000)):
        assert not way_of(number)(pair)


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────
def same(left: Query, right: Query, pair: Pair) -> int:
    """How many results both queries have, which are the same, decided at the same times."""
    found = run(left, pair.events)
    assert Counter(found) == Counter(run(right, pair.events)), (to_text(left), to_text(right), pair.events)
    return len(found)


def random_pairs(form: Form, count: int) -> Iterator[Pair]:
    """Random pairs whose sequence has a form."""
    return (templated(seed, form) for seed in range(count))


def test_sides_may_be_turned_round() -> None:
    pairs = (random_pair(seed, SIZE) for seed in range(25))
    found = sum(same(pair.query, with_sequence(pair.query, other_order), pair) for pair in pairs)
    assert found > 30


def three(make: Sequences) -> Node:
    """`A && X && B`, perhaps with `L ∘` before or `∘ R` behind."""
    whole: Node = AnyOrder((make.atom(), make.part(make.chooser.integer(0, 1)), make.atom()))
    if make.chooser.chance(40):
        whole = Seq(make.element(0), make.chooser.pick(SIGNS), whole)
    return Seq(whole, make.chooser.pick(SIGNS), make.element(0)) if make.chooser.chance(40) else whole


def grouped_left(node: Node) -> Node:
    """`(A && B) && C`."""
    match node:
        case AnyOrder((one, two, three)):
            return AnyOrder((AnyOrder((one, two)), three))
    return node


def grouped_right(node: Node) -> Node:
    """`A && (B && C)`."""
    match node:
        case AnyOrder((one, two, three)):
            return AnyOrder((one, AnyOrder((two, three))))
    return node


@pytest.mark.parametrize("grouped", [grouped_left, grouped_right])
def test_sides_may_be_grouped(grouped: Callable[[Node], Node]) -> None:
    """Where filters across read only what is bound once."""
    pairs = [pair for pair in random_pairs(three, 30) if reads_one(pair.query)]
    assert sum(same(pair.query, with_sequence(pair.query, grouped), pair) for pair in pairs) > 10


@pytest.mark.parametrize("form", [free, following(":")], ids=["free", ":"])
def test_the_one_before_the_other_or_both_at_once(form: Form) -> None:
    """`A && B` = `(A : B) | (B : A) | A & B`, of GPMs whose filters read no variable of the other."""
    pairs = [pair for pair in random_pairs(form, 50) if not reads_across(pair.query)]
    assert sum(same(pair.query, with_sequence(pair.query, sequenced(":")), pair) for pair in pairs) > 8


@pytest.mark.parametrize("form", [next_alone, next_before, next_beside])
def test_next_is_the_one_and_then_the_other(form: Form) -> None:
    """`L ; (A && B)` = `L ; ((A ; B) | (B ; A))` where no events are simultaneous, none fits two sides, an event has
    one row, the sides share only what L certainly binds, and no filter of one reads a variable of the other."""
    pairs = [pair for pair in map(apart, random_pairs(form, 80)) if follow_each_other(pair)]
    written_out = sequenced(";", at_once=False)
    assert sum(same(pair.query, with_sequence(pair.query, written_out), pair) for pair in pairs) > 1


def test_strict_contiguity_is_a_conjunction() -> None:
    """`L , (A && B)` = `L , (A & B)`, unless L may be absent, or a filter reads what its own side may bind too."""

    def conjunction(node: Node) -> Node:
        return And(node.sides) if isinstance(node, AnyOrder) else node

    excluded = {"filter of what another side has too", *MAYBE_ABSENT}
    pairs = [pair for pair in random_pairs(bops, 100) if not pair.labels & excluded]
    assert sum(same(pair.query, with_sequence(pair.query, conjunction), pair) for pair in pairs) > 4
    assert any("filter across" in pair.labels for pair in pairs)


def four(make: Sequences) -> Node:
    """`A && B && C && D`."""
    return AnyOrder(tuple(make.atom() for _ in range(4)))


def orders(node: Node) -> Node:
    """All orders of the sides, written out."""
    if not isinstance(node, AnyOrder):
        return node
    return Or(tuple(reduce(lambda left, right: Seq(left, ":", right), order) for order in permutations(node.sides)))


def test_four_sides_are_all_orders_written_out() -> None:
    """Where no events are simultaneous, none fits two sides, and no filter reads a variable of another side."""
    pairs = [pair for pair in map(apart, random_pairs(four, 70)) if takes_each_once(pair)]
    assert sum(same(pair.query, with_sequence(pair.query, orders), pair) for pair in pairs) > 2


def takes_each_once(pair: Pair) -> bool:
    """The conditions of the law but the first."""
    fitted = ([name for name, _ in fitting(pair.query, event)] for event in pair.events)
    return len(pair.query.gpms) == 4 and not reads_across(pair.query) and all(len(names) < 2 for names in fitted)
