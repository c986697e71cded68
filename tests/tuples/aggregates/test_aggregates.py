"""Aggregates over the matches of each end: against the oracle, and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow
import pytest

from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.aggregation import way
from spaseq.plan.formulas.automaton import recognition
from spaseq.tuples import Aggregates, match
from spaseq.tuples.aggregates import aggregation as aggregating
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.selection import selection
from spaseq.tuples.totals import totals
from tests.oracle.ceql.checker import disagreement
from tests.slices import first
from tests.tuples.aggregated import Aggregating, Calculating, aggregates_of, pair_of, rows_of
from tests.tuples.eager import forget_at_once

TOTALS = "totals of partial matches"
WAYS = (f"{TOTALS}:", f"{TOTALS}, as long as", "all matches are enumerated")


def agree(
    seeds: range,
    monkeypatch: pytest.MonkeyPatch,
    totals_: str = "int64",
    maker: type[Aggregating] = Aggregating,
) -> Counter[str]:
    """Compare with the oracle, the table in small batches, and rows in small parts; how often each way was gone."""
    ways: Counter[str] = Counter()
    forget_at_once(monkeypatch)
    for seed in seeds:
        pair = pair_of(seed, maker)
        monkeypatch.setattr(selection, "MOST", (1, 3, 1000)[seed % 3])
        monkeypatch.setattr(totals, "MOST", (1, 3, 1000)[seed % 3])
        found = aggregates_of(pair, (1, 2, 5, 100)[seed % 4], totals_)
        ways[next(way for way in WAYS if found.way.startswith(way))] += 1
        assert disagreement(pair.query, pair.events, rows_of(found, pair.query)) is None, (seed, found.way)
    return ways


@pytest.mark.parametrize("start", first(3, range(0, 1200, 200)))
def test_random_queries(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ways = agree(range(start, start + 200), monkeypatch)
    assert min(ways[way] for way in WAYS) > 10


@pytest.mark.parametrize("start", first(2, range(50_000, 50_600, 200)))
def test_random_queries_with_expressions(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ways = agree(range(start, start + 200), monkeypatch, maker=Calculating)
    assert min(ways[way] for way in WAYS) > 10


@pytest.mark.deep
@pytest.mark.parametrize("start", range(60_000, 65_000, 1000))
def test_many_random_queries_with_expressions(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(range(start, start + 1000), monkeypatch, maker=Calculating)


@pytest.mark.deep
@pytest.mark.parametrize("start", range(2000, 12_000, 1000))
def test_many_random_queries(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(range(start, start + 1000), monkeypatch)


@pytest.mark.parametrize("totals_", ["decimal", "double"])
def test_wider_totals(totals_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(range(40_000, 40_300), monkeypatch, totals_)


LONG = "SELECT COUNT(*) AS n, SUM(b.v) AS s, COUNT(b.v) AS c, AVG(b.v) AS mean FROM S WHERE A ; B+ AS b ; C"


def long(length: int) -> list[dict[str, Any]]:
    """An A, so many Bs, and a C."""
    return [{"type": kind, "v": at} for at, kind in enumerate(["A", *["B"] * length, "C"])]


@pytest.mark.parametrize("within", ["", " WITHIN 500 EVENTS"])
def test_totals_beyond_64_bits(within: str) -> None:
    """Each of n events B is in 2ⁿ⁻¹ matches."""
    exact = 2**80 - 1, sum(range(1, 81)) * 2**79, 80 * 2**79
    (row,) = table(LONG + within, long(80), totals="decimal").to_pylist()
    assert (row["n"], row["s"], row["c"], row["mean"]) == (*exact, pytest.approx(40.5))
    (row,) = table(LONG + within, long(80), totals="double").to_pylist()
    assert (row["n"], row["s"], row["c"], row["mean"]) == (*map(pytest.approx, exact), pytest.approx(40.5))
    (row,) = table(LONG + within, long(400), totals="double").to_pylist()
    assert row["n"] == pytest.approx(2.0**400)


@pytest.mark.parametrize(
    ("totals_", "length", "room"),
    [("int64", 64, "64 bits"), ("decimal", 127, "38 digits"), ("double", 1100, "a double")],
)
def test_what_is_too_large_ends_the_run(totals_: str, length: int, room: str) -> None:
    with pytest.raises(
        StreamError, match=f"n of the .* matches that end at position {length + 1} does not fit in {room}"
    ):
        table(LONG, long(length), totals=totals_)


HUGE = [{"type": kind, "v": v} for kind, v in [("A", 2**61), ("B", 3), ("A", 2**62), ("B", 2**61), ("C", 0)]]
BY_TOTALS = "SELECT {} FROM S WHERE A AS a ; B AS b"
ENUMERATED = "SELECT LAST {} FROM S WHERE A AS a ; B AS b"


@pytest.mark.parametrize("query", [BY_TOTALS, ENUMERATED])
def test_calculated_integers_beyond_64_bits(query: str) -> None:
    with pytest.raises(StreamError, match=r"b\.v \* 4 of the event at position 3 does not fit in 64 bits") as caught:
        table(query.format("MAX(b.v * 4)"), HUGE)
    assert "multiply by 1.0" in caught.value.hint
    (_, row) = table(query.format("MAX(b.v * 1.0 * 4) AS m, COUNT(b.v * 4) AS n"), HUGE).to_pylist()
    assert row["m"] == 2.0**63
    assert row["n"] > 0


@pytest.mark.parametrize("query", [BY_TOTALS, ENUMERATED])
def test_events_that_no_match_has_do_not_matter(query: str) -> None:
    """The As do not fit, and the Bs do."""
    assert table(query.format("MAX(b.v * 3) AS m"), HUGE[:3]).column("m").to_pylist() == [9]


def test_what_is_calculated_is_of_numbers() -> None:
    with pytest.raises(QueryError, match=r"\+ needs a number, not the attribute name of type string"):
        table("SELECT COUNT(a.name + 1) FROM S WHERE A AS a")
    with pytest.raises(QueryError, match="no attribute prize"):
        table("SELECT COUNT(a.prize + 1) FROM S WHERE A AS a")


def test_what_is_calculated_has_a_type_whatever_comes() -> None:
    calculated = "MAX(a.volume + 1), MAX(a.volume / 1), SUM(a.volume * 2), SUM(a.price * 2), COUNT(a.volume - 1)"
    query = f"SELECT {calculated} FROM S WHERE A AS a"
    assert [str(type_) for type_ in table(query).schema.types[1:]] == ["int64", "double", "int64", "double", "int64"]


def test_1_and_1_0_are_two() -> None:
    query = "SELECT MAX(a.volume * 1) AS i, MAX(a.volume * 1.0) AS d FROM S WHERE A AS a"
    assert [str(type_) for type_ in table(query).schema.types[1:]] == ["int64", "double"]


def test_a_column_whose_name_looks_calculated_is_a_column() -> None:
    rows = [{"type": "A", "v": 1, "v + 1": 7}]
    found = table("SELECT MAX(a.`v + 1`) AS column, MAX(a.v + 1) AS calculated FROM S WHERE A AS a", rows)
    assert found.to_pylist() == [{"end": 0, "column": 7, "calculated": 2}]


def test_totals_are_of_a_known_type() -> None:
    with pytest.raises(OptionError, match="totals are int64, decimal or double, not 'float'"):
        match(LONG, long(1), totals="float")


class Restoring(totals.Totals):
    """Totals that go on from a snapshot of themselves before each batch."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._arguments = arguments

    def rows(self, batch: EncodedBatch) -> Iterator[totals.AggregateRows]:
        data = self.snapshot()
        other = totals.Totals(*self._arguments)
        other.restore(data)
        assert other.snapshot() == data
        self.__dict__.update(other.__dict__)
        return super().rows(batch)


