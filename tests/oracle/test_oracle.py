"""The oracle against results derived by hand from the semantics."""

from __future__ import annotations

from decimal import Decimal
from math import inf

import pytest

from tests.oracle import Event, Query, columns, evaluate, to_text
from tests.oracle.exhaustive import streams
from tests.oracle.expressions import (
    Aggregate,
    Binary,
    Bound,
    Coalesce,
    Const,
    Expression,
    First,
    If,
    Negated,
    Prev,
    Var,
)
from tests.oracle.model import And, Atom, Column, Gpm, Kleene, Maybe, Node, Not, Or, Select, Seq, Window

SECOND = 10**6
BASE = "http://example.org/"
STREAM = BASE + "stream/s"
OTHER = BASE + "stream/t"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
A, B, C, D, N = (Atom(name) for name in "ABCDN")


def plus(body: Node, operator: str | None = None) -> Kleene:
    return Kleene(body, 1, None, operator)


def star(body: Node, operator: str | None = None) -> Kleene:
    return Kleene(body, 0, None, operator)


def seq(*elements: Node | str) -> Node:
    """A left-associative chain of elements and operators in turn."""
    whole = elements[0]
    assert not isinstance(whole, str)
    for operator, element in zip(elements[1::2], elements[2::2], strict=True):
        assert isinstance(operator, str)
        assert not isinstance(element, str)
        whole = Seq(whole, operator, element)
    return whole


def iri(name: str) -> str:
    return f"<{BASE}{name}>"


def integer(value: int) -> str:
    return f'"{value}"^^<{INTEGER}>'


def event(text: str, time: int, stream: str = STREAM) -> Event:
    """`ab1@k=5`: an event named ab1 of the types A and B, with key :k and value 5 (0 when not given)."""
    name, _, value = text.partition("=")
    name, _, key = name.partition("@")
    subject = iri(name)
    triples = [(subject, iri(letter.upper()), integer(int(value or 0))) for letter in name.rstrip("0123456789")]
    triples += [(subject, iri("key"), iri(key))] if key else []
    return Event(stream, time * SECOND, name, tuple(triples))


def events(text: str) -> list[Event]:
    """Events one second apart; those joined by `/` are simultaneous, those after `~` in the other stream."""
    return [
        event(word.lstrip("~"), time, OTHER if word.startswith("~") else STREAM)
        for time, words in enumerate(text.split())
        for word in words.split("/")
        if word != "-"
    ]


def gpm(name: str, *filters: Expression, keyed: bool = False, pattern: str = "", stream: str = "s") -> Gpm:
    """GPM X binds the event to ?x and its value to ?vx, keyed also ?k."""
    low = name.lower()
    text = pattern or f"?{low} :{name} ?v{low}" + (" ; :key ?k" if keyed else "")
    return Gpm(name, stream, text, (low, f"v{low}", *(["k"] if keyed else [])), filters)


def query(
    sequence: Node,
    *special: Gpm,
    keyed: bool = False,
    select: Select | None = None,
    window: Window | None = None,
    streams: tuple[tuple[str, str], ...] = (("s", STREAM),),
) -> Query:
    given = {definition.name: definition for definition in special}
    gpms = tuple(given.get(name, gpm(name, keyed=keyed)) for name in "ABCDN")
    return Query(sequence, gpms, streams, select or Select(), window)


def matches(asked: Query, stream: str) -> set[str]:
    """The events of every result, as `a1 b1`, in order of name."""
    return {
        " ".join(sorted({name for _, names in result.picks for name in names}))
        for result in evaluate(asked, events(stream))
    }


def expect(text: str) -> set[str]:
    return {match.strip() for match in text.split(",") if match.strip()}


FIGURE = "a1 b1 c1 a2 a3 b2 c2"

