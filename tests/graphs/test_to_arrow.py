"""Events as rows of Arrow, pruned: an engine with the same queries finds the same in them."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow
import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse

import spaseq
from gpm.encoder import text_column
from spaseq.graphs.arrow_rows import read_lines, read_rows
from spaseq.sources.rdf.arrow import SCHEMA
from spaseq.streams import Event, Events, WireOptions, WireReport, read_source
from tests.agreement.test_push import World
from tests.cases.loader import Case, cases
from tests.graphs.arrow_rows import Row, pushed, row, started, table
from tests.graphs.test_push import STREAM, TEXTS, engine_of
from tests.graphs.test_push_arrow import KINDS, LAZY

P = f"SELECT * FROM STREAM s <{STREAM}> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ {{}} }} }}"
GRAPH = b"""<urn:s> <urn:p> <urn:o> .
<urn:s> <urn:q> "a" .
# a comment

<urn:s> <urn:\\u0070> "b"@en .
<urn:o> <urn:r> _:b ."""


def query(pattern: str) -> str:
    return P.replace("{{", "{").replace("}}", "}").replace("{}", pattern)


def events_of(engine: spaseq.Engine, rows: Sequence[Row]) -> list[Events]:
    """The events of rows, encoded for an engine that does not take them."""
    found = read_lines(engine.kind, table(rows), False)
    for events, lines in found:
        ends, text = text_column(events.graphs, pruned=True)
        assert (lines[0].tolist(), lines[1]) == (ends.tolist(), text)
    return [events for events, _ in found]


def kept(engine: spaseq.Engine, graph: bytes, pruned: bool = True) -> list[bytes]:
    (events,) = events_of(engine, [("s", 1, None, graph)])
    (text,) = events.to_arrow(pruned).column("graph").to_pylist()
    return list(text.splitlines())


# ── the law ──────────────────────────────────────────────────────────────────────────────────────────────
def through(engine: spaseq.Engine, another: spaseq.Engine, events: Sequence[Events]) -> list[spaseq.Match]:
    """What ``another`` engine finds in rows that were pruned for an engine."""
    batches = [some.to_arrow() for some in events]
    found = another.push_arrow(pyarrow.Table.from_batches(batches, SCHEMA))
    return [match for one in found for match in one] + another.close()


CASES = list(cases())
NOISE = Triple(NamedNode("urn:noise"), NamedNode("urn:noise"), Literal("a long text that no query asks for"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_cases(case: Case) -> None:
    rows = [row(word) for word in case.words if word.name]
    found = through(started(case), another := started(case), events_of(started(case), rows))
    engine = started(case)
    assert Counter(found) == Counter(pushed(engine, rows) + engine.close())
    assert another.statistics()["queries"] == engine.statistics()["queries"]


@pytest.mark.parametrize("gpm", ["pyoxigraph", "verify"])
@pytest.mark.parametrize("case", CASES[2::9], ids=lambda case: case.label)
def test_other_ways_to_evaluate_patterns(case: Case, gpm: str) -> None:
    """Also lines that were pruned where patterns are native are enough for pyoxigraph."""
    rows = [row(word) for word in case.words if word.name]
    engine = started(case, gpm)
    wanted = Counter(str(match) for match in pushed(engine, rows) + engine.close())
    for pruner in (started(case, gpm), started(case)):
        found = through(pruner, started(case, gpm), events_of(pruner, rows))
        assert Counter(map(str, found)) == wanted


@pytest.mark.parametrize("as_rows", [True, False])
def test_random_queries(as_rows: bool) -> None:
    lines = 0
    for seed in range(20):
        world = World(seed)
        world.events = [event._replace(triples=[*event.triples, NOISE]) for event in world.events]
        pruner, engine = world.engine(), world.engine()
        events = pruner.kind.columns(world.events)
        if as_rows:
            events = [again for some in events for again in read_rows(pruner.kind, some.to_arrow(False), False)]
        wanted = [match for found in engine.push_events(world.events) for match in found] + engine.close()
        assert Counter(through(pruner, world.engine(), events)) == Counter(wanted)
        lines += sum(some.to_arrow(False).nbytes - some.to_arrow().nbytes for some in events)
    assert lines > 1_000  # so much was left out


def test_patterns_that_are_postponed() -> None:
    rows: list[Row] = [("s", time, None, KINDS[time % 7 % 3] + b"\n<urn:x> <urn:z> 'no' .") for time in range(50)]
    rows = [(stream, time, name, (graph or b"").replace(b"'", b'"')) for stream, time, name, graph in rows]
    found = through(engine_of(LAZY), engine_of(LAZY), events := events_of(pruner := engine_of(LAZY), rows))
    assert Counter(found) == Counter(pushed(engine_of(LAZY), rows)) != Counter()
    assert b"urn:z" not in b"".join(events[0].to_arrow().column("graph").to_pylist()[1:3]), pruner


# ── which lines are kept ─────────────────────────────────────────────────────────────────────────────────
FIRST, SECOND, THIRD, LAST = GRAPH.splitlines()[:2] + GRAPH.splitlines()[4:]
KEPT = [
    ("?s <urn:p> ?o", [FIRST, THIRD]), ("<urn:s> <urn:p> ?o", [FIRST, THIRD]), ("?s <urn:p> <urn:o>", [FIRST]),
    ("?s <urn:q> ?o . OPTIONAL { ?s <urn:r> ?x }", [SECOND, LAST]), ("?s <urn:none> ?o", [FIRST]),
    ("?s ?p ?o", [FIRST, SECOND, THIRD, LAST]), ("?s ?p <urn:o>", [FIRST]), ("<urn:o> ?p ?o", [LAST]),
    ("?s <urn:p>/<urn:r> ?o", [FIRST, THIRD, LAST]), ("?s <urn:q>* ?o", [FIRST, SECOND, THIRD, LAST]),
    ("?s <urn:p> ?o FILTER NOT EXISTS { ?o <urn:r> ?x }", [FIRST, THIRD, LAST]),
    ("?s <urn:q> ?o FILTER(REGEX(?o, 'a'))", [SECOND]), ("OPTIONAL { ?s <urn:q> ?o }", [SECOND]),
    ("?s <urn:q> ?o . ?s <urn:p>+ ?x", [FIRST, SECOND, THIRD]),
    ("?s <urn:p> ?o . OPTIONAL { ?s !<urn:z> ?x }", [FIRST, SECOND, THIRD, LAST]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "lines"), KEPT)
def test_lines_that_a_pattern_can_use(pattern: str, lines: list[bytes]) -> None:
    """Of each event one line at least: it must stay one."""
    engine = engine_of(query(pattern))
    assert kept(engine, GRAPH) == lines
    assert kept(engine, GRAPH, pruned=False) == [FIRST, SECOND, THIRD, LAST]
    prepared = [spaseq.Engine() for _ in range(2)]
    for one in prepared:
        one.register(spaseq.prepare(query(pattern)))
    assert [kept(one, GRAPH) for one in prepared] == [lines, lines]


def test_several_queries() -> None:
    assert kept(engine_of(query("?s <urn:q> ?o"), query("?s <urn:r> ?o")), GRAPH) == [SECOND, LAST]


def test_entailment() -> None:
    ontology = b"<urn:q> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:super> ."
    engine = spaseq.Engine({"urn:o": ontology}, entail="rdfs")
    engine.register(query("?s <urn:super> ?o"))
    assert kept(engine, GRAPH) == [SECOND]


def test_other_knowledge_may_need_other_lines() -> None:
    engine = spaseq.Engine({"urn:k": b"<urn:s> <urn:p> <urn:o> ."})
    engine.register(query("?s <urn:q> ?o . GRAPH <urn:k> { ?s <urn:p> ?x }"))
    assert kept(engine, GRAPH) == [SECOND]
    engine.update_background({"urn:k": b"<urn:s> <urn:p> <urn:o> ."})
    assert len(kept(engine, GRAPH)) == 4


def test_lines_outside_of_the_graph(tmp_path: Path) -> None:
    """Events of a file lie between times and other lines; what is outside of the named graph is none of them."""
    path = tmp_path / "s.nq"
    time = (
        '<urn:e{0}> <http://www.w3.org/ns/prov#generatedAtTime> "{0}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    )
    lines = (
        "<urn:s> <urn:q> <urn:{0}> <urn:e{0}> .\n<urn:s> <urn:out> <urn:p> .\n<urn:s> <urn:p> <urn:{0}> <urn:e{0}> .\n"
    )
    path.write_text("".join(lines.format(n) + time.format(n) for n in range(1, 4)))
    engine, another = (engine_of(query("?s <urn:p> ?o")) for _ in range(2))
    events = Events.join([*read_source(str(path), STREAM, WireOptions(), WireReport(), engine.encoder)])
    texts = events.to_arrow().column("graph").to_pylist()
    assert texts == [b"<urn:s> <urn:p> <urn:%d> <urn:e%d> .\n" % (n, n) for n in range(1, 4)]
    assert events.to_arrow(False).column("graph").to_pylist() == [
        b"<urn:s> <urn:q> <urn:%d> <urn:e%d> .\n" % (n, n) + text for n, text in enumerate(texts, 1)
    ]
    found = [match for some in engine.push_columns([events]) for match in some]
    assert found == [match for some in another.push_arrow(events.to_arrow(False)) for match in some] != []


@pytest.mark.parametrize("graph", [
    GRAPH, GRAPH + b"\n", GRAPH + b"\r\n# end", *TEXTS.values(),
])  # fmt: skip
@pytest.mark.parametrize("pattern", ["?s <urn:q> ?o", "?s <urn:out> ?o", "?s <urn:none>+ ?o", "?s ?p ?o"])
def test_lines_kept_while_rows_are_read(pattern: str, graph: bytes) -> None:
    """They are those that ``to_arrow`` keeps, also where rows that are no events lie between (see ``events_of``)."""
    engine = engine_of(query(pattern))
    (events,) = events_of(engine, [("s", 1, None, GRAPH), ("s", 2, None, graph), ("s", 3, None, GRAPH)])
    assert len(events) == 3
    rows: list[Row] = [("s", 1, None, graph), ("s", 2, None, GRAPH + b"\nno"), ("s", 3, None, GRAPH)]
    ((some, lines),) = read_lines(engine.kind, table(rows), True)
    assert len(some) == 2 and lines[1] == text_column(some.graphs, pruned=True)[1]


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────────
def test_columns() -> None:
    engine = engine_of(query("?s ?p ?o"))
    rows: list[Row] = [("s", n, f"urn:é{n}" if n % 3 else None, b"<urn:s> <urn:p> <urn:%d> ." % n) for n in range(20)]
    (events,) = events_of(engine, rows)
    chosen = np.array([3, 19, 4])
    for some, numbers in ((events, range(20)), (events.part(5, 9), range(5, 9)), (events.take(chosen), chosen),
                          (events.part(3, 3), []), (events.take(chosen).compact(), chosen)):  # fmt: skip
        batch = some.to_arrow()
        assert batch.schema == SCHEMA
        batch.validate(full=True)
        assert batch.column("stream").to_pylist() == [STREAM for _ in numbers]
        assert batch.column("time").cast(pyarrow.int64()).to_pylist() == [*numbers]
        assert batch.column("event").to_pylist() == [rows[n][2] for n in numbers]
        assert batch.column("graph").to_pylist() == [b"<urn:s> <urn:p> <urn:%d> .\n" % n for n in numbers]


def test_events_that_are_triples() -> None:
    """Also what comes of other syntaxes, and terms that are none by the book."""
    engine = engine_of(query("?s <urn:p> ?o"))
    bent = [*parse(b"<urn:a b> <urn:p> <urn:o> .\n<urn:s> <urn:q> <urn:o> .", RdfFormat.N_QUADS, lenient=True)]
    rows: list[Row] = [("s", n, None, text) for n, text in enumerate(TEXTS.values())]
    (events,) = events_of(engine, rows)
    given = Events.of(STREAM, [Event(STREAM, 1, "urn:e", bent)], engine.encoder)
    joined = Events.join([events, given, events])
    texts = joined.to_arrow().column("graph").to_pylist()
    assert texts[len(rows)] == b"<urn:a b> <urn:p> <urn:o> .\n"
    for text, (_, _, _, graph) in zip(texts, rows, strict=False):
        assert len(pushed(engine_of(query("?s <urn:p> ?o")), [("s", 1, None, text)])) == len(
            pushed(engine_of(query("?s <urn:p> ?o")), [("s", 1, None, graph)])
        )


def test_an_engine_that_has_gone() -> None:
    (events,) = events_of(engine_of(query("?s <urn:q> ?o")), [("s", 1, None, GRAPH)])
    gc.collect()
    (text,) = events.to_arrow().column("graph").to_pylist()
    assert len(text.splitlines()) == 4


def test_without_pyarrow() -> None:
    (events,) = events_of(engine_of(query("?s <urn:q> ?o")), [("s", 1, None, GRAPH)])
    hidden = dict.fromkeys(name for name in sys.modules if name.split(".")[0] == "pyarrow")
    with (
        patch.dict(sys.modules, {**hidden, "pyarrow": None, "spaseq.sources.rdf.arrow": None}),
        pytest.raises(spaseq.OptionError, match=r"spaseq\[arrow\]"),
    ):
        events.to_arrow()
