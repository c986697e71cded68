"""Streams of edges: when edges come and go, what counts as late, how edges are given, what is refused."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow
import pytest
import rdflib
from pyoxigraph import Literal, NamedNode, Quad, Triple

from spaseq.errors import BusyError, OptionError, QueryError, SpaseqWarning, StreamError
from spaseq.paths import EdgeEvent, EdgeStream, Graph

EX = "http://ex.org/"
PREFIX = f"PREFIX ex: <{EX}> "
REACH = PREFIX + "QUERY q FROM ex:a ANY SHORTEST ex:p+"


def node(name: str) -> NamedNode:
    return NamedNode(EX + name)


def edge(text: str) -> Triple:
    return Triple(*map(node, text.split()))


def pushed(stream: EdgeStream, *events: tuple[int, str]) -> list[list[str]]:
    return [list(map(str, stream.push([edge(text)], time))) for time, text in events]


def test_edges_go_when_they_are_older_than_the_window() -> None:
    stream = EdgeStream(REACH, 10)
    assert pushed(stream, (0, "a p b"), (10, "b p c"), (11, "c p d")) == [
        ["a -> p -> b"],
        ["a -> p -> b -> p -> c"],
        [],
    ]
    assert len(stream) == 2 and list(stream.current()) == []


def test_an_edge_that_comes_again_stays() -> None:
    stream = EdgeStream(REACH, 10)
    assert pushed(stream, (0, "a p b"), (9, "a p b"), (19, "b p c")) == [["a -> p -> b"], [], ["a -> p -> b -> p -> c"]]
    assert pushed(stream, (30, "a p b")) == [["a -> p -> b"]]


def test_any_is_given_once_for_a_pair_and_shortest_when_it_gets_shorter() -> None:
    events = (1, "a p b"), (2, "b p c"), (3, "a p c")
    assert pushed(EdgeStream(REACH, 10), *events)[2] == ["a -> p -> c"]
    assert pushed(EdgeStream(REACH.replace(" SHORTEST", ""), 10), *events)[2] == []
    both = pushed(EdgeStream(REACH.replace("ANY SHORTEST", "ALL TRAIL"), 10), *events)
    assert both[2] == ["a -> p -> c"]


def test_edges_of_one_event_come_together() -> None:
    stream = EdgeStream(REACH, 10)
    (b, c) = stream.push([edge("a p b"), edge("b p c"), edge("a p c")], 1)
    assert (str(b), str(c)) == ("a -> p -> b", "a -> p -> c")


def test_a_node_alone_is_a_path_when_it_comes() -> None:
    stream = EdgeStream(PREFIX + "QUERY q FROM ex:a ex:p*", 10)
    assert pushed(stream, (1, "b q a"), (2, "a q b"), (13, "b q a")) == [["a"], [], ["a"]]


def test_a_path_has_its_time() -> None:
    stream = EdgeStream(REACH, timedelta(seconds=1))
    when = datetime(2026, 1, 1, tzinfo=UTC)
    (path,) = stream.push([edge("a p b")], when)
    assert path.time == 1_767_225_600_000_000 and path.to_dict()["time"] == "2026-01-01T00:00:00Z"
    assert [str(term) for term in path.nodes] == [EX + "a", EX + "b"]
    table = stream.push([edge("b p c")], when).to_arrow()
    assert table.column_names == ["query", "time", "nodes", "predicates", "inverse"]
    assert table["time"].to_pylist() == [when]


@pytest.mark.parametrize("edges", [
    [Quad(node("a"), node("p"), node("b"))], f"<{EX}a> <{EX}p> <{EX}b> .".encode(),
    f"@prefix : <{EX}> . :a :p :b .".encode(), rdflib.Graph().add(tuple(rdflib.URIRef(EX + name) for name in "apb")),
    [tuple(rdflib.URIRef(EX + name) for name in "apb")], {tuple(map(node, "apb"))},
])  # fmt: skip
def test_edges_are_given_in_many_ways(edges: Any) -> None:
    assert list(map(str, EdgeStream(REACH, 10).push(edges, 1))) == ["a -> p -> b"]


@pytest.mark.parametrize("edges", ["text", 7, [], [7], [(1, 2)], [(node("a"), node("p"), "b")], None])
def test_what_are_no_edges(edges: Any) -> None:
    with pytest.raises(OptionError):
        EdgeStream(REACH, 10).push(edges, 1)


def test_text_that_is_none() -> None:
    with pytest.raises(StreamError):
        EdgeStream(REACH, 10).push(b"<a", 1)


def test_blank_nodes_are_those_of_their_event() -> None:
    stream = EdgeStream(REACH, 10)
    line = f"<{EX}a> <{EX}p> _:x .\n_:x <{EX}p> <{EX}b> .".encode()
    assert len(stream.push(line, 1)) == 2 and len(stream.push(line, 2)) == 1
    assert len(stream.current()) == 3


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────
NAMED = 'QUERY q FROM LABEL "a" ANY SHORTEST :p+'


def table(*rows: str) -> pyarrow.Table:
    columns = zip(*(row.split() for row in rows), strict=True)
    return pyarrow.table(dict(zip(("subject", "relation", "object"), map(list, columns), strict=True)))


@pytest.mark.parametrize("times", [
    [1, 2, 20], np.array([1, 2, 20]), np.array([1, 2, 20], "datetime64[us]"),
    [datetime(1970, 1, 1, microsecond=one, tzinfo=UTC) for one in (1, 2, 20)],
])  # fmt: skip
def test_tables_are_streams_of_names(times: Any) -> None:
    stream = EdgeStream(NAMED, 10, named=True)
    found = stream.push_table(times, table("a p b", "b p c", "a p d"))
    assert [(str(path), path.time) for path in found] == [
        ("a -> p -> b", 1), ("a -> p -> b -> p -> c", 2), ("a -> p -> d", 20)
    ]  # fmt: skip
    assert list(map(str, stream.current())) == ["a -> p -> d"] and len(stream.graph()) == 1


ROWS = [("a", "p", "b"), ("b", "p", "urn:c"), ("urn:c", "urn:q r", "http://x/é"), ("urn:c", "p", "é ")]


@pytest.mark.parametrize("form", ["plain", "codes", "some codes", "large", "slice", "chunks"])
def test_tables_of_all_forms(form: str) -> None:
    columns = [pyarrow.array(texts, pyarrow.string()) for texts in zip(*ROWS, strict=True)]
    if form == "codes":
        columns = [column.dictionary_encode() for column in columns]
    elif form == "some codes":  # of more names than there are rows
        names = pyarrow.array([f"name {number}" for number in range(9)] + [name for row in ROWS for name in row])
        columns = [pyarrow.array([names.to_pylist().index(text) for text in column.to_pylist()]) for column in columns]
        columns = [pyarrow.DictionaryArray.from_arrays(codes, names) for codes in columns]
    elif form == "large":
        columns = [column.cast(pyarrow.large_string()) for column in columns]
    elif form == "slice":
        columns = [pyarrow.concat_arrays([pyarrow.array(["no", "none"]), column]).slice(2) for column in columns]
    rows = pyarrow.table(columns, ["subject", "relation", "object"])
    if form == "chunks":
        rows = pyarrow.concat_tables([rows.slice(0, 2), rows.slice(2, 0), rows.slice(2)])
    stream = EdgeStream(NAMED.replace(":p+", "!()+"), 10, named=True)
    found = [str(path) for path in stream.push_table(range(len(ROWS)), rows)]
    expected = EdgeStream(NAMED.replace(":p+", "!()+"), 10, named=True)
    graph = Graph.from_table(pyarrow.table([list(part) for part in zip(*ROWS, strict=True)], list(rows.column_names)))
    assert sorted(map(str, stream.current())) == sorted(map(str, graph.match(NAMED.replace(":p+", "!()+"))))
    assert [str(path) for row in ROWS for path in expected.push_table([9], table_of(row))] == found


def table_of(*rows: tuple[str, str, str]) -> pyarrow.Table:
    columns = zip(*rows, strict=True)
    return pyarrow.table(dict(zip(("subject", "relation", "object"), map(list, columns), strict=True)))


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("missing", [None, ""])
@pytest.mark.parametrize("codes", [False, True])
def test_rows_that_are_no_edges(column: int, missing: str | None, codes: bool) -> None:
    rows = [["a", "b", "a"], ["p", "p", "p"], ["b", "b", "c"]]
    rows[column][1] = missing  # type: ignore[call-overload]
    columns = [pyarrow.array(texts, pyarrow.string()) for texts in rows]
    names = ["subject", "relation", "object"]
    data = pyarrow.table([one.dictionary_encode() if codes else one for one in columns], names)
    with pytest.raises(StreamError, match=f"row 1.*the edge has no {names[column]}"):
        EdgeStream(NAMED, 10, named=True).push_table([1, 2, 3], data)


def test_what_appeared_keeps_its_terms() -> None:
    stream = EdgeStream(NAMED, 10, named=True)
    found = [stream.push_table([0], table("a p b"))]
    for first in range(100, 400_000, 40_000):
        numbers = range(first, first + 40_000)
        names = {"subject": map(str, numbers), "relation": ["p"] * 40_000, "object": map(str, numbers)}
        stream.push_table(numbers, pyarrow.table({name: list(texts) for name, texts in names.items()}))
        found.append(stream.push_table([first + 40_000], table("a p b")))
    assert len(stream.terms) < 200_000  # the first ones are forgotten
    assert [[str(path) for path in one] for one in found] == [["a -> p -> b"]] * 11
    again = pickle.loads(pickle.dumps(found[0]))
    assert [(str(path), path.time) for path in again] == [("a -> p -> b", 0)]


def test_a_node_that_goes_and_comes_again_is_one() -> None:
    stream = EdgeStream(NAMED.replace("ANY SHORTEST :p+", "ALL WALK :p/:p"), 10, named=True)
    found = stream.push_table([0, 1, 50, 51], table("a p b", "b p c", "a p b", "b p c"))
    assert [path.time for path in found] == [1, 51] and found[0].vertices == found[1].vertices
    assert found[0].symbols == found[1].symbols


@pytest.mark.parametrize("times", [[1], np.array(["NaT", "NaT"], "datetime64[us]"), ["x", "y"], 7])
def test_times_that_are_none(times: Any) -> None:
    with pytest.raises(OptionError):
        EdgeStream(NAMED, 10, named=True).push_table(times, table("a p b", "b p c"))


# ── order ────────────────────────────────────────────────────────────────────────────────────────────────
def test_late_events_are_counted_and_told_of() -> None:
    told: list[EdgeEvent] = []
    stream = EdgeStream(REACH, 10, on_late=told.append)
    assert pushed(stream, (5, "a p b"), (4, "b p c"), (5, "b p d"))[1:] == [[], ["a -> p -> b -> p -> d"]]
    assert told == [(4, "", (tuple(map(node, "bpc")),))]
    assert "1 of the 3 events" in stream.losses()[0].line()
    stream.close()


def test_late_events_are_warned_of_in_the_end() -> None:
    stream = EdgeStream(REACH, 10)
    pushed(stream, (5, "a p b"), (4, "b p c"))
    with pytest.warns(SpaseqWarning, match="came late"):
        stream.close()
    with pytest.raises(OptionError):
        stream.push([edge("a p b")], 9)


def test_late_rows_of_tables_have_their_terms() -> None:
    told: list[EdgeEvent] = []
    stream = EdgeStream(NAMED, 10, on_late=told.append, named=True)
    stream.push_table([5, 4], table("a p b", "b p c"))
    assert told == [(4, "", ((Literal("b"), NamedNode("urn:relation:p"), Literal("c")),))]


def test_events_wait_for_older_ones() -> None:
    stream = EdgeStream(REACH, 10, lateness=3)
    assert pushed(stream, (5, "b p c"), (4, "a p b"), (8, "c p d")) == [
        [],
        [],
        ["a -> p -> b", "a -> p -> b -> p -> c"],
    ]
    assert list(map(str, stream.advance(8))) == ["a -> p -> b -> p -> c -> p -> d"]
    pushed(stream, (9, "d p e"))
    assert [str(path)[-1] for path in stream.close()] == ["e"]


def test_what_there_is_at_a_time() -> None:
    stream = EdgeStream(REACH, 10)
    pushed(stream, (1, "a p b"), (5, "b p c"))
    assert [len(stream.current(time=time)) for time in (11, 12, 15, 16)] == [2, 0, 0, 0]
    assert len(stream) == 0
    with pytest.raises(OptionError):
        stream.current(time=3)


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
def test_several_queries_hear_of_the_same_edges() -> None:
    text = PREFIX + "QUERY one ex:p QUERY two ALL WALK ^ex:q/ex:p QUERY three !(ex:p|^ex:p)"
    stream = EdgeStream(text, 10, {"one": [node("a")], "two": [node("b")], "three": [node("a")]})
    stream.push([edge("a p c")], 1)
    found = stream.push([edge("a q b"), edge("a r d"), edge("a s d")], 2)
    assert sorted(f"{path.query} {path}" for path in found) == [
        "three a -> q -> b", "three a -> r -> d", "three a -> s -> d", "two b -> ^q -> a -> p -> c",
    ]  # fmt: skip
    assert {name: len(some) for name, some in found.by_query().items()} == {"two": 1, "three": 3}
    assert [str(path) for path in stream.current("one")] == ["a -> p -> c"]
    with pytest.raises(OptionError):
        stream.current()
    with pytest.raises(OptionError, match="did you mean one"):
        stream.current("on")


@pytest.mark.parametrize("arguments", [
    ("QUERY q :p", 10), (REACH, 0), (REACH, -1), (REACH, "1h"), ('QUERY q FROM LABEL "a" :p', 10),
    (REACH, 10, "ex:a"), (REACH, 10, {"r": []}), (REACH, 10, [object()]), (REACH, 10, None, 0, 7),
])  # fmt: skip
def test_what_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises((OptionError, QueryError)):
        EdgeStream(*arguments)


def test_terms_are_forgotten_and_places_used_again() -> None:
    stream = EdgeStream(PREFIX + "QUERY q FROM ex:a ANY SHORTEST !()+", 100)
    sizes = []
    for first in range(0, 200_000, 20_000):
        lines = [
            (time, f"<{EX}{'a' if time % 50 == 0 else f'n{time - 1}'}> <{EX}p{time}> <{EX}n{time}> .".encode())
            for time in range(first, first + 20_000)
        ]
        found = stream.push_many(lines)
        sizes.append(len(stream.terms))
        assert str(found[-1]).endswith(f"n{first + 19_999}")
    assert len(stream) == 101 and max(sizes) < 200_000  # what appeared last has its own


LADDER = [edge(f"{n} {way} {n + 1}") for n in range(40) for way in "pq" if n != 20]
WALKS = PREFIX + "QUERY q FROM <http://ex.org/0> {} (ex:p|ex:q)+"


def test_an_event_that_completes_too_many_paths() -> None:
    stream = EdgeStream(WALKS.format("ALL TRAIL"), 10)
    stream.push(LADDER[:20], 1)
    with pytest.raises(QueryError, match="too many paths"):
        stream.push([edge("20 p 21"), *LADDER], 2)
    with pytest.raises(OptionError, match="cannot go on"):
        stream.push([edge("a p b")], 3)


@pytest.fixture
def _interrupts() -> Iterator[None]:
    """Ctrl-C is heard, also by a test run that a shell put into the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interrupts")