SEQUENCES: list[tuple[Node, str, str]] = [
    # Figure 1, no shared variables.
    (seq(A, ",", B, ",", C), FIGURE, "a1 b1 c1, a3 b2 c2"),
    (seq(A, ";", B, ";", C), FIGURE, "a1 b1 c1, a2 b2 c2, a3 b2 c2"),
    (seq(A, ":", B, ":", C), FIGURE, "a1 b1 c1, a1 b1 c2, a1 b2 c2, a2 b2 c2, a3 b2 c2"),
    # Parentheses do not change a sequence.
    (seq(A, ",", seq(B, ";", C)), "a1 b1 a2 c1", "a1 b1 c1"),
    (seq(A, ",", seq(B, ";", C)), "a1 c1 b1 c2", ""),
    (seq(A, ";", seq(B, ",", C)), "a1 b1 a2 c1", ""),
    # Simultaneous events: none precedes another, all earliest count.
    (A, "a1/a2", "a1, a2"),
    (seq(A, ":", B), "a1/b1", ""),
    (seq(A, ";", B), "a1 b1/b2 b3", "a1 b1, a1 b2"),
    (seq(A, ",", B), "a1/c1 b1/b2/c2", "a1 b1, a1 b2"),
    (seq(A, ",", B), "a1 c1 b1", ""),
    (seq(A, ";", B), "a1 c1 b1", "a1 b1"),
    # A dead end does not revive another branch: b1 wins, c1 before b1 is no matter.
    (seq(A, ";", B, ",", C), "a1 b1 b2 c1", ""),
    (seq(A, ":", B, ",", C), "a1 b1 b2 c1", "a1 b2 c1"),
    # Disjunction.
    (Or((A, B)), "a1 b1 c1", "a1, b1"),
    (seq(A, ";", Or((B, C))), "a1 c1 b1", "a1 c1"),
    (seq(A, ";", Or((B, C))), "a1 b1/c1 b2", "a1 b1, a1 c1"),
    (seq(A, ":", Or((B, C))), "a1 c1 b1", "a1 c1, a1 b1"),
    # Branches compete by their first event: c1 comes before b1, so (B ; D) never starts.
    (seq(A, ";", Or((seq(B, ";", D), C))), "a1 c1 b1 d1", "a1 c1"),
    (seq(A, ";", Or((seq(B, ";", D), C))), "a1 b1 c1", ""),
    (seq(A, ";", Or((seq(B, ";", D), C))), "a1 b1 c1 d1", "a1 b1 d1"),
    # Conjunction: one timestamp, one event may serve several.
    (And((A, B)), "a1/b1 a2 b2", "a1 b1"),
    (And((A, B)), "ab1", "ab1"),
    (And((A, B)), "ab1/a1", "ab1, a1 ab1"),
    (seq(A, ";", And((B, C))), "a1 b1 b2/c2", "a1 b2 c2"),
    (And((A, Or((B, C)))), "a1/c1 a2/b2/c2 b3", "a1 c1, a2 b2, a2 c2"),
    # Kleene: each number of iterations is a match; the default is `;` alone, `,` within a sequence.
    (plus(A), "a1 a2 a3", "a1, a2, a3, a1 a2, a2 a3, a1 a2 a3"),
    (plus(A, ":"), "a1 a2 a3", "a1, a2, a3, a1 a2, a1 a3, a2 a3, a1 a2 a3"),
    (plus(A), "a1 b1 a2", "a1, a2, a1 a2"),
    (plus(A, ","), "a1 b1 a2", "a1, a2"),
    (seq(A, ";", plus(B), ";", C), "a1 b1 d1 b2 c1", "a1 b1 c1"),
    (seq(A, ";", plus(B, ";"), ";", C), "a1 b1 d1 b2 c1", "a1 b1 c1, a1 b1 b2 c1"),
    (seq(A, ";", plus(B), ";", C), "a1 b1 b2 c1", "a1 b1 c1, a1 b1 b2 c1"),
    (seq(A, ";", plus(B, ":"), ";", C), "a1 b1 b2 b3 c1", "a1 b1 c1, a1 b1 b2 c1, a1 b1 b3 c1, a1 b1 b2 b3 c1"),
    (Kleene(A, 2, 2), "a1 a2 a3", "a1 a2, a2 a3"),
    (Kleene(A, 2, None), "a1 a2 a3", "a1 a2, a2 a3, a1 a2 a3"),
    (Kleene(A, 1, 2, ":"), "a1 a2 a3", "a1, a2, a3, a1 a2, a1 a3, a2 a3"),
    (plus(seq(A, ";", B)), "a1 b1 a2 b2", "a1 b1, a2 b2, a1 b1 a2 b2"),
    (plus(seq(A, ",", B), ","), "a1 b1 c1 a2 b2", "a1 b1, a2 b2"),
    (seq(Kleene(seq(A, ",", B), 2, 2), ",", C), "a1 b1 a2 b2 c1", "a1 a2 b1 b2 c1"),
    (Or((plus(A), B)), "a1 a2 b1", "a1, a2, a1 a2, b1"),
    (Kleene(Kleene(A, 2, 2, ","), 2, 2, ";"), "a1 a2 b1 a3 a4", "a1 a2 a3 a4"),
    # Each iteration picks at least one event, and within it an absent element lets the next operator enter.
    (plus(Maybe(A)), "a1 a2", "a1, a2, a1 a2"),
    # A star alone is no match without an event.
    (star(A), "b1 a1", "a1"),
    # Optional: taken or absent, absent forbids what it could begin with, across it the next operator counts.
    (seq(A, ";", Maybe(B), ";", C), "a1 b1 c1", "a1 b1 c1"),
    (seq(A, ";", Maybe(B), ";", C), "a1 c1 b1 c2", "a1 c1, a1 b1 c2"),
    (seq(A, ";", Maybe(B), ",", C), "a1 b1 d1 c1", ""),
    (seq(A, ",", Maybe(B), ";", C), "a1 d1 b1 c1", ""),
    (seq(A, ",", Maybe(B), ";", C), "a1 d1 c1", "a1 c1"),
    (seq(A, ";", star(B), ";", C), "a1 b1 b2 c1", "a1 b1 b2 c1, a1 b1 c1"),
    (seq(Maybe(A), ";", B), "b1", "b1"),
    (seq(Maybe(A), ";", B), "a1 b1", "a1 b1"),
    (seq(A, ";", Maybe(B)), "a1 b1", "a1 b1"),
    (seq(A, ";", Maybe(B)), "a1 c1", "a1"),
    (seq(A, ";", Maybe(seq(B, ";", D)), ";", C), "a1 b1 c1", ""),
    (seq(A, ";", Maybe(seq(Maybe(B), ";", D)), ";", C), "a1 d1 c1", "a1 c1 d1"),
    (seq(A, ";", Maybe(seq(B, ";", D)), ";", C), "a1 d1 c1", "a1 c1"),
    # Negation: on the finished match, strictly between, the operator before it means nothing.
    (seq(A, ";", Not(N), ";", B), "a1 n1 b1", ""),
    (seq(A, ";", Not(N), ";", B), "a1/n1 c1 b1/n2", "a1 b1"),
    (seq(A, ";", Not(N), ";", B), "a1 n1 b1 a2 b2", "a2 b2"),
    (seq(A, ":", Not(N), ":", B), "a1 b1 n1 b2", "a1 b1"),
    (seq(A, ":", Not(N), ",", B), "a1 c1 b1", ""),
    (seq(Not(N), ";", A), "a1 n1 a2", "a1"),
    (seq(A, ";", Not(N)), "a1 n1 a2", "a2"),
    (seq(A, ";", Not(And((N, D))), ";", B), "a1 n1 d1 b1 a2 n2/d2 b2", "a1 b1"),
    (seq(A, ";", Not(Or((N, D))), ";", B), "a1 d1 b1 a2 c2 b2", "a2 b2"),
    # It never influences which events are picked: `;` takes b1, which n1 forbids; b2 is not taken instead.
    (seq(A, ";", Not(N), ";", B), "a1 n1 b1 b2", ""),
    (plus(seq(A, ";", Not(N), ";", B)), "a1 b1 a2 n1 b2", "a1 b1"),
    (plus(seq(A, ",", Not(N))), "a1 n1 a2", "a2"),
    # A GPM may occur several times; here its ?a joins, and no two events share it.
    (seq(A, ":", A), "a1 a2 a3", ""),
]