def test_totals_go_on_from_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregating, "Totals", Restoring)
    agree(range(30_000, 30_300), monkeypatch)


ROWS = [
    {"type": kind, "name": name, "price": price, "volume": volume}
    for kind, name, price, volume in [
        ("A", "x", 1.5, 10), ("A", "y", None, 20), ("B", "x", 4.0, None), ("A", "x", 2.5, 30), ("B", "z", 0.5, 7),
    ]
]  # fmt: skip


def table(query: str, rows: Any = ROWS, **options: Any) -> pyarrow.Table:
    return match(query, rows, **options).to_arrow()


def test_one_row_for_each_end() -> None:
    """A at 0, 1, 3; B at 2, 4: two matches end at 2, three at 4."""
    found = table("SELECT COUNT(*), SUM(a.volume), AVG(a.price) AS mean, MAX(b.volume) FROM S WHERE A AS a ; B AS b")
    assert found.to_pylist() == [
        {"end": 2, "COUNT(*)": 2, "SUM(a.volume)": 30, "mean": 1.5, "MAX(b.volume)": None},
        {"end": 4, "COUNT(*)": 3, "SUM(a.volume)": 60, "mean": 2.0, "MAX(b.volume)": 7},
    ]
    types = [pyarrow.int64(), pyarrow.int64(), pyarrow.int64(), pyarrow.float64(), pyarrow.int64()]
    assert found.schema.types == types