def test_interrupts_are_heard_within_an_event() -> None:
    stream = EdgeStream(WALKS.format("ALL TRAIL").replace("+", "{45}"), 10)  # none is so long
    stream.push(LADDER, 1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        stream.push([edge("20 p 21"), edge("20 q 21")], 2)
    assert time.monotonic() - began < 10


def test_labels_are_those_of_a_graph() -> None:
    label = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    graph = Graph([Triple(node("a"), label, Literal("Ann")), Triple(node("c"), label, Literal("Cy"))])
    text = PREFIX + 'QUERY q FROM LABEL "Ann" TO LABEL "Cy", LABEL "Dan" ALL TRAIL ex:p+'
    stream = EdgeStream(text, 10, labels=graph)
    assert stream.warnings == ["q: no node of the graph is LABEL 'Dan'"]
    assert pushed(stream, (1, "a p b"), (2, "b p c")) == [[], ["a -> p -> b -> p -> c"]]
    assert list(map(str, stream.current())) == ["a -> p -> b -> p -> c"]
    nobody = EdgeStream(text.replace("Ann", "Eve"), 10, labels=graph)
    assert pushed(nobody, (1, "a p c")) == [[]] and len(nobody.current()) == 0
    with pytest.raises(OptionError):
        EdgeStream(text, 10, named=True, labels=graph)


# ── threads and callbacks ────────────────────────────────────────────────────────────────────────────────
def test_another_thread_is_refused_and_the_stream_goes_on() -> None:
    """A thread is within a push, whose events wait; the other one is told so, and does no harm."""
    stream, begun, ended = EdgeStream(REACH, 10), threading.Event(), threading.Event()

    def events() -> Iterator[tuple[int, Any]]:
        begun.set()
        ended.wait(60)
        yield 1, [edge("a p b")]

    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(map(str, stream.push_many(events()))))
    thread.start()
    begun.wait(60)
    for call in (lambda: stream.push([edge("b p c")], 1), stream.current, stream.graph, stream.close):
        with pytest.raises(BusyError, match="push_many of this stream of edges is under way in another thread"):
            call()
    ended.set()
    thread.join()
    assert found == ["a -> p -> b"]
    assert pushed(stream, (2, "b p c")) == [["a -> p -> b -> p -> c"]]


