"""Match tables as sequences, matches as values."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

import numpy as np
import pytest
import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode

from spaseq.errors import OptionError
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from spaseq.streams.timestamps import iso
from tests.results.tables import START, iri, make_table

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.fixture
def table() -> MatchTable:
    rows = [
        (Literal(1), iri("x"), Literal("hé", language="fr")),
        (Literal(2), None, Literal('a"b\n')),
        (None, BlankNode("e1.b"), Literal("2.50", datatype=NamedNode(XSD + "decimal"))),
    ]
    return make_table(("n", "who", "text"), rows)


def test_is_a_sequence(table: MatchTable) -> None:
    assert len(table) == 3
    assert [match.bindings.get("n") for match in table] == [rdflib.Literal(1), rdflib.Literal(2), None]
    assert table[-1].bindings["who"] == rdflib.BNode("e1.b")
    assert list(table[1:]) == [table[1], table[2]]
    assert list(reversed(table)) == [table[2], table[1], table[0]]
    with pytest.raises(IndexError):
        table[3]


def test_match_shows_terms_times_and_events(table: MatchTable) -> None:
    match = table[0]
    assert match.query == "q"
    assert match.bindings == {
        "n": rdflib.Literal(1),
        "who": rdflib.URIRef("http://example.org/x"),
        "text": rdflib.Literal("hé", lang="fr"),
    }
    assert match.first == datetime(2026, 1, 1, tzinfo=UTC)
    assert match.last == datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert match.microseconds == (START, START + 1_000_000, START + 1_000_000)
    assert match.events == {
        "A": ["http://example.org/e0"],
        "B": ["http://example.org/e1", "http://example.org/e2"],
    }
    assert match.derived is None
    assert repr(match).startswith("<Match q 2026-01-01T00:00:00Z … 2026-01-01T00:00:01Z n=")


def test_to_dict_is_json(table: MatchTable) -> None:
    data = json.loads(json.dumps(table[0].to_dict()))
    assert data == {
        "query": "q",
        "first": "2026-01-01T00:00:00Z",
        "last": "2026-01-01T00:00:01Z",
        "events": {"A": ["http://example.org/e0"], "B": ["http://example.org/e1", "http://example.org/e2"]},
        "bindings": {
            "n": {"type": "literal", "value": "1", "datatype": XSD + "integer"},
            "who": {"type": "uri", "value": "http://example.org/x"},
            "text": {"type": "literal", "value": "hé", "xml:lang": "fr"},
        },
    }
    assert "who" not in table[1].to_dict()["bindings"]


def test_slices_keep_picks_apart() -> None:
    picks = [[(0, 1)], [], [(0, 5), (1, 6)], [(1, 7)]]
    table = make_table(("x",), [(Literal(i),) for i in range(4)], picks=picks)
    chosen = table.select(np.array([3, 1, 2]))
    assert [match.events for match in chosen] == [
        {"B": ["http://example.org/e7"]},
        {},
        {"A": ["http://example.org/e5"], "B": ["http://example.org/e6"]},
    ]
    assert len(table[4:]) == 0


def test_equal_matches_of_different_tables() -> None:
    one, two = (make_table(("x",), [(Literal("a"),), (Literal("b"),)]) for _ in range(2))
    assert list(one) == list(two)
    assert len({*one, *two}) == 2
    assert one[0] != two[1]


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (-(1 << 63), "-290308-12-21T19:59:05.224192Z"),
        ((1 << 63) - 1, "294247-01-10T04:00:54.775807Z"),
    ],
)
def test_every_64_bit_time_has_a_text(microseconds: int, text: str) -> None:
    assert iso(microseconds) == text


def test_times_beyond_datetime_stay_numbers() -> None:
    far = (1 << 63) - 1
    match = make_table(("x",), [(Literal(1),)], times=[(-far, far)])[0]
    assert (match.first, match.last) == (-far, far)
    assert match.to_dict()["last"] == "294247-01-10T04:00:54.775807Z"
    assert repr(match)


def test_column(table: MatchTable) -> None:
    assert table.column("n") == [rdflib.Literal(1), rdflib.Literal(2), None]
    with pytest.raises(KeyError):
        table.column("nobody")


def test_derived_event_of_a_match() -> None:
    event = DerivedEvent("http://example.org/out", START, "urn:d", [])
    table = make_table((), [()], derived=(event,))
    assert table[0].derived == event
    assert table[0].to_dict()["event"] == "urn:d"


def test_pandas(table: MatchTable) -> None:
    frame = table.to_pandas()
    assert list(frame.columns) == ["first", "last", "n", "who", "text", "events"]
    assert frame["first"][0] == datetime(2026, 1, 1, tzinfo=UTC)
    assert frame["who"].tolist() == ["http://example.org/x", None, "e1.b"]
    assert frame["text"].tolist() == ["hé", 'a"b\n', "2.5"]  # of several kinds, hence text
    assert frame["n"][0] == 1
    assert frame["events"][2]["A"] == ["http://example.org/e2"]


def test_pandas_renames_its_own_columns() -> None:
    frame = make_table(("first",), [(Literal("x"),)]).to_pandas()
    assert list(frame.columns) == ["first_", "last", "first", "events"]


def test_arrow(table: MatchTable) -> None:
    arrow = table.to_arrow()
    assert arrow.column("n").to_pylist() == [1, 2, None]
    assert arrow.column("text").to_pylist() == ["hé", 'a"b\n', "2.5"]  # of several kinds, hence text
    assert arrow.column("first").to_pylist()[0] == datetime(2026, 1, 1, tzinfo=UTC)
    assert dict(arrow.column("events").to_pylist()[0]) == table[0].events


def test_empty_tables_have_their_columns() -> None:
    table = make_table(("x",), [])
    assert list(table.to_pandas().columns) == list(table.to_arrow().column_names) == ["first", "last", "x", "events"]


@pytest.mark.parametrize(
    ("method", "package"), [("to_pandas", "pandas"), ("to_arrow", "pyarrow"), ("to_polars", "polars")]
)
def test_missing_package_names_the_extra(
    table: MatchTable, method: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OptionError, match=f"this needs {package}; install it with: pip install"):
        getattr(table, method)()


def test_html_escapes() -> None:
    table = make_table(("x",), [(Literal("<script>"),)] * 30)
    html = table._repr_html_()
    assert "&lt;script&gt;" in html and "<script>" not in html
    assert "30 matches, the first 20 shown" in html
