"""SELECT: expressions, sets, DISTINCT and aggregates over matches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import Literal, NamedNode

from gpm.algebra import Aggregate, Literal as Constant, Operation, Projection, Variable
from nfa_native.terms.dictionary import Terms
from spaseq.errors import SnapshotError
from spaseq.results.projection import Projector
from spaseq.results.table import MatchTable
from tests.results.plans import HandMadePlan, Row, raw_matches, select_plan
from tests.results.tables import iri

XSD = "http://www.w3.org/2001/XMLSchema#"
X, Y = Variable("x"), Variable("y")
PLAIN = (Projection("x", X),)
Values = list[tuple[int, int, int, tuple[str | None, ...]]]


def name_of(handle: int) -> str:
    return f"http://example.org/e{handle}"


def shown(table: MatchTable) -> Values:
    """(first, last, decided, values as text) of each result."""
    rows = []
    for index, match in enumerate(table):
        values = tuple(None if value is None else value.text for _, value in table.row(index))
        rows.append((*match.microseconds, values))
    return rows


def run(plan: HandMadePlan, rows: Sequence[Row], cuts: Sequence[int] = (), restart: bool = False) -> Values:
    """All results of rows that come in batches cut at these places, perhaps with a snapshot at every cut."""
    terms = Terms()
    projector = Projector(plan, terms, name_of)
    results: Values = []
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(rows)], strict=True):
        results += shown(projector.project(raw_matches(terms, len(plan.columns), rows[start:end])))
        if restart:
            projector, terms = restarted(projector, plan, terms)
    return results + shown(projector.finish())


def restarted(projector: Projector, plan: HandMadePlan, terms: Terms) -> tuple[Projector, Terms]:
    """The same projector over another term table, in which every word is another one."""
    other = Terms()
    other.intern(b"Iurn:shift")
    held = np.unique(projector.trace())
    words = {word: other.intern(terms.bytes(word)) if word else 0 for word in held.tolist()}
    copy = Projector(plan, other, name_of)
    copy.restore(projector.snapshot(), lambda old: np.array([words[word] for word in old.tolist()], np.uint64))
    return copy, other


def number(value: int) -> Literal:
    return Literal(value)


def test_variables_events_and_times() -> None:
    terms = Terms()
    projector = Projector(select_plan(("x", "y"), (Projection("y", Y), Projection("x", X))), terms, name_of)
    table = projector.project(raw_matches(terms, 2, [Row((1, 2, 2), (7, 8), (iri("x"), None))]))
    assert table.columns == ("y", "x")
    assert table[0].events == {"A": [name_of(7)], "B": [name_of(8)]}
    assert shown(table) == [(1, 2, 2, (None, "http://example.org/x"))]
    assert len(projector.advance(100)) == len(projector.finish()) == 0
    assert projector.finish().columns == ("y", "x")


def test_expressions_and_their_errors() -> None:
    total = Projection("sum", Operation("+", (X, Y)))
    rows = [Row((1, 2, 2), (1, 2), (number(2), number(3))), Row((1, 2, 2), (1, 3), (iri("x"), number(3)))]
    assert [row[3] for row in run(select_plan(("x", "y"), (total,)), rows)] == [("5",), (None,)]


def test_a_variable_that_nothing_binds_is_unbound() -> None:
    plain = select_plan(("x",), (Projection("x", X), Projection("nobody", Variable("nobody"))))
    grouped = aggregate_plan((), (Projection("nobody", Variable("nobody")), *counting(COUNT)), ("nobody",))
    assert run(plain, [Row((1, 2, 2), (1, 2), (number(2),))]) == [(1, 2, 2, ("2", None))]
    assert run(grouped, [Row((1, 2, 2), (1, 2))]) == [(1, 2, 2, (None, "1"))]


def test_rows_of_one_match_that_an_expression_makes_equal_are_one_result() -> None:
    square = (Projection("z", Operation("*", (X, X))),)
    rows = [
        Row((1, 2, 2), (1, 2), (number(2),)),
        Row((1, 2, 2), (1, 2), (number(-2),)),
        Row((1, 2, 2), (1, 3), (number(2),)),
    ]
    for cuts in [], [1], [1, 2]:
        assert run(select_plan(("x",), square), rows, cuts) == [(1, 2, 2, ("4",))] * 2
        assert run(select_plan(("x",), square), rows, cuts, restart=True) == [(1, 2, 2, ("4",))] * 2
        assert run(select_plan(("x",), square, distinct=True), rows, cuts) == [(1, 2, 2, ("4",))]


def test_distinct_is_one_per_end_and_row() -> None:
    rows = [
        Row((1, 5, 5), (1, 5), (number(1),)),
        Row((2, 5, 5), (2, 5), (number(1),)),
        Row((2, 5, 5), (2, 5), (number(2),)),
        Row((2, 6, 6), (2, 6), (number(1),)),
    ]
    expected = [(1, 5, 5, ("1",)), (2, 5, 5, ("2",)), (2, 6, 6, ("1",))]
    for cuts in [], [1], [1, 2, 3]:
        for restart in False, True:
            assert run(select_plan(("x",), PLAIN, distinct=True), rows, cuts, restart) == expected


def test_distinct_remembers_ends_that_upper_edges_decide_later() -> None:
    rows = [Row((first, 9, first + 100), (first, 9), (number(1),)) for first in range(5)]
    plan = select_plan(("x",), PLAIN, distinct=True, decided_by_edge=True)
    assert run(plan, rows, range(1, 5)) == [(0, 9, 100, ("1",))]


def test_distinct_forgets_what_cannot_come_back() -> None:
    plan = select_plan(("x",), PLAIN, distinct=True, decided_by_edge=True)
    terms = Terms()
    projector = Projector(plan, terms, name_of)
    for first in range(1000):
        row = Row((first, first + 5, first + 100), (first, first + 5), (number(1),))
        assert len(projector.project(raw_matches(terms, 1, [row]))) == 1
    assert len(projector.trace()) < 20


def counting(*functions: Aggregate) -> tuple[Projection, ...]:
    return tuple(Projection(f"a{i}", function) for i, function in enumerate(functions))


COUNT = Aggregate("COUNT", None)


def aggregate_plan(
    columns: tuple[str, ...], projections: tuple[Projection, ...], group_by: tuple[str, ...] = ()
) -> HandMadePlan:
    return select_plan(columns, projections, group_by=group_by, match_aggregates=True)


def test_matches_are_counted_per_decision_time() -> None:
    rows = [Row((1, 5, 5), (1, 5)), Row((2, 5, 5), (2, 5)), Row((2, 6, 6), (2, 6)), Row((-9, -8, 7), (1, 1))]
    expected = [(1, 5, 5, ("2",)), (2, 6, 6, ("1",)), (-9, -8, 7, ("1",))]
    for cuts in [], [1], [1, 2, 3]:
        for restart in False, True:
            assert run(aggregate_plan((), counting(COUNT)), rows, cuts, restart) == expected


def test_counts_come_when_their_time_has_passed() -> None:
    terms = Terms()
    projector = Projector(aggregate_plan((), counting(COUNT)), terms, name_of)
    assert shown(projector.project(raw_matches(terms, 0, [Row((1, 5, 5), (1, 5))]))) == []
    assert shown(projector.advance(5)) == []
    assert shown(projector.project(raw_matches(terms, 0, [Row((2, 5, 5), (2, 5))]))) == []
    table = projector.advance(6)
    assert shown(table) == [(1, 5, 5, ("2",))]
    assert table[0].events == {}
    assert shown(projector.finish()) == []


def test_count_all_counts_matches_and_not_their_rows() -> None:
    rows = [
        Row((1, 5, 5), (1, 5), (number(1),)),
        Row((1, 5, 5), (1, 5), (number(2),)),
        Row((2, 5, 5), (2, 5), (number(2),)),
    ]
    functions = (COUNT, Aggregate("COUNT", X), Aggregate("COUNT", X, distinct=True))
    assert run(aggregate_plan(("x",), counting(*functions)), rows) == [(1, 5, 5, ("2", "3", "2"))]


def test_groups() -> None:
    rows = [
        Row((1, 5, 5), (1, 5), (iri("p"), number(1))),
        Row((1, 5, 5), (1, 6), (iri("p"), number(4))),
        Row((1, 5, 5), (1, 7), (None, number(5))),
        Row((1, 6, 6), (1, 8), (iri("p"), number(6))),
    ]
    double = Operation("*", (Aggregate("SUM", Y), Constant("2", XSD + "integer")))
    projections = (Projection("x", X), Projection("double", double), Projection("n", COUNT))
    plan = aggregate_plan(("x", "y"), projections, ("x",))
    for restart in False, True:
        assert sorted(run(plan, rows, [1, 3], restart), key=repr) == [
            (1, 5, 5, ("http://example.org/p", "10", "2")),
            (1, 5, 5, (None, "10", "1")),
            (1, 6, 6, ("http://example.org/p", "12", "1")),
        ]


def one_group(function: Aggregate, *values: object) -> str | None:
    rows = [Row((index, 5, 5), (index, 5), (value,)) for index, value in enumerate(values)]  # type: ignore[arg-type]
    ((_, _, _, result),) = run(aggregate_plan(("x",), counting(function)), rows)
    return result[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("SUM", "7.5"), ("AVG", "2.5"), ("MIN", "1"), ("MAX", "4"), ("COUNT", "3"), ("FIRST", "4"), ("LAST", "1")],
)
def test_numbers(name: str, expected: str) -> None:
    values = [number(4), None, Literal("2.5", datatype=NamedNode(XSD + "decimal")), number(1)]
    assert one_group(Aggregate(name, X), *values) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("SUM", "0"), ("AVG", "0"), ("COUNT", "0"), ("MIN", None), ("MAX", None), ("FIRST", None), ("GROUP_CONCAT", None)],
)
def test_aggregates_of_nothing(name: str, expected: str | None) -> None:
    assert one_group(Aggregate(name, X), None, None) == expected


def test_sum_of_what_is_no_number_is_unbound() -> None:
    assert one_group(Aggregate("SUM", X), number(1), iri("x")) is None


def test_equal_values_add_up_unless_distinct() -> None:
    assert one_group(Aggregate("SUM", X), number(2), number(2)) == "4"
    assert one_group(Aggregate("SUM", X, distinct=True), number(2), number(2)) == "2"


def test_group_concat() -> None:
    function = Aggregate("GROUP_CONCAT", X, separator="|")
    assert one_group(function, Literal("b"), Literal("a"), iri("c")) == "b|a|http://example.org/c"


def test_damaged_snapshots_are_refused() -> None:
    projector = Projector(select_plan(("x",), PLAIN, distinct=True), Terms(), name_of)
    for data in b"", b"nonsense", projector.snapshot()[:60]:
        with pytest.raises(SnapshotError):
            projector.restore(data, lambda words: words)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), max_size=8),
    st.sets(st.integers(0, 8)),
    st.booleans(),
    st.sampled_from(["distinct", "merge", "count", "sum"]),
)
def test_batches_and_restarts_change_nothing(
    numbers: list[tuple[int, int, int]], cuts: set[int], restart: bool, kind: str
) -> None:
    rows = [Row((0, last, last), (first, last), (number(value - 1),)) for last, first, value in sorted(set(numbers))]
    plans = {
        "distinct": select_plan(("x",), PLAIN, distinct=True),
        "merge": select_plan(("x",), (Projection("z", Operation("*", (X, X))),)),
        "count": aggregate_plan(("x",), (Projection("x", X), *counting(COUNT)), ("x",)),
        "sum": aggregate_plan(("x",), counting(Aggregate("SUM", X), COUNT)),
    }
    whole = run(plans[kind], rows)
    places = [cut for cut in cuts if cut <= len(rows)]
    assert sorted(run(plans[kind], rows, places, restart), key=repr) == sorted(whole, key=repr)