@pytest.mark.parametrize(("sequence", "stream", "expected"), SEQUENCES)
def test_sequence_without_shared_variables(sequence: Node, stream: str, expected: str) -> None:
    wanted = {" ".join(sorted(match.split())) for match in expect(expected)}
    assert matches(query(sequence), stream) == wanted


KEYED: list[tuple[Node, str, str]] = [
    # The earliest event that joins, not the earliest of the type.
    (seq(A, ";", B), "a1@x b1@y b2@x b3@x", "a1 b2"),
    (seq(A, ",", B), "a1@x b1@y b2@x", ""),
    # The competition is per partial match: each A has its own earliest B.
    (seq(A, ";", B), "a1@x a2@y b1@y b2@x", "a1 b2, a2 b1"),
    (And((A, B)), "a1@x/b1@y a2@x/b2@x", "a2 b2"),
    # A negated atom must join.
    (seq(A, ";", Not(N), ";", B), "a1@x n1@y b1@x", "a1 b1"),
    (seq(A, ";", Not(N), ";", B), "a1@x n1@x b1@x", ""),
    (seq(A, ";", Maybe(N), ";", B), "a1@x n1@y b1@x", "a1 b1"),
    # ?k occurs outside the Kleene, so it joins in every iteration.
    (seq(A, ";", plus(B, ";"), ";", C), "a1@x b1@x b2@y b3@x c1@x", "a1 b1 c1, a1 b1 b3 c1"),
    # Alone in the Kleene, ?k is a group variable: iterations do not join with one another.
    (plus(A), "a1@x a2@y", "a1, a2, a1 a2"),
    # ?k is in scope in A and B, both within the body: it joins within an iteration only.
    (plus(seq(A, ";", B)), "a1@x b1@x a2@y b2@y", "a1 b1, a2 b2, a1 a2 b1 b2"),
    # In scope in a negated atom outside only: still a group variable; N sees the last iteration's value.
    (seq(plus(A, ";"), ";", Not(N), ";", Atom("M")), "a1@x a2@y n1@x m1", "a2 m1, a1 a2 m1"),
    # In the body: N sees that iteration's value (n1@x after a1@x drops whatever holds a1 there).
    (plus(seq(A, ";", Not(N))), "a1@x n1@x a2@y", "a2"),
    (plus(seq(A, ";", Not(N))), "a1@x n1@y a2@y", "a1, a2, a1 a2"),
]


