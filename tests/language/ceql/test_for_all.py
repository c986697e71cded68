"""A condition on several variables means the same in whatever equivalent way it is written, with events or without."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from spaseq.languages.ceql.lower_expression import ClauseError, for_all
from spaseq.pattern.formulas.predicates import And, Attribute, Comparison, Constant, Not, Or, Predicate
from spaseq.pattern.formulas.query import AllOf, AnyOf, Filter, ForAll
from tests.language.ceql.meaning import Event, holds, passes

X_BELOW, Y_BELOW = (Comparison("<", Attribute("p", name), Constant(1)) for name in "xy")
TOGETHER = Comparison("<", Attribute("p", "x"), Attribute("q", "y"))
EVENTS: list[Event] = [("A", {"p": p, "q": q}) for p, q in ((0, 0), (0, 2), (1, 1), (2, 0))]


def random_predicate(rng: Random, depth: int) -> Predicate:
    if depth == 0:
        return rng.choice([X_BELOW, Y_BELOW, TOGETHER])
    parts = tuple(random_predicate(rng, rng.randrange(depth)) for _ in range(2))
    return rng.choice([And(parts), Or(parts), Not(parts[0])])


def variables(found: Filter) -> list[tuple[str, ...]]:
    match found:
        case ForAll(names):
            return [names]
        case AllOf(filters) | AnyOf(filters):
            return [names for each in filters for names in variables(each)]


@pytest.mark.parametrize("seed", range(10))
def test_for_all_pairs_if_there_are_any(seed: int) -> None:
    rng = Random(seed)
    for _ in range(40):
        predicate = random_predicate(rng, 3)
        filters = for_all(predicate, None), for_all(Not(Not(predicate)), None)
        for first, second in product([(0,), (1, 2), (0, 3), (2, 3)], repeat=2):
            held = frozenset([("x", place) for place in first] + [("y", place) for place in second])
            wanted = all(holds(predicate, {"x": EVENTS[x], "y": EVENTS[y]}) for x in first for y in second)
            assert [passes(each, held, EVENTS) for each in filters] == [wanted, wanted]


def test_a_part_about_one_variable_counts_alone() -> None:
    found = for_all(And((X_BELOW, TOGETHER)), "x")
    assert variables(found) == [("x",), ("x", "y")]
    assert not passes(found, frozenset([("x", 3)]), EVENTS), "y holds nothing, but x is not below"


def test_alternatives_without_a_common_variable_are_filters_of_their_own() -> None:
    assert isinstance(for_all(Or((X_BELOW, Y_BELOW)), None), AnyOf)
    assert isinstance(for_all(Or((X_BELOW, X_BELOW)), None), ForAll)
    assert isinstance(for_all(Or((X_BELOW, TOGETHER)), None), ForAll)


def test_too_many_clauses() -> None:
    with pytest.raises(ClauseError):
        for_all(Or((And((X_BELOW, Y_BELOW, TOGETHER)),) * 6), None)
