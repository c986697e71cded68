"""Filters of one side of `&&` that read another, in the oracle, against results derived by hand from 3.6."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.oracle.across import filters_across
from tests.oracle.expressions import Aggregate, Binary, Bound, Coalesce, Const, Expression, First, Negated, Prev, Var
from tests.oracle.model import And, Atom, Gpm, Kleene, Maybe, Node, Not, Or
from tests.oracle.plan import plan_of
from tests.oracle.test_any_order import AB, together
from tests.oracle.test_oracle import A, B, C, D, N, expect, gpm, matches, plus, query, seq


def comparing(left: str | Expression, sign: str, right: str | Expression) -> Expression:
    """`?left sign ?right`, or of other expressions."""
    return Binary(sign, *(Var(one) if isinstance(one, str) else one for one in (left, right)))


A_BELOW_B = gpm("A", comparing("va", "<", "vb"))
A_BELOW_C = gpm("A", comparing("va", "<", "vc"))
N_ABOVE_B = gpm("N", comparing("vn", ">", "vb"))
BOTH = Binary("+", Var("vb"), Var("vc"))
FORBIDDEN = together(seq(A, ";", Not(N), ";", C), B)
PERHAPS = together(seq(A, ";", Maybe(N), ";", C), B)

JUDGED: list[tuple[Node, Gpm, str, str]] = [
    # On the union, whichever side comes first.
    (AB, A_BELOW_B, "a1=1 b1=2 a2=3", "a1 b1"),
    (AB, A_BELOW_B, "a1=1 b1=2 a2=0", "a1 b1, a2 b1"),
    (together(A, B, C), A_BELOW_B, "b1=2 c1 a1=3 a2=1", "a2 b1 c1"),
    # In `A : B` the variable comes later, and the filter is false; it is bound in `B : A`.
    (seq(A, ":", B), A_BELOW_B, "a1=1 b1=2", ""),
    (Or((seq(A, ":", B), seq(B, ":", A), And((A, B)))), A_BELOW_B, "a1=1 b1=2 a2=0", "a2 b1"),
    # It counts for nothing in a way: a1 is the next A, and a2 is not tried.
    (seq(D, ";", AB), A_BELOW_B, "d1 a1=5 a2=1 b1=3", ""),
    # … nor does it keep a1 from beating c1.
    (seq(D, ";", Or((AB, C))), A_BELOW_B, "d1 a1=5 c1 b1=3", ""),
    (seq(D, ",", AB), A_BELOW_B, "d1 a1=5/a2=1/b1=3", "a2 b1 d1"),
    # A filter that reads what comes before is evaluated at its own step and takes part in the competition,
    (seq(D, ";", AB), gpm("A", comparing("va", "<", "vd")), "d1=4 a1=5 a2=1 b1=3", "a2 b1 d1"),
    # … so does one that reads its own side,
    (together(seq(A, ";", C), B), gpm("C", comparing("va", "<", "vc")), "a1=2 c1=1 c2=3 b1", "a1 b1 c2"),
    # … and what only comes later in its own side is not bound.
    (together(seq(A, ";", C), B), A_BELOW_C, "a1=1 c1=2 b1", ""),
    # On the union it is bound, if the filter is across for another variable.
    (together(seq(A, ";", C), B), gpm("A", comparing("vb", "<", "vc")), "a1 c1=2 b1=1", "a1 b1 c1"),
    # What a conjunction binds, its step binds.
    (together(And((A, C)), B), A_BELOW_C, "a1=2/c1=1/c2=3 b1", "a1 b1 c2"),
    (together(And((A, C)), B), A_BELOW_B, "a1=2/c1 b1=1 b2=3", "a1 b2 c1"),
    # A negated or absent atom of a side sees the final Ω, as everywhere.
    (FORBIDDEN, N_ABOVE_B, "b1=5 a1 n1=5 c1", "a1 b1 c1"),
    (FORBIDDEN, N_ABOVE_B, "b1=5 a1 n1=6 c1", ""),
    (PERHAPS, N_ABOVE_B, "b1=5 a1 n1=5 c1", "a1 b1 c1"),
    (PERHAPS, N_ABOVE_B, "b1=5 a1 n1=6 c1", "a1 b1 c1 n1"),
    # The union of the smallest `&&` whose sides bind what is read: C is in the outer one only,
    (together(AB, C), gpm("B", comparing("vb", "=", "vc")), "a1 b1=1 b2=2 c1=2", "a1 b2 c1"),
    (together(AB, C), gpm("B", comparing("va", "<", BOTH)), "a1=2 b1=1 c1=1 c2=2", "a1 b1 c2"),
    (together(seq(D, ";", AB), C), gpm("B", comparing("vb", "=", "vc")), "d1 b1=1 b2=2 a1 c1=2", ""),
    # … A is in the inner one: for D to come there must be a union of A and B that satisfies the filter.
    (together(seq(AB, ";", D), C), gpm("A", comparing("va", "=", "vb")), "a1=1 b1=2 d1 b2=1 d2 c1", "a1 b2 c1 d2"),
]


@pytest.mark.parametrize(("sequence", "special", "stream", "expected"), JUDGED)
def test_filters_across(sequence: Node, special: Gpm, stream: str, expected: str) -> None:
    assert matches(query(sequence, special), stream) == expect(expected)


TWICE, PAIRS = together(Kleene(A, 2, 2), B), together(Kleene(seq(A, ",", C), 2, 2), B)
MANY, BOTH_MANY = together(plus(A), B), together(plus(A), plus(B))
LESS_EACH = comparing(Aggregate("COUNT", "va"), "<", "vb")
TOTAL = comparing(Aggregate("SUM", "va"), "=", "vb")
PREVIOUS = comparing(Coalesce((Prev("va"), Const(0))), "<", "vb")
EQUAL = comparing("va", "=", "vb")

ITERATED: list[tuple[Node, str, Expression, str, str]] = [
    # For every iteration, with that iteration's group variables.
    (together(plus(A, ":"), B), "A", comparing("va", "<", "vb"), "a1=1 a2=5 a3=2 b1=3", "a1 b1, a3 b1, a1 a3 b1"),
    (MANY, "A", comparing("va", "<", "vb"), "a1=1 a2=5 a3=2 b1=3", "a1 b1, a3 b1"),
    (PAIRS, "C", comparing("va", "<", "vb"), "a1=1 c1 a2=5 c2 b1=3", ""),
    (PAIRS, "C", comparing("va", "<", "vb"), "a1=1 c1 a2=2 c2 b1=3", "a1 a2 b1 c1 c2"),
    # … those of an inner Kleene too.
    (together(plus(Kleene(A, 2, 2)), B), "A", comparing("va", "<", "vb"), "a1 a2 a3 a4=9 b1=3", "a1 a2 b1, a2 a3 b1"),
    # An `&&` in the body of a Kleene is taken in every iteration, and its filters are judged in each.
    (plus(seq(D, ";", AB), ";"), "A", comparing("va", "<", "vb"), "d1 a1=1 b1=2 d2 a2=2 b2=1", "a1 b1 d1"),
    (plus(seq(D, ";", AB), ";"), "A", comparing("va", "<", "vb"), "d1 a1=5 b1=2 d2 a2=1 b2=2", "a2 b2 d2"),
    # The group variable of another side has its last value; an aggregate ranges over all iterations of that way.
    (TWICE, "B", comparing("va", "<", "vb"), "a1=5 a2=1 b1=3", "a1 a2 b1"),
    (MANY, "B", TOTAL, "a1=1 b1=3 a2=2 a3=1", "a1 a2 b1, a2 a3 b1"),
    # In its own Kleene an aggregate is of the iterations completed so far: none, then one.
    (MANY, "A", LESS_EACH, "a1 a2 a3 b1=2", "a1 b1, a2 b1, a3 b1, a1 a2 b1, a2 a3 b1"),
    # PREV and FIRST are of the own iterations,
    (TWICE, "A", PREVIOUS, "a1=1 a2=3 b1=2", "a1 a2 b1"),
    (TWICE, "A", PREVIOUS, "a1=2 a2=1 b1=2", ""),
    (TWICE, "A", comparing(First("va"), "<", "vb"), "a1=1 a2=3 b1=2", "a1 a2 b1"),
    (TWICE, "A", comparing(First("va"), "<", "vb"), "a1=3 a2=1 b1=2", ""),
    # … and never look across.
    (BOTH_MANY, "B", Binary("&&", EQUAL, Negated(Bound(Prev("va")))), "a1 a2 b1", "a1 b1, a2 b1, a1 a2 b1"),
    (BOTH_MANY, "B", Binary("&&", EQUAL, Bound(First("va"))), "a1 b1", ""),
]


@pytest.mark.parametrize(("sequence", "name", "filter_", "stream", "expected"), ITERATED)
def test_filters_across_and_iterations(
    sequence: Node, name: str, filter_: Expression, stream: str, expected: str
) -> None:
    assert matches(query(sequence, gpm(name, filter_)), stream) == expect(expected)


READS_D, READS_C = gpm("A", comparing("va", "<", "vd")), gpm("A", comparing("va", "<", "vc"))
B_WITH_D = Gpm("B", "s", "?b :B ?vb ; :d ?vd", ("b", "vb", "vd"))
B_WITH_C = Gpm("B", "s", "?b :B ?vb ; :c ?vc", ("b", "vb", "vc"))

CLASSES: list[tuple[Node, tuple[Gpm, ...], list[int]]] = [
    (AB, (A_BELOW_B,), [0]),
    (together(AB, C), (A_BELOW_B,), [0]),
    (together(AB, C), (A_BELOW_C,), [1]),
    (together(AB, C), (gpm("A", comparing("va", "<", "vb"), comparing("vb", "<", "vc")),), [0, 1]),
    # Only what something before, or in the own side up to the step, may bind keeps it from being across:
    (seq(D, ";", AB), (READS_D, B_WITH_D), []),
    (seq(Maybe(D), ";", AB), (READS_D, B_WITH_D), []),
    (together(seq(D, ";", A), B), (READS_D, B_WITH_D), []),
    (together(And((D, A)), B), (READS_D, B_WITH_D), []),
    (together(And((A, Or((C, D)))), B), (READS_D, B_WITH_D), []),
    # … whether it gives a value in a row is no matter,
    (AB, (Gpm("A", "s", "?a :A ?va OPTIONAL { ?a :d ?vd }", ("a", "va", "vd"), READS_D.filters), B_WITH_D), []),
    # … not what comes later, stands in another branch, or is negated.
    (seq(AB, ";", D), (READS_D, B_WITH_D), [0]),
    (together(seq(A, ";", C), B), (READS_C, B_WITH_C), [0]),
    (Or((seq(D, ";", C), AB)), (READS_D, B_WITH_D), [0]),
    (together(Or((A, D)), B), (READS_D, B_WITH_D), [0]),
    (seq(D, ":", Not(N), ":", AB), (gpm("A", comparing("va", "<", "vn")),), []),
    # What only comes later, or in a negated atom, no other side binds.
    (seq(AB, ";", D), (READS_D,), []),
    (together(A, seq(B, ";", Not(N), ";", C)), (gpm("A", comparing("va", "<", "vn")),), []),
    # The own side belongs to the sides whose variables count.
    (together(together(seq(A, ";", C), D), B), (READS_C, B_WITH_C), [0]),
    # Aggregates name variables, PREV and FIRST do not.
    (MANY, (gpm("B", TOTAL),), [0]),
    (BOTH_MANY, (gpm("B", comparing(Prev("va"), "<", First("va"))),), []),
]


@pytest.mark.parametrize(("sequence", "special", "expected"), CLASSES)
def test_which_filters_are_across(sequence: Node, special: tuple[Gpm, ...], expected: list[int]) -> None:
    """Each as how many `&&` around it are too small for it."""
    plan = plan_of(query(sequence, *special))
    found = filters_across(plan)
    around = {one.number: [number for number, _ in reversed(one.around.sides)] for one in plan.occurrences}
    assert [around[own].index(number) for own, filters in found.items() for _, number in filters] == expected


# Two iterations written out: one GPM for each, with variables of its own.


def copy(number: int, *filters: Expression) -> Gpm:
    """The GPM A of one iteration."""
    return Gpm(f"A{number}", "s", f"?a{number} :A ?va{number}", (f"a{number}", f"va{number}"), filters)


EACH: list[tuple[Expression, list[Expression], list[Expression]]] = [
    (comparing("va", "<", "vb"), [comparing("va1", "<", "vb")], [comparing("va2", "<", "vb")]),
    (Coalesce((comparing(Prev("va"), "<=", "vb"), Const(value=True))), [], [comparing("va1", "<=", "vb")]),
    (comparing(First("va"), ">=", "vb"), [comparing("va1", ">=", "vb")], [comparing("va1", ">=", "vb")]),
    (
        comparing(Aggregate("COUNT", "va"), "<", "vb"),
        [comparing(Const(0), "<", "vb")],
        [comparing(Const(1), "<", "vb")],
    ),
    (comparing(Aggregate("SUM", "va"), "<", "vb"), [comparing(Const(0), "<", "vb")], [comparing("va1", "<", "vb")]),
]


@pytest.mark.parametrize("before", ["", ",", ";", ":"])
@pytest.mark.parametrize("sign", [",", ";", ":"])
def test_two_iterations_written_out(before: str, sign: str) -> None:
    """`A{2} && B` with a filter of A across, and `(A1 ∘ A2) && B` with the same of each iteration."""
    chance, found = Random(7), 0
    for filter_, first, second in EACH * 24:
        words = [f"{chance.choice('aab')}{number}={chance.randrange(4)}" for number in range(5)]
        stream = words[0] + "".join(chance.choice("   /") + word for word in words[1:])
        whole = [query(seq(D, before, side) if before else side) for side in sides_of(sign)]
        given = gpm("A", filter_), copy(1, *first), copy(2, *second)
        kleene, written = (replace(one, gpms=(*one.gpms[1:], *given)) for one in whole)
        wanted = matches(written, f"d9 {stream}")
        assert matches(kleene, f"d9 {stream}") == wanted, (filter_, stream)
        found += len(wanted)
    assert found > 5


def sides_of(sign: str) -> tuple[Node, Node]:
    """Two iterations of A beside B, and the same written out."""
    return together(Kleene(A, 2, 2, sign), B), together(seq(Atom("A1"), sign, Atom("A2")), B)