@pytest.mark.parametrize(("sequence", "stream", "expected"), KEYED)
def test_sequence_with_a_shared_key(sequence: Node, stream: str, expected: str) -> None:
    asked = query(sequence, keyed=True)
    asked = Query(asked.sequence, (*asked.gpms, gpm("M")), asked.streams)
    assert matches(asked, stream) == expect(expected)


def test_a_gpm_occurs_several_times() -> None:
    anonymous = Gpm("A", "s", "[] :A []", ())
    assert matches(query(seq(A, ";", A), anonymous), "a1 a2 a3") == {"a1 a2", "a2 a3"}
    assert matches(query(seq(A, ":", A), anonymous), "a1 a2 a3") == {"a1 a2", "a1 a3", "a2 a3"}


def at_least(name: str, value: int) -> Expression:
    return Binary(">=", Var(name), Const(value))


def test_stateful_filter_takes_part_in_the_competition() -> None:
    rising = gpm("B", Binary("<", Var("va"), Var("vb")))
    assert matches(query(seq(A, ";", B), rising), "a1=5 b1=3 b2=5 b3=6 b4=7") == {"a1 b3"}


def test_filter_naming_a_later_variable_is_an_error_hence_false() -> None:
    early = gpm("A", Binary("<", Var("va"), Var("vb")))
    assert matches(query(seq(A, ";", B), early), "a1=1 b1=2") == set()
    not_bound = gpm("A", Negated(Bound(Var("vb"))))
    assert matches(query(seq(A, ";", B), not_bound), "a1=1 b1=2") == {"a1 b1"}


def test_filter_in_a_conjunction_sees_all_its_atoms() -> None:
    below = gpm("A", Binary("<", Var("va"), Var("vb")))
    assert matches(query(And((A, B)), below), "a1=1/b1=2 a2=3/b2=2") == {"a1 b1"}


def test_filter_of_a_negated_atom_reads_later_atoms() -> None:
    above = gpm("N", Binary(">", Var("vn"), Var("vb")))
    assert matches(query(seq(A, ";", Not(N), ";", B), above), "a1 n1=5 b1=7 a2 n2=5 b2=4") == {"a1 b1"}


def test_three_valued_logic() -> None:
    unknown = Binary("<", Var("nothing"), Const(1))
    true = Const(value=True)
    for accepted in (Binary("||", unknown, true), Binary("||", true, unknown), Coalesce((unknown, true))):
        assert matches(query(A, gpm("A", accepted)), "a1") == {"a1"}
    for refused in (unknown, Negated(unknown), Binary("&&", unknown, true), If(unknown, true, true)):
        assert matches(query(A, gpm("A", refused)), "a1") == set()


def test_local_filter_sees_the_event_alone() -> None:
    # ?k is in scope in B but unbound in b1: the join would bind it, the filter of the event alone does not see it.
    optional = "?b :B ?vb OPTIONAL { ?b :key ?k }"
    local = Gpm("B", "s", optional, ("b", "vb", "k"), (Bound(Var("k")),))
    keyed = gpm("A", keyed=True)
    assert matches(query(seq(A, ";", B), keyed, local), "a1@x b1 b2@x") == {"a1 b2"}
    free = Gpm("B", "s", optional, ("b", "vb", "k"))
    assert matches(query(seq(A, ";", B), keyed, free), "a1@x b1 b2@x") == {"a1 b1"}


