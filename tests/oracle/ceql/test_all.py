"""`φ ALL ψ`: examples derived by hand from semantics.md 3.6, and laws on small and random worlds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from . import Event, Query, evaluate, rows, to_text
from .exhaustive import correlated, formulas, queries, streams
from .generate import Pair, Size, random_pair
from .model import (
    Aggregate,
    All,
    As,
    Contiguous,
    ContiguousKleene,
    Filter,
    FilterOn,
    Formula,
    Kleene,
    Or,
    Relation,
    Sequence,
    Window,
    has_all,
    parts,
    walk_formulas,
)
from .predicates import Attribute, Comparison, Constant
from .test_ceql_oracle import A, B, C, attribute, compare, flat, sets, short, stream, where
from .text import formula_text
from .valuations import valuations

AB = All(A, B)

EXAMPLES: list[tuple[Formula, str, list[str]]] = [
    # The union of a result of each, in any order.
    (AB, "a b a", ["01", "12"]),
    (AB, "b a", ["01"]),
    (AB, "a a", []),
    (All(AB, C), "c a b", ["012"]),
    (All(A, Sequence(B, C)), "b a c", ["012"]),
    (All(A, Contiguous(B, C)), "b a c", []),
    (All(A, Contiguous(B, C)), "a b c", ["012"]),
    (All(Sequence(A, C), Sequence(B, C)), "a b c c", ["012", "0123", "013"]),
    # One position may be in both.
    (All(A, A), "a a", ["0", "01", "1"]),
    (All(A, Sequence(A, B)), "a a b", ["02", "012", "12"]),
    # What follows, or goes before, goes by the interval of the union.
    (Sequence(AB, C), "a c b c", ["023"]),
    (Contiguous(AB, C), "b c a c c", ["023"]),
    (Contiguous(C, AB), "c b a c a", ["012", "014"]),
    (Contiguous(C, AB), "c c a c b", ["124"]),
    (Contiguous(C, AB), "c x a b", []),
    (Sequence(C, AB), "c x b a", ["023"]),
    # Also of several iterations.
    (All(Kleene(A), B), "a b a", ["01", "012", "12"]),
    (All(ContiguousKleene(A), B), "a b a", ["01", "12"]),
    (Or(AB, C), "a c b", ["1", "02"]),
    (Kleene(Sequence(C, AB)), "c a b c b a", ["012", "014", "025", "045", "345", "012345"]),
]


@pytest.mark.parametrize(("formula", "events", "expected"), EXAMPLES)
def test_examples(formula: Formula, events: str, expected: list[str]) -> None:
    assert sorted(sets(formula, events)) == sorted(expected)


def test_the_interval_is_from_the_smaller_start_to_the_larger_end() -> None:
    projected = Query(All(Sequence(A, C), As(B, "x")), ("x",))
    assert short(evaluate(projected, stream("a b c"))) == [(0, 2, "1")]
    assert short(evaluate(projected, stream("b a c"))) == [(0, 2, "0")]
    assert short(evaluate(projected, stream("a c b"))) == [(0, 2, "2")]


def test_a_variable_in_both_holds_the_events_of_both() -> None:
    both = All(As(A, "x"), As(B, "x"))
    assert sets(Query(Sequence(both, C), ("x",)), "b a c") == ["01"]
    assert sets(where(both, ("x", compare("value", ">", 1))), "a2 b1 b3") == ["02"]
    assert sets(Query(All(As(A, "x"), As(A, "y")), ("x",)), "a a") == ["0", "0", "1", "1"]


def test_a_filter_around_sees_the_union() -> None:
    rising = where(All(As(A, "x"), As(B, "y")), ("x", compare("value", "<", "y.value")))
    assert sets(rising, "a1 b2 a3 b0") == ["01"]
    assert sets(rising, "b2 a1") == ["01"]
    inside = All(where(As(A, "x"), ("x", compare("value", ">", 1))), B)
    assert sets(inside, "a1 b a2") == ["12"]


def test_clauses_look_at_the_union() -> None:
    events = stream("a a b a")
    assert sets(AB, events) == ["02", "12", "23"]
    assert sets(Query(AB, within=Window(1, "EVENTS")), events) == ["12", "23"]
    assert sets(Query(AB, strategy="STRICT"), events) == ["12", "23"]
    assert sets(Query(AB, strategy="NEXT"), events) == ["02", "23"]
    assert sets(Query(AB, strategy="LAST"), events) == ["12", "23"]
    assert sets(Query(All(Kleene(A), B), strategy="MAX"), events) == ["012", "0123"]
    assert sets(Query(AB, consume="ANY"), events) == ["02", "12"]
    count = Query(AB, aggregates=(Aggregate("COUNT"), Aggregate("SUM", attribute("A.value"))))
    assert [row.values for row in flat(count, stream("a1 a2 b a5"))] == [(2, 3), (1, 5)]
    keyed = [Event(kind, i, {"k": key}) for i, (kind, key) in enumerate(zip("ABBA", (1, 2, 1, 2), strict=True))]
    assert sets(Query(AB, partition_by=("k",)), keyed) == ["02", "13"]


def test_an_all_is_not_repeated() -> None:
    for kind in (Kleene, ContiguousKleene):
        with pytest.raises(ValueError, match=r"\+ on an ALL"):
            kind(AB)


def test_text() -> None:
    assert formula_text(Or(Sequence(A, All(B, C)), All(AB, Kleene(C)))) == "((A ; (B ALL C)) OR ((A ALL B) ALL (C)+))"
    assert to_text(Query(AB, strategy="ALL")).startswith("SELECT ALL *\nFROM S\nWHERE (A ALL B)\n")


# Laws.

SMALL: list[Formula] = [A, B, Or(A, B), Sequence(A, B), Contiguous(B, A), Kleene(A), ContiguousKleene(Or(A, B)), AB]
WORLDS = [events for events in streams(4) if len(events) == 4]
EQUAL = FilterOn("A", Comparison("=", Attribute("value"), Constant(1)))


def same(left: Formula, right: Formula, events: tuple[Event, ...]) -> bool:
    return valuations(left, events) == valuations(right, events)


def test_laws_on_small_worlds() -> None:
    for events, one, two in product(WORLDS[::3], SMALL, SMALL):
        assert same(All(one, two), All(two, one), events)
        for three in (B, Sequence(A, B), Kleene(A)):
            assert same(All(All(one, two), three), All(one, All(two, three)), events)
            assert same(All(Or(one, two), three), Or(All(one, three), All(two, three)), events)
        assert same(As(All(one, two), "x"), All(As(one, "x"), As(two, "x")), events)
        assert valuations(Sequence(one, two), events) <= valuations(All(one, two), events)


def test_written_out() -> None:
    """A position has one type, so that of different types none is in both."""
    bc, a_or_aa = Contiguous(B, C), Or(A, Sequence(A, A))
    for events in streams(4, types="ABC"):
        assert same(AB, Or(Sequence(A, B), Sequence(B, A)), events)
        assert same(All(A, A), a_or_aa, events)
        inserted = Or(Or(Sequence(A, Sequence(B, C)), Sequence(B, Sequence(A, C))), Sequence(Sequence(B, C), A))
        assert same(All(A, Sequence(B, C)), inserted, events)
        assert same(All(A, bc), Or(Sequence(A, bc), Sequence(bc, A)), events)
        assert same(All(AB, C), permuted(), events)
        # `φ : (ψ ALL χ)` wants the earlier of the two directly behind φ.
        behind = Or(Sequence(Contiguous(C, A), B), Sequence(Contiguous(C, B), A))
        assert same(Contiguous(C, AB), behind, events)
        before = Or(Sequence(A, Contiguous(B, C)), Sequence(B, Contiguous(A, C)))
        assert same(Contiguous(AB, C), before, events)


def permuted() -> Formula:
    """A, B and C in every order."""
    orders = [
        Sequence(one, Sequence(two, three))
        for one, two, three in product((A, B, C), repeat=3)
        if one != two != three != one
    ]
    whole: Formula = orders[0]
    for order in orders[1:]:
        whole = Or(whole, order)
    return whole


def changed(formula: Formula, swap: bool) -> Formula:
    """The formula with the operands of every ALL changed round, or with `A ALL B` of different types written out."""
    match formula:
        case Relation():
            return formula
        case All(left, right):
            one, other = changed(left, swap), changed(right, swap)
            if swap:
                return All(other, one)
            return Or(Sequence(one, other), Sequence(other, one)) if are_different(left, right) else All(one, other)
        case Or(left, right) | Sequence(left, right) | Contiguous(left, right):
            return type(formula)(changed(left, swap), changed(right, swap))
    return replace(formula, body=changed(parts(formula)[0], swap))


def are_different(left: Formula, right: Formula) -> bool:
    """Whether both are single events, perhaps named or filtered, of different types."""
    types = [[part for part in walk_formulas(one) if not isinstance(part, As | Filter)] for one in (left, right)]
    return all(len(found) == 1 for found in types) and types[0] != types[1]


def random_pairs(count: int) -> Iterator[Pair]:
    """Random queries with ALL: filters, strategies, windows, partitions, consumption, aggregates."""
    return (random_pair(seed, Size(operators=4, events=7, any_order=True)) for seed in range(count))


def answers(query: Query, pair: Pair) -> object:
    """All that a query may answer."""
    if query.aggregates:
        return {end: set(options) for end, options in rows(query, pair.events).items()}
    return evaluate(query, pair.events)


@pytest.mark.parametrize("swap", [True, False])
def test_random_queries(swap: bool) -> None:
    found = other = 0
    for pair in random_pairs(600):
        query = replace(pair.query, formula=changed(pair.query.formula, swap))
        other += query != pair.query
        wanted = answers(pair.query, pair)
        assert answers(query, pair) == wanted, (pair.query, pair.events)
        found += bool(wanted)
    assert other > 200
    assert found > 200


def test_filters_of_single_events_move_to_their_variables() -> None:
    for events, one in product(list(streams(4, values=(0, 1)))[::9], SMALL):
        inside = All(Filter(one, EQUAL), Filter(Kleene(A), EQUAL))
        assert same(Filter(All(one, Kleene(A)), EQUAL), inside, events)


# Generators.


def test_random_pairs_have_an_all_or_none() -> None:
    counts = Counter(label for pair in random_pairs(600) for label in pair.labels)
    assert counts["ALL"] == 600
    wanted = {"FILTER", "correlated", ";", ":", "OR", "+", ":+", "AS of a formula", "strategy NEXT"}
    assert {label for label in wanted if counts[label] < 20} == set()
    assert counts["ALL in Kleene"] > 10
    assert not any(has_all(random_pair(seed).query.formula) for seed in range(300))
    assert sum(bool(answers(pair.query, pair)) for pair in random_pairs(300)) > 90
    assert [random_pair(seed, Size(any_order=True)) for seed in range(9)] == [
        random_pair(seed, Size(any_order=True)) for seed in range(9)
    ]


def test_small_formulas() -> None:
    texts = [formula_text(formula) for formula in formulas(any_order=True)]
    assert len(texts) == len(set(texts)) == 66
    assert {"(A ALL A)", "(A ALL B)", "(A ; (A ALL B))", "((A ALL B) ALL A)", "((A)+ ALL B)"} <= set(texts)
    assert not {"((A ALL B))+", "((A ALL B)):+"} & set(texts)
    assert len(list(queries(formulas(1, any_order=True)))) == 2 * 12
    assert all(has_all(formula) for formula in correlated(1, any_order=True))
