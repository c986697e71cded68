"""Order, watermarks, lateness: when events are released, and what is late (semantics.md 3.4)."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from pyoxigraph import Literal, NamedNode, Triple

import spaseq
from spaseq.errors import OptionError, QueryError
from spaseq.streams import Event
from tests.graphs.standin import VALUE, StandInPlan, query

A, B, C = "urn:s:a", "urn:s:b", "urn:s:c"


def graph(value: int) -> list[Triple]:
    return [Triple(NamedNode("http://ex.org/s"), NamedNode(VALUE.value), Literal(value))]


def times(matches: list[spaseq.Match]) -> list[int]:
    return [match.microseconds.last for match in matches]


def test_a_match_comes_when_the_watermark_reaches_it(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, B))
    assert times(engine.push(A, graph(1), 5)) == []
    assert times(engine.push(B, graph(1), 4)) == []
    assert times(engine.push(B, graph(1), 5)) == [5]
    assert times(engine.push(A, graph(1), 5)) == [5]
    assert times(engine.push("a", graph(1), 9)) == []
    assert times(engine.advance(9)) == [9]


def test_events_windows_wait_until_the_order_is_complete(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, events=True))
    assert times(engine.push(A, graph(1), 5)) == []
    assert times(engine.push(A, graph(1), 5)) == []
    assert times(engine.push(A, graph(1), 6)) == [5, 5]
    assert times(engine.close()) == [6]


def test_edges_wait_until_they_have_passed(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, delay=10))
    assert times(engine.push(A, graph(1), 5)) == []
    assert times(engine.advance(15)) == []
    assert times(engine.advance(16)) == [5]
    engine.push(A, graph(1), 20)
    assert times(engine.close()) == [20]


def test_lateness_reorders_and_late_events_are_handed_on(plans: list[StandInPlan]) -> None:
    late: list[Event] = []
    engine = spaseq.Engine(lateness=timedelta(microseconds=3), on_late=late.append)
    engine.register(query(A))
    found = [times(engine.push(A, graph(time), time)) for time in (10, 8, 7, 12, 8, 9, 15)]
    assert found == [[], [], [7], [8], [], [9], [10, 12]]
    assert [(event.timestamp, event.name[:17]) for event in late] == [(8, "urn:spaseq:event:")]
    assert engine.statistics()["streams"][A] | {"newest_event": 0, "watermark": 0} == {
        "first_late": f"<{late[0].name}> at 1970-01-01T00:00:00.000008Z",
        "lateness_needed": 4,
        "events": 7, "late": 1, "newest_event": 0, "watermark": 0, "closed": False,
    }  # fmt: skip


def test_simultaneous_events_come_in_order_of_from_stream(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine(lateness=10)
    engine.register(query(A, B), on_match=None)
    for stream, name in ((B, "b1"), (A, "a1"), (B, "b2"), (A, "a2")):
        engine.push(stream, graph(1), 1, event="urn:e:" + name)
    engine.close()
    names = engine.core.inputs[0].names
    assert [names(number) for number in range(4)] == ["urn:e:a1", "urn:e:a2", "urn:e:b1", "urn:e:b2"]


def test_a_silent_stream_holds_the_others_back_and_is_named(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, B), name="q")
    engine.push(A, graph(1), 5)
    found = engine.statistics()["queries"]["q"]
    assert (found["held_back_by"], found["waiting_events"]) == (B, 1)
    assert times(engine.close("b")) == [5]
    assert engine.statistics()["queries"]["q"]["held_back_by"] is None
    assert engine.statistics()["queries"]["q"]["results"] == 1


def test_cutting_batches_changes_nothing(plans: list[StandInPlan]) -> None:
    generator = random.Random(7)
    events = [Event(generator.choice((A, B)), time + generator.randint(0, 4), "", graph(time)) for time in range(200)]
    expected: list[list[tuple[int, str]]] = []
    for _ in range(20):
        engine = spaseq.Engine(lateness=4)
        for delay in (0, 7):
            engine.register(query(A, B, delay=delay), name=f"q{delay}")
        found, at = [], 0
        while at < len(events):
            size = generator.randint(1, 60)
            found += [match for table in engine.push_events(events[at : at + size]) for match in table]
            at += size
        found += engine.close()
        expected.append(sorted((match.query, *match.microseconds, str(match.events)) for match in found))
    assert all(other == expected[0] for other in expected)
    assert len(expected[0]) > 100


def test_derived_streams_feed_other_queries(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(C, name="second"))
    engine.register(query(B, name="first", into=C, delay=10))
    engine.register(query(A, name="zeroth", into=B))
    found = engine.push(A, graph(42), 5)
    assert [match.query for match in found] == ["zeroth"]
    found = engine.advance(15)
    assert found == []
    found = engine.advance(16)
    assert [(match.query, match.microseconds.last) for match in found] == [("first", 5), ("second", 15)]
    assert str(found[1].bindings["v"]) == "42"
    assert engine.statistics()["streams"][C]["watermark"] == "1970-01-01T00:00:00.000016Z"
    engine.push(A, graph(43), 20)
    assert [match.query for match in engine.close()] == ["first", "second"]


def test_two_producers_hold_their_stream_at_the_slower_one(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, name="a", into=C))
    engine.register(query(B, name="b", into=C))
    engine.register(query(C, name="c"))
    assert [match.query for match in engine.push(A, graph(1), 9)] == ["a"]
    assert [match.query for match in engine.push(B, graph(1), 5)] == ["b", "c"]
    assert [match.query for match in engine.close()] == ["c"]


def test_circles_of_derived_streams_are_refused(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, into=B))
    engine.register(query(B, into=C))
    with pytest.raises(QueryError, match="would depend on itself: <urn:s:"):
        engine.register(query(C, into=A))
    with pytest.raises(QueryError, match="would depend on itself"):
        engine.register(query(C, into=C))
    assert list(engine.queries) == ["query1", "query2"]


def test_late_registration_sees_only_what_comes(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine(lateness=5)
    engine.register(query(A, name="old"))
    engine.push(A, graph(1), 10)
    engine.register(query(A, name="new"))
    engine.push(A, graph(2), 11)
    assert sorted((match.query, match.microseconds.last) for match in engine.close()) == [
        ("new", 11), ("old", 10), ("old", 11),
    ]  # fmt: skip


def test_unregistering(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, name="producer", into=B))
    engine.register(query(B, name="reader"))
    with pytest.raises(OptionError, match='"producer" derives <urn:s:b>, which reader reads'):
        engine.unregister("producer")
    engine.unregister("reader")
    engine.unregister("producer")
    with pytest.raises(OptionError, match='no query named "producer"'):
        engine.unregister("producer")
    with pytest.raises(OptionError, match="no query reads a stream"):
        engine.push(A, graph(1), 1)


def test_wrong_use_is_told_clearly(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    engine.register(query(A, name="q", into=B))
    engine.register(query("urn:t:a", B, name="r"))
    cases = [
        (lambda: engine.push("x", graph(1), 1), 'no query reads a stream "x"; streams that are read: a, b'),
        (lambda: engine.push("a", graph(1), 1), 'the name "a" stands for different streams'),
        (lambda: engine.push(B, graph(1), 1), "<urn:s:b> is derived by a query"),
        (lambda: engine.push(A, graph(1), 1.5), "a timestamp is an int"),
        (lambda: engine.push(A, graph(1), 2**63), "outside the range"),
        (lambda: engine.push(A, [], 1), "at least one triple"),
        (lambda: engine.push(A, "text", 1), "a graph is an rdflib.Graph"),
        (lambda: engine.push(A, [1], 1), "a graph has pyoxigraph quads or triples"),
        (lambda: engine.push(A, graph(1), 1, event="no iri"), "is no IRI"),
        (lambda: engine.push(A, b"<a:b> <a:c> <a:d> <a:g> .\n<a:b> <a:c> <a:d> <a:h> .", 1), "an event is one graph"),
        (lambda: engine.push_batch(A, [3]), "an event is (timestamp, graph)"),
        (lambda: engine.register(query(A), name="q"), 'a query named "q"'),
        (lambda: engine.register(3), "a query is a text"),
        (lambda: spaseq.Engine(lateness=timedelta(seconds=-1)), "cannot be negative"),
    ]
    for call, message in cases:
        with pytest.raises(OptionError) as caught:
            call()
        assert message in str(caught.value)
    with pytest.raises(spaseq.StreamError, match=r"<event>:1:"):
        engine.push(A, b"this is no RDF", 1)
    engine.close(A)
    with pytest.raises(OptionError, match="closed"):
        engine.push(A, graph(1), 1)


def test_graphs_of_all_kinds(plans: list[StandInPlan]) -> None:
    import rdflib

    engine = spaseq.Engine()
    engine.register(query(A))
    turtle = b"@prefix : <http://ex.org/> . :s :value 1 ."
    quads = b'<http://ex.org/s> <http://ex.org/value> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e:1> .'
    graphs = [rdflib.Graph().parse(data=turtle, format="turtle"), turtle, quads, graph(1), iter(graph(1))]
    at = datetime(2026, 1, 1, tzinfo=UTC)
    found = [match for kind in graphs for match in engine.push(A, kind, at)]
    assert [match.bindings["v"] for match in found] == [rdflib.Literal(1)] * 5
    assert all(match.first == at for match in found)
    names = [match.events["A"][0] for match in found]
    assert names[2] == "urn:e:1"
    assert len({name for name in names if name.startswith("urn:spaseq:event:")}) == 4


def test_callbacks_are_told(plans: list[StandInPlan]) -> None:
    engine = spaseq.Engine()
    told: list[spaseq.Match] = []
    engine.register(query(A), on_match=told.append)
    assert engine.push(A, graph(1), 1) == told
    assert len(told) == 1
