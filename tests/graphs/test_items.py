"""Items of a batch and of a run mean what ``push`` of each means, whatever their forms; errors say which item it is."""

from __future__ import annotations

import re
import time as clock
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse

import spaseq
from spaseq.errors import LocatedError, OptionError, SpaseqError, StreamError
from spaseq.sources.rdf import items as item_reader
from tests.graphs.test_push import ALL, STREAM, TEXTS, engine_of

Items = list[Any]
PAIRS = f"""SELECT ?x ?v ?y FROM STREAM s <{STREAM}> WHERE {{ SEQ(A : B)
    DEFINE GPM A ON s {{ ?x <urn:p> ?v }} DEFINE GPM B ON s {{ ?y <urn:p> ?v }} }}"""
NAMED = b"_:b <urn:p> _:b <urn:named> .\n"
LINE = b"<urn:s> <urn:p> <urn:o> ."
PREDICATE = NamedNode("urn:p")


def graph_of_rdflib() -> rdflib.Graph:
    graph = rdflib.Graph()
    graph.add((rdflib.BNode("x"), rdflib.URIRef("urn:p"), rdflib.Literal(5)))
    return graph


def in_all_forms() -> Items:
    """Items of all forms, in turn, each made anew."""
    return [
        (1, LINE),
        (2, NAMED),
        (3, NAMED, "urn:given"),
        (4, b"@prefix : <urn:> . :s :p _:b, [] ."),
        (5, graph_of_rdflib()),
        (6, [Triple(NamedNode("urn:s"), PREDICATE, BlankNode("b"))]),
        (7, [Quad(NamedNode("urn:s"), PREDICATE, Literal("é"), NamedNode("urn:g"))], "urn:given/é"),
        (8, iter([Triple(NamedNode("urn:s"), PREDICATE, Literal("x", language="en"))])),
        (np.datetime64(9, "us"), b"<urn:s> <urn:p> 5 ."),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), LINE + b"\n\n# a comment"),
        (2_000_000, b"<urn:s> <urn:p> <urn:o> <urn:g> .\n<urn:s> <urn:p> <urn:o2> <urn:\\u0067> .", None),
        *((3_000_000 + number, text) for number, text in enumerate(TEXTS.values())),
    ]


def all_matches(engine: spaseq.Engine, items: Items) -> list[spaseq.Match]:
    found = []
    for item in items:
        time, graph, *event = item
        found += engine.push("s", graph, time, *event)
    return found + engine.close()


def by_batch(few: int, joined: int) -> Callable[[str, Items], list[spaseq.Match]]:
    """By ``push_batch``, one by one if there are not more than ``few``, else so many at once."""

    def found(query: str, items: Items) -> list[spaseq.Match]:
        engine = engine_of(query)
        with patch("spaseq.graphs.graph_engine.FEW_EVENTS", few), patch.object(item_reader, "JOINED", joined):
            return engine.push_batch("s", items) + engine.close()

    return found


