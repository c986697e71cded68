"""Laws of CEQL, on all small worlds and on random ones; and a second way to find the valuations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence as Several
from dataclasses import replace
from functools import cache
from itertools import combinations, islice

import pytest

from . import ComplexEvent, Event, Query, evaluate
from .evaluate import substreams
from .exhaustive import correlated, formulas, queries, streams
from .generate import Pair, Size, random_pair
from .model import (
    All,
    AllFilters,
    AnyFilter,
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
)
from .predicates import Attribute, Comparison, Constant
from .valuations import Valuation, satisfies, valuations

A, B = Relation("A"), Relation("B")
SMALL: list[Formula] = [A, B, Or(A, B), Sequence(A, B), Contiguous(B, A), Kleene(A), ContiguousKleene(Or(A, B))]
WORLDS = [events for events in streams(4) if len(events) == 4]


@cache
def small_pairs() -> list[Pair]:
    """Random pairs that select complex events, small enough for what is slow."""
    size = Size(operators=4, events=6)
    return [pair for pair in (random_pair(seed, size) for seed in range(400)) if not pair.query.aggregates]


def all_of(query: Query, pair: Pair, strategy: str | None = None) -> list[ComplexEvent]:
    """All the results of a query but for LIMIT and CONSUME, under another strategy."""
    return evaluate(replace(query, strategy=strategy, consume=None), pair.events)


# Formulas.


def same(left: Formula, right: Formula, events: Several[Event]) -> bool:
    return valuations(left, events) == valuations(right, events)


def test_sequencing_is_associative() -> None:
    for events in WORLDS[::3]:
        for one in SMALL:
            for two in SMALL:
                for three in (B, Sequence(A, B), Kleene(A)):
                    for kind in (Sequence, Contiguous, Or):
                        assert same(kind(kind(one, two), three), kind(one, kind(two, three)), events)
                    mixed = Contiguous(Sequence(one, two), three), Sequence(one, Contiguous(two, three))
                    assert same(*mixed, events)


def test_or_distributes_and_commutes() -> None:
    for events in WORLDS[::3]:
        for one in SMALL:
            for two in SMALL:
                assert same(Or(one, two), Or(two, one), events)
                for kind in (Sequence, Contiguous):
                    assert same(kind(Or(one, two), A), Or(kind(one, A), kind(two, A)), events)
                    assert same(kind(B, Or(one, two)), Or(kind(B, one), kind(B, two)), events)


def test_contiguous_is_non_contiguous_too() -> None:
    for events in WORLDS:
        for one in SMALL:
            assert valuations(ContiguousKleene(one), events) <= valuations(Kleene(one), events)
            for two in SMALL:
                assert valuations(Contiguous(one, two), events) <= valuations(Sequence(one, two), events)


def test_iteration_unfolds_and_is_idempotent() -> None:
    for events in WORLDS:
        for one in SMALL:
            assert same(Kleene(one), Or(one, Sequence(one, Kleene(one))), events)
            assert same(ContiguousKleene(one), Or(one, Contiguous(ContiguousKleene(one), one)), events)
            assert same(Kleene(Kleene(one)), Kleene(one), events)
            assert same(Kleene(ContiguousKleene(one)), Kleene(one), events)
            assert same(ContiguousKleene(ContiguousKleene(one)), ContiguousKleene(one), events)


def test_as_moves_over_iteration_and_or() -> None:
    for events in WORLDS:
        for one in SMALL:
            assert same(As(Kleene(one), "x"), Kleene(As(one, "x")), events)
            assert same(As(Or(one, B), "x"), Or(As(one, "x"), As(B, "x")), events)
            assert same(As(Sequence(one, B), "x"), Sequence(As(one, "x"), As(B, "x")), events)


def test_filters_of_single_events_move_to_their_variables() -> None:
    holds = FilterOn("A", Comparison("=", Attribute("value"), Constant(1)))
    for events in islice(streams(4, values=(0, 1)), 0, None, 5):
        for one in SMALL:
            assert same(Filter(Kleene(one), holds), Kleene(Filter(one, holds)), events)
            for kind in (Sequence, Contiguous, Or):
                inside = kind(Filter(one, holds), Filter(Kleene(A), holds))
                assert same(Filter(kind(one, Kleene(A)), holds), inside, events)


def test_filters_combine_as_formulas_do() -> None:
    for pair in small_pairs():
        query = pair.query
        if isinstance(query.formula, Filter) and not isinstance(query.formula.condition, FilterOn):
            body, both = query.formula.body, query.formula.condition
            left, right = Filter(body, both.left), Filter(body, both.right)
            if isinstance(both, AllFilters):
                assert same(query.formula, Filter(left, both.right), pair.events)
            if isinstance(both, AnyFilter):
                assert same(query.formula, Or(left, right), pair.events)


# A second way: of which labels may a given set of positions be the match?


def labellings(formula: Formula, picked: tuple[int, ...], events: Several[Event]) -> set[frozenset[tuple[str, int]]]:
    """The labels of all matches that consist of exactly these positions, ascending."""
    match formula:
        case Relation(name):
            return {frozenset({(name, picked[0])})} if len(picked) == 1 and events[picked[0]].type == name else set()
        case As(body, variable):
            more = {(variable, position) for position in picked}
            return {labels | more for labels in labellings(body, picked, events)}
        case Filter(body, condition):
            found = labellings(body, picked, events)
            return {labels for labels in found if satisfies(Valuation(0, 0, labels), condition, events)}
        case Or(left, right):
            return labellings(left, picked, events) | labellings(right, picked, events)
        case All(left, right):
            return set(covered(left, right, picked, events))
        case Sequence(left, right) | Contiguous(left, right):
            return set(joined(left, right, isinstance(formula, Contiguous), picked, events))
        case Kleene(body) | ContiguousKleene(body):
            more_of = set(joined(body, formula, isinstance(formula, ContiguousKleene), picked, events))
            return labellings(body, picked, events) | more_of


def joined(
    left: Formula, right: Formula, adjacent: bool, picked: tuple[int, ...], events: Several[Event]
) -> Iterator[frozenset[tuple[str, int]]]:
    """Those of left for a first part of the positions, with those of right for the rest."""
    for cut in range(1, len(picked)):
        if not adjacent or picked[cut - 1] + 1 == picked[cut]:
            for labels in labellings(left, picked[:cut], events):
                for more in labellings(right, picked[cut:], events):
                    yield labels | more


def covered(
    left: Formula, right: Formula, picked: tuple[int, ...], events: Several[Event]
) -> Iterator[frozenset[tuple[str, int]]]:
    """Those of left for some of the positions, with those of right for the others, and perhaps for some of the same."""
    parts = [part for size in range(1, len(picked) + 1) for part in combinations(picked, size)]
    for one in parts:
        for other in parts:
            if {*one, *other} == set(picked):
                for labels in labellings(left, one, events):
                    yield from (labels | more for more in labellings(right, other, events))


def by_positions(formula: Formula, events: Several[Event]) -> set[Valuation]:
    """All valuations, found by trying every set of positions."""
    chosen = (picked for size in range(1, len(events) + 1) for picked in combinations(range(len(events)), size))
    return {Valuation(p[0], p[-1], labels) for p in chosen for labels in labellings(formula, p, events)}


def test_both_ways_agree_on_small_worlds() -> None:
    for number, formula in enumerate(formulas(2)):
        for events in WORLDS[number % 4 :: 4]:
            assert valuations(formula, events) == by_positions(formula, events)


def test_both_ways_agree_on_small_worlds_with_all() -> None:
    for number, formula in enumerate(formulas(2, any_order=True)):
        for events in WORLDS[number % 4 :: 4]:
            assert valuations(formula, events) == by_positions(formula, events)


def test_both_ways_agree_on_random_pairs_with_all() -> None:
    pairs = (random_pair(seed, Size(operators=4, events=5, any_order=True)) for seed in range(300))
    for pair in pairs:
        assert valuations(pair.query.formula, pair.events) == by_positions(pair.query.formula, pair.events)


def test_both_ways_agree_on_random_pairs() -> None:
    for pair in small_pairs():
        if len(pair.events) <= 5:
            assert valuations(pair.query.formula, pair.events) == by_positions(pair.query.formula, pair.events)


# Queries.


def test_strategies_keep_some_of_all() -> None:
    for pair in small_pairs():
        everything = all_of(pair.query, pair)
        ends = {answer.end for answer in everything}
        for strategy in ("NEXT", "LAST", "MAX", "STRICT"):
            kept = all_of(pair.query, pair, strategy)
            assert set(kept) <= set(everything)
            assert strategy == "STRICT" or {answer.end for answer in kept} == ends
            if strategy in ("NEXT", "LAST"):
                assert len({(answer.end, answer.positions) for answer in kept}) == len(ends)
        assert all_of(pair.query, pair, "ANY") == everything


def test_next_and_last_are_maximal() -> None:
    for pair in small_pairs():
        largest = set(all_of(pair.query, pair, "MAX"))
        assert set(all_of(pair.query, pair, "NEXT")) <= largest
        assert set(all_of(pair.query, pair, "LAST")) <= largest


def test_strict_results_are_intervals() -> None:
    for pair in small_pairs():
        owners = {place: own for own in substreams(pair.query.partition_by, pair.events) for place in own.places}
        for answer in all_of(pair.query, pair, "STRICT"):
            places = owners[answer.end].places
            inside = [place for place in places if place in answer.positions]
            first = places.index(inside[0]) if inside else 0
            assert inside == list(places[first : first + len(inside)])


def test_projection_of_all_variables_is_all() -> None:
    for pair in small_pairs():
        everything = evaluate(replace(pair.query, select=None, strategy="ALL", consume=None), pair.events)
        projected = all_of(pair.query, pair)
        assert {(a.start, a.end) for a in projected} == {(a.start, a.end) for a in everything}
        assert all(min(a.positions) == a.start and max(a.positions) == a.end for a in everything)
        for answer in projected:
            own = [a.positions for a in everything if (a.start, a.end) == (answer.start, answer.end)]
            assert any(answer.positions <= positions for positions in own)


def test_partition_by_a_constant_changes_nothing() -> None:
    for pair in small_pairs():
        events = [replace(event, attributes={**event.attributes, "one": 1}) for event in pair.events]
        query = replace(pair.query, partition_by=())
        assert evaluate(query, events) == evaluate(replace(query, partition_by=("one",)), events)


def test_consuming_is_starting_anew() -> None:
    for pair in small_pairs():
        query = replace(pair.query, partition_by=(), consume="ANY")
        found = evaluate(query, pair.events)
        if not found:
            continue
        end = found[0].end
        first = [answer for answer in evaluate(replace(query, consume=None), pair.events) if answer.end == end]
        rest = evaluate(query, pair.events[end + 1 :])
        moved = [replace(a, start=a.start + end + 1, end=a.end + end + 1) for a in rest]
        assert [answer for answer in found if answer.end == end] == first
        assert [(a.start, a.end) for a in found if a.end != end] == [(a.start, a.end) for a in moved]


def test_wider_windows_keep_more() -> None:
    for pair in small_pairs():
        window = pair.query.within
        if window is not None:
            wider = replace(pair.query, within=replace(window, length=window.length + 1))
            assert set(all_of(pair.query, pair)) <= set(all_of(wider, pair))


@pytest.mark.deep
def test_all_small_queries() -> None:
    for query in queries(formulas(2)):
        for events in WORLDS:
            found = evaluate(query, events)
            assert set(found) <= set(evaluate(replace(query, strategy="ALL"), events))


@pytest.mark.deep
def test_all_small_correlations() -> None:
    for formula in correlated(2):
        for events in streams(3, values=(0, 1, None)):
            assert valuations(formula, events) == by_positions(formula, events)