def test_an_unbound_variable_may_be_bound_later() -> None:
    # a1 leaves ?k unbound, b1 binds it to :x, and then only c2 joins.
    optional = Gpm("A", "s", "?a :A ?va OPTIONAL { ?a :key ?k }", ("a", "va", "k"))
    asked = query(seq(A, ";", B, ";", C), optional, keyed=True)
    assert matches(asked, "a1 b1@x c1@y c2@x") == {"a1 b1 c2"}


def test_several_mappings_are_one_match_with_several_rows() -> None:
    both = Event(STREAM, 0, "ab", ((iri("p"), iri("A"), integer(1)), (iri("q"), iri("A"), integer(2))))
    asked = query(seq(A, ";", B), gpm("B", at_least("vb", 0), Binary("<", Var("va"), Var("vb"))))
    later = [event("b1=1", 1), event("b2=2", 2), event("b3=3", 3)]
    found = evaluate(asked, [both, *later])
    # Ω ⋈ b2 holds only the mapping with ?va = 1, and is not empty: b2 is the earliest step, b3 is not taken.
    assert [(r.picks, dict(r.row)["va"]) for r in found] == [((("A", ("ab",)), ("B", ("b2",))), integer(1))]
    rows = {dict(r.row)["va"] for r in evaluate(asked, [both, later[2]])}
    assert rows == {integer(1), integer(2)}


ASCENDING = Coalesce((Binary("<", Prev("va"), Var("va")), Const(value=True)))
COUNTED = Binary("<", Aggregate("COUNT", "va"), Const(2))

HISTORIES: list[tuple[Node, tuple[Expression, ...], str, str]] = [
    (plus(A), (ASCENDING,), "a1=1 a2=3 a3=2", "a1, a2, a3, a1 a2"),
    # 3 < 2 fails after a2, 1 < 2 holds after a1, with any event between.
    (plus(A, ":"), (ASCENDING,), "a1=1 a2=3 a3=2", "a1, a2, a3, a1 a2, a1 a3"),
    (plus(A), (Negated(Bound(Prev("va"))),), "a1 a2", "a1, a2"),
    (plus(A), (Binary("<", Prev("va"), Var("va")),), "a1=1 a2=2", ""),
    (plus(A), (Binary("=", First("va"), Var("va")),), "a1=1 a2=2 a3=1", "a1, a2, a3, a1 a3"),
    # In the third iteration two are completed.
    (plus(A), (COUNTED,), "a1 a2 a3", "a1, a2, a3, a1 a2, a2 a3"),
    (plus(A), (Binary("<=", Aggregate("SUM", "va"), Const(3)),), "a1=1 a2=3 a3=9", "a1, a2, a3, a1 a2, a2 a3"),
    # Of none, SUM is 0 and MAX unbound.
    (plus(A), (Binary("=", Aggregate("SUM", "va"), Const(0)),), "a1=1 a2=3", "a1, a2"),
    (plus(A), (Binary(">=", Aggregate("MAX", "va"), Const(0)),), "a1=1 a2=3", ""),
    # Nothing is reset by an outer iteration: the third A of four finds two completed iterations.
    (Kleene(Kleene(A, 2, 2), 2, 2), (COUNTED,), "a1 a2 a3 a4", ""),
]


@pytest.mark.parametrize(("sequence", "filters", "stream", "expected"), HISTORIES)
def test_group_variables_in_filters(
    sequence: Node, filters: tuple[Expression, ...], stream: str, expected: str
) -> None:
    assert matches(query(sequence, gpm("A", *filters)), stream) == expect(expected)


def test_aggregate_in_a_filter_after_the_kleene() -> None:
    enough = gpm("B", Binary("=", Aggregate("COUNT", "va"), Const(2)))
    assert matches(query(seq(plus(A), ";", B), enough), "a1 a2 a3 b1") == {"a1 a2 b1", "a2 a3 b1"}


def test_unset_before_every_iteration() -> None:
    # In B's filter ?vc is of the same iteration, and there it comes later: never bound.
    guarded = gpm("B", Negated(Bound(Var("vc"))))
    assert matches(query(Kleene(seq(B, ";", C), 2, 2), guarded), "b1 c1 b2 c2") == {"b1 b2 c1 c2"}


def row_of(asked: Query, stream: str) -> list[dict[str, str]]:
    return [dict(result.row) for result in evaluate(asked, events(stream))]


