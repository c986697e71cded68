"""What a query needed goes with it: terms, patterns, the triples that are read for it, tables of knowledge, streams."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from unittest.mock import patch

import pytest

import spaseq
from spaseq.graphs import terms_in_use as forgetting
from tests.slices import first

STAYS = """SELECT ?s ?a ?b FROM STREAM s <urn:s> WHERE { SEQ(A ; B)
    DEFINE GPM A ON s { ?s <urn:kept> ?a FILTER(?a != "kept text") } DEFINE GPM B ON s { ?s <urn:value> ?b } }"""
GOES = """SELECT ?s ?a ?b (CONCAT(STR(?a), "text %(n)d") AS ?c) WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s>
    WHERE { SEQ(A ; B)
    DEFINE GPM A ON s { ?e <urn:p%(n)d> ?s ; <urn:value> ?a FILTER(?a > %(n)d.5 && ?s != <urn:x%(n)d>) }
    DEFINE GPM B ON s { ?f <urn:p%(n)d> ?s ; <urn:value> ?b FILTER(%(test)s) } }"""
KB = {"urn:kb": b"".join(b"<urn:s%d> <urn:k> %d .\n" % (number, number) for number in range(500))}
FEW = 300


@pytest.fixture(autouse=True)
def few_terms() -> Iterator[None]:
    """Terms are collected when there are some hundred."""
    with patch.object(forgetting, "FEW_TERMS", FEW):
        yield


def goes(number: int, kind: str) -> str:
    test = {
        "native": f'?s != "n{number}"',
        "regex": f'REGEX(STR(?s), "{number}")',
        "knowledge": f"EXISTS {{ GRAPH <urn:kb> {{ ?s <urn:k> {number} }} }}",
    }[kind]
    return GOES % {"n": number, "test": test}


def event(number: int, value: str = "500.5") -> bytes:
    return f"<urn:e{number}> <urn:p{number}> <urn:s{number}> .\n<urn:e{number}> <urn:value> {value} .".encode()


@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph"])
@pytest.mark.parametrize("kind", ["native", "regex", "knowledge"])
@pytest.mark.parametrize("count", first(1, [120, 200]))
def test_queries_that_come_and_go(kind: str, gpm: str, count: int) -> None:
    """Each finds its matches, those that stay find theirs, and nothing is left in the end."""
    engine = spaseq.Engine(KB if kind == "knowledge" else None, gpm=gpm)
    engine.register(STAYS, "stays")
    engine.push("s", b"<urn:kept-subject> <urn:kept> 1 .", 0)
    core, most = engine.kind, 0
    for number in range(1, count + 1):
        engine.register(goes(number, kind), "goes")
        found = engine.push("s", event(number), 2 * number) + engine.push("s", event(number), 2 * number + 1)
        assert [match.query for match in found] == ["goes"]
        assert str(found[0].bindings["c"]) == f"500.5text {number}"
        engine.unregister("goes")
        most = max(most, len(core.terms))
    gc.collect()
    assert most < FEW + 50 + 500 * (kind == "knowledge")
    (found,) = engine.push("s", b"<urn:kept-subject> <urn:value> 7 .", 1000)
    assert (str(found.bindings["a"]), str(found.bindings["b"])) == ("1", "7")
    assert len(core.evaluator._shapes) == 2
    assert len(core.evaluator._versions[0].all_prepared()) == 2
    assert len(core.evaluator._sets) <= 65


def test_what_nobody_wants_is_not_read() -> None:
    """Not even after many queries that wanted it; and it is read again for the next that does."""
    engine = spaseq.Engine()
    engine.register(STAYS, "stays")
    engine.register("SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }", "all")
    for number in range(200):
        engine.register(goes(number, "native"), "goes")
        engine.unregister("goes")
    engine.unregister("all")
    for number in range(200):
        engine.register(goes(number, "native"), "goes")
        engine.unregister("goes")
    assert triples_read(engine, event(7)) == 1  # <urn:value>
    engine.register(goes(7, "native"), "goes")
    assert triples_read(engine, event(7)) == 2
    assert len(engine.push("s", event(7), 1) + engine.push("s", event(7), 2)) == 1


def triples_read(engine: spaseq.Engine, graph: bytes) -> int:
    from spaseq.sources.rdf.items import read_items

    return read_items("urn:s", engine.kind.encoders["urn:s"], [(0, graph)]).graphs.triples.shape[1]


def test_a_predicate_whose_word_went_to_another_term() -> None:
    """A reader does not take a remembered word for what it was."""
    engine = spaseq.Engine()
    engine.register(STAYS, "stays")
    for number in range(1500):
        engine.register(goes(number % 7, "native"), "goes")
        found = engine.push("s", event(number % 7), 2 * number) + engine.push("s", event(number % 7), 2 * number + 1)
        assert len(found) == 1
        engine.unregister("goes")
        engine.push("s", b'<urn:kept-subject> <urn:kept> "fresh %d" .' % number, 2 * number + 1)


def test_events_that_wait_while_a_query_goes() -> None:
    engine = spaseq.Engine(lateness=1000)
    engine.register(STAYS, "stays")
    engine.push("s", b"<urn:a> <urn:kept> 1 .", 0)
    engine.push_batch("s", [(number, b"<urn:a> <urn:value> %d ." % number) for number in range(1, 100)])
    for number in range(300):
        engine.register(goes(number, "native"), "goes")
        engine.unregister("goes")
    assert [str(match.bindings["b"]) for match in engine.close()] == ["1"]


def test_streams_of_which_nothing_came() -> None:
    """They are forgotten; one of which something came is known as before."""
    engine = spaseq.Engine()
    engine.register(STAYS, "stays")
    for number in range(3):
        engine.register(STAYS.replace("urn:s>", f"urn:stream{number}>"), "goes")
        if number == 1:
            engine.push("urn:stream1", b"<urn:a> <urn:kept> 1 .", 5)
        engine.unregister("goes")
    assert sorted(engine.statistics()["streams"]) == ["urn:s", "urn:stream1"]
    engine.register(STAYS.replace("urn:s>", "urn:stream1>"), "again")
    assert engine.statistics()["streams"]["urn:stream1"]["events"] == 1
    assert engine.push("urn:stream1", b"<urn:a> <urn:kept> 1 .", 4) == []
    assert engine.statistics()["streams"]["urn:stream1"]["late"] == 1


def test_knowledge_of_queries_that_went() -> None:
    """The tables of the latest stay, those of all others go, and one that is used is not made again."""
    engine = spaseq.Engine(KB)
    engine.register(goes(3, "knowledge"), "stays")
    for number in range(100):
        engine.register(goes(number, "knowledge"), "goes")
        engine.unregister("goes")
    gc.collect()
    assert len(engine.kind.evaluator._versions[0].knowledge._tables) <= 17
    assert len(engine.push("s", event(3), 1) + engine.push("s", event(3), 2)) == 1
