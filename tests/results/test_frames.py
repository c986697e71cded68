"""Matches as Arrow tables and data frames: types of columns, and the laws that frames keep."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.results.frames import all_to_arrow
from spaseq.results.table import MatchTable
from tests.results.tables import OxTerm, iri, make_table

XSD = "http://www.w3.org/2001/XMLSchema#"
DECIMAL = pyarrow.decimal128(38, 18)
INSTANT = pyarrow.timestamp("us", tz="UTC")


def typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=NamedNode(XSD + datatype))


def column(*terms: OxTerm | None, **types: str) -> pyarrow.ChunkedArray:
    """The column of a table with these terms."""
    return make_table(("x",), [(term,) for term in terms]).to_arrow(types).column("x")


# ── types that columns get ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("terms", "type_", "values"),
    [
        ([Literal(3), None], pyarrow.int64(), [3, None]),
        ([typed("2.5", "decimal")], DECIMAL, [Decimal("2.5")]),
        ([Literal(2.5), typed("INF", "double")], pyarrow.float64(), [2.5, float("inf")]),
        ([typed("0.5", "float"), typed("1e0", "double")], pyarrow.float64(), [0.5, 1.0]),
        ([typed("-INF", "float")], pyarrow.float64(), [float("-inf")]),
        ([Literal(True), Literal(False), None], pyarrow.bool_(), [True, False, None]),
        (
            [typed("2026-01-01T01:00:00.25+01:00", "dateTime"), typed("1969-12-31T23:59:59", "dateTime")],
            INSTANT,
            [datetime(2026, 1, 1, 0, 0, 0, 250_000, UTC), datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)],
        ),
        ([typed("2026-01-01", "date"), None], pyarrow.date32(), [date(2026, 1, 1), None]),
        ([iri("a"), Literal("b"), Literal("c", language="fr"), BlankNode("d")], pyarrow.string(),
         ["http://example.org/a", "b", "c", "d"]),
        ([typed("P1D", "duration")], pyarrow.string(), ["P1D"]),
        ([None, None], pyarrow.null(), [None, None]),
        ([Literal(3), typed("2.5", "decimal")], DECIMAL, [Decimal(3), Decimal("2.5")]),
        ([Literal(3), typed("2.5", "decimal"), Literal(0.25)], pyarrow.float64(), [3.0, 2.5, 0.25]),
        ([Literal(3), Literal("b")], pyarrow.string(), ["3", "b"]),
        ([Literal(True), Literal(1)], pyarrow.string(), ["true", "1"]),
        ([typed("2026-01-01Z", "date")], pyarrow.string(), ["2026-01-01Z"]),
        ([typed(str(2**64), "integer"), Literal(1)], pyarrow.string(), [str(2**64), "1"]),
        ([typed("2026-01-01T00:00:00.1234567Z", "dateTime")], pyarrow.string(), ["2026-01-01T00:00:00.1234567Z"]),
        ([typed("x", "float"), Literal(1)], pyarrow.string(), ["x", "1"]),
    ],
)  # fmt: skip
def test_types_fit_the_terms(terms: list[OxTerm | None], type_: pyarrow.DataType, values: list[Any]) -> None:
    found = column(*terms)
    assert (found.type, found.to_pylist()) == (type_, values)


@pytest.mark.parametrize(
    ("name", "terms", "type_", "values"),
    [
        ("string", [Literal(3), iri("a"), None], pyarrow.string(), ["3", "http://example.org/a", None]),
        ("dictionary", [iri("a"), iri("a"), None], pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
         ["http://example.org/a", "http://example.org/a", None]),
        ("int64", [typed("2.0", "decimal"), Literal(3.0), Literal(-4), typed(str(-(2**63)), "integer")],
         pyarrow.int64(), [2, 3, -4, -(2**63)]),
        ("double", [Literal(3), typed("2.5", "decimal"), typed("1" + "0" * 30, "integer")], pyarrow.float64(),
         [3.0, 2.5, 1e30]),
        ("decimal(6,2)", [Literal(-3), typed("9999.99", "decimal"), None], pyarrow.decimal128(6, 2),
         [Decimal(-3), Decimal("9999.99"), None]),
        ("decimal(38, 0)", [typed("1" + "0" * 30, "integer"), Literal(2)], pyarrow.decimal128(38, 0),
         [Decimal(10**30), Decimal(2)]),
        ("decimal(38,20)", [typed("1.000000000000000001", "decimal")], pyarrow.decimal128(38, 20),
         [Decimal("1.000000000000000001")]),
        ("decimal", [], DECIMAL, []),
        ("timestamp", [None], INSTANT, [None]),
        ("date", [], pyarrow.date32(), []),
        ("boolean", [], pyarrow.bool_(), []),
    ],
)  # fmt: skip
def test_types_are_given(name: str, terms: list[OxTerm | None], type_: pyarrow.DataType, values: list[Any]) -> None:
    assert column(*terms, x=name).equals(column(*terms, x=type_))
    found = column(*terms, x=name)
    assert (found.type, found.to_pylist()) == (type_, values)


@pytest.mark.parametrize(
    ("name", "term", "shown", "better"),
    [
        ("int64", typed("2.5", "decimal"), f'"2.5"^^<{XSD}decimal>', "decimal"),
        ("int64", Literal("a"), '"a"', "string"),
        ("int64", typed(str(2**63), "integer"), f'"{2**63}"^^<{XSD}integer>', "string"),
        ("decimal(6,2)", typed("2.125", "decimal"), f'"2.125"^^<{XSD}decimal>', "decimal"),
        ("decimal(6,2)", Literal(10_000), f'"10000"^^<{XSD}integer>', "decimal"),
        ("decimal(6,2)", Literal(2.5), f'"2.5"^^<{XSD}double>', "double"),
        ("boolean", Literal(1), f'"1"^^<{XSD}integer>', "string"),
        ("timestamp", typed("2026-01-01", "date"), f'"2026-01-01"^^<{XSD}date>', "string"),
        ("date", iri("a"), "<http://example.org/a>", "string"),
    ],
)
def test_a_value_that_does_not_fit_is_named(name: str, term: OxTerm, shown: str, better: str) -> None:
    with pytest.raises(StreamError) as error:
        column(None, term, term, x=name)
    shown_type = name.replace(",", ", ")
    assert str(error.value) == (
        f"<results>, row 1: error: the column x is of type {shown_type}, but has {shown}\n"
        f'hint: declare its type: {{"x": "{better}"}}'
    )


def test_unknown_columns_and_types_are_refused() -> None:
    table = make_table(("price",), [(Literal(1),)])
    with pytest.raises(OptionError, match=r"there is no column prize to give a type to; did you mean price\?"):
        table.to_arrow({"prize": "int64"})
    for type_ in ("int", "decimal(39,2)", "decimal(2,3)", "decimal(0,0)", pyarrow.int8(), 3):
        with pytest.raises(OptionError, match="of the column price; write string, dictionary, int64"):
            table.to_arrow({"price": type_})


# ── several tables ───────────────────────────────────────────────────────────────────────────────────────
def parts_of(table: MatchTable, size: int) -> list[MatchTable]:
    return [table[start : start + size] for start in range(0, len(table), size)]


def test_tables_of_a_query_have_one_schema() -> None:
    rows = [(None,), (typed("2.50", "decimal"),), (typed("100.125", "decimal"),), (Literal(7),)]
    parts = [part.to_arrow() for part in parts_of(make_table(("x",), rows), 1)]
    assert [part.schema.field("x").type for part in parts] == [pyarrow.null(), DECIMAL, DECIMAL, DECIMAL]
    whole = pyarrow.concat_tables(parts, promote_options="default")
    assert whole.column("x").to_pylist() == [None, Decimal("2.5"), Decimal("100.125"), Decimal(7)]


def test_a_later_table_that_does_not_fit_says_which_type_would() -> None:
    first, second = parts_of(make_table(("x",), [(Literal(7),), (typed("2.5", "decimal"),)]), 1)
    first.to_arrow()
    with pytest.raises(StreamError, match=r'the column x is of type int64, but has "2\.5"'):
        second.to_arrow()
    assert second.to_arrow({"x": "decimal(18,4)"}).column("x").to_pylist() == [Decimal("2.5")]


def test_types_fit_all_tables_of_a_run() -> None:
    rows = [(None, None), (Literal(7), None), (typed("2.5", "decimal"), None)]
    frame = all_to_arrow(parts_of(make_table(("x", "y"), rows), 1))
    assert frame.schema.field("x").type == DECIMAL
    assert frame.schema.field("y").type == pyarrow.string()  # nothing says what else
    assert frame.column("x").to_pylist() == [None, Decimal(7), Decimal("2.5")]


TERMS: st.SearchStrategy[OxTerm | None] = st.one_of(
    st.none(),
    st.integers(-(2**70), 2**70).map(lambda number: typed(str(number), "integer")),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(lambda number: typed(str(number), "decimal")),
    st.floats(allow_nan=False).map(Literal),
    st.booleans().map(Literal),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5).map(Literal),
    st.sampled_from([iri("a"), BlankNode("b"), Literal("c", language="en"), typed("2026-01-01", "date")]),
    st.datetimes().map(lambda time: typed(time.isoformat() + "Z", "dateTime")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TERMS, TERMS), max_size=12), st.integers(1, 5))
def test_batches_change_nothing(rows: list[tuple[OxTerm | None, ...]], size: int) -> None:
    table = make_table(("x", "y"), rows)
    whole = all_to_arrow([table])
    assert all_to_arrow([table[:0], *parts_of(table, size)]).combine_chunks().equals(whole.combine_chunks())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TERMS), max_size=8))
def test_texts_are_those_of_the_matches(rows: list[tuple[OxTerm | None, ...]]) -> None:
    table = make_table(("x",), rows)
    texts = [None if term is None else str(term) for term in table.column("x")]
    assert table.to_arrow({"x": "string"}).column("x").to_pylist() == texts
    assert table.to_arrow({"x": "dictionary"}).column("x").to_pylist() == texts


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TERMS), max_size=8))
def test_values_are_those_of_the_matches(rows: list[tuple[OxTerm | None, ...]]) -> None:
    """What a column holds is what rdflib, or Arrow itself, makes of the texts."""
    table = make_table(("x",), rows)
    found = all_to_arrow([table]).column("x")
    texts = table.to_arrow({"x": "string"}).column("x")
    for value, text in zip(found.to_pylist(), texts.to_pylist(), strict=True):
        assert value == python_value(text, found.type)


def python_value(text: str | None, type_: pyarrow.DataType) -> Any:
    if text is None:
        return None
    if type_ == INSTANT:
        return datetime.fromisoformat(text)
    if type_ == pyarrow.bool_():
        return text == "true"
    kinds: dict[Any, Any] = {
        pyarrow.int64(): int,
        DECIMAL: Decimal,
        pyarrow.float64(): float,
        pyarrow.date32(): date.fromisoformat,
    }
    return kinds.get(type_, str)(text)


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(TERMS, TERMS), max_size=8), st.integers(1, 5))
def test_columns_of_terms(rows: list[tuple[OxTerm | None, ...]], size: int) -> None:
    table = make_table(("x", "y"), rows)
    frame = table.to_arrow(terms="ntriples")
    assert frame.schema.names == ["first", "last", "x", "y", "events"]
    for index, name in enumerate(("x", "y")):
        values = [table.row(row)[index][1] for row in range(len(table))]
        assert frame.column(name).to_pylist() == [None if one is None else one.to_ntriples() for one in values]
        assert frame.schema.field(name).type == pyarrow.string()
    others = [pickle.loads(pickle.dumps(table)).to_arrow(terms="ntriples")]
    others += [all_to_arrow(parts_of(table, size), terms="ntriples")] if rows else []
    assert all(other.combine_chunks().equals(frame.combine_chunks()) for other in others)
    assert frame.select(["first", "last", "events"]).equals(table.to_arrow().select(["first", "last", "events"]))


def test_terms_have_no_types() -> None:
    table = make_table(("price", "x"), [(Literal(1), None)])
    with pytest.raises(OptionError, match="a column has its terms or a type: with terms, types has price, x"):
        table.to_arrow({"price": "int64", "x": "string"}, terms="ntriples")
    with pytest.raises(OptionError, match=r'terms are "ntriples" or None, not \'turtle\''):
        table.to_arrow(terms="turtle")
    with pytest.raises(OptionError, match="there is no column prize"):
        table.to_arrow({"prize": "int64"}, terms="ntriples")
    assert table.to_arrow({}, terms="ntriples").column("price").to_pylist() == [f'"1"^^<{XSD}integer>']
    table.to_arrow(terms="ntriples")  # agrees on no type for later tables
    assert make_table(("price",), [(Literal(1.5),)]).to_arrow().schema.field("price").type == pyarrow.float64()


def test_too_much_text_is_an_error_of_ours() -> None:
    table = make_table(("x",), [(Literal("a" * 2**26),)]).select(np.zeros(32, np.int64))
    for how in ({"terms": "ntriples"}, {"types": {"x": "string"}}):
        with pytest.raises(StreamError, match="more than 2 GiB of texts are too many for a column"):
            table.to_arrow(**how)
    assert table[:1].to_arrow(terms="ntriples").num_rows == 1


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────
def test_events_are_lists_by_gpm() -> None:
    picks = [[(0, 1)], [], [(1, 5), (0, 6), (1, 7)]]
    table = make_table((), [()] * 3, picks=picks)
    events = table.to_arrow().column("events")
    lists = pyarrow.list_(pyarrow.field("element", pyarrow.string()))
    assert events.type == pyarrow.struct([("A", lists), ("B", lists)])
    found = [{name: iris for name, iris in row.items() if iris} for row in events.to_pylist()]
    assert found == [match.events for match in table] == table.to_pandas()["events"].tolist()
    assert events.to_pylist()[0]["B"] is None


def test_events_that_are_far_apart_have_their_names() -> None:
    """A window of many events, of which a match picks few: their names are looked up one by one."""
    query = """SELECT ?v FROM STREAM s <urn:s>
        WHERE { SEQ(A ; B) DEFINE GPM A ON s { ?e <urn:p> ?v } DEFINE GPM B ON s { ?f <urn:q> ?w } }"""
    lines = []
    for number in range(20_000):
        kind = "urn:p" if number % 400 == 0 else "urn:q" if number % 400 == 200 else "urn:r"
        lines.append((number, f"<urn:x> <{kind}> {number} .".encode(), f"urn:e{number}"))
    tables = list(spaseq.Run(query, {"s": lines}).tables())
    found = [row for table in tables for row in table.to_arrow().column("events").to_pylist()]
    assert found == [match.events for table in tables for match in table]
    assert len(found) == 50


# ── pandas and polars ────────────────────────────────────────────────────────────────────────────────────
def test_pandas_keeps_integers_where_some_are_missing() -> None:
    rows = [(Literal(2**62 + 1), Literal(True), typed("100.50", "decimal")), (None, None, None)]
    frame = make_table(("n", "b", "d"), rows).to_pandas()
    assert frame["n"].tolist() == [2**62 + 1, pandas.NA] and str(frame["n"].dtype) == "Int64"
    assert str(frame["b"].dtype) == "boolean"
    assert frame["d"].tolist() == [Decimal("100.5"), None] and str(frame["d"][0]) == "100.5"


def test_polars() -> None:
    frame = make_table(("n", "who"), [(Literal(1), iri("x")), (None, None)]).to_polars({"n": "double"})
    assert frame.columns == ["first", "last", "n", "who", "events"]
    assert frame.schema["n"] == polars.Float64
    assert frame["who"].to_list() == ["http://example.org/x", None]
    assert frame["events"].struct.field("A").to_list() == [["http://example.org/e0"], ["http://example.org/e1"]]


# ── whole runs ───────────────────────────────────────────────────────────────────────────────────────────
EXAMPLES = Path(__file__).parents[2] / "examples"
V_SHAPE = (EXAMPLES / "stocks" / "v_shape.spaseq").read_text()
STOCKS = {"stock": str(EXAMPLES / "streams" / "stocks.nq")}


def as_row(match: spaseq.Match) -> dict[str, Any]:
    values = {name: getattr(term, "value", None) or str(term) for name, term in match.bindings.items()}
    return {"first": match.first, "last": match.last, **values, "events": match.events}


def test_a_frame_of_a_run_has_its_matches() -> None:
    rows = [as_row(match) for match in spaseq.run(V_SHAPE, STOCKS)]
    frame = spaseq.run(V_SHAPE, STOCKS).to_arrow()
    assert frame.to_pylist() == rows and len(rows) == 40
    assert frame.schema.field("p1").type == DECIMAL
    assert spaseq.run(V_SHAPE, STOCKS).to_pandas()["p2"].tolist() == [row["p2"] for row in rows]
    assert spaseq.run(V_SHAPE, STOCKS).to_polars()["company"].to_list() == [row["company"] for row in rows]


def test_frames_of_the_tables_of_a_run_are_that_of_the_run() -> None:
    tables = [table.to_arrow() for table in spaseq.Run(V_SHAPE, STOCKS).tables()]
    assert pyarrow.concat_tables(tables).equals(spaseq.Run(V_SHAPE, STOCKS).to_arrow())


def test_a_run_without_results_has_all_columns() -> None:
    frame = spaseq.run(V_SHAPE, {"stock": []}).to_arrow({"p1": "decimal(18,4)"})
    assert frame.schema.names == ["first", "last", "company", "p1", "p2", "p3", "events"]
    assert frame.schema.field("p1").type == pyarrow.decimal128(18, 4)
    assert frame.num_rows == 0


def test_a_run_is_an_iterator() -> None:
    run = spaseq.run(V_SHAPE, STOCKS)
    first = next(run)
    rest = list(run)
    assert [first, *rest] == list(spaseq.run(V_SHAPE, STOCKS))
    assert list(run) == []
    with pytest.raises(OptionError, match="matches of this run were taken one by one"):
        run.to_arrow()


def test_a_run_has_terms_too() -> None:
    frame = spaseq.run(V_SHAPE, STOCKS).to_arrow(terms="ntriples")
    tables = [table.to_arrow(terms="ntriples") for table in spaseq.Run(V_SHAPE, STOCKS).tables()]
    assert pyarrow.concat_tables(tables).equals(frame)
    plain = spaseq.run(V_SHAPE, STOCKS).to_arrow()
    assert frame.column("company").to_pylist() == [f"<{one}>" for one in plain.column("company").to_pylist()]
    assert frame.column("events").equals(plain.column("events"))
    run = spaseq.run(V_SHAPE, STOCKS)
    with pytest.raises(OptionError, match="with terms, types has p1"):
        run.to_arrow({"p1": "double"}, terms="ntriples")
    assert run.events == 0  # nothing was read


def test_derived_events_have_their_triples() -> None:
    drops = (EXAMPLES / "stocks" / "drops.spaseq").read_text()
    frame = spaseq.run({"drops": drops}, STOCKS).to_arrow(terms="ntriples")
    found = [match.derived for match in spaseq.run({"drops": drops}, STOCKS)]
    assert frame.schema.names == ["first", "last", "events", "stream", "event", "triples"]
    assert frame.column("triples").to_pylist() == [[f"{one} ." for one in event.triples] for event in found if event]
    assert frame.column("stream").to_pylist() == [event.stream for event in found if event]
    assert frame.num_rows == len(found) > 0
    assert frame.equals(spaseq.run({"drops": drops}, STOCKS).to_arrow())


def test_rows_of_errors_count_all_tables() -> None:
    with pytest.raises(StreamError, match=r"<results>, row 0: error: the column p1 is of type decimal\(3, 2\)"):
        spaseq.run(V_SHAPE, STOCKS).to_arrow({"p1": "decimal(3,2)"})


def test_one_query_of_several() -> None:
    drops = (EXAMPLES / "stocks" / "drops.spaseq").read_text()
    with pytest.raises(OptionError, match=r"the results of one query, here are a, b: say which \(query\)"):
        spaseq.run({"a": V_SHAPE, "b": V_SHAPE}, STOCKS).to_arrow()
    with pytest.raises(OptionError, match="there is no query c; known are a, b"):
        spaseq.run({"a": V_SHAPE, "b": V_SHAPE}, STOCKS).to_arrow(query="c")
    both = spaseq.run({"drops": drops, "shape": V_SHAPE}, STOCKS)
    assert both.to_arrow().equals(spaseq.run(V_SHAPE, STOCKS).to_arrow())
    derived = spaseq.run({"drops": drops, "shape": V_SHAPE}, STOCKS).to_arrow(query="drops")
    assert derived.schema.names == ["first", "last", "events", "stream", "event", "triples"]
    found = [match.derived for match in spaseq.run({"drops": drops}, STOCKS)]
    assert derived.column("event").to_pylist() == [event.name for event in found if event]


def test_aggregates_over_matches_have_no_events() -> None:
    counted = "SELECT (COUNT(*) AS ?n) FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?e <urn:p> ?v } }"
    stream = [(time, [pyoxigraph.Triple(iri("e"), NamedNode("urn:p"), Literal(time))]) for time in (1, 2, 2)]
    frame = spaseq.run(counted, {"s": stream}).to_arrow()
    assert frame.schema.names == ["first", "last", "n"]
    assert frame.column("n").to_pylist() == [1, 2]


def test_negated_gpms_have_no_events() -> None:
    query = """SELECT ?v WITHIN 10 EVENTS SLIDING FROM STREAM s <urn:s>
        WHERE { SEQ(A ; B!) DEFINE GPM A ON s { ?e <urn:p> ?v } DEFINE GPM B ON s { ?f <urn:q> ?w } }"""
    stream = [(1, [pyoxigraph.Triple(iri("e"), NamedNode("urn:p"), Literal(1))])]
    assert [field.name for field in spaseq.run(query, {"s": stream}).to_arrow().schema.field("events").type] == ["A"]