def test_group_variable_has_the_last_value_in_results() -> None:
    rows = row_of(query(seq(Kleene(A, 2, 2), ";", B), select=Select(("va", "b"))), "a1=1 a2=2 b1")
    assert rows == [{"va": integer(2), "b": iri("b1")}]


def test_absent_iterations_leave_variables_unbound() -> None:
    assert row_of(query(seq(A, ";", star(B), ";", C), select=Select(("a", "vb"))), "a1 c1") == [{"a": iri("a1")}]


def test_disjunction_leaves_the_other_side_unbound() -> None:
    assert row_of(query(Or((A, B))), "b1=3") == [{"b": iri("b1"), "vb": integer(3)}]
    assert columns(query(seq(Or((B, A)), ";", Not(N)))) == ["b", "vb", "a", "va"]


def test_aggregates_in_select() -> None:
    functions = ("COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST", "LAST", "GROUP_CONCAT")
    items = tuple(Column(Aggregate(function, "vb"), function.lower()) for function in functions)
    asked = query(seq(A, ";", star(B), ";", C), select=Select(items))
    decimal = '"{}"^^<http://www.w3.org/2001/XMLSchema#decimal>'.format
    assert row_of(asked, "a1 c1") == [{"count": integer(0), "sum": integer(0), "avg": integer(0)}]
    full = {
        "count": integer(2),
        "sum": integer(7),
        "avg": decimal("3.5"),
        "min": integer(2),
        "max": integer(5),
        "first": integer(5),
        "last": integer(2),
        "group_concat": '"5 2"',
    }
    assert full in row_of(asked, "a1 b1=5 b2=2 c1")


def windowed(sequence: Node, stream: str, window: Window) -> set[str]:
    return matches(query(sequence, window=window), stream)


def test_tumbling_windows_include_both_ends() -> None:
    two = Window(2, "SECONDS")
    # Windows [0, 2], [2, 4], …: b at 2 belongs to a at 0; a at 1 has none of its own at 3.
    assert windowed(seq(A, ":", B), "a1 a2 b1 b2", two) == {"a1 b1", "a2 b1"}
    # first = 2 lies in window 1, [2, 4].
    assert windowed(seq(A, ":", B), "- - a1 b1 b2 b3", two) == {"a1 b1", "a1 b2"}


def test_window_origin() -> None:
    # Windows [1 + 2k, 3 + 2k]: a1 at 0 lies in [-1, 1], a2 at 1 in [1, 3].
    origin = Window(2, "SECONDS", origin=SECOND)
    assert windowed(seq(A, ":", B), "a1 a2 b1 b2 b3", origin) == {"a2 b1", "a2 b2"}
    # As in Example 11, windows [20 + 50k, 70 + 50k]: 15 and 40 lie in different windows.
    anonymous = Gpm("A", "s", "[] :A []", ())
    asked = query(seq(A, ":", A), anonymous, window=Window(50, "SECONDS", origin=20 * SECOND))
    stream = [event("a1", 15), event("a2", 40), event("a3", 70), event("a4", 71)]
    assert [result.picks for result in evaluate(asked, stream)] == [(("A", ("a2", "a3")),), (("A", ("a3", "a4")),)]


def test_sliding_window() -> None:
    sliding = Window(2, "SECONDS", sliding=True)
    assert windowed(seq(A, ":", B), "a1 a2 b1 b2 b3", sliding) == {"a1 b1", "a2 b1", "a2 b2"}


def test_event_windows() -> None:
    assert windowed(seq(A, ":", B), "a1 b1 a2 b2", Window(3, "EVENTS")) == {"a1 b1"}
    assert windowed(seq(A, ":", B), "a1 b1 a2 b2", Window(3, "EVENTS", sliding=True)) == {"a1 b1", "a2 b2"}
    assert windowed(seq(A, ":", B), "a1/c1/c2 b1", Window(3, "EVENTS", sliding=True)) == set()
    assert windowed(seq(A, ":", B), "c1/c2/a1 b1", Window(3, "EVENTS", sliding=True)) == {"a1 b1"}


