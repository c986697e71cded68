"""Times on the wire and in Python."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy
import pytest
from hypothesis import given, strategies as st
from pyoxigraph import Literal, NamedNode

import spaseq
import spaseq.tuples
from spaseq.errors import OptionError, SpaseqError
from spaseq.paths import EdgeStream
from spaseq.sources.rdf.wire import from_literal
from spaseq.streams import parse_duration, to_datetime, to_microseconds
from spaseq.streams.timestamps import duration_microseconds, from_xsd

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T19:00:00-05:00", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01T00:00:00.0000019", 1),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1970-01-01T24:00:00Z", 86_400_000_000),
        ("2000-02-29T12:30:45.5Z", 951_827_445_500_000),
        ("10000-01-01T00:00:00Z", 253_402_300_800_000_000),
        ("0000-03-01T00:00:00Z", -62_162_035_200_000_000),
        ("-0001-03-01T00:00:00Z", -62_193_657_600_000_000),
    ],
)
def test_datetimes(text: str, microseconds: int) -> None:
    assert from_xsd(text) == microseconds


@pytest.mark.parametrize(
    "text",
    [
        "", "2026", "2026-01-01", "2026-01-01 00:00:00", "20260101T000000Z", "2026-W01-1T00:00:00Z",
        "02026-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:01Z",
        "2026-01-01T00:60:00Z", "2026-1-1T0:0:0",
        "2026-01-01T00:00:60Z", "2026-01-01T00:00:00+15:00", "2026-01-01T00:00:00.Z", "２026-01-01T00:00:00Z",
        "300000-01-01T00:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_datetime(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not an xsd:dateTime|64-bit"):
        from_xsd(text)


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-3, minutes=-30))])))
def test_datetimes_agree_with_python(moment: datetime) -> None:
    assert from_xsd(moment.isoformat()) == to_microseconds(moment)
    assert to_datetime(to_microseconds(moment)) == moment


def test_integers_and_other_literals() -> None:
    assert from_literal(Literal("-12", datatype=NamedNode(XSD + "integer")), 1000) == -12_000
    assert from_literal(Literal("7", datatype=NamedNode(XSD + "unsignedLong"))) == 7
    for text, datatype in (("1.5", "integer"), ("9" * 19, "long"), ("2026-01-01", "date"), ("7", "string")):
        with pytest.raises(ValueError, match=r"is not an integer|64-bit|neither an xsd:dateTime nor an integer"):
            from_literal(Literal(text, datatype=NamedNode(XSD + datatype)), 1000)


def test_durations() -> None:
    assert parse_duration("1.5 minutes") == timedelta(seconds=90)
    assert parse_duration("500ms") == timedelta(milliseconds=500)
    assert parse_duration("0") == timedelta(0)
    for text in ("", "soon", "-1s", "1 fortnight"):
        with pytest.raises(OptionError, match="is not a duration"):
            parse_duration(text)
    assert duration_microseconds(timedelta(seconds=1)) == 1_000_000
    with pytest.raises(OptionError, match="a lateness is a timedelta"):
        duration_microseconds(1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [numpy.int64(5), numpy.int8(5), numpy.uint64(5), numpy.array(5), 5])
def test_integers_of_numpy(number: Any) -> None:
    assert to_microseconds(number) == duration_microseconds(number) == 5


NO_TIMES = [numpy.array([5]), numpy.array([5, 6]), numpy.array(["2026"], "M8[s]"), numpy.bool_(True), True, [5], 5.0]


@pytest.mark.parametrize("value", NO_TIMES)
def test_what_is_no_time(value: Any) -> None:
    """An array of one is not its element."""
    with pytest.raises(OptionError, match=f"a timestamp is an int .*, not {type(value).__name__} "):
        to_microseconds(value)
    with pytest.raises(OptionError, match="a lateness is a timedelta or an int"):
        duration_microseconds(value)


@pytest.mark.parametrize("time", [numpy.int64(5_000_000), numpy.array([5_000_000])])
def test_times_of_numpy_wherever_one_is_taken(time: Any) -> None:
    """Engines of both kinds, items of a run, and streams of edges."""
    graph = b"<urn:x> <urn:p> <urn:a> ."
    query = "SELECT ?x WITHIN 1 SECOND SLIDING FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?x ?p ?o } }"
    graphs, tuples = spaseq.Engine(), spaseq.tuples.Engine(time="at")
    graphs.register(query)
    tuples.register("SELECT * WHERE A : B")
    edges = EdgeStream("QUERY q FROM <urn:x> ANY SHORTEST <urn:p>+", 10)
    calls: list[Callable[[], object]] = [
        lambda: graphs.push("s", graph, time),
        lambda: graphs.push_batch("s", [(time, graph)]),
        lambda: graphs.advance(time),
        lambda: list(spaseq.run(query, {"s": [(time, graph)]})),
        lambda: tuples.advance(time),
        lambda: edges.push(graph, time),
        lambda: edges.advance(time),
    ]
    for call in calls:
        if isinstance(time, numpy.ndarray):
            with pytest.raises(SpaseqError, match="a timestamp is an int"):
                call()
        else:
            call()
