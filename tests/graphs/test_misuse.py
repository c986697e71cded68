"""Clumsy use of the Python interface: an error of ours that says what is wrong, and an engine that goes on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
import rdflib

import spaseq
from spaseq import OptionError, QueryError, QuerySyntaxError, SpaseqError, StreamError
from spaseq.streams import WireOptions

QUERY = """SELECT ?a ?b WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {
  SEQ(A ; B) DEFINE GPM A ON s { ?x <urn:p> ?a } DEFINE GPM B ON s { ?x <urn:q> ?b } }"""
DERIVE = """CONSTRUCT { ?x <urn:p> ?a } INTO STREAM <urn:o> WITHIN 1 MINUTE FROM STREAM s <urn:s> WHERE {
  SEQ(A) DEFINE GPM A ON s { ?x <urn:p> ?a } }"""
READ = """SELECT ?a WITHIN 1 MINUTE FROM STREAM o <urn:o> WHERE { SEQ(A) DEFINE GPM A ON o { ?x <urn:p> ?a } }"""
A, B = b"<urn:x> <urn:p> 1 .", b"<urn:x> <urn:q> 2 ."


def rdf(*triple: Any) -> rdflib.Graph:
    graph = rdflib.Graph()
    graph.add(triple)
    return graph


X, P = rdflib.URIRef("urn:x"), rdflib.URIRef("urn:p")
WRONG_GRAPHS: list[Any] = [
    None, "<urn:x> <urn:p> 1 .", b"", b"# nothing", b"<urn:x> <b", b"\xff", ["a"], [1], 5, rdflib.Graph(),
    rdflib.Dataset(),
    rdf(rdflib.Literal("x"), P, X), rdf(X, rdflib.BNode(), X), rdf(rdflib.BNode("a b"), P, X),
    rdf(X, P, rdflib.Literal("\ud800")), b"<urn:a> <urn:b> <urn:c> <urn:g> . <urn:a> <urn:b> <urn:c> .",
]  # fmt: skip
WRONG_TIMES: list[Any] = [
    1.5,
    float("nan"),
    "2026-01-01T00:00:00Z",
    None,
    True,
    date(2026, 1, 1),
    10**30,
    2**63 - 1,
    [],
]


@pytest.fixture
def engine() -> spaseq.Engine:
    engine = spaseq.Engine()
    engine.register(QUERY, "q")
    return engine


@pytest.mark.parametrize("graph", WRONG_GRAPHS, ids=lambda graph: type(graph).__name__)
def test_what_is_no_event(engine: spaseq.Engine, graph: Any) -> None:
    with pytest.raises((OptionError, StreamError)):
        engine.push("s", graph, 0)
    assert_works(engine)


@pytest.mark.parametrize("time", WRONG_TIMES, ids=repr)
def test_what_is_no_time(engine: spaseq.Engine, time: Any) -> None:
    for call in (lambda: engine.push("s", A, time), lambda: engine.advance(time)):
        with pytest.raises(OptionError, match="timestamp"):
            call()
    assert_works(engine)


def assert_works(engine: spaseq.Engine) -> None:
    """Nothing of what went wrong is left: two events match."""
    assert engine.statistics()["streams"]["urn:s"]["events"] == 0
    assert engine.push("s", A, 1) == []
    assert len(engine.push("s", B, 2)) == 1


def test_a_batch_with_a_wrong_event_is_not_begun(engine: spaseq.Engine) -> None:
    for items in [(1, A), (2, None)], [(1, A), 5], None, 5, [[1, A]], [(1,)], "ab":
        with pytest.raises(OptionError):
            engine.push_batch("s", items)  # type: ignore[arg-type]
    assert_works(engine)


MISTAKES: dict[str, tuple[Callable[[spaseq.Engine], object], type[SpaseqError], str]] = {
    "unknown stream": (lambda e: e.push("zz", A, 0), OptionError, "streams that are read: s"),
    "stream None": (lambda e: e.push(None, A, 0), OptionError, "streams that are read: s"),  # type: ignore[arg-type]
    "unknown stream of advance": (lambda e: e.advance(0, "zz"), OptionError, "streams that are read: s"),
    "unknown stream of close": (lambda e: e.close("zz"), OptionError, "streams that are read: s"),
    "event is no IRI": (lambda e: e.push("s", A, 0, "not an iri"), OptionError, "is no IRI"),
    "event is a number": (lambda e: e.push("s", A, 0, 5), OptionError, "the text of an IRI"),  # type: ignore[arg-type]
    "name taken": (lambda e: e.register(QUERY, "q"), OptionError, "there is a query named"),
    "name is a number": (lambda e: e.register(QUERY, 5), OptionError, "the name of a query"),  # type: ignore[arg-type]
    "no function": (lambda e: e.register(QUERY, "x", "print"), OptionError, "on_match"),  # type: ignore[arg-type]
    "query None": (lambda e: e.register(None), OptionError, "a query is"),  # type: ignore[arg-type]
    "query bytes": (lambda e: e.register(b"SELECT"), OptionError, "a query is"),  # type: ignore[arg-type]
    "query with a mistake": (lambda e: e.register("SELECT ?"), QuerySyntaxError, "1:8"),
    "parse bytes": (lambda e: spaseq.parse(b"SELECT"), OptionError, "not bytes"),  # type: ignore[arg-type]
    "parse a surrogate": (lambda e: spaseq.parse("SELECT \ud800"), QuerySyntaxError, "U\\+D800"),
    "unknown query": (lambda e: e.unregister("zz"), OptionError, "no query named"),
    "circle": (lambda e: e.register(DERIVE.replace("urn:o", "urn:s")), QueryError, "which it reads"),
    "negative lateness": (lambda e: spaseq.Engine(lateness=-1), OptionError, "cannot be negative"),
    "lateness text": (lambda e: spaseq.Engine(lateness="5s"), OptionError, "a lateness is"),  # type: ignore[arg-type]
    "background list": (lambda e: spaseq.Engine(background=["x"]), OptionError, "mapping"),  # type: ignore[arg-type]
    "background text": (lambda e: spaseq.Engine(background="kb.ttl"), OptionError, "mapping"),  # type: ignore[arg-type]
    "background None": (lambda e: spaseq.Engine(background={"urn:k": None}), OptionError, "no file, graph"),
    "background names": (lambda e: spaseq.Engine(background={"urn:k": ["a"]}), OptionError, "no file, graph"),
    "background no IRI": (lambda e: spaseq.Engine(background={"k k": b""}), OptionError, "no IRI"),
    "background 5": (lambda e: spaseq.Engine(background={5: b""}), OptionError, "no IRI"),  # type: ignore[dict-item]
    "background missing": (lambda e: spaseq.Engine(background={"urn:k": "no.ttl"}), StreamError, r"no\.ttl"),
    "background wrong": (lambda e: spaseq.Engine(background={"urn:k": b"\n<a"}), StreamError, r"urn:k:2:1: error: un"),
    "run without queries": (lambda e: run([], {}), OptionError, "there is no query"),
    "run without streams": (lambda e: run(QUERY, {}), OptionError, "which nothing supplies"),
    "run with a list": (lambda e: run(QUERY, ["s.nq"]), OptionError, "mapping"),
    "run with a number": (lambda e: run(QUERY, {"s": 5}), OptionError, "a stream is a path or"),
    "run with bytes": (lambda e: run(QUERY, {"s": b"abc"}), OptionError, "an event is"),
    "run with texts": (lambda e: run(QUERY, {"s": ["abc"]}), OptionError, "an event is"),
    "run without file": (lambda e: run(QUERY, {"s": "no.nq"}), StreamError, r"no\.nq"),
    "run with a null": (lambda e: run(QUERY, {"s": "a\0b"}), StreamError, "null character"),
    "run with options None": (lambda e: run(QUERY, {"s": []}, options=None), OptionError, "WireOptions"),
    "one property": (lambda e: WireOptions("urn:t"), OptionError, "tuple"),  # type: ignore[arg-type]
    "unit ms": (lambda e: WireOptions(time_unit="ms"), OptionError, "time unit"),  # type: ignore[arg-type]
}


def run(*arguments: Any, **options: Any) -> list[spaseq.Match]:
    return list(spaseq.run(*arguments, **options))


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(engine: spaseq.Engine, name: str) -> None:
    call, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message):
        call(engine)
    assert_works(engine)


def test_times_of_all_kinds_and_backwards(engine: spaseq.Engine) -> None:
    late = []
    engine.on_late = late.append
    times: list[Any] = [
        np.int64(-5), datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=-1))),
        datetime(2026, 1, 1, tzinfo=UTC), 0,
    ]  # fmt: skip
    for time in times:
        engine.push("s", A, time)
    assert [event.timestamp for event in late] == [1_767_225_600_000_000, 0]
    stream = engine.statistics()["streams"]["urn:s"]
    assert (stream["events"], stream["late"], stream["newest_event"]) == (5, 2, "2026-01-01T01:00:00Z")


def test_after_the_end(engine: spaseq.Engine) -> None:
    engine.close()
    assert engine.close() == []
    assert engine.advance(5) == []
    for call in (
        lambda: engine.push("s", A, 0), lambda: engine.advance(0, "s"), lambda: engine.close("s"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match="is closed"):
            call()


def test_derived_streams_are_not_pushed_to() -> None:
    engine = spaseq.Engine()
    engine.register(READ, "reader")
    engine.register(DERIVE, "producer")
    for call in (lambda: engine.push("o", A, 0), lambda: engine.advance(0, "o"), lambda: engine.close("o")):
        with pytest.raises(OptionError, match="is derived by a query"):
            call()
    with pytest.raises(OptionError, match="which reader reads"):
        engine.unregister("producer")
    with pytest.raises(QueryError, match="depend on itself"):
        engine.register(READ.replace("SELECT ?a", "CONSTRUCT { ?x <urn:p> ?a } INTO STREAM <urn:s>"))
    assert len(engine.push("s", A, 1)) == 2
    assert sorted(engine.queries) == ["producer", "reader"]


def test_a_callback_that_fails_does_not_harm_the_engine() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q", lambda match: 1 / 0)
    engine.push("s", A, 1)
    with pytest.raises(ExceptionGroup) as raised:
        engine.push("s", B, 2)
    assert [type(error) for error in raised.value.exceptions] == [ZeroDivisionError]
    engine.unregister("q")
    engine.register(QUERY, "q2")
    assert [match.query for match in engine.push("s", A, 3)] == ["q"]
    assert len(engine.push("s", B, 4)) == 1


def test_a_graph_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.graphs.LONGEST_TEXT", 20)
    engine = spaseq.Engine()
    engine.register("SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }")
    with pytest.raises(spaseq.OptionError, match="a graph of 25 bytes is too large"):
        engine.push("s", b"<urn:s> <urn:p> <urn:o> .", 1)
    with pytest.raises(spaseq.OptionError, match="is too large"):
        engine.push_batch("s", [(1, b"<urn:s> <urn:p> <urn:o> .", None)])