def test_a_callback_that_raises_loses_nothing() -> None:
    told: list[int] = []

    def on_late(event: EdgeEvent) -> None:
        told.append(event.time)
        raise ValueError(event.time)

    stream = EdgeStream(REACH, 10, on_late=on_late)
    with pytest.raises(ExceptionGroup, match=r"callbacks \(on_late\) raised") as raised:
        stream.push_many([(5, [edge("a p b")]), (4, [edge("b p c")]), (3, [edge("b p c")]), (6, [edge("b p d")])])
    assert told == [4, 3] and [str(one) for one in raised.value.exceptions] == ["4", "3"]
    assert len(stream) == 2
    assert pushed(stream, (7, "d p e")) == [["a -> p -> b", "a -> p -> b -> p -> d", "a -> p -> b -> p -> d -> p -> e"]]


def test_callbacks_do_not_push() -> None:
    stream = EdgeStream(REACH, 10, on_late=lambda event: stream.push([edge("a p b")], event.time))
    with pytest.raises(ExceptionGroup) as raised:
        stream.push_many([(5, [edge("a p b")]), (4, [edge("b p c")])])
    assert isinstance(raised.value.exceptions[0], BusyError)
    assert list(map(str, stream.advance(6))) == ["a -> p -> b"]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("edges", [
    ("a", "p", "b"), [("a", "p", "b")], edge("a p b"), tuple(map(node, "apb")), [(Literal("a"), node("p"), node("b"))],
])  # fmt: skip
def test_what_is_no_iterable_of_edges_is_said(named: bool, edges: Any) -> None:
    stream = EdgeStream(NAMED if named else REACH, 10, named=named)
    with pytest.raises(OptionError, match=r"push_table|push\(\[edge\], time\)"):
        stream.push(edges, 1)


def test_what_there_is_of_several_queries_needs_a_name() -> None:
    stream = EdgeStream(REACH + " QUERY other FROM ex:a ALL TRAIL ex:p", 10)
    with pytest.raises(OptionError, match=r"q, other: say of which, as in current\('q'\)"):
        stream.current()
