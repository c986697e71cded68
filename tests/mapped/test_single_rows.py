"""A row by itself is the event that it is as a column, and takes no columns where that can be."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spaseq.errors import SpaseqError
from spaseq.graphs import Engine, graph_engine
from spaseq.languages.mappings import parse
from spaseq.sources.mapped.single_rows import NotKnownError, row_lines

XSD = "http://www.w3.org/2001/XMLSchema#"
QUERY = "SELECT ?e ?p ?o FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?e ?p ?o } }"
TRIPLES = [
    "[] <x:v> ?v", "<x:{?k}> <x:v> ?v ; <x:w> <y:{?k}/{?v}>", '_:a <x:v> _:b . _:b <x:k> ?k , "a\\"b\\n"@en , 5 , 1.50',
    "?v <x:v> 1 . <x:a> <x:b> ?x", "<x:{?x}> <x:p> <x:{?v}>",
]  # fmt: skip
WHERES = [
    "", "WHERE { FILTER(?v > 1) }", "WHERE { FILTER(2 >= ?v && BOUND(?k)) }", "WHERE { BIND(?v + 1 AS ?x) }",
    f"WHERE {{ BIND(<{XSD}decimal>(?v) AS ?x) }}", f"WHERE {{ BIND(<{XSD}string>(?k) AS ?x) }}",
    "WHERE { BIND(<z:{?k}> AS ?x) FILTER(?v != 1.5) }", "WHERE { BIND(?k AS ?x) }",
]  # fmt: skip


class Nowhere(tzinfo):
    """A zone that is none: it has no offset."""

    def utcoffset(self, _: datetime | None) -> None:
        """There is none."""

    def tzname(self, _: datetime | None) -> None:
        """Nor has it a name."""


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(-(2**70), 2**70), st.floats(),
    st.sampled_from([0.5, 1.0, 2.0, 1e300, 'ä/? \\ "', "a\nb\r"]),
    st.just(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2)))), st.just("half \ud800"),
    st.just(datetime.min.replace(tzinfo=timezone(timedelta(hours=2)))), st.just(datetime(2026, 1, 1, tzinfo=Nowhere())),
    st.decimals(allow_nan=True, allow_infinity=True), st.decimals(-2, 2, places=2), st.text(max_size=5), st.dates(),
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
)  # fmt: skip
TIMES = st.one_of(
    st.none(), st.integers(0, 10**6), st.datetimes(datetime(1970, 1, 1)), st.sampled_from(["2026-01-01", 2**70])
)
EVENTS = ["", "EVENT <x:e/{?k}>", "EVENT ?k"]


def pushed(rows: list[dict[str, Any]], mapping: str) -> list[str]:
    """The matches, or the error."""
    engine = Engine()
    engine.register(QUERY)
    try:
        found = [*engine.push_rows("s", rows, mapping), *engine.close()]
    except SpaseqError as error:
        return [f"{type(error).__name__}: {error}"]
    return sorted(f"{match.first} {match.events} {match}" for match in found)


@given(st.sampled_from(TRIPLES), st.sampled_from(WHERES), st.sampled_from(EVENTS), VALUES, VALUES, TIMES)
@settings(deadline=None, max_examples=300)
def test_it_is_the_event_that_it_is_as_a_column(
    triples: str, where: str, event: str, v: Any, k: Any, time: Any
) -> None:
    mapping = f"{event} AT ?t CONSTRUCT {{ {triples} }} {where}"
    row = {"v": v, "k": k, "t": time}
    found = pushed([row], mapping)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_engine, "single_row", lambda *_: None)
        assert found == pushed([row], mapping)


def test_what_needs_no_columns() -> None:
    mapping = parse("EVENT <x:{?id}> AT ?t UNIT s CONSTRUCT { <x:{?id}> <x:p> ?p ; <x:w> ?w } WHERE { FILTER(?p > 0) }")
    rows = row_lines(mapping.mapping)
    found = rows.event({"id": 7, "t": 2, "p": Decimal("1.50"), "w": None})
    assert found is not None
    assert found == (f'<x:7> <x:p> "1.50"^^<{XSD}decimal> .\n'.encode(), 2_000_000, "x:7")
    assert rows.event({"id": 7, "t": 2, "p": 0, "w": None}) == (b"", 0, None)  # the filter drops it
    assert rows.event({"id": 7, "t": None, "p": 1, "w": None}) is None  # columns say what is wrong


@pytest.mark.parametrize(
    "mapping", ['EACH "l" AS ?e AT ?t CONSTRUCT { [] <x:v> ?v }', 'COLUMN "a.b" AS ?v AT ?t CONSTRUCT { [] <x:v> ?v }']
)
def test_what_needs_columns(mapping: str) -> None:
    with pytest.raises(NotKnownError):
        row_lines(parse(mapping).mapping)


def test_what_no_column_is_asked_for_may_be_anything() -> None:
    (match,) = pushed([{"t": 1, "v": 2, "more": object()}], "AT ?t CONSTRUCT { [] <x:v> ?v }")
    assert f'"2"^^<{XSD}integer>' in match


def test_dates_and_zones() -> None:
    row = {"t": datetime(2026, 1, 1, tzinfo=UTC), "v": date(2026, 1, 1), "k": datetime(2026, 1, 1, 1, tzinfo=UTC)}
    (match,) = pushed([row], "AT ?t CONSTRUCT { [] <x:v> ?v }")
    assert f'"2026-01-01"^^<{XSD}date>' in match