@pytest.mark.parametrize("strategy", ["", "MAX"])
def test_over_all_events_of_a_variable(strategy: str) -> None:
    """Of A+ ; B at 2: {0}, {1} and {0, 1} come before it; MAX leaves the last one."""
    found = table(
        f"SELECT {strategy} COUNT(*) AS n, COUNT(a.name) AS names, SUM(a.volume) AS s FROM S WHERE A+ AS a ; B"
    )
    ends = [{"end": 2, "n": 3, "names": 4, "s": 60}, {"end": 4, "n": 7, "names": 12, "s": 240}]
    maximal = [{"end": 2, "n": 1, "names": 2, "s": 30}, {"end": 4, "n": 1, "names": 3, "s": 60}]
    assert found.to_pylist() == (maximal if strategy else ends)


@pytest.mark.parametrize("strategy", ["", "MAX"])
def test_of_nothing(strategy: str) -> None:
    """COUNT, SUM and AVG are 0, MIN and MAX NULL."""
    rows = [{"type": "A", "v": None}, {"type": "A", "v": 1}]
    functions = ("COUNT", "SUM", "AVG", "MIN", "MAX")
    shown = ", ".join(f"{function}(A.v) AS {function.lower()}" for function in functions)
    first, second = table(f"SELECT {strategy} {shown} FROM S WHERE A", rows).to_pylist()
    assert first == {"end": 0, "count": 0, "sum": 0, "avg": 0.0, "min": None, "max": None}
    assert second == {"end": 1, "count": 1, "sum": 1, "avg": 1.0, "min": 1, "max": 1}


@pytest.mark.parametrize(
    ("key", "pattern", "kept"),
    [
        ("a.name", "A AS a ; B AS b", True),  # of the first event
        ("b.name", "A AS a ; B AS b", True),  # of the last one
        ("b.name", "A AS a ; B AS b ; B AS c", False),  # of one in between
    ],
)
def test_groups(key: str, pattern: str, kept: bool) -> None:
    query = f"SELECT COUNT(*) AS n, {key} AS who FROM S WHERE {pattern} GROUP BY {key}"
    found = match(query, ROWS)
    assert isinstance(found, Aggregates)
    assert found.way.startswith(TOTALS) == kept
    rows = {tuple(row.values()) for row in found.to_arrow().to_pylist()}
    assert (
        rows
        == {
            ("a.name", True): {(2, "x", 1), (2, "y", 1), (4, "x", 2), (4, "y", 1)},
            ("b.name", True): {(2, "x", 2), (4, "z", 3)},
            ("b.name", False): {(4, "x", 2)},
        }[key, kept]
    )


