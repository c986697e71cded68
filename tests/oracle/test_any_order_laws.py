"""Laws of `X && Y` on random worlds: what semantics.md 3.6 says it equals, and under which conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.oracle import evaluate
from tests.oracle.across import bound_by_steps, filters_across
from tests.oracle.exhaustive import pairs_of, queries
from tests.oracle.expressions import names_in
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.model import And, AnyOrder, Atom, Event, Kleene, Node, Not, Or, Query, Select, Seq, walk_nodes
from tests.oracle.plan import plan_of
from tests.oracle.sequences import Sequences
from tests.oracle.templates import apart, certain, fitting, reads_across, templated, with_sequence

Form = Callable[[Sequences], Node]
SIGNS = (",", ";", ":")
ANY_ORDER = Size(4, 7, 1, 3, any_order=True)


def same(left: Query, right: Query, events: tuple[Event, ...]) -> int:
    """How many results both queries have, which are the same, decided at the same times."""
    found = evaluate(left, events)
    assert found == evaluate(right, events), (left, events)
    return len(found)


def sides_of(node: Node) -> tuple[Node, ...]:
    """The sides of an `&&`."""
    assert isinstance(node, AnyOrder)
    return node.sides


def sequenced(sign: str, at_once: bool = True) -> Callable[[Node], Node]:
    """What writes `(A sign B) | (B sign A)` for `A && B`, beside `A & B` unless they are never at once."""

    def change(node: Node) -> Node:
        match node:
            case AnyOrder((one, other)):
                both = (And((one, other)),) if at_once else ()
                return Or((Seq(one, sign, other), Seq(other, sign, one), *both))
            case Or(branches):
                return Or(tuple(one for part in branches for one in (part.parts if isinstance(part, Or) else (part,))))
        return node

    return change


def other_order(node: Node) -> Node:
    """`&&` with its sides turned round."""
    return AnyOrder(node.sides[::-1]) if isinstance(node, AnyOrder) else node


def random_queries(count: int) -> Iterator[Pair]:
    """Random queries with `&&`: filters, windows, several streams, whatever the generator makes."""
    return (random_pair(seed, ANY_ORDER) for seed in range(count))


def test_commutative() -> None:
    found = sum(same(one.query, with_sequence(one.query, other_order), one.events) for one in random_queries(500))
    assert found > 700


def test_associative() -> None:
    def nested(node: Node) -> Node:
        match node:
            case AnyOrder((one, *others)) if len(others) > 1:
                return AnyOrder((one, AnyOrder(tuple(others))))
        return node

    def flat(node: Node) -> Node:
        if not isinstance(node, AnyOrder):
            return node
        return AnyOrder(tuple(one for side in node.sides for one in (sides_of(side) if is_inner(side) else (side,))))

    def is_inner(side: Node) -> bool:
        return isinstance(side, AnyOrder)

    found = asked = 0
    for pair in random_queries(1300):
        query = with_sequence(pair.query, flat)
        if any(is_inner(node) and len(sides_of(node)) > 2 for node in walk_nodes(query.sequence)) and reads_one(query):
            asked += 1
            found += same(query, with_sequence(query, nested), pair.events)
            found += same(query, with_sequence(query, lambda node: nested(other_order(node))), pair.events)
    assert asked > 150
    assert found > 200


def reads_one(query: Query) -> bool:
    """Whether no filter across names a variable that is bound twice, so that a union may know it only perhaps."""
    plan = plan_of(query)
    across, bound = filters_across(plan), bound_by_steps(plan)
    for own in plan.occurrences:
        for filter_, _ in across.get(own.number, ()):
            beside = [o.gpm.variables for o in plan.occurrences if not o.negated and own.is_beside(o)]
            for name in names_in(filter_):
                if sum(name in variables for variables in beside) + (name in bound[own.number]) > 1:
                    return False
    return True


def test_a_side_taken_once_is_a_side() -> None:
    """`A{1}` is a Kleene, so a filter across is judged for each of its iterations, of which there is one."""

    def once(node: Node) -> Node:
        if not isinstance(node, AnyOrder):
            return node
        return AnyOrder(tuple(Kleene(side, 1, 1) if isinstance(side, Atom) else side for side in node.sides))

    found = 0
    for pair in random_queries(500):
        query = replace(pair.query, select=Select())
        if not any(isinstance(node, Kleene) for node in walk_nodes(query.sequence)):
            found += same(query, with_sequence(query, once), pair.events)
    assert found > 300


def free(make: Sequences) -> Node:
    """`A && B` or `N! ; (A && B)`, perhaps with `∘ R`."""
    both = AnyOrder((make.atom(), make.atom()))
    whole = Seq(Not(make.bop(0)), ";", both) if make.chooser.chance(30) else both
    return Seq(whole, make.chooser.pick(SIGNS), make.element(1)) if make.chooser.chance(60) else whole


def following(sign: str, more: int = 1) -> Form:
    """The form `L sign (A && B)`, perhaps with `∘ R`, perhaps in a Kleene."""

    def form(make: Sequences) -> Node:
        before = make.element(more)
        whole = Seq(before, sign, AnyOrder((make.atom(), make.atom())))
        if make.chooser.chance(50):
            whole = Seq(whole, make.chooser.pick(SIGNS), make.element(1))
        return Kleene(whole, 1, 2, ":") if make.chooser.chance(15) else whole

    return form


@pytest.mark.parametrize("form", [free, following(":")])
def test_the_equation(form: Form) -> None:
    """Of single GPMs whose filters read no variable of the other."""
    found = asked = 0
    for seed in range(700):
        pair = templated(seed, form)
        if not reads_across(pair.query):
            asked += 1
            found += same(pair.query, with_sequence(pair.query, sequenced(":")), pair.events)
    assert asked > 300
    assert found > 300


def test_the_equation_on_small_worlds() -> None:
    for query in queries(1, any_order=True):
        for pair in pairs_of([query], several=True):
            same(query, with_sequence(query, sequenced(":")), pair.events)


MAYBE_ABSENT = {"quantifier ?", "quantifier *", "quantifier {0,2}"}


def bops(make: Sequences) -> Node:
    """`L , (X && Y)` of BOps, perhaps with `∘ R`."""
    whole = Seq(make.part(1), ",", AnyOrder((make.bop(make.chooser.integer(0, 1)), make.bop(0))))
    return Seq(whole, make.chooser.pick(SIGNS), make.element(1)) if make.chooser.chance(40) else whole


def test_strict_contiguity_is_a_conjunction() -> None:
    """Unless L may be absent; also with filters across, if they name nothing that something before binds perhaps."""

    def conjunction(node: Node) -> Node:
        return And(node.sides) if isinstance(node, AnyOrder) else node

    found = asked = across = 0
    for seed in range(700):
        pair = templated(seed, bops)
        if not pair.labels & {"filter of what another side has too", *MAYBE_ABSENT}:
            asked += 1
            across += "filter across" in pair.labels
            found += same(pair.query, with_sequence(pair.query, conjunction), pair.events)
    assert asked > 400
    assert across > 100
    assert found > 60


def next_alone(make: Sequences) -> Node:
    """`L ; (A && B)`."""
    return Seq(make.atom(), ";", AnyOrder((make.atom(), make.atom())))


def next_before(make: Sequences) -> Node:
    """`L ; (A && B) ∘ R`."""
    return Seq(next_alone(make), make.chooser.pick(SIGNS), make.element(1))


def next_beside(make: Sequences) -> Node:
    """`L ; (A && B | X)`, perhaps with `∘ R`."""
    both = AnyOrder((make.atom(), make.atom()))
    other = make.part(make.chooser.integer(0, 1))
    whole = Seq(make.atom(), ";", Or((both, *(other.parts if isinstance(other, Or) else (other,)))))
    return Seq(whole, make.chooser.pick(SIGNS), make.element(0)) if make.chooser.chance(40) else whole


@pytest.mark.parametrize("form", [next_alone, next_before, next_beside])
def test_next_is_the_one_and_then_the_other(form: Form) -> None:
    """Where no events are simultaneous, none fits two sides, an event has one row, the sides share only what L
    certainly binds, and no filter of one reads a variable of the other."""
    found = asked = 0
    for seed in range(900):
        pair = apart(templated(seed, form))
        if follow_each_other(pair):
            asked += 1
            found += same(pair.query, with_sequence(pair.query, sequenced(";", at_once=False)), pair.events)
    assert asked > 200
    assert found > 40


def follow_each_other(pair: Pair) -> bool:
    """The conditions of the law on a query that begins with the atom L."""
    nodes = list(walk_nodes(pair.query.sequence))
    first = next(pair.query.gpm(node.gpm) for node in nodes if isinstance(node, Atom))
    sides = next(node.sides for node in nodes if isinstance(node, AnyOrder))
    one, other = (pair.query.gpm(side.gpm) for side in sides if isinstance(side, Atom))
    if not set(one.variables) & set(other.variables) <= certain(first) or reads_across(pair.query):
        return False
    return not any({one.name, other.name} <= {name for name, _ in fitting(pair.query, event)} for event in pair.events)


def divided(make: Sequences) -> Node:
    """`L : ((X | Y) && Z)` without Kleenes, perhaps with `∘ R`."""
    branches = Or((make.bop(1), Seq(make.atom(), make.chooser.pick(SIGNS), make.atom())))
    whole = Seq(make.element(0), ":", AnyOrder((branches, make.bop(make.chooser.integer(0, 1)))))
    return Seq(whole, make.chooser.pick(SIGNS), make.element(0)) if make.chooser.chance(40) else whole


def test_a_branch_may_be_chosen_before() -> None:
    """Where nothing competes, `L : ((X | Y) && Z)` = `L : (X && Z | Y && Z)`, also with filters across."""

    def chosen(node: Node) -> Node:
        match node:
            case AnyOrder((Or(branches), other)):
                return Or(tuple(AnyOrder((branch, other)) for branch in branches))
        return node

    found = sum(
        same(pair.query, with_sequence(pair.query, chosen), pair.events)
        for pair in (templated(seed, divided) for seed in range(600))
        if "filter of what another side has too" not in pair.labels
    )
    assert found > 150