def test_negation_reaches_to_the_edges_of_the_window() -> None:
    tumbling, sliding = Window(2, "SECONDS"), Window(2, "SECONDS", sliding=True)
    assert windowed(seq(Not(N), ";", A), "n1 - a1 a2", tumbling) == {"a1", "a2"}
    assert windowed(seq(Not(N), ";", A), "- - n1 a1", tumbling) == set()
    assert windowed(seq(Not(N), ";", A), "n1 - a1 a2", sliding) == {"a2"}
    assert windowed(seq(A, ";", Not(N)), "a1 a2 n1", tumbling) == set()
    assert windowed(seq(A, ";", Not(N)), "a1 a2 - n1", tumbling) == {"a1", "a2"}
    assert windowed(seq(A, ";", Not(N)), "a1 a2 - n1", sliding) == {"a1"}
    # Positions 0-1, 2-3: n1 at position 1 is in a1's window, a2 at 2 has its own.
    assert windowed(seq(A, ";", Not(N)), "a1 n1 a2 c1 n2", Window(2, "EVENTS")) == {"a2"}
    assert windowed(seq(Not(N), ";", A), "n1 a1 c1 a2", Window(2, "EVENTS", sliding=True)) == {"a2"}


def decided(asked: Query, stream: str) -> list[float]:
    return [result.decided for result in evaluate(asked, events(stream))]


def test_decision_time() -> None:
    two = Window(2, "SECONDS")
    assert decided(query(seq(A, ";", B)), "a1 b1") == [SECOND]
    assert decided(query(seq(A, ";", Not(N))), "a1") == [inf]
    assert decided(query(seq(A, ";", Not(N)), window=two), "- a1") == [2 * SECOND]
    assert decided(query(seq(A, ";", Maybe(B)), window=Window(2, "SECONDS", sliding=True)), "- a1") == [3 * SECOND]
    assert decided(query(seq(A, ";", Maybe(B)), window=two), "a1 b1") == [SECOND]
    assert decided(query(seq(Not(N), ";", A), window=two), "- a1") == [SECOND]
    assert decided(query(seq(A, ";", Not(N)), window=Window(2, "EVENTS")), "a1 c1 c2 a2") == [SECOND, 3 * SECOND]
    assert decided(query(seq(A, ";", Not(N)), window=Window(2, "EVENTS")), "a1 c1 a2") == [SECOND, inf]


def test_negation_drops_the_whole_match() -> None:
    # Ω has a mapping for each key; n1 joins that of :x only, and the match with both is dropped.
    keys = [(iri("a1"), iri("A"), integer(0)), (iri("a1"), iri("key"), iri("x")), (iri("a1"), iri("key"), iri("y"))]
    both = Event(STREAM, 0, "a1", tuple(keys))
    asked = query(seq(A, ";", Not(N), ";", B), gpm("B"), keyed=True)
    assert evaluate(asked, [both, event("n1@x", 1), event("b1", 2)]) == []
    assert len(evaluate(asked, [both, event("n1@z", 1), event("b1", 2)])) == 2


SMALL = list(streams("ABC"))[::3]


def same(left: Node, right: Node) -> None:
    for stream in SMALL:
        assert found(left, stream) == found(right, stream), stream


def found(sequence: Node, stream: tuple[Event, ...]) -> set[object]:
    keyed = [Gpm(name, "s", f"?k :{name} ?{name.lower()}", ("k", name.lower())) for name in "ABC"]
    return {result.identity for result in evaluate(Query(sequence, tuple(keyed)), stream)}


@pytest.mark.parametrize("first", ",;:")
@pytest.mark.parametrize("second", ",;:")
def test_laws_on_small_streams(first: str, second: str) -> None:
    same(seq(A, first, B, second, C), seq(A, first, seq(B, second, C)))
    same(seq(A, first, Maybe(B), second, C), seq(A, first, seq(Maybe(B), second, C)))
    same(seq(A, first, Kleene(B, 1, 1), second, C), seq(A, first, B, second, C))
    same(seq(A, first, star(B)), seq(A, first, Maybe(plus(B))))
    same(seq(A, first, Kleene(B, 0, 2, second)), seq(A, first, Maybe(Kleene(B, 1, 2, second))))
    same(seq(Or((seq(A, first, B), C)), second, A), seq(Or((C, seq(A, first, B))), second, A))
    for stream in SMALL:
        taken, absent = seq(A, first, B, second, C), seq(A, first, Not(B), second, C)
        assert found(seq(A, first, Maybe(B), second, C), stream) == found(taken, stream) | found(absent, stream)


def test_strategies_are_nested() -> None:
    for stream in SMALL:
        strict, next_, any_ = (found(seq(A, sign, B, sign, C), stream) for sign in ",;:")
        assert strict <= next_ <= any_


