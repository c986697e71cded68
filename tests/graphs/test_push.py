"""One event after the other: forms of graphs and of times, what is called when, matches that leave their engine."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

import spaseq
from spaseq.streams import Event

STREAM = "urn:stream"
ALL = f"SELECT * FROM STREAM s <{STREAM}> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?s ?p ?o }} }}"
PAIRS = f"""SELECT ?x ?v ?w WITHIN 10 SECONDS SLIDING FROM STREAM s <{STREAM}> WHERE {{ SEQ(A {{}} B)
    DEFINE GPM A ON s {{ ?x <urn:a> ?v }} DEFINE GPM B ON s {{ ?x <urn:b> ?w }} }}"""
ROOT = Path(__file__).parents[2]

TEXTS = {
    "N-Triples": b'<urn:s> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n',
    "N-Quads": b'# a comment\n<urn:s> <urn:p> "x"@en-GB <urn:event> .\n<urn:s> <urn:q> _:b <urn:event> .\n',
    "a blank graph": b"<urn:s> <urn:p> <urn:o> _:g .\n",
    "a graph written in two ways": b"<urn:s> <urn:p> <urn:o> <urn:e> .\n<urn:s> <urn:p> <urn:x> <urn:\\u0065> .\n",
    "Turtle": b"@prefix : <urn:> . :s :p :o, 1.50, 'a \"quoted\" line' ; :q [ :r :t ] .",
    "TriG": b"@prefix : <urn:> . :event { :s :p :o }",
    "carriage returns": b"<urn:s> <urn:p> <urn:o> .\r\n<urn:s> <urn:p> <urn:x> .\r\n",
    "comments and carriage returns": b"# a\r<urn:s> <urn:p> <urn:o> . # b\r<urn:s> <urn:p> <urn:x> .\n# c",
    "escapes": b'<urn:s> <urn:\\u0070> "tab\\t, quote \\", newline\\n, \\u00e9"^^<urn:datatype> .\n',
    "a triple term": b"<urn:s> <urn:p> <<( <urn:a> <urn:b> \"c\" )>> .\n",
    "a date": b'<urn:s> <urn:p> "2026-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .\n',
}  # fmt: skip


def engine_of(*queries: str) -> spaseq.Engine:
    engine = spaseq.Engine()
    for query in queries:
        engine.register(query)
    return engine


def shown(matches: list[spaseq.Match]) -> list[dict[str, Any]]:
    """What matches say, but for the labels of blank nodes."""
    found = [match.to_dict() for match in matches]
    for one in found:
        for term in one["bindings"].values():
            term["value"] = "_" if term["type"] == "bnode" else term["value"]
    return sorted(found, key=repr)


def pushed(graph: Any, event: str | None = None) -> list[dict[str, Any]]:
    return shown(engine_of(ALL).push("s", graph, 5, event))


def in_a_batch(graph: Any, event: str | None = None) -> list[dict[str, Any]]:
    """As ``pushed``, on the batch way: another event follows.  A few in a batch give the same."""
    graph = list(graph) if isinstance(graph, Iterator) else graph
    items = [(5, graph, event), (6, b"<urn:s> <urn:p> <urn:o> .")]
    few = engine_of(ALL).push_batch("s", items)
    with patch("spaseq.graphs.graph_engine.FEW_EVENTS", 0):
        found = engine_of(ALL).push_batch("s", items)
    assert shown(few) == shown(found)
    return shown([match for match in found if match.microseconds.first == 5])


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str) -> None:
    assert pushed(TEXTS[name]) == in_a_batch(TEXTS[name]) != []
    assert pushed(TEXTS[name], "urn:given") == in_a_batch(TEXTS[name], "urn:given")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("form", [list, tuple, iter, lambda quads: [quad.triple for quad in quads]])
def test_quads_and_triples(name: str, form: Callable[[Any], Any]) -> None:
    quads = list(parse(TEXTS[name], RdfFormat.TRIG if name in ("Turtle", "TriG") else RdfFormat.N_QUADS))
    assert pushed(form(quads)) == in_a_batch(form(quads)) != []


RDFLIB_TERMS = [
    rdflib.URIRef("urn:o"),
    rdflib.BNode(),
    rdflib.BNode("a.b-c"),
    rdflib.Literal("x"),
    rdflib.Literal("x", lang="en-GB"),
    rdflib.Literal('quote " backslash \\ newline \n return \r tab \t é'),
    rdflib.Literal("01", datatype=rdflib.XSD.integer, normalize=False),
    rdflib.Literal(1.5),
    rdflib.Literal(True),
    rdflib.Literal(datetime(2026, 1, 1)),
    rdflib.Literal("x", datatype=rdflib.URIRef("urn:datatype")),
]


def test_rdflib_graphs() -> None:
    graph = rdflib.Graph()
    for term in RDFLIB_TERMS:
        graph.add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), term))
    assert len(pushed(graph)) == len(RDFLIB_TERMS)
    assert pushed(graph) == in_a_batch(graph)


BENT = [
    (rdflib.URIRef("urn:s> <urn:p> <urn:o> . #"), "urn:p", "urn:o"),
    (rdflib.URIRef("urn:s> <urn:p"), "urn:o", "urn:g"),
    (rdflib.BNode("b <urn:p> <urn:o> . #"), "urn:p", "urn:o"),
    (rdflib.URIRef("urn:with space"), "urn:p", "urn:o"),
]


@pytest.mark.parametrize("terms", BENT)
def test_terms_that_could_be_taken_for_more(terms: tuple[rdflib.term.Identifier, str, str]) -> None:
    """A term is one term, whatever is in it; what is no RDF is refused as on the batch way."""
    graph = rdflib.Graph()
    graph.add((terms[0], rdflib.URIRef(terms[1]), rdflib.URIRef(terms[2])))
    with pytest.raises(spaseq.OptionError, match="the graph is no RDF") as single:
        pushed(graph)
    with pytest.raises(spaseq.OptionError) as batch:
        in_a_batch(graph)
    assert str(batch.value) == f"<batch>, item 0: {single.value}"


WRONG: list[Any] = [
    b"", b"# nothing", b"<urn:s> <urn:p> <urn:o>", b"<urn:s> <urn:p> <urn:o> <urn:g> .\n<urn:s> <urn:p> <urn:x> .\n",
    b"<urn:s> <urn:p> <urn:o> <urn:g> .\n<urn:s> <urn:p> <urn:o> <urn:h> .\n", [], "text", 5, None, [1], rdflib.Graph(),
    rdflib.Dataset(),
]  # fmt: skip


@pytest.mark.parametrize("graph", WRONG, ids=lambda graph: type(graph).__name__)
def test_what_is_no_event(graph: Any) -> None:
    engine = engine_of(ALL)
    with pytest.raises(spaseq.SpaseqError) as single:
        engine.push("s", graph, 5)
    with pytest.raises(spaseq.SpaseqError) as batch:
        in_a_batch(graph)
    assert str(batch.value).replace("<batch>, item 0", "<event>").removeprefix("<event>: ") == str(single.value)
    assert engine.statistics()["streams"][STREAM]["events"] == 0
    assert "_:e1s1.b" in str(engine.push("s", b"_:b <urn:p> <urn:o> .", 1)[0])  # nor was a number used up


def test_a_term_that_is_none_by_the_book() -> None:
    """A lenient parser lets an IRI with a space pass."""
    quads = [*parse(b"<urn:a b> <urn:p> <urn:o> .", RdfFormat.N_QUADS, lenient=True)]
    assert pushed(quads) == in_a_batch(quads) != []


def test_late_events() -> None:
    late: list[Event] = []
    engine = spaseq.Engine(on_late=late.append)
    engine.register(ALL)
    engine.push("s", b"<urn:s> <urn:p> <urn:o> .", 5)
    assert engine.push("s", b"<urn:s> <urn:p> <urn:late> .", 4) == []
    ((stream, time, name, triples),) = late
    assert (stream, time, name[:17], str(triples[0].object)) == (STREAM, 4, "urn:spaseq:event:", "<urn:late>")
    assert engine.statistics()["streams"][STREAM]["late"] == 1


# ── what an event concerns ───────────────────────────────────────────────────────────────────────────────
def a(time: int) -> tuple[int, bytes]:
    return time, b"<urn:x> <urn:a> <urn:v> ."


def b(time: int) -> tuple[int, bytes]:
    return time, b"<urn:x> <urn:b> <urn:w> ."


def other(time: int) -> tuple[int, bytes]:
    return time, b"<urn:x> <urn:other> <urn:v> ."


CONTIGUITY = [  # operator, window, the events, at which times of B there is a match
    (";", "", [a(1), other(2), b(3)], [3]),
    (",", "", [a(1), other(2), b(3)], []),
    (",", "", [a(1), other(1), b(3)], [3]),  # at the same time, so not in between
    (",", "", [a(1), *map(other, range(2, 2500)), a(3000), b(3001)], [3001]),
    (":", "", [a(1), *map(other, range(2, 2500)), b(3000)], [3000]),
    (":", "WITHIN 4 EVENTS SLIDING", [a(1), other(2), other(3), b(4), b(5), other(6)], [4]),
    (":", "WITHIN 4 EVENTS SLIDING", [*map(other, range(2500)), a(2500), b(2501), other(2502)], [2501]),
    (":", "WITHIN 3 EVENTS", [other(1), other(2), a(3), b(4), a(5), b(6), other(7)], [6]),
    (":", "WITHIN 5 MILLISECONDS SLIDING", [a(0), other(4000), b(5000), b(5001)], [5000]),
]


@pytest.mark.parametrize(("operator", "window", "events", "wanted"), CONTIGUITY)
def test_events_of_no_concern_count(operator: str, window: str, events: list[Any], wanted: list[int]) -> None:
    query = PAIRS.replace("{}", operator).replace("WITHIN 10 SECONDS SLIDING", window)
    engine = engine_of(query, query.replace("urn:a", "urn:never"))
    found = [match.microseconds.last for time, graph in events for match in engine.push("s", graph, time)]
    assert found == wanted


def test_a_match_that_waits_for_its_edge_comes_with_an_event_of_no_concern() -> None:
    engine = engine_of(PAIRS.replace("A {} B", "A ; B!"))
    seconds = 1_000_000
    found = [engine.push("s", graph, time) for time, graph in (a(0), other(seconds), other(10 * seconds))]
    assert found == [[], [], []]
    assert len(engine.push("s", other(0)[1], 10 * seconds + 1)) == 1


def test_simultaneous_events_of_several_queries_come_in_order_of_registration() -> None:
    engine = spaseq.Engine()
    told: list[str] = []
    for name in ("first", "second", "third"):
        engine.register(ALL, name, on_match=lambda match: told.append(match.query))
    engine.unregister("first")
    engine.register(ALL, "fourth", on_match=lambda match: told.append(match.query))
    found = engine.push("s", b"<urn:s> <urn:p> <urn:o> .", 5)
    assert told == [match.query for match in found] == ["second", "third", "fourth"]


def test_a_query_may_be_forgotten_and_added_between_events() -> None:
    engine = engine_of(PAIRS.replace("{}", ","))
    engine.push("s", a(1)[1], 1)
    engine.register(PAIRS.replace("{}", ";"), "later")
    assert [match.query for match in engine.push("s", b(2)[1], 2)] == ["query1"]
    engine.unregister("query1")
    engine.push("s", a(3)[1], 3)
    assert [match.query for match in engine.push("s", b(4)[1], 4)] == ["later"]


# ── times ────────────────────────────────────────────────────────────────────────────────────────────────
SECOND = 1_767_225_600_000_000  # 2026-01-01


@pytest.mark.parametrize(
    ("time", "microseconds"),
    [
        (np.datetime64("2026-01-01T00:00:00.123456"), SECOND + 123_456),
        (np.datetime64("2026-01-01T00:00:00.123456999"), SECOND + 123_456),
        (np.datetime64("2026-01-01T00:00:00", "s"), SECOND),
        (np.datetime64("2026-01-01"), SECOND),
        (np.datetime64("2026-01"), SECOND),
        (np.datetime64("2026"), SECOND),
        (np.datetime64(3, "25s"), 75_000_000),
        (np.datetime64(2_000_000, "ps"), 2),
        (np.datetime64("1969-12-31T23:59:59.999999999"), -1),
        (np.int64(7), 7),
    ],
)
def test_times_of_numpy(time: Any, microseconds: int) -> None:
    (match,) = engine_of(ALL).push("s", b"<urn:s> <urn:p> <urn:o> .", time)
    assert match.microseconds.first == microseconds


def test_times_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    times = {
        pandas.Timestamp("2026-01-01T00:00:00.123456999"): SECOND + 123_456,
        pandas.Timestamp("2026-01-01T01:00:00", tz="Europe/Paris"): SECOND,
        pandas.Timestamp("2026-01-01").as_unit("s"): SECOND,
    }
    for time, microseconds in times.items():
        (match,) = engine_of(ALL).push("s", b"<urn:s> <urn:p> <urn:o> .", time)
        assert match.microseconds.first == microseconds
    with pytest.raises(spaseq.OptionError, match="NaT"):
        engine_of(ALL).push("s", b"<urn:s> <urn:p> <urn:o> .", pandas.NaT)


@pytest.mark.parametrize(
    ("time", "message"),
    [
        (np.datetime64("NaT"), "not NaT"),
        (np.datetime64(2**62, "s"), "outside the range"),
        (np.datetime64(2**40, "Y"), "outside the range"),
        (np.timedelta64(1, "s"), "not timedelta64"),
        (1.5, "not float 1.5"),
        (2**63, "outside the range"),
    ],
)
def test_what_is_no_time(time: Any, message: str) -> None:
    with pytest.raises(spaseq.OptionError, match=message):
        engine_of(ALL).push("s", b"<urn:s> <urn:p> <urn:o> .", time)


# ── matches by themselves ────────────────────────────────────────────────────────────────────────────────
GRAPH = [
    Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("x", language="en")),
    Triple(NamedNode("urn:s"), NamedNode("urn:q"), BlankNode("b")),
    Triple(NamedNode("urn:s"), NamedNode("urn:q"), Literal("1.50", datatype=NamedNode(str(rdflib.XSD.decimal)))),
]
DERIVING = f"""CONSTRUCT {{ ?s <urn:r> ?o }} INTO STREAM <urn:derived> FROM STREAM s <{STREAM}>
    WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?s ?p ?o }} }}"""
COUNTING = f"SELECT (COUNT(*) AS ?n) FROM STREAM s <{STREAM}> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?s ?p ?o }} }}"


def matches_of(query: str, first: str = "") -> list[spaseq.Match]:
    """The matches on one event; ``first``: another event before, so that terms are numbered otherwise."""
    engine = engine_of(query)
    if first:
        engine.push("s", f'<urn:s> <urn:z> "{first}", "1.5" .'.encode(), 1)
        engine.push("s", GRAPH, 1)
    found = engine.push("s", GRAPH, 5, "urn:event") + engine.close()
    return [match for match in found if match.microseconds.first == 5]


@pytest.mark.parametrize("query", [ALL, DERIVING, COUNTING])
@pytest.mark.parametrize("again", [lambda match: pickle.loads(pickle.dumps(match)), copy.copy, copy.deepcopy])
def test_matches_are_pickled_and_copied(query: str, again: Callable[[spaseq.Match], spaseq.Match]) -> None:
    matches = matches_of(query)
    assert matches
    for match in matches:
        other = again(match)
        assert other == match and hash(other) == hash(match) and repr(other) == repr(match)
        assert (other.to_dict(), other.bindings, other.events) == (match.to_dict(), match.bindings, match.events)
        assert (other.query, other.first, other.last, other.derived) == (
            match.query, match.first, match.last, match.derived,
        )  # fmt: skip


def test_a_table_is_pickled() -> None:
    tables = list(engine_of(ALL).push_events([Event(STREAM, 5, "urn:event", GRAPH)]))
    again = pickle.loads(pickle.dumps(tables))
    assert [list(table) for table in again] == [list(table) for table in tables]
    assert pickle.loads(pickle.dumps(again[0]))[1] == tables[0][1]
    assert pickle.dumps(tables[0][:0])


def test_matches_are_equal_whatever_their_engine() -> None:
    query = ALL.replace("?s ?p ?o", "?s ?p ?o FILTER(!ISBLANK(?o))")
    one, other = matches_of(query), matches_of(query, first="other")
    assert sorted(map(repr, one)) == sorted(map(repr, other)) and len({*one, *other}) == len(one) == 2
    assert one[0] != one[1] and one[0] != "match"


def test_a_pickled_match_is_read_in_another_process() -> None:
    (match,) = matches_of(ALL.replace("?s ?p ?o", '?s ?p "x"@en'))
    program = "import pickle, sys; print(pickle.load(sys.stdin.buffer).to_dict())"
    done = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(match), capture_output=True, cwd=ROOT, check=True
    )
    assert done.stdout.decode().strip() == str(match.to_dict())


# ── query files ──────────────────────────────────────────────────────────────────────────────────────────
def test_a_path_is_a_query_file(tmp_path: Path) -> None:
    path = tmp_path / "all.spaseq"
    path.write_text("\ufeff" + ALL, encoding="utf-8")
    assert spaseq.parse(path).query == spaseq.parse(ALL).query
    engine = spaseq.Engine()
    assert [engine.register(path), engine.register(path, "named")] == ["query1", "named"]
    events = [(5, b"<urn:s> <urn:p> <urn:o> .")]
    for queries in (path, [path], {"q": path}):
        assert len(list(spaseq.run(queries, {"s": events}))) == 1
    snapshot = engine.snapshot()
    assert list(spaseq.Engine.restore(snapshot, [path, path]).queries) == ["query1", "named"]
    engine.unregister("named")
    assert list(spaseq.Engine.restore(engine.snapshot(), path).queries) == ["query1"]


def register(path: Path) -> str:
    return spaseq.Engine().register(path)


def run(path: Path) -> object:
    return spaseq.run(path, {})


@pytest.mark.parametrize("ask", [spaseq.parse, register, run])
def test_errors_name_the_query_file(tmp_path: Path, ask: Callable[[Path], object]) -> None:
    path = tmp_path / "bad.spaseq"
    path.write_text("SELECT ?x WHERE { SEQ(A ;) }")
    with pytest.raises(spaseq.QuerySyntaxError, match=r"bad\.spaseq:1:26: error"):
        ask(path)
    path.write_bytes(b"\xff")
    with pytest.raises(spaseq.OptionError, match=r"bad\.spaseq is not UTF-8 text"):
        ask(path)
    with pytest.raises(spaseq.OptionError, match="is a directory, not a file"):
        ask(tmp_path)
    with pytest.raises(spaseq.OptionError, match=r"cannot read .*none\.spaseq: No such file"):
        ask(tmp_path / "none.spaseq")
