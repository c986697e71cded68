"""Where the sentences of semantics.md 3.6 need a condition that they do not name: the definition holds."""

from __future__ import annotations

from tests.oracle import Event, evaluate
from tests.oracle.expressions import Aggregate, Binary, Bound, Var
from tests.oracle.model import And, Column, Gpm, Kleene, Maybe, Node, Or, Select
from tests.oracle.test_any_order import AB, together
from tests.oracle.test_oracle import (
    SECOND,
    STREAM,
    A,
    B,
    C,
    D,
    event,
    gpm,
    integer,
    iri,
    matches,
    query,
    row_of,
    seq,
)

PERHAPS_KEYED = "?{0} :{1} ?v{0} OPTIONAL {{ ?{0} :key ?k }}"


def perhaps(name: str, *filters: Binary) -> Gpm:
    """A GPM in which ?k is in scope, but may have no value."""
    low = name.lower()
    return Gpm(name, "s", PERHAPS_KEYED.format(low, name), (low, f"v{low}", "k"), filters)


def written_out(sign: str, *more: Node) -> Node:
    """`A sign B` or `B sign A`."""
    return Or((seq(A, sign, B), seq(B, sign, A), *more))


def test_next_of_several_rows() -> None:
    """`L ; (A && B)` is `L ; ((A ; B) | (B ; A))` if an event has one row: a1 goes on from one row, b1 from another."""
    keys = ((iri("c1"), iri("C"), integer(0)), (iri("c1"), iri("key"), iri("x")), (iri("c1"), iri("key"), iri("y")))
    stream = [Event(STREAM, 0, "c1", keys), event("a1@x", 1), event("b1@y", 2), event("b2@x", 3)]
    assert evaluate(query(seq(C, ";", AB), keyed=True), stream) == []
    assert len(evaluate(query(seq(C, ";", written_out(";")), keyed=True), stream)) == 1


def test_next_with_a_filter_across() -> None:
    """… and without filters across: in `A ; B` B's filter chooses among the Bs."""
    reads = gpm("B", Binary("<", Var("va"), Var("vb")))
    assert matches(query(seq(D, ";", AB), reads), "d1 a1=1 b1=0 b2=2") == set()
    assert matches(query(seq(D, ";", written_out(";")), reads), "d1 a1=1 b1=0 b2=2") == {"a1 b2 d1"}


def test_a_filter_of_what_its_own_side_binds_perhaps() -> None:
    """The equation, and `L , (A && B)` = `L , (A & B)`: ?k is in scope in A, so that the filter is not across."""
    reads = perhaps("A", Binary("&&", Bound(Var("k")), Bound(Var("vd"))))
    keyed = gpm("B", keyed=True)
    assert matches(query(seq(D, ":", AB), reads, keyed), "d1 b1@x a1") == set()
    assert matches(query(seq(D, ":", written_out(":", And((A, B)))), reads, keyed), "d1 b1@x a1") == {"a1 b1 d1"}
    assert matches(query(seq(D, ",", AB), reads, keyed), "d1 b1@x/a1") == set()
    assert matches(query(seq(D, ",", And((A, B))), reads, keyed), "d1 b1@x/a1") == {"a1 b1 d1"}


def test_a_filter_of_what_is_before_perhaps() -> None:
    """D may bind ?vd, so that A's filter is not across where D is absent either, and then false."""
    reads = gpm("A", Binary("<", Var("va"), Var("vd")))
    has = Gpm("B", "s", "?b :B ?vb ; :d ?vd", ("b", "vb", "vd"))
    of_b = ((iri("b1"), iri("B"), integer(0)), (iri("b1"), iri("d"), integer(5)))
    stream = [event("a1=1", 0), Event(STREAM, SECOND, "b1", of_b)]
    assert len(evaluate(query(AB, reads, has), stream)) == 1
    assert evaluate(query(seq(Maybe(D), ":", AB), reads, has), stream) == []


def test_associative_if_a_variable_that_is_read_is_bound_once() -> None:
    """The smallest `&&` is the one of A and B, and there ?k may have no value yet."""
    given = gpm("A", Binary("=", Bound(Var("k")), Bound(Var("va")))), perhaps("B"), gpm("C", keyed=True)
    assert matches(query(together(A, B, C), *given), "a1 b1 c1@x") == {"a1 b1 c1"}
    assert matches(query(together(AB, C), *given), "a1 b1 c1@x") == set()
    assert matches(query(together(A, together(B, C)), *given), "a1 b1 c1@x") == {"a1 b1 c1"}


def test_strict_contiguity_of_a_first_element() -> None:
    """Where L may be absent, nothing governs the `&&`, and its sides need not be at one time."""
    assert matches(query(seq(Maybe(D), ",", AB)), "a1 b1") == {"a1 b1"}
    assert matches(query(seq(Maybe(D), ",", And((A, B)))), "a1 b1") == set()


def test_an_aggregate_of_an_expression_does_not_see_other_sides() -> None:
    """It is evaluated when an iteration ends, on what is bound then: what came before, not what another side binds."""
    product = Select((Column(Aggregate("SUM", Binary("*", Var("va"), Var("vb"))), "x"),))
    assert row_of(query(together(Kleene(A, 2, 2), B), select=product), "b1=10 a1=1 a2=2") == [{"x": integer(0)}]
    assert row_of(query(seq(B, ":", Kleene(A, 2, 2)), select=product), "b1=10 a1=1 a2=2") == [{"x": integer(30)}]