def test_streams() -> None:
    two = (("s", STREAM), ("t", OTHER))
    on_t = gpm("B", stream="t")
    asked = query(seq(A, ",", B), on_t, streams=two)
    assert matches(asked, "a1 ~b1 a2 b2 ~b3") == {"a1 b1"}
    # A stream of Σ that no GPM uses breaks contiguity; one outside Σ does not exist.
    assert matches(query(seq(A, ",", B), streams=two), "a1 ~c1 b1") == set()
    assert matches(query(seq(A, ",", B)), "a1 ~c1 b1") == {"a1 b1"}
    assert matches(query(And((A, B)), on_t, streams=two), "a1/~b1") == {"a1 b1"}
    assert matches(query(A, gpm("A", stream=f"<{OTHER}>"), streams=two), "a1 ~a2") == {"a2"}
    # Two names for one IRI are one stream.
    assert matches(query(seq(A, ",", B), on_t, streams=(("s", STREAM), ("t", STREAM))), "a1 b1") == {"a1 b1"}
    # Simultaneous events count in the order of FROM STREAM: b1 is at position 0, a1 at 1.
    swapped = query(seq(A, ";", C), streams=(("t", OTHER), ("s", STREAM)), window=Window(2, "EVENTS", sliding=True))
    assert matches(swapped, "a1/~b1 c1") == {"a1 c1"}


def test_result_is_a_set_per_gpm_name() -> None:
    # ?va is a group variable of `A+`, and both derivations (inner and outer iteration) pick the same events.
    assert len(evaluate(query(plus(plus(A))), events("a1 a2"))) == 3
    # A & A with two simultaneous events: the set {a1, a2} for A, whichever atom picked which; ?a must join, so no.
    assert matches(query(And((A, A))), "a1/a2") == {"a1", "a2"}
    free = Gpm("A", "s", "[] :A []", ())
    found = evaluate(query(And((A, A)), free), events("a1/a2"))
    assert [result.picks for result in found] == [(("A", ("a1",)),), (("A", ("a1", "a2")),), (("A", ("a2",)),)]


def test_distinct() -> None:
    asked = query(seq(A, ":", B), select=Select(("b",), distinct=True))
    found = evaluate(asked, events("a1 a2 b1 b2"))
    assert [(r.last, dict(r.row)) for r in found] == [(2 * SECOND, {"b": iri("b1")}), (3 * SECOND, {"b": iri("b2")})]


def test_aggregates_over_matches() -> None:
    items = ("vb", Column(Aggregate("COUNT", None), "n"), Column(Aggregate("SUM", "va"), "total"))
    asked = query(seq(A, ":", B), select=Select(items, group_by=("vb",)))
    found = evaluate(asked, events("a1=1 a2=5 b1=7/b2=8 b3=7"))
    rows = [(r.decided // SECOND, dict(r.row)) for r in found]
    row = {"n": integer(2), "total": integer(6)}
    assert rows == [(2, row | {"vb": integer(7)}), (2, row | {"vb": integer(8)}), (3, row | {"vb": integer(7)})]


def test_joins_are_on_canonical_terms() -> None:
    padded = Event(STREAM, 0, "a1", ((iri("a1"), iri("A"), f'"01"^^<{INTEGER}>'),))
    equal = Gpm("B", "s", "?b :B ?va", ("b", "va"))
    found = evaluate(query(seq(A, ";", B), equal), [padded, event("b1=1", 1)])
    assert [dict(result.row)["va"] for result in found] == [integer(1)]


def test_text() -> None:
    definition = Gpm("A", "s", "?a :A ?va", ("a", "va"), (Binary("<", Prev("va"), Const(Decimal(2))),))
    sequence = seq(plus(seq(A, ";", Or((A, And((A, A))))), ":"), ",", seq(Not(A), ";", Kleene(Maybe(A), 0, 3)))
    window = Window(3, "SECONDS", origin=SECOND)
    asked = Query(sequence, (definition,), select=Select(("a", Column(Aggregate("COUNT", "va"), "n"))), window=window)
    assert to_text(asked) == (
        "PREFIX : <http://example.org/>\n"
        "SELECT ?a (COUNT(?va) AS ?n)\n"
        'WITHIN 3 SECONDS FROM "1970-01-01T00:00:01.000000Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>\n'
        "FROM STREAM s <http://example.org/stream/s>\n"
        "WHERE {\n"
        "  SEQ((A ; A | A & A):+ , (A! ; A?{0,3}))\n"
        "  DEFINE GPM A ON s { ?a :A ?va FILTER((PREV(?va) < 2.0)) }\n"
        "}\n"
    )