def test_several_groups_of_first_events() -> None:
    """A key may be NULL, and need not be shown."""
    shown = "COUNT(*) AS n, MAX(b.volume) AS most, a.price AS p"
    found = table(f"SELECT {shown} FROM S WHERE A AS a ; B AS b GROUP BY a.price, a.name")
    rows = {tuple(row.values()) for row in found.to_pylist()}
    assert rows == {(2, 1.5, 1, None), (2, None, 1, None), (4, 1.5, 1, 7), (4, None, 1, 7), (4, 2.5, 1, 7)}


def test_limit_is_about_the_groups_of_an_end() -> None:
    query = "SELECT COUNT(*) FROM S WHERE A AS a ; B AS b GROUP BY a.name LIMIT 1"
    assert table(query).column("end").to_pylist() == [2, 4]
    assert table("SELECT COUNT(*) FROM S WHERE A AS a ; B AS b LIMIT 1").column("COUNT(*)").to_pylist() == [2, 3]


def test_values_of_all_types() -> None:
    """MIN and MAX are of the type of the column."""
    columns = {
        "type": ["A", "A"],
        "text": pyarrow.array(["b", "a"]).dictionary_encode(),
        "time": pyarrow.array([7, 5], pyarrow.timestamp("us")),
        "flag": [True, False],
        "huge": pyarrow.array([2**64 - 1, 3], pyarrow.uint64()),
        "less": pyarrow.array([-1.5, -2.5]),
    }
    names = [name for name in columns if name != "type"]
    shown = ", ".join(f"MIN(x.{name}) AS {name}, MAX(x.{name}) AS most_{name}" for name in names)
    found = table(f"SELECT {shown} FROM S WHERE A+ AS x", pyarrow.table(columns))
    row = found.to_pylist()[-1]
    for name in names:
        values = pyarrow.array(columns[name]).to_pylist()
        assert (row[name], row[f"most_{name}"]) == (min(values), max(values))
    assert found.schema.field("text").type == pyarrow.string()
    assert found.schema.field("time").type == pyarrow.timestamp("us")


def test_a_column_may_be_called_end() -> None:
    assert table("SELECT COUNT(*) AS end FROM S WHERE A").column_names == ["end_", "end"]


def test_an_empty_table_has_the_schema() -> None:
    query = "SELECT COUNT(*) AS n, MIN(A.price) AS least FROM S WHERE A"
    found = match(
        query, pyarrow.table({"type": pyarrow.array([], pyarrow.string()), "price": pyarrow.array([], "double")})
    )
    assert found.count() == 0 and found.schema.names == ["end", "n", "least"]


def test_unmatched_variables_are_named() -> None:
    found = match("SELECT COUNT(*) FROM S WHERE A AS a ; C AS c", ROWS)
    assert found.count() == 0 and found.found == 0
    assert found.unmatched == ("c",)


@pytest.mark.parametrize("shown", ["COUNT(*)", "COUNT(b.volume)", "SUM(b.volume)"])
def test_numbers_that_are_too_large(shown: str) -> None:
    """2⁷⁰ - 1 matches end with the last event; doubles have room for them."""
    rows = [{"type": kind, "volume": 1, "price": 2.5} for kind in ["A", *["B"] * 70, "C"]]
    with pytest.raises(StreamError, match="matches that end at position 71 does not fit in 64 bits"):
        match(f"SELECT {shown} FROM S WHERE A ; B+ AS b ; C", rows).count()
    found = table("SELECT AVG(b.price) AS mean, MAX(b.volume) AS most FROM S WHERE A ; B+ AS b ; C", rows)
    assert found.to_pylist() == [{"end": 71, "mean": 2.5, "most": 1}]


