"""Events that wait in a snapshot: all kinds of them go on, as columns; forged ones are refused or harmless."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

import spaseq
from nfa_native.core import archive
from spaseq.runtime.snapshot.container import GRAPHS
from spaseq.streams import Event
from tests.agreement.test_push import World
from tests.graphs.arrow_rows import event_row, pushed
from tests.snapshots.entering import enter
from tests.snapshots.forger import forged_archive
from tests.snapshots.running import KNOWLEDGE, push, queries, started

STREAM = "urn:stream"
FROM = f"FROM STREAM s <{STREAM}>"
SELECTED = {
    "all": f"SELECT * {FROM} WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?x ?p ?y }} }}",
    "few": f"SELECT ?x ?y {FROM} WHERE {{ SEQ(A ; B) DEFINE GPM A ON s {{ ?x <urn:p> ?y }}"
    " DEFINE GPM B ON s { ?x <urn:q> ?z } }",
    "path": f"SELECT ?x ?y {FROM} WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?x <urn:p>+ ?y }} }}",
    "text": f'SELECT ?x ?y {FROM} WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?x <urn:q> ?y FILTER(REGEX(?y, "^a")) }} }}',
    "made": f"CONSTRUCT {{ ?x <urn:r> ?y . ?x <urn:b> _:b }} INTO STREAM <urn:made> {FROM}"
    " WHERE { SEQ(A) DEFINE GPM A ON s { ?x <urn:p> ?y } }",
    "read": f"SELECT ?x ?y ?b FROM STREAM m <urn:made> {FROM} WHERE {{ SEQ(A & B)"
    " DEFINE GPM A ON m { ?x <urn:r> ?y ; <urn:b> ?b } DEFINE GPM B ON s { ?z <urn:q> ?w } }",
}  # fmt: skip
TEXTS = [
    b"<urn:s> <urn:p> <urn:o> .\n<urn:s> <urn:q> \"abc\" .\n<urn:s> <urn:z> 'unused'^^<urn:t> .".replace(b"'", b'"'),
    b"_:b <urn:p> _:c .\n_:c <urn:p> <urn:o> .", b"<urn:s> <urn:z> <urn:o> <urn:named> .",
    "<urn:é> <urn:p> \"ü\"@de .".encode(), b"@prefix : <urn:> . :s :p [ :q 'a' ] .",
    b"<urn:s> <urn:p> <urn:o> <urn:e> .\n<urn:s> <urn:q> \"ax\" <urn:\\u0065> .",
    b"<urn:s> <urn:p> <<( <urn:a> <urn:b> _:b )>> .",
]  # fmt: skip
B = BlankNode("b")
PLAIN = [Triple(B, NamedNode("urn:p"), Literal("a")), Triple(B, NamedNode("urn:q"), Literal("ab"))]


def engine_of(*names: str, gpm: str = "auto") -> spaseq.Engine:
    engine = spaseq.Engine(lateness=100, gpm=gpm)
    for name in names:
        engine.register(SELECTED[name], name)
    return engine


def one_by_one(engine: spaseq.Engine) -> None:
    for number, text in enumerate(TEXTS):
        engine.push("s", text, 50 - number, "urn:é" if number == 3 else None)


def as_rows(engine: spaseq.Engine) -> None:
    pushed(engine, [("s", 50 - number, None, text) for number, text in enumerate(TEXTS)])


def as_events(engine: spaseq.Engine) -> None:
    events = [Event(STREAM, 50, "", PLAIN), Event(STREAM, 49, "no IRI é", PLAIN), Event(STREAM, 48, "urn:e", [])]
    list(engine.push_events(events))


def in_turn(engine: spaseq.Engine) -> None:
    one_by_one(engine)
    as_events(engine)


NAMES = [("all",), ("few",), ("path", "few"), ("text",), ("made", "read"), tuple(SELECTED)]


@pytest.mark.parametrize("way", [one_by_one, as_rows, as_events, in_turn])
@pytest.mark.parametrize("names", NAMES, ids=str)
def test_what_waits_goes_on(way: Callable[[spaseq.Engine], None], names: tuple[str, ...]) -> None:
    whole = engine_of(*names)
    way(whole)
    data = whole.snapshot()
    restored = spaseq.Engine.restore(data, {name: SELECTED[name] for name in names})
    assert restored.snapshot() == data
    for engine in (whole, restored):
        engine.push("s", b'_:x <urn:p> _:y .\n_:x <urn:q> "a" .', 100)
    assert Counter(map(str, restored.close())) == Counter(map(str, whole.close()))


@pytest.mark.parametrize("gpm", ["pyoxigraph", "verify"])
def test_another_way_to_evaluate_patterns(gpm: str) -> None:
    names = ("few", "path", "text", "made", "read")
    whole = engine_of(*names)
    one_by_one(whole)
    restored = spaseq.Engine.restore(whole.snapshot(), {name: SELECTED[name] for name in names}, gpm=gpm)
    assert Counter(map(str, restored.close())) == Counter(map(str, whole.close()))


def test_random_queries() -> None:
    for seed in range(15):
        world = World(seed)
        whole, taken = world.engine(10**12), world.engine(10**12)
        half = len(world.events) // 2
        for engine in (whole, taken):
            pushed(engine, [event_row(event) for event in world.events[:half]])
        restored = spaseq.Engine.restore(taken.snapshot(), world.queries)
        for engine in (whole, restored):
            pushed(engine, [event_row(event) for event in world.events[half:]])
        assert Counter(map(str, restored.close())) == Counter(map(str, whole.close()))


def test_lines_that_no_query_can_use_are_left_out() -> None:
    sizes = []
    for unused in (0, 100):
        engine = engine_of("few")
        for number in range(100):
            more = "".join(f"<urn:s> <urn:z> <urn:{n}> .\n" for n in range(unused))
            engine.push("s", f"<urn:s> <urn:p> <urn:{number}> .\n{more}".encode(), number)
        sizes.append(len(engine.snapshot()))
    assert sizes[0] == sizes[1] < 100 * 120


def test_skipped_rows_stay_counted() -> None:
    engine = engine_of("all")
    pushed(engine, [("s", None, None, b""), ("other", 1, None, b"")], skip=True)
    restored = spaseq.Engine.restore(engine.snapshot(), {"all": SELECTED["all"]})
    assert restored.statistics() == engine.statistics()
    assert restored.statistics()["streams"][STREAM]["skipped"] == 1


# ── forged ones ──────────────────────────────────────────────────────────────────────────────────────────
def waiting() -> bytes:
    engine = engine_of("all")
    one_by_one(engine)
    return engine.snapshot()


def changed(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    header, sections = GRAPHS.unpack(data)
    name = f"waiting 0 {STREAM}"
    stores = archive.unpack(sections[name])
    change(stores["waiting"][1])
    return GRAPHS.pack(header, {**sections, name: archive.pack(stores)})


def put(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(columns: dict[str, Any]) -> None:
        columns[name] = value(columns[name])

    return change


def graph_becomes(text: bytes) -> Callable[[dict[str, Any]], None]:
    def change(columns: dict[str, Any]) -> None:
        first = int(columns["graph sizes"][0])
        columns["graph sizes"][0] = len(text)
        columns["graph bytes"] = np.append(np.frombuffer(text, np.uint8), columns["graph bytes"][first:])

    return change


def cut_in_a_name(columns: dict[str, Any]) -> None:
    at = 1 + int(np.flatnonzero(columns["name bytes"] == 0xC3)[0])
    columns["name sizes"][:] = 0
    columns["name sizes"][:2] = at, len(columns["name bytes"]) - at


DEEP = b"<urn:s> <urn:p> " + b"<<( <urn:s> <urn:p> " * 5000 + b"<urn:o>" + b" )>>" * 5000 + b" .\n"
CHANGES = {
    "fewer times": put("times", lambda column: column[1:]), "fewer scopes": put("scopes", lambda column: column[1:]),
    "other times": put("times", lambda column: column.astype(np.uint64)),
    "sizes below zero": put("name sizes", lambda column: column - 100),
    "large sizes": put("name sizes", lambda column: column + 10**17),
    "sizes that overflow": put("graph sizes", lambda column: np.full(len(column), 2**62)),
    "a size too much": put("graph sizes", lambda column: column + (np.arange(len(column)) == 2)),
    "names of no UTF-8": put("name bytes", lambda column: column | 0x80),
    "half a character": cut_in_a_name,
    "no names": lambda columns: columns.pop("name bytes"),
    "no statement": graph_becomes(b"<urn:s> <urn:p> oh .\n"), "a deep triple": graph_becomes(DEEP),
    "no characters": graph_becomes(b"<urn:s> <urn:p> \"\xff\" .\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_forged_columns(name: str) -> None:
    with pytest.raises(spaseq.SnapshotError, match="the snapshot is damaged"):
        spaseq.Engine.restore(changed(waiting(), CHANGES[name]), {"all": SELECTED["all"]})


def test_a_section_that_is_missing() -> None:
    header, sections = GRAPHS.unpack(waiting())
    del sections[f"waiting 0 {STREAM}"]
    with pytest.raises(spaseq.SnapshotError, match="the snapshot is damaged"):
        spaseq.Engine.restore(GRAPHS.pack(header, sections), {"all": SELECTED["all"]})


def test_events_that_came_too_late() -> None:
    engine = started(1_000_000)
    push(engine, range(60))
    header, sections = GRAPHS.unpack(engine.snapshot())
    name = "waiting 0 urn:s"
    stores = archive.unpack(sections[name])
    stores["waiting"][1]["times"][0] = 0
    with pytest.raises(spaseq.SnapshotError, match="events wait that came too late"):
        spaseq.Engine.restore(GRAPHS.pack(header, {**sections, name: archive.pack(stores)}), queries(), KNOWLEDGE)


def test_forged_at_random() -> None:
    engine, choose = started(8_000_000), random.Random(5)
    push(engine, range(80))
    header, sections = GRAPHS.unpack(engine.snapshot())
    names = [name for name in sections if name.startswith("waiting")]
    found: Counter[str] = Counter()
    for _ in range(150):
        name = choose.choice(names)
        found[enter(GRAPHS.pack(header, {**sections, name: forged_archive(sections[name], choose)}))] += 1
    assert found["refused"] > 50
