"""The definition of `X && Y` read a second time: its results are those of its sides alone, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import pytest

from tests.oracle import Result, evaluate
from tests.oracle.across import filters_across
from tests.oracle.expressions import Expression
from tests.oracle.formulas import Environment, holds
from tests.oracle.generate import Pair
from tests.oracle.model import AnyOrder, Atom, Gpm, Kleene, Node, Query, Select, Seq, walk_nodes
from tests.oracle.partial import compatible
from tests.oracle.plan import plan_of
from tests.oracle.sequences import Sequences
from tests.oracle.templates import certain, reads_across, templated

Form = Callable[[Sequences], Node]


def names(node: Node) -> set[str]:
    """The GPMs of an expression."""
    return {part.gpm for part in walk_nodes(node) if isinstance(part, Atom)}


def plainly(pair: Pair) -> Query:
    """The query without a window that shows all variables: what it finds is what the search finds."""
    return replace(pair.query, select=Select(), window=None)


def free(make: Sequences) -> Node:
    """`X && Y` of sides of all kinds."""
    return AnyOrder((make.part(make.chooser.integer(0, 2)), make.part(make.chooser.integer(0, 2))))


def following(sign: str) -> Form:
    """`L sign (X && Y)`."""
    return lambda make: Seq(make.atom(), sign, free(make))


FORMS = [free, *map(following, ",;:")]


def split(sequence: Node) -> tuple[Node | None, tuple[Node, ...], Callable[[Node], Node]]:
    """L, the sides, and what makes `L sign X` of X."""
    match sequence:
        case Seq(left, sign, AnyOrder(sides)):
            return left, sides, lambda side: Seq(left, sign, side)
        case AnyOrder(sides):
            return None, sides, lambda side: side
    raise ValueError(f"not of the form: {sequence}")


def is_apart(query: Query) -> bool:
    """Whether a side alone means what it means beside the other, and its results tell from which row of L they come.

    Every GPM is in one part, L gives all its variables a value, what the sides share besides is no group variable, and
    no filter reads the other side.
    """
    before, sides, _ = split(query.sequence)
    used = [names(part) for part in (*([before] if before else []), *sides)]
    bound = certain(query.gpm(before.gpm)) if isinstance(before, Atom) else set()
    if sum(map(len, used)) > len(set.union(*used)) or reads_across(query):
        return False
    if isinstance(before, Atom) and bound != set(query.gpm(before.gpm).variables):
        return False
    one, other = ({v for name in side for v in query.gpm(name).variables} for side in used[-2:])
    return one & other <= bound or not any(isinstance(part, Kleene) for part in walk_nodes(query.sequence))


def together(query: Query, one: Result, other: Result) -> Iterator[Result]:
    """The union of two results, if they go on from one row of one partial match and are compatible."""
    before, _, _ = split(query.sequence)
    shared = names(before) if before else set()
    variables = {name for gpm in shared for name in query.gpm(gpm).variables}
    picks = [{name: set(events) for name, events in result.picks} for result in (one, other)]
    rows = [{name: term for name, term in result.row if name in variables} for result in (one, other)]
    if any(picks[0].get(name) != picks[1].get(name) for name in shared) or rows[0] != rows[1]:
        return
    if compatible(frozenset(one.row), frozenset(other.row)):
        union = sorted((name, tuple(sorted(events))) for name, events in {**picks[0], **picks[1]}.items())
        first, last = min(one.first or 0, other.first or 0), max(one.last or 0, other.last or 0)
        yield Result(tuple(union), first, last, tuple(sorted({*one.row, *other.row})), last)


@pytest.mark.parametrize("form", FORMS, ids=["free", *",;:"])
def test_results_are_unions_of_those_of_the_sides_alone(form: Form) -> None:
    asked = found = 0
    for seed in range(1000):
        pair = templated(seed, form)
        query = plainly(pair)
        if not is_apart(query):
            continue
        _, sides, alone = split(query.sequence)
        one, other = (evaluate(replace(query, sequence=alone(side)), pair.events) for side in sides)
        wanted = {union for left, right in product(one, other) for union in together(query, left, right)}
        results = evaluate(query, pair.events)
        assert set(results) == wanted, (query, pair.events)
        asked, found = asked + 1, found + len(results)
    assert asked > 150
    assert found > 80


@pytest.mark.parametrize("form", FORMS, ids=["free", *",;:"])
def test_filters_across_choose_among_the_unions(form: Form) -> None:
    """Without Kleenes a union is at the end of its match, so that its row tells what filters across see."""
    asked = found = dropped = 0
    for seed in range(1000):
        pair = templated(seed, form)
        query = plainly(pair)
        across = judged(query)
        if across is None:
            continue
        unfiltered = replace(query, gpms=tuple(without(gpm, across.get(gpm.name, ())) for gpm in query.gpms))
        unions = evaluate(unfiltered, pair.events)
        results = evaluate(query, pair.events)
        assert results == [one for one in unions if passes(one, across)], (query, pair.events)
        asked, found, dropped = asked + 1, found + len(results), dropped + len(unions) - len(results)
    assert asked > 150
    assert found > 20
    assert dropped > 30


def judged(query: Query) -> dict[str, tuple[Expression, ...]] | None:
    """The filters across of each GPM, if there are any, no Kleene, and every GPM occurs once."""
    plan = plan_of(query)
    across = filters_across(plan)
    found = {one.gpm.name: tuple(filter_ for filter_, _ in across.get(one.number, ())) for one in plan.occurrences}
    if len(found) < len(plan.occurrences) or any(isinstance(part, Kleene) for part in walk_nodes(query.sequence)):
        return None
    return found if any(found.values()) else None


def without(gpm: Gpm, filters: tuple[Expression, ...]) -> Gpm:
    """The GPM without these filters."""
    return replace(gpm, filters=tuple(one for one in gpm.filters if one not in filters))


def passes(result: Result, across: dict[str, tuple[Expression, ...]]) -> bool:
    """Whether a row satisfies the filters across of what was picked."""
    row = Environment(dict(result.row), lambda name: ())
    return all(holds(filter_, row) for name, _ in result.picks for filter_ in across[name])