WAYS: dict[str, Callable[[str, Items], list[spaseq.Match]]] = {
    "one by one": by_batch(1000, 1),
    "columns": by_batch(0, 4096),
    "columns of three": by_batch(0, 3),
    "a list": lambda query, items: list(spaseq.run(query, {"s": items})),
    "an iterator": lambda query, items: list(spaseq.run(query, {"s": iter(items)})),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("query", [ALL, PAIRS])
def test_all_forms_in_turn(way: str, query: str) -> None:
    """Also the names of events and of blank nodes are the same, but for labels that a parser makes up."""
    expected = Counter(map(shown, all_matches(engine_of(query), in_all_forms())))
    origin = "s2" if way in ("a list", "an iterator") else "s1"  # of the blank nodes
    found = [shown(match).replace(origin + ".", "s1.") for match in WAYS[way](query, in_all_forms())]
    assert Counter(found) == expected
    assert len(expected) > 20


def shown(match: spaseq.Match) -> str:
    return re.sub("[.][0-9a-zA-Z]{20,}", ".made", repr(match.to_dict()))


def test_parts_of_bounded_size() -> None:
    items = [(number, b'<urn:s> <urn:p> "%s" .' % (b"x" * (37 * number % 50))) for number in range(100)]
    expected = Counter(all_matches(engine_of(ALL), items))
    with patch.object(item_reader, "JOINED_BYTES", 100):
        assert Counter(by_batch(0, 4096)(ALL, items)) == expected


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────
BAD: dict[str, Any] = {
    "no line": (5, b"<urn:s> <urn:p> <urn:o> .\n  <urn:s> <urn:p> ."),
    "no TriG": (5, b"@prefix : <urn:> .\n:s :p x:o ."),
    "no UTF-8": (5, b'<urn:s> <urn:p> "\xff" .'),
    "cut off": (5, b"<urn:s> <urn:p> <urn:o>"),
    "nothing": (5, b"\n# nothing\n"),
    "several graphs": (5, b"<urn:s> <urn:p> <urn:o> <urn:1> .\n<urn:s> <urn:p> <urn:o> <urn:2> ."),
    "no graph": (5, "<urn:s> <urn:p> <urn:o> ."),
    "no triples": (5, [1]),
    "no time": ("5", LINE),
    "no form": [5, LINE],
    "a short form": (5,),
    "no name": (5, LINE, "no name"),
    "an empty name": (5, LINE, ""),
    "a name of another type": (5, LINE, 7),
    "a name that has no encoding": (5, LINE, "urn:\ud800"),
    "text and name": (5, b"<urn:s> .", "no name"),
    "time and text": (2**63, b"<urn:s> ."),
}


def by_push(item: Any) -> SpaseqError:
    """What ``push`` says of an item."""
    engine = engine_of(ALL)
    with pytest.raises(SpaseqError) as caught:
        if isinstance(item, tuple) and len(item) > 1:
            engine.push("s", item[1], item[0], *item[2:])
        else:
            engine.push_batch("s", [item])
    return caught.value


def told(error: SpaseqError) -> tuple[Any, ...]:
    """All that an error says but for the place of its item."""
    if isinstance(error, LocatedError):
        return type(error), error.message, replace(error.location, path=""), error.expected, error.hint
    return type(error), str(error).removeprefix("<batch>, item 0: ")


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("name", BAD)
def test_a_batch_with_a_bad_item(name: str, few: int) -> None:
    """The error is that of ``push``, says which item it is, and nothing of the batch is taken."""
    wanted, engine = told(by_push(BAD[name])), engine_of(ALL)
    items = [(1, NAMED), (2, LINE), (3, NAMED, "urn:n"), BAD[name], (6, b"<urn:another> <urn:mistake> .")]
    with patch("spaseq.graphs.graph_engine.FEW_EVENTS", few), pytest.raises(SpaseqError) as caught:
        engine.push_batch("s", items)
    assert_is_of_item(caught.value, wanted, "<batch>, item 3")
    assert engine.push("s", NAMED, 0) == engine_of(ALL).push("s", NAMED, 0) != []


def assert_is_of_item(error: SpaseqError, wanted: tuple[Any, ...], place: str) -> None:
    assert str(error).startswith(place + ":")
    if isinstance(error, LocatedError):
        assert error.location.path == place
        assert told(error) == wanted
    else:
        assert (type(error), str(error).removeprefix(place + ": ")) == wanted


@pytest.mark.parametrize("form", [list, iter])
@pytest.mark.parametrize("name", BAD)
def test_a_run_with_a_bad_item(name: str, form: Callable[[Items], Any]) -> None:
    """What came before it counts."""
    wanted = told(by_push(BAD[name]))
    run = spaseq.run(ALL, {"s": form([(number, LINE) for number in range(6)] + [BAD[name], (7, LINE)])})
    assert [match.microseconds[0] for match in (next(run) for _ in range(6))] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(SpaseqError) as caught:
        next(run)
    assert_is_of_item(caught.value, wanted, f"<{STREAM}>, item 6")
    assert run.events == 6


def test_the_first_bad_item_is_told() -> None:
    """Be it seen when it is taken, or when its text is read."""
    bad = [(1, b"<urn:s> ."), (None, LINE), (2, b"<urn:s> .")]
    for number in range(3):
        items = [*([(0, LINE)] * number), *bad[number:]]
        with patch("spaseq.graphs.graph_engine.FEW_EVENTS", 0), pytest.raises((OptionError, StreamError)) as caught:
            engine_of(ALL).push_batch("s", items)
        assert str(caught.value).startswith(f"<batch>, item {number}:")


def test_a_text_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("graphs", "items"):
        monkeypatch.setattr(f"spaseq.sources.rdf.{module}.LONGEST_TEXT", 30)
    items = [(0, LINE), (1, LINE + b" # a comment"), (2, LINE)]
    with (
        patch("spaseq.graphs.graph_engine.FEW_EVENTS", 0),
        pytest.raises(OptionError, match="item 1: a graph of 37 bytes"),
    ):
        engine_of(ALL).push_batch("s", items)


# ── as they come ─────────────────────────────────────────────────────────────────────────────────────────
def test_matches_come_while_items_do() -> None:
    """No more than twice as many items are asked for as were before, and not for long."""
    asked: list[int] = []

    def items() -> Iterator[tuple[int, bytes]]:
        for number in range(1000):
            asked.append(number)
            yield number, LINE

    for number, _ in enumerate(spaseq.run(ALL, {"s": items()})):
        assert len(asked) <= min(2 * number + 5, 1000)


def test_items_that_come_slowly() -> None:
    """Each gives what it decides at once, even if many came before."""
    asked: list[int] = []

    def items() -> Iterator[tuple[int, bytes]]:
        for number in range(305):
            asked.append(number)
            if number > 300:
                clock.sleep(0.11)
            yield number, LINE

    for match in spaseq.run(ALL, {"s": items()}):
        if match.microseconds[0] >= 301:
            assert len(asked) <= match.microseconds[0] + 2  # a match is decided when time has passed its last event


def test_a_graph_that_is_used_again() -> None:
    """It is read when its item comes."""

    def items(graph: Any, quads: Sequence[Any], clear: Callable[[Any], object]) -> Iterator[tuple[int, Any]]:
        for number, quad in enumerate(quads):
            clear(graph)
            graph.append(quad) if isinstance(graph, list) else graph.add(quad)
            yield number, graph

    quads = [Triple(NamedNode("urn:s"), PREDICATE, Literal(number)) for number in range(100)]
    triples = [(rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal(number)) for number in range(100)]
    for given in (items([], quads, list.clear), items(rdflib.Graph(), triples, lambda g: g.remove((None, None, None)))):
        found = spaseq.run(ALL, {"s": given})
        assert [int(str(match.bindings["o"])) for match in found] == list(range(100))


class GoneError(Exception):
    """A broker has gone."""


def test_an_error_of_the_iterable() -> None:
    """What came before it counts; the error is the iterable's own."""

    def items() -> Iterator[tuple[int, bytes]]:
        for number in range(6):
            yield number, LINE
        raise GoneError

    run, found = spaseq.run(ALL, {"s": items()}), []
    with pytest.raises(GoneError):
        for match in run:
            found.append(match.microseconds[0])
    assert found == [0, 1, 2, 3, 4, 5]


def test_quads_that_no_parser_takes() -> None:
    """Terms of a lenient parser are read by themselves."""
    quads = list(parse(b"<urn:with space> <urn:p> <urn:o> .", RdfFormat.N_QUADS, lenient=True))
    items = [(1, LINE), (2, quads), (3, LINE)]
    assert Counter(by_batch(0, 4096)(ALL, items)) == Counter(all_matches(engine_of(ALL), items))
