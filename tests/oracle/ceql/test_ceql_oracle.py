"""The oracle against results derived by hand: operators, filters, strategies, consumption, aggregates, text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from . import ComplexEvent, Event, Query, Row, agrees, disagreement, evaluate, rows, to_csv, to_text
from .checker import most
from .model import (
    Aggregate,
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
    Window,
)
from .predicates import (
    Arithmetic,
    Attribute,
    Both,
    Comparison,
    Constant,
    Either,
    In,
    InRange,
    IsNull,
    Like,
    Negative,
    Not,
    Predicate,
    Value,
)

SECOND = 10**6
A, B, C, T, H = (Relation(name) for name in "ABCTH")
SELL, BUY = Relation("SELL"), Relation("BUY")
Short = tuple[int, int, str]


def event(word: str, time: int) -> Event:
    """`a5`: an event of type A whose value is 5; `a`: whose value is NULL; `a5@2`: at second 2 instead."""
    word, _, at = word.partition("@")
    value = int(word[1:]) if word[1:] else None
    return Event(word[0].upper(), (int(at) if at else time) * SECOND, {"value": value})


def stream(text: str) -> list[Event]:
    """Events a second apart."""
    return [event(word, time) for time, word in enumerate(text.split())]


def short(answers: Iterable[ComplexEvent]) -> list[Short]:
    """(start, end, positions as digits)."""
    return [(answer.start, answer.end, "".join(map(str, sorted(answer.positions)))) for answer in answers]


def sets(query: Query | Formula, events: str | list[Event]) -> list[str]:
    """The positions of each result, in order of end, start and positions."""
    query = query if isinstance(query, Query) else Query(query)
    found = evaluate(query, stream(events) if isinstance(events, str) else events)
    return [positions for _, _, positions in short(found)]


def seq(*formulas: Formula) -> Formula:
    """`a ; b ; …`."""
    whole, *rest = formulas
    for formula in rest:
        whole = Sequence(whole, formula)
    return whole


def compare(left: str, operator: str, right: str | int) -> Comparison:
    """`compare("value", "<", "y.value")`."""
    return Comparison(operator, attribute(left), attribute(right) if isinstance(right, str) else Constant(right))


def attribute(text: str) -> Attribute:
    """`name` or `variable.name`."""
    variable, _, name = text.rpartition(".")
    return Attribute(name, variable or None)


def where(formula: Formula, *filters: tuple[str, Predicate]) -> Formula:
    """The formula with a FILTER for each pair."""
    for variable, predicate in filters:
        formula = Filter(formula, FilterOn(variable, predicate))
    return formula


# The operators.


@pytest.mark.parametrize(
    ("formula", "events", "expected"),
    [
        (A, "a b a", ["0", "2"]),
        (Or(A, B), "a c b", ["0", "2"]),
        (Sequence(A, B), "a b b a b", ["01", "02", "04", "34"]),
        (Contiguous(A, B), "a b b a b", ["01", "34"]),
        (Kleene(A), "a b a", ["0", "02", "2"]),
        (ContiguousKleene(A), "a a b a", ["0", "01", "1", "3"]),
        (Contiguous(A, Kleene(B)), "a b a b", ["01", "013", "23"]),
        (ContiguousKleene(Sequence(A, B)), "a c b a b", ["02", "0234", "04", "34"]),
        (Kleene(Contiguous(A, B)), "a b c a b", ["01", "0134", "34"]),
        (Sequence(A, A), "a a a", ["01", "02", "12"]),
        (Contiguous(A, Sequence(B, C)), "a b x c", ["013"]),
    ],
)
def test_operators(formula: Formula, events: str, expected: list[str]) -> None:
    assert sets(formula, events) == expected


def test_positions_order_events_of_equal_time_too() -> None:
    assert sets(Sequence(A, B), "b@0 a@0 b@0") == ["12"]


def test_as_holds_what_any_variable_below_holds() -> None:
    formula = As(Sequence(As(A, "x"), As(B, "y")), "z")
    assert sets(Query(formula, ("z",)), "a b") == ["01"]
    assert sets(Query(formula, ("x",)), "a b") == ["0"]
    assert sets(Query(formula, ("A",)), "a b") == ["0"]
    assert sets(Query(As(Sequence(As(A, "x"), B), "x"), ("x",)), "a b") == ["01"]


def test_variable_of_an_iteration_is_the_union() -> None:
    formula = Sequence(Kleene(Sequence(As(A, "x"), B)), C)
    assert sets(Query(formula, ("x",)), "a b a b c") == ["0", "02", "2"]
    nested = Kleene(Contiguous(As(Kleene(As(A, "x")), "y"), B))
    assert short(evaluate(Query(nested, ("x",), strategy="MAX"), stream("a a b a b"))) == [(0, 2, "01"), (0, 4, "013")]
    assert sets(Query(nested, ("y",)), "a a b a b") == sets(Query(nested, ("x",)), "a a b a b")


# Filters.


def test_filter_holds_for_all_members() -> None:
    formula = As(Kleene(A), "x")
    assert sets(where(formula, ("x", compare("value", ">", 1))), "a1 a2 a3") == ["1", "12", "2"]


def test_filter_in_an_iteration_sees_the_iteration() -> None:
    rising = where(Sequence(As(A, "x"), As(B, "y")), ("x", compare("value", "<", "y.value")))
    assert sets(Kleene(rising), "a1 b2 a5 b6") == ["01", "0123", "03", "23"]
    outside = where(Kleene(Sequence(As(A, "x"), As(B, "y"))), ("x", compare("value", "<", "y.value")))
    assert sets(outside, "a1 b2 a5 b6") == ["01", "03", "23"]


def test_filter_of_a_variable_out_of_its_scope_asks_nothing() -> None:
    inner = Kleene(where(As(B, "y"), ("y", compare("value", ">", "x.value"))))
    assert sets(Sequence(As(A, "x"), inner), "a5 b1") == ["01"]
    assert sets(where(A, ("x", compare("value", ">", 100))), "a5") == ["0"]


def test_correlation_holds_for_all_pairs() -> None:
    formula = Sequence(As(Kleene(A), "x"), As(Kleene(B), "y"))
    expected = ["02", "03", "023", "013", "13"]
    found = sets(where(formula, ("x", compare("value", "<", "y.value"))), "a1 a3 b2 b4")
    assert sorted(found) == sorted(expected)
    assert found == sets(where(formula, ("y", compare("x.value", "<", "value"))), "a1 a3 b2 b4")


def test_correlation_without_pairs_holds() -> None:
    either = Sequence(As(A, "x"), Or(As(B, "y"), C))
    assert sets(where(either, ("x", compare("value", "<", "y.value"))), "a5 b1 c0 b9") == ["02", "03"]
    both = Both(compare("value", "<", 3), compare("value", "<", "y.value"))
    assert sets(where(either, ("x", both)), "a5 c0") == []
    one = Either(compare("value", "<", 3), compare("value", "<", "y.value"))
    assert sets(where(either, ("x", one)), "a5 c0 b1") == ["01"]
    assert sets(where(either, ("x", Not(compare("value", "<", "y.value")))), "a5 c0 b1") == ["01", "02"]


def test_variable_compared_with_itself_is_one_member() -> None:
    formula = As(Kleene(A), "x")
    assert sets(where(formula, ("x", compare("value", "=", "x.value"))), "a1 a2") == ["0", "01", "1"]


def test_filters_combined() -> None:
    big, small = FilterOn("A", compare("value", ">", 2)), FilterOn("B", compare("value", "<", 2))
    events = "a1 a3 b1 b3"
    assert sets(Filter(Sequence(A, B), AllFilters(big, small)), events) == ["12"]
    assert sets(Filter(Sequence(A, B), AnyFilter(big, small)), events) == ["02", "12", "13"]


# Predicates.


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (compare("n", "=", 2), "0"),
        (compare("n", "!=", 2), "1"),
        (Not(compare("n", "=", 2)), "1"),
        (Not(Not(compare("n", "=", 2))), "0"),
        (compare("n", "<", 0), "1"),
        (compare("n", ">=", -3), "01"),
        (compare("n", "=", "n"), "01"),
        (Either(compare("n", "=", 2), compare("s", "=", "s")), "012"),
        (Not(Both(compare("n", "=", 2), compare("s", "=", "s"))), "1"),
        (Comparison("=", Attribute("s"), Constant("ab")), "0"),
        (Comparison("<", Attribute("s"), Constant("b")), "02"),
        (Like(Attribute("s"), "a%"), "02"),
        (Like(Attribute("s"), "a_"), "0"),
        (Like(Attribute("s"), "a%", negated=True), "1"),
        (Like(Attribute("s"), ".*"), ""),
        (In(Attribute("n"), (1, 2, 2.0)), "0"),
        (In(Attribute("n"), (1, 2), negated=True), "1"),
        (In(Attribute("s"), ("a.c", "b")), "12"),
        (InRange(Attribute("n"), Constant(-3), Constant(2)), "01"),
        (InRange(Attribute("n"), Constant(2), Constant(-3)), ""),
        (Not(InRange(Attribute("n"), Constant(0), Constant(2))), "1"),
        (IsNull(Attribute("n")), "23"),
        (Not(IsNull(Attribute("n"))), "01"),
        (IsNull(Attribute("absent")), "0123"),
        (Comparison("=", Arithmetic("+", Attribute("n"), Constant(1)), Constant(-2)), "1"),
        (Comparison("=", Negative(Attribute("n")), Constant(3)), "1"),
        (Comparison("=", Arithmetic("/", Attribute("n"), Constant(4)), Constant(0.5)), "0"),
        (Comparison("=", Arithmetic("/", Attribute("n"), Constant(0)), Constant(0)), ""),
        (IsNull(Arithmetic("/", Attribute("n"), Constant(0))), "0123"),
    ],
)
def test_predicates(predicate: Predicate, expected: str) -> None:
    values: list[dict[str, Value]] = [{"n": 2, "s": "ab"}, {"n": -3, "s": "b"}, {"n": None, "s": "a.c"}, {}]
    events = [Event("A", time, attributes) for time, attributes in enumerate(values)]
    assert "".join(sets(where(A, ("A", predicate)), events)) == expected


# Projection, windows, partitions.


def test_projection_keeps_the_interval() -> None:
    query = Query(seq(A, As(B, "x"), C), ("x",))
    assert short(evaluate(query, stream("a a b c"))) == [(0, 3, "2"), (1, 3, "2")]
    assert short(evaluate(replace(query, within=Window(2, "EVENTS")), stream("a a b c"))) == [(1, 3, "2")]


def test_names_do_not_distinguish_results() -> None:
    assert sets(Or(As(A, "x"), As(A, "y")), "a") == ["0"]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (Window(1, "EVENTS"), ["12", "23"]),
        (Window(2, "EVENTS"), ["02", "12", "13", "23"]),
        (Window(0, "SECONDS"), ["12"]),
        (Window(2, "SECONDS"), ["02", "12"]),
        (Window(2999, "MILLISECONDS"), ["02", "12"]),
        (Window(3, "SECONDS"), ["02", "12", "13", "23"]),
        (Window(1, "MINUTES"), ["02", "12", "03", "13", "23"]),
        (Window(0, attribute="value"), ["12", "13", "23"]),
        (Window(4, attribute="value"), ["12", "03", "13", "23"]),
    ],
)
def test_windows(window: Window, expected: list[str]) -> None:
    """An attribute that falls is within any window."""
    events = [event(word, 0) for word in ("a3@0", "a8@2", "b8@2", "b7@5")]
    assert sets(Query(Sequence(Or(A, B), B), within=window), events) == expected


def test_window_of_a_null_attribute() -> None:
    query = Query(Sequence(A, B), within=Window(9, attribute="value"))
    assert sets(query, "a a1 b b2") == ["13"]


def test_partitions_are_streams_of_their_own() -> None:
    events = [Event(kind, i, {"k": key}) for i, (kind, key) in enumerate(zip("AAXBB", (1, 2, 1, 2, None), strict=True))]
    partitioned = Query(Contiguous(A, B), partition_by=("k",))
    assert short(evaluate(partitioned, events)) == [(1, 3, "13")]
    assert sets(partitioned, [Event("A"), Event("B", 1, {"k": None})]) == []
    assert sets(replace(partitioned, within=Window(1, "EVENTS"), strategy="STRICT"), events) == ["13"]
    assert sets(replace(partitioned, formula=Sequence(A, B)), events) == ["13"]


def test_partition_needs_all_its_attributes() -> None:
    keys = [(1, "a"), (1, None), (1, "b"), (1, "a")]
    events = [Event("A", i, {"k": k, "l": own}) for i, (k, own) in enumerate(keys)]
    assert sets(Query(Contiguous(A, A), partition_by=("k", "l")), events) == ["03"]
    assert sets(Query(Contiguous(A, A), partition_by=("k",)), events) == ["01", "12", "23"]


# Strategies, as CEL defines them.

ONE = Sequence(T, H)
MANY = Sequence(Kleene(T), H)


@pytest.mark.parametrize(
    ("strategy", "formula", "events", "expected"),
    [
        ("NEXT", ONE, "t t h", ["02"]),
        ("LAST", ONE, "t t h", ["12"]),
        ("MAX", ONE, "t t h", ["02", "12"]),
        ("STRICT", ONE, "t t h", ["12"]),
        ("ALL", MANY, "t h t h", ["01", "023", "03", "23"]),
        ("NEXT", MANY, "t h t h", ["01", "023"]),
        ("LAST", MANY, "t h t h", ["01", "023"]),
        ("MAX", MANY, "t h t h", ["01", "023"]),
        ("STRICT", MANY, "t h t h", ["01", "23"]),
        ("NEXT", seq(T, Or(T, H), H), "t t h h", ["012", "013"]),
        ("LAST", seq(T, Or(T, H), H), "t t h h", ["012", "123"]),
    ],
)
def test_strategies(strategy: str, formula: Formula, events: str, expected: list[str]) -> None:
    assert sets(Query(formula, strategy=strategy), events) == expected


def test_strategies_compare_projected_sets() -> None:
    query = Query(seq(A, As(B, "x"), C), ("x",), strategy="LAST")
    assert short(evaluate(query, stream("a a b b c"))) == [(0, 4, "3"), (1, 4, "3")]
    strict = Query(seq(As(A, "x"), B, As(C, "y")), ("x",), strategy="STRICT")
    assert short(evaluate(strict, stream("a b c"))) == [(0, 2, "0")]


def test_nothing_selected_is_the_empty_set() -> None:
    query = Query(Or(Sequence(As(A, "x"), C), Sequence(B, C)), ("x",))
    for strategy, expected in (("ALL", ["", "1"]), ("NEXT", ["1"]), ("MAX", ["1"]), ("STRICT", ["", "1"])):
        assert sets(replace(query, strategy=strategy), "b a c") == expected
    assert sets(replace(query, strategy="STRICT"), "b c") == [""]


def test_window_comes_before_the_strategy() -> None:
    assert sets(Query(ONE, strategy="NEXT", within=Window(1, "EVENTS")), "t t h") == ["12"]


# Consumption and limits.


def test_consume() -> None:
    query = Query(Sequence(A, B))
    assert sets(query, "a b a b") == ["01", "03", "23"]
    assert sets(replace(query, consume="ANY"), "a b a b") == ["01", "23"]
    assert sets(replace(query, consume="PARTITION"), "a b a b") == ["01", "23"]
    assert sets(replace(query, consume="ANY"), "a a b b") == ["02", "12"]
    assert sets(Query(Kleene(A), consume="ANY"), "a a") == ["0", "1"]


def test_consume_of_partitions() -> None:
    events = [Event(kind, i, {"k": key}) for i, (kind, key) in enumerate(zip("AABB", (1, 2, 1, 2), strict=True))]
    query = Query(Sequence(A, B), partition_by=("k",))
    assert sets(replace(query, consume="PARTITION"), events) == ["02", "13"]
    assert sets(replace(query, consume="ANY"), events) == ["02"]


def test_only_results_consume() -> None:
    strict = Query(ONE, strategy="STRICT", consume="ANY")
    assert sets(strict, "t x h t h") == ["34"]
    later = Or(ONE, seq(T, A, H, B))
    assert sets(replace(strict, formula=later), "t a h b") == ["0123"]
    assert sets(replace(strict, formula=later, strategy="ALL"), "t a h b") == ["02"]
    late = Query(Sequence(A, B), within=Window(1, "EVENTS"), consume="ANY")
    assert sets(late, "a x b") == []


def test_limit_lets_any_be_chosen() -> None:
    events = stream("a a a b b")
    query = Query(Sequence(A, B), limit=2)
    everything = evaluate(query, events)
    assert short(everything) == [(0, 3, "03"), (1, 3, "13"), (2, 3, "23"), (0, 4, "04"), (1, 4, "14"), (2, 4, "24")]
    chosen = [everything[0], everything[2], everything[3], everything[4]]
    assert agrees(query, events, chosen)
    assert disagreement(query, events, chosen[1:]) is not None
    assert not agrees(query, events, everything)
    assert not agrees(query, events, [*chosen[:3], chosen[2]])
    assert not agrees(query, events, [*chosen[:3], ComplexEvent(0, 4, frozenset({0, 1, 4}))])
    assert agrees(replace(query, limit=9), events, everything)


def test_any_is_one_per_end() -> None:
    events = stream("a a b b")
    query = Query(Sequence(A, B), strategy="ANY")
    first, second, third, _ = evaluate(query, events)
    assert agrees(query, events, [first, third])
    assert agrees(query, events, [second, third])
    assert not agrees(query, events, [first])
    assert not agrees(query, events, [first, second, third])
    assert most(replace(query, limit=3)) == 1
    consuming = replace(query, consume="ANY")
    assert agrees(consuming, events, [second])


# Stocks, after the kind of stream and queries that CORE is for.

STOCKS = [
    Event(kind, time * SECOND, {"name": name, "price": price})
    for time, (kind, name, price) in enumerate(
        [
            ("SELL", "MSFT", 101),
            ("SELL", "MSFT", 102),
            ("SELL", "INTC", 80),
            ("BUY", "INTC", 80),
            ("SELL", "AMZN", 1900),
            ("SELL", "INTC", 81),
            ("SELL", "AMZN", 1920),
        ]
    )
]


def is_named(name: str) -> Predicate:
    return Comparison("=", Attribute("name"), Constant(name))


STOCK_QUERY = Query(
    where(
        seq(As(SELL, "msft"), As(SELL, "intel"), As(SELL, "amzn")),
        ("msft", Both(is_named("MSFT"), compare("price", ">", 100))),
        ("intel", is_named("INTC")),
        ("amzn", Both(is_named("AMZN"), compare("price", "<", 2000))),
    )
)


def test_stocks() -> None:
    assert sets(STOCK_QUERY, STOCKS) == ["024", "124", "026", "056", "126", "156"]
    assert sets(replace(STOCK_QUERY, strategy="NEXT"), STOCKS) == ["024", "026"]
    assert sets(replace(STOCK_QUERY, strategy="LAST"), STOCKS) == ["124", "156"]
    assert sets(replace(STOCK_QUERY, strategy="MAX"), STOCKS) == sets(STOCK_QUERY, STOCKS)
    assert sets(replace(STOCK_QUERY, strategy="STRICT"), STOCKS) == []
    assert sets(replace(STOCK_QUERY, consume="ANY"), STOCKS) == ["024", "124"]
    assert sets(replace(STOCK_QUERY, within=Window(3, "SECONDS")), STOCKS) == ["124"]
    assert sets(replace(STOCK_QUERY, select=("intel",), strategy="NEXT"), STOCKS) == ["2", "2", "2", "2"]


def test_stocks_by_name() -> None:
    assert sets(Query(Sequence(SELL, BUY), partition_by=("name",)), STOCKS) == ["23"]
    assert sets(Query(Contiguous(SELL, SELL), partition_by=("name",)), STOCKS) == ["01", "46"]


def test_stocks_rising_as_long_as_possible() -> None:
    either = Or(BUY, SELL)
    formula = where(
        seq(As(either, "low"), As(Kleene(either), "mid"), As(either, "high")),
        ("low", compare("price", "<", 100)),
        ("mid", InRange(Attribute("price"), Constant(100), Constant(200))),
        ("high", compare("price", ">", 200)),
    )
    prices = [90, 150, 300, 160, 250]
    events = [Event("BUY", time, {"price": price}) for time, price in enumerate(prices)]
    assert sets(formula, events) == ["012", "0134", "014", "034"]
    assert sets(Query(formula, strategy="MAX"), events) == ["012", "0134"]


# Aggregates.


def flat(query: Query, events: list[Event]) -> list[Row]:
    """The only rows possible, in order."""
    found = [row for (alternative,) in rows(query, events).values() for row in alternative]
    return sorted(found, key=lambda row: (row.end, str(row.key)))


COUNT, PRICE = Aggregate("COUNT"), Attribute("price", "intel")


def test_aggregates_over_matches() -> None:
    functions = (COUNT, Aggregate("SUM", PRICE), Aggregate("AVG", PRICE), Aggregate("MAX", PRICE))
    assert flat(replace(STOCK_QUERY, aggregates=functions), STOCKS) == [
        Row(4, (), (2, 160, 80.0, 80)),
        Row(6, (), (4, 322, 80.5, 81)),
    ]
    grouped = replace(STOCK_QUERY, aggregates=(COUNT,), group_by=(PRICE,))
    assert flat(grouped, STOCKS) == [Row(4, (80,), (2,)), Row(6, (80,), (2,)), Row(6, (81,), (2,))]
    assert flat(replace(grouped, strategy="LAST"), STOCKS) == [Row(4, (80,), (1,)), Row(6, (81,), (1,))]
    assert flat(replace(grouped, consume="ANY"), STOCKS) == [Row(4, (80,), (2,))]


def test_aggregates_over_all_members_of_all_matches() -> None:
    functions = (COUNT, *(Aggregate(name, Attribute("value", "T")) for name in ("COUNT", "SUM", "MIN")))
    query = Query(MANY, aggregates=functions)
    assert flat(query, stream("t1 t5 h")) == [Row(2, (), (3, 4, 12, 1))]
    assert flat(query, stream("t1 t h")) == [Row(2, (), (3, 2, 2, 1))]
    assert flat(query, stream("t h")) == [Row(1, (), (1, 0, 0, None))]


def test_aggregates_see_what_a_variable_holds() -> None:
    x = Aggregate("SUM", Attribute("value", "x"))
    crossed = Or(Sequence(As(A, "x"), As(A, "y")), Sequence(As(A, "y"), As(A, "x")))
    assert flat(Query(crossed, aggregates=(COUNT, x)), stream("a1 a5")) == [Row(1, (), (1, 6))]
    either = Sequence(As(A, "x"), Or(As(B, "y"), As(B, "z")))
    assert flat(Query(either, aggregates=(COUNT, x)), stream("a5 b")) == [Row(1, (), (1, 5))]


def test_rows_are_checked() -> None:
    events = stream("t1 t5 h")
    query = Query(MANY, aggregates=(Aggregate("AVG", Attribute("value", "T")),))
    assert agrees(query, events, [Row(2, (), (3.0 + 1e-12,))])
    assert not agrees(query, events, [Row(2, (), (3.1,))])
    assert not agrees(query, events, [])
    one = replace(query, strategy="ANY")
    assert all(agrees(one, events, [Row(2, (), (value,))]) for value in (1, 5, 3))
    assert not agrees(one, events, [Row(2, (), (4,))])
    groups = Query(ONE, aggregates=(COUNT,), group_by=(Attribute("value", "T"),), limit=1)
    assert agrees(groups, events, [Row(2, (1,), (1,))])
    assert agrees(groups, events, [Row(2, (5,), (1,))])
    assert not agrees(groups, events, [Row(2, (1,), (1,)), Row(2, (5,), (1,))])


# Text.


def test_text() -> None:
    query = replace(
        STOCK_QUERY,
        formula=where(Sequence(As(Kleene(SELL), "x"), BUY), ("x", compare("price", "<", "BUY.price"))),
        strategy="MAX",
        select=("x", "BUY"),
        partition_by=("name", "volume"),
        within=Window(30000, attribute="clock"),
        limit=3,
        consume="ANY",
    )
    assert to_text(query) == (
        "SELECT MAX x, BUY\nFROM S\nWHERE ((((SELL)+ AS x) ; BUY) FILTER x[price < BUY.price])\n"
        "PARTITION BY [name], [volume]\nWITHIN 30000 [clock]\nLIMIT 3\nCONSUME BY ANY\n"
    )
    assert to_text(Query(A, aggregates=(COUNT, Aggregate("MIN", attribute("A.p"))), group_by=(attribute("A.q"),))) == (
        "SELECT COUNT(*), MIN(A.p)\nFROM S\nWHERE A\nGROUP BY A.q\n"
    )
    hard = where(A, ("A", Not(Either(Like(Attribute("s"), "o'%"), In(Negative(Attribute("p")), (-1, 0.5))))))
    assert "A[(NOT ((s LIKE 'o''%' OR (-(p)) IN {-1, 0.5})))]" in to_text(Query(hard))


def test_csv() -> None:
    events = [Event("A", 5, {"p": -1, "s": "x,y"}), Event("B", 6, {"p": None})]
    assert to_csv(events, ("p", "s")) == 'type,time,p,s\nA,5,-1,"x,y"\nB,6,,\n'
