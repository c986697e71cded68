"""`X && Y` in the oracle, against results derived by hand from semantics.md 3.6, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from tests.oracle import Event, columns, evaluate
from tests.oracle.expressions import Aggregate, Binary, Bound, Var
from tests.oracle.model import (
    And,
    AnyOrder,
    Column,
    Gpm,
    Kleene,
    Maybe,
    Node,
    Not,
    Or,
    Partition,
    Select,
    Window,
)
from tests.oracle.sequences import is_valid
from tests.oracle.test_oracle import (
    SECOND,
    STREAM,
    A,
    B,
    C,
    D,
    N,
    decided,
    event,
    events,
    expect,
    gpm,
    integer,
    iri,
    matches,
    plus,
    query,
    seq,
    star,
    windowed,
)
from tests.oracle.text import sequence_text


def together(*sides: Node) -> AnyOrder:
    return AnyOrder(sides)


AB = together(A, B)


SEQUENCES: list[tuple[Node, str, str]] = [
    # Order: sides in any order or at one time; commutative and associative.
    (AB, "a1 b1", "a1 b1"),
    (AB, "b1 a1", "a1 b1"),
    (AB, "a1/b1", "a1 b1"),
    (AB, "a1", ""),
    (together(A, B, C), "c1 a1 b1", "a1 b1 c1"),
    (together(AB, C), "c1 a1 b1", "a1 b1 c1"),
    (together(A, together(B, C)), "b1 a1 c1", "a1 b1 c1"),
    # "Later than all before" is meant of the own side: the other's picks lie before, between, after, at one time.
    (together(seq(A, ":", C), B), "b1 a1 c1", "a1 b1 c1"),
    (together(seq(A, ":", C), B), "a1 b1 c1", "a1 b1 c1"),
    (together(seq(A, ":", C), B), "a1 c1 b1", "a1 b1 c1"),
    (together(seq(A, ":", C), B), "a1/b1 c1", "a1 b1 c1"),
    (together(seq(A, ":", C), B), "c1 b1 a1", ""),
    (together(seq(A, ":", C), seq(B, ":", D)), "a1 b1 c1 d1", "a1 b1 c1 d1"),
    # One event for two sides.
    (AB, "ab1", "ab1"),
    (AB, "ab1 a1", "ab1, a1 ab1"),
    (together(seq(A, ":", C), seq(B, ":", C)), "a1 b1 c1", "a1 b1 c1"),
    # Free and under `:` each side goes on from p at any later time.
    (AB, "a1 b1 a2 b2", "a1 b1, a1 b2, a2 b1, a2 b2"),
    (seq(D, ":", AB), "b0 d1 a1 b1 a2", "a1 b1 d1, a2 b1 d1"),
    # Under `;` each side takes the next from p, not from where the other side ended, and sides do not compete.
    (seq(D, ";", AB), "d1 b1 b2 a1 b3", "a1 b1 d1"),
    (seq(D, ";", AB), "d1 b1/b2 a1", "a1 b1 d1, a1 b2 d1"),
    (seq(D, ";", together(A, seq(B, ";", C))), "d1 c1 b1 a1 c2 c3", "a1 b1 c2 d1"),
    # The remainder: p waits for the other side, whatever came meanwhile.
    (seq(D, ";", AB), "d1 a1 c1 a2 c2 b1", "a1 b1 d1"),
    # Under `,` all sides begin at the next time of Σ.
    (seq(D, ",", AB), "d1 a1/b1", "a1 b1 d1"),
    (seq(D, ",", AB), "d1 a1 b1", ""),
    (seq(D, ",", together(A, seq(B, ";", C))), "d1 a1/b1 d2 c1", "a1 b1 c1 d1"),
    # … and within a side no event of Σ lies between, the other side's included.
    (together(seq(A, ",", C), B), "a1 b1 c1", ""),
    (together(seq(A, ",", C), B), "a1 c1 b1", "a1 b1 c1"),
    (together(seq(A, ",", C), B), "a1/b1 c1", "a1 b1 c1"),
    # Beside `|`: the earlier first event of A and B competes with that of C.
    (seq(D, ";", Or((AB, C))), "d1 a1 c1 b1", "a1 b1 d1"),
    (seq(D, ";", Or((AB, C))), "d1 b1 c1 a1", "a1 b1 d1"),
    (seq(D, ";", Or((AB, C))), "d1 c1 a1 b1", "c1 d1"),
    (seq(D, ";", Or((AB, C))), "d1 a1/c1 b1", "a1 b1 d1, c1 d1"),
    # A dead end does not revive another branch.
    (seq(D, ";", Or((AB, C))), "d1 a1 c1", ""),
    (seq(D, ";", Or((seq(AB, ";", N), C))), "d1 a1 c1 b1", ""),
    # A `|` inside a side competes within that side.
    (seq(D, ";", together(Or((A, C)), B)), "d1 b1 c1 a1", "b1 c1 d1"),
    (seq(D, ";", together(Or((together(A, C), N)), B)), "d1 b1 n1 a1 c1", "b1 d1 n1"),
    (seq(D, ";", together(Or((together(A, C), N)), B)), "d1 a1 n1 b1 c1", "a1 b1 c1 d1"),
    # What follows is governed from the union: its last event is the latest end.
    (seq(AB, ";", C), "a1 c1 b1 c2 c3", "a1 b1 c2"),
    (seq(AB, ",", C), "a1 c1 b1 c2 c3", "a1 b1 c2"),
    (seq(AB, ",", C), "a1 b1 d1 c1", ""),
    (seq(AB, ":", C), "a1 c1 b1 c2 c3", "a1 b1 c2, a1 b1 c3"),
    (seq(AB, ";", together(C, D)), "c1 a1 d1 b1 d2 c2", "a1 b1 c2 d2"),
    # Ends and ties.
    (together(seq(A, ":", C), seq(B, ":", D)), "a1 b1 cd1", "a1 b1 cd1"),
    (together(seq(A, ":", C), seq(B, ":", D)), "ab1 c1/d1", "ab1 c1 d1"),
    # Negation: within a side between its neighbours of that side.
    (together(seq(A, ":", Not(N), ":", C), B), "a1 b1 n1 c1", ""),
    (together(seq(A, ":", Not(N), ":", C), B), "b1 n1 a1 c1 n2", "a1 b1 c1"),
    (together(seq(A, ":", Not(N), ":", C), B), "a1 c1 n1 b1", "a1 b1 c1"),
    # Around the element the interval ends at the earliest pick, and begins at the latest.
    (seq(D, ":", Not(N), ":", AB), "d1 a1 n1 b1", "a1 b1 d1"),
    (seq(D, ":", Not(N), ":", AB), "d1 n1 a1 b1", ""),
    (seq(AB, ":", Not(N), ":", C), "a1 n1 b1 c1", "a1 b1 c1"),
    (seq(AB, ":", Not(N), ":", C), "a1 b1 n1 c1", ""),
    (seq(AB, ";", Not(N), ";", together(C, D)), "a1 b1 c1 n1 d1", "a1 b1 c1 d1"),
    (seq(Not(N), ";", AB), "a1 n1 b1", "a1 b1"),
    (seq(Not(N), ";", AB), "n1 a1 b1", ""),
    (seq(AB, ";", Not(N)), "a1 n1 b1", "a1 b1"),
    (seq(AB, ";", Not(N)), "a1 b1 n1", ""),
    # Within a side the element that a negation stands beside may be an `&&` too.
    (together(seq(D, ":", Not(N), ":", AB), C), "d1 c1 a1 n1 b1", "a1 b1 c1 d1"),
    (together(seq(D, ":", Not(N), ":", AB), C), "d1 n1 c1 a1 b1", ""),
    # Absence as negation, and across an absent element the operator before the `&&` counts.
    (seq(D, ":", Maybe(N), ",", AB), "d1 a1/b1", "a1 b1 d1"),
    (seq(D, ":", Maybe(N), ",", AB), "d1 n1 a1/b1", "a1 b1 d1 n1"),
    (seq(AB, ";", Maybe(N), ";", C), "a1 n1 b1 c1", "a1 b1 c1"),
    (seq(AB, ";", Maybe(N), ";", C), "a1 b1 n1 c1", "a1 b1 c1 n1"),
    # An absent element that may begin with an `&&` may begin with each of its sides.
    (seq(D, ";", Maybe(seq(AB, ";", N)), ";", C), "d1 b1 c1", ""),
    # Kleenes: each number of iterations is a way of its own.
    (together(plus(A), B), "a1 b1 a2", "a1 b1, a2 b1, a1 a2 b1"),
    (together(plus(A), B), "a1 c1 a2 b1", "a1 b1, a2 b1, a1 a2 b1"),
    # `&&` does not count for the default of the iteration operator, a `, ; :` around does.
    (seq(D, ":", together(plus(A), B)), "d1 a1 c1 a2 b1", "a1 b1 d1, a2 b1 d1"),
    (together(seq(plus(A), ":", C), B), "a1 d1 a2 c1 b1", "a1 b1 c1, a2 b1 c1"),
    (seq(D, ";", together(plus(A, ";"), B)), "d1 b1 a1 b2 a2 a3", "a1 b1 d1, a1 a2 b1 d1, a1 a2 a3 b1 d1"),
    # The iterations of an outer Kleene.
    (plus(seq(D, ";", AB), ";"), "d1 b1 a1 d2 a2 b2", "a1 b1 d1, a2 b2 d2, a1 a2 b1 b2 d1 d2"),
    # Several in one sequence, within `|`.
    (Or((AB, together(C, D))), "a1 d1 c1 b1", "a1 b1, c1 d1"),
    (seq(AB, ":", together(C, D)), "b1 a1 d1 c1", "a1 b1 c1 d1"),
]


@pytest.mark.parametrize(("sequence", "stream", "expected"), SEQUENCES)
def test_sequences(sequence: Node, stream: str, expected: str) -> None:
    found = matches(query(sequence), stream)
    assert found == {" ".join(sorted(match.split())) for match in expect(expected)}


def test_one_gpm_for_two_sides() -> None:
    twice = query(together(A, A), Gpm("A", "s", "[] :A []", ()))
    assert matches(twice, "a1 a2") == {"a1", "a2", "a1 a2"}
    # a1 for the one side and a2 for the other, or the other way round: picks are sets, so it is one match.
    assert len(evaluate(twice, [event("a1", 0), event("a2", 1)])) == 3


ROUNDS = plus(seq(D, ";", together(B, Kleene(seq(A, ":", Not(N), ":", C), 1, 1))), ";")

KEYED: list[tuple[Node, str, str]] = [
    # What the sides share joins.
    (AB, "a1@x b1@y b2@x", "a1 b2"),
    # Two "next" events that do not join are a dead end, and no later one is tried.
    (seq(C, ";", AB), "c1@x a1@y b1@x a2@x b2@x", "a2 b1 c1"),
    (seq(C, ":", AB), "c1@x a1@x b1@y b2@x b3@x", "a1 b2 c1, a1 b3 c1"),
    # Within a Kleene ?k is no group variable if another side has it.
    (together(plus(A, ";"), B), "a1@x a2@y b1@x", "a1 b1"),
    (together(plus(A, ";"), B), "a1@x b1@x a2@x", "a1 b1, a2 b1, a1 a2 b1"),
    # A negation in a side joins the final Ω, to which the other sides belong.
    (together(seq(A, ":", Not(N), ":", C), B), "a1@x n1@y c1@x b1@x", "a1 b1 c1"),
    (together(seq(A, ":", Not(N), ":", C), B), "a1@x n1@x c1@x b1@x", ""),
    # In Kleenes it has the values of its iteration; here each iteration of the outer one has a key of its own.
    (ROUNDS, "d1@x b1@x a1@x c1@x d2@y a2@y b2@y n1@x c2@y", "a1 b1 c1 d1, a2 b2 c2 d2, a1 a2 b1 b2 c1 c2 d1 d2"),
    (ROUNDS, "d1@x b1@x a1@x c1@x d2@y a2@y b2@y n1@y c2@y", "a1 b1 c1 d1"),
]


@pytest.mark.parametrize(("sequence", "stream", "expected"), KEYED)
def test_sequences_with_a_shared_key(sequence: Node, stream: str, expected: str) -> None:
    assert matches(query(sequence, keyed=True), stream) == expect(expected)


@pytest.mark.parametrize("forbidden", [1, 2, 3])
def test_a_negation_in_a_kleene_of_a_side_reads_its_iteration(forbidden: int) -> None:
    reads = gpm("N", Binary("=", Var("vn"), Var("va")))
    rounds = query(Kleene(ROUNDS.body, 3, 3, ";"), reads)
    stream = f"d1 b1 a1=1 c1 d2 a2=2 c2 b2 d3 a3=3 n1={forbidden} c3 b3"
    assert matches(rounds, stream) == ({"a1 a2 a3 b1 b2 b3 c1 c2 c3 d1 d2 d3"} if forbidden != 3 else set())


def test_a_variable_of_one_side_alone_is_a_group_variable() -> None:
    asked = query(together(plus(A, ";"), B), gpm("A", keyed=True))
    assert matches(asked, "a1@x a2@y b1") == {"a1 b1", "a2 b1", "a1 a2 b1"}


def test_a_shared_variable_under_next_is_a_dead_end() -> None:
    # Nothing before the `&&` binds ?k: a1 and b1 are the next ones, do not join, and neither a2 nor b2 is tried.
    asked = query(seq(C, ";", AB), gpm("A", keyed=True), gpm("B", keyed=True))
    assert matches(asked, "c1 a1@x b1@y a2@y b2@x") == set()
    assert matches(asked, "c1 a1@x b1@x") == {"a1 b1 c1"}


def test_rows_of_a_union_come_from_one_row() -> None:
    # Ω has a row for :x and one for :y. a1 goes on from that of :x, b1 from that of :y: no mapping, no union.
    keys = ((iri("c1"), iri("C"), integer(0)), (iri("c1"), iri("key"), iri("x")), (iri("c1"), iri("key"), iri("y")))
    both = Event(STREAM, 0, "c1", keys)
    asked = query(seq(C, ";", AB), keyed=True)
    assert evaluate(asked, [both, event("a1@x", 1), event("b1@y", 2), event("b2@x", 3)]) == []
    found = evaluate(asked, [both, event("a1@x", 1), event("b1@x", 2)])
    assert [dict(one.row)["k"] for one in found] == [iri("x")]
    # The rows of c1 are compatible. A goes on from the one with ?vc, B from the one with ?k.
    either = Gpm("C", "s", "{ ?c :C ?vc } UNION { ?c :key ?k }", ("c", "vc", "k"))
    asked = query(seq(C, ";", AB), either, gpm("A", Bound(Var("vc"))), gpm("B", Bound(Var("k"))))
    assert evaluate(asked, [event("c1@x", 0), event("a1", 1), event("b1", 2)]) == []
    asked = query(seq(C, ";", AB), either, gpm("A", Bound(Var("k"))), gpm("B", Bound(Var("k"))))
    assert matches(asked, "c1@x a1 b1") == {"a1 b1 c1"}


def test_windows_bound_the_union() -> None:
    sliding = Window(2, "SECONDS", sliding=True)
    assert windowed(AB, "a1 - b1 - - a2", sliding) == {"a1 b1"}
    assert windowed(together(seq(A, ":", C), B), "b1 a1 - c1", sliding) == set()
    assert windowed(AB, "a1 c1 b1 a2", Window(2, "EVENTS", sliding=True)) == {"a2 b1"}
    # Windows never change what is possible: b1 beats c1 though a1 comes too late.
    assert windowed(seq(D, ";", Or((AB, C))), "d1 b1 c1 a1", sliding) == set()
    assert windowed(seq(D, ";", Or((AB, C))), "d1 c1 b1 a1", sliding) == {"c1 d1"}


def test_negation_at_the_edges_of_the_window() -> None:
    sliding = Window(3, "SECONDS", sliding=True)
    assert windowed(seq(Not(N), ";", AB), "n1 - b1 - a1", sliding) == {"a1 b1"}
    assert windowed(seq(Not(N), ";", AB), "- n1 b1 - a1", sliding) == set()
    assert windowed(seq(AB, ";", Not(N)), "b1 - a1 n1", sliding) == set()
    assert windowed(seq(AB, ";", Not(N)), "b1 n1 a1 - n2", sliding) == {"a1 b1"}


def test_decision_time() -> None:
    assert decided(query(AB), "b1 a1") == [SECOND]
    assert decided(query(seq(AB, ";", Not(N))), "b1 a1") == [inf]
    assert decided(query(seq(AB, ";", Maybe(N)), window=Window(2, "SECONDS", sliding=True)), "- b1 a1") == [3 * SECOND]
    assert decided(query(seq(Not(N), ";", AB)), "b1 a1") == [SECOND]
    found = evaluate(query(together(seq(A, ":", C), B)), [event("a1", 1), event("c1", 4), event("b1", 2)])
    assert [(one.first, one.last) for one in found] == [(SECOND, 4 * SECOND)]


def test_clauses_see_a_match_as_any_other() -> None:
    assert columns(query(together(B, A))) == ["b", "vb", "a", "va"]
    distinct = query(AB, select=Select(("a",), distinct=True))
    assert [dict(one.row) for one in evaluate(distinct, events("b1/b2 a1"))] == [{"a": iri("a1")}]
    count = query(AB, select=Select((Column(Aggregate("COUNT", None), "n"),)))
    assert [(one.decided, dict(one.row)) for one in evaluate(count, events("b1/b2 a1"))] == [
        (SECOND, {"n": integer(2)})
    ]
    by_key = replace(query(seq(D, ",", AB), keyed=True), partition=Partition(("k",)))
    assert matches(by_key, "d1@x d2@y a1@x/b1@x a2@y") == {"a1 b1 d1"}


def test_aggregates_range_over_the_iterations_of_a_side() -> None:
    total = Select(("b", Column(Aggregate("SUM", "va"), "sum"), Column(Aggregate("LAST", "va"), "last")))
    found = evaluate(query(together(Kleene(A, 2, 2), B), select=total), events("a1=3 b1 a2=4"))
    assert [dict(one.row) for one in found] == [{"b": iri("b1"), "sum": integer(7), "last": integer(4)}]


def test_an_unbound_variable_of_a_side_is_compatible() -> None:
    optional = Gpm("A", "s", "?a :A ?va OPTIONAL { ?a :key ?k }", ("a", "va", "k"))
    asked = query(AB, optional, gpm("B", keyed=True))
    assert matches(asked, "a1 b1@x a2@y a3@x") == {"a1 b1", "a3 b1"}
    assert [dict(one.row)["k"] for one in evaluate(asked, [event("a1", 0), event("b1@x", 1)])] == [iri("x")]


REFUSED: list[Node] = [
    AnyOrder((A,)),
    plus(AB),
    star(AB),
    Kleene(AB, 2, 2),
    Maybe(AB),
    seq(A, ";", Not(AB)),
    And((AB, C)),
]
REFUSED += [together(side, B) for side in (Not(A), Maybe(A), star(A), Kleene(A, 0, 2), seq(A, ";", Not(N)))]
REFUSED += [together(B, side) for side in (seq(Not(N), ";", A), seq(Maybe(A), ";", C), Or((plus(A), star(C))))]
ALLOWED: list[Node] = [
    AB,
    together(plus(A), seq(B, ";", C), Or((A, seq(B, ",", C)))),
    together(And((A, C)), AB),
    Or((AB, C)),
]
ALLOWED += [together(seq(A, ";", Not(N), ";", C), B), seq(AB, ";", AB), together(seq(A, ";", Maybe(N), ";", C), B)]


def test_validity() -> None:
    assert [sequence_text(node) for node in REFUSED if is_valid(node)] == []
    assert [sequence_text(node) for node in ALLOWED if not is_valid(node)] == []


def test_text() -> None:
    assert sequence_text(ALLOWED[1]) == "A+ && (B ; C) && (A | (B , C))"
    assert sequence_text(ALLOWED[2]) == "A & C && (A && B)"
    assert sequence_text(seq(D, ";", Or((AB, C)), ",", AB)) == "D ; A && B | C , A && B"
    assert sequence_text(together(Or((A, B)), plus(seq(A, ";", AB)))) == "(A | B) && (A ; A && B)+"
    assert sequence_text(seq(D, ";", seq(AB, ";", C))) == "D ; (A && B ; C)"