@pytest.mark.parametrize("strategy", ["", "ANY"])
def test_huge_integers_are_exact(strategy: str) -> None:
    """Also where a sum does not fit in 64 bits on the way; at the end it has to."""
    rows = [{"type": "A", "v": value} for value in (2**62, 2**62, -(2**62), 5 - 2**62)]
    sums = [{"end": 2, "s": 2**62}, {"end": 3, "s": 5 - 2**62}]
    assert table(f"SELECT {strategy} SUM(x.v) AS s FROM S WHERE (A : A : A) AS x", rows).to_pylist() == sums
    with pytest.raises(StreamError, match="does not fit in 64 bits"):
        table(f"SELECT {strategy} SUM(x.v) AS s FROM S WHERE (A : A) AS x", rows)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT SUM(a.name) FROM S WHERE A AS a", "SUM needs a number, not the attribute name of type string"),
        ("SELECT AVG(a.cost) FROM S WHERE A AS a", "the events have no attribute cost"),
        ("SELECT COUNT(*) FROM S WHERE A+ AS a GROUP BY a.name", "GROUP BY a.name: a may hold several events"),
        ("SELECT COUNT(*) FROM S WHERE A AS a GROUP BY a.cost", "the events have no attribute cost"),
    ],
)
def test_what_has_no_meaning_is_named(query: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        match(query, ROWS)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT COUNT(*) FROM S WHERE A+ AS a ; B WITHIN 9 EVENTS", f"{TOTALS}: an event costs the same"),
        ("SELECT COUNT(*) FROM S WHERE A AS a ; B PARTITION BY [name] GROUP BY a.name", TOTALS),
        ("SELECT LAST COUNT(*) FROM S WHERE A ; B", "all matches are enumerated, as LAST chooses among them"),
        ("SELECT COUNT(*) FROM S WHERE A ; B WITHIN 3 [v]", f"{TOTALS}, as long as v rises: then all matches are"),
        ("SELECT COUNT(*) FROM S WHERE A ; B FILTER A.v < B.v", "as the filters compare events with each other"),
        ("SELECT COUNT(*) FROM S WHERE A+ ; A+", "as the formula may find one of them in several ways"),
        (
            "SELECT COUNT(*) FROM S WHERE A AS a ; B ; C GROUP BY B.name",
            "as B.name is not known of their first or last",
        ),
    ],
)
def test_the_way_is_said(query: str, says: str) -> None:
    parsed = parse(query)
    assert says in way(parsed.query, recognition(parsed.normal_form, None))


@pytest.mark.parametrize("places", [(), (10,), (55,), (10, 99)])
def test_a_window_whose_attribute_falls(places: tuple[int, ...]) -> None:
    """Rows before it falls come by totals, all others by enumeration, when old events may be in the window again."""
    clock = [100 - number if number in places else number for number in range(100)]
    rows = [{"type": "AB"[number % 2], "v": number, "clock": time} for number, time in enumerate(clock)]
    batches = pyarrow.Table.from_pylist(rows).to_batches(max_chunksize=9)
    source = pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches)
    found = table("SELECT COUNT(*) AS n, SUM(a.v) AS s FROM S WHERE A AS a ; B WITHIN 4 [clock]", source)
    near = {
        end: [start for start in range(0, end, 2) if clock[end] - clock[start] <= 4] for end in range(1, 100, 2)
    }  # fmt: skip
    assert found.to_pylist() == [{"end": end, "n": len(some), "s": sum(some)} for end, some in near.items() if some]


def test_events_are_forgotten_when_they_have_left_the_window() -> None:
    """By totals and by enumeration, over many batches."""
    rows = [{"type": "AB"[number % 2], "v": number} for number in range(2000)]
    batches = pyarrow.Table.from_pylist(rows).to_batches(max_chunksize=7)
    for strategy in ("", "STRICT"):
        query = f"SELECT {strategy} SUM(a.v) AS s FROM S WHERE A AS a ; B WITHIN 1 EVENTS"
        found = table(query, pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches))
        assert found.column("s").to_pylist() == list(range(0, 2000, 2))
