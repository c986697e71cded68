"""Rows of Arrow mean what ``push`` of the same events means; bad rows are told or skipped, and leave no trace."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow
import pytest

import spaseq
from gpm import encoder
from spaseq.errors import OptionError, RowError
from spaseq.streams import Event
from tests.agreement.test_push import World, counters
from tests.cases.loader import Case, cases
from tests.cases.runner import render
from tests.graphs.arrow_rows import SCHEMA, Row, event_row, pushed, row, started, table
from tests.graphs.test_push import ALL, PAIRS, STREAM, TEXTS, engine_of, shown

QUAD = b"<urn:s> <urn:p> <urn:o> <urn:named> .\n"
LINE = b"<urn:s> <urn:p> <urn:o> .\n"


# ── as push does ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("event", [None, "urn:given"])
def test_texts(name: str, event: str | None) -> None:
    """Also of other syntaxes, and in two ways to write one graph."""
    rows: list[Row] = [("s", 1, None, LINE), ("s", 5, event, TEXTS[name]), (STREAM, 6, None, LINE)]
    wanted, engine = engine_of(ALL), engine_of(ALL)
    assert shown(pushed(engine, rows)) == shown([match for one in rows for match in by_push(wanted, one)]) != []
    assert names_of(engine) == names_of(wanted)


def by_push(engine: spaseq.Engine, one: Row) -> list[spaseq.Match]:
    stream, time, event, graph = one
    assert stream is not None and time is not None and graph is not None
    return engine.push(stream, graph, time, event)


def names_of(engine: spaseq.Engine) -> str:
    """The label of a blank node that comes next, and the name of its event: they tell what came before."""
    (match,) = engine.push("s", b"_:b <urn:p> <urn:o> .", 10)
    return str(match)


CASES = list(cases())
MODES = [*(("auto", case) for case in CASES), *(("pyoxigraph", case) for case in CASES[::5]),
         *(("verify", case) for case in CASES[1::5])]  # fmt: skip


@pytest.mark.parametrize(("gpm", "case"), MODES, ids=lambda one: one if isinstance(one, str) else one.label)
def test_cases(gpm: str, case: Case) -> None:
    wanted, engine = started(case, gpm), started(case, gpm)
    words, chance = case.words, random.Random(case.label)
    expected = [match for word in words if word.name for match in by_push(wanted, row(word))] + wanted.close()
    found, events = [], [word for word in words if word.name]
    while events:
        size = chance.randint(1, len(events))
        found += pushed(engine, [row(word) for word in events[:size]])
        events = events[size:]
    found += engine.close()
    # Which of equal rows DISTINCT keeps depends on the order in which pyoxigraph finds terms.
    shown_as = (lambda match: match) if gpm == "auto" else (lambda match: render(case, match))
    assert Counter(map(shown_as, found)) == Counter(map(shown_as, expected))
    assert engine.statistics()["streams"] == wanted.statistics()["streams"]


def test_random_queries() -> None:
    for seed in range(15):
        world = World(seed)
        wanted, engine = world.engine(), world.engine()
        rows = [event_row(event) for event in world.events]
        expected = [match for table in wanted.push_events(world.events) for match in table] + wanted.close()
        assert Counter(pushed(engine, rows) + engine.close()) == Counter(expected)
        assert counters(engine) == counters(wanted)


LAZY = f"""SELECT * FROM STREAM s <{STREAM}> WHERE {{ SEQ(A ; B) DEFINE GPM A ON s {{ ?x <urn:a> ?v }}
    DEFINE GPM B ON s {{ ?x <urn:b> ?w . ?x <urn:name> ?n FILTER(REGEX(?n, "^x")) }} }}"""
KINDS = b"<urn:x> <urn:a> <urn:v> .", b'<urn:x> <urn:b> <urn:w> .\n<urn:x> <urn:name> "xy" .\n', LINE


def test_patterns_that_are_postponed() -> None:
    rows: list[Row] = [("s", time, None, KINDS[time % 7 % 3]) for time in range(50)]
    wanted = engine_of(LAZY)
    expected = wanted.push_batch("s", [(time, graph) for _, time, _, graph in rows])  # type: ignore[misc]
    assert Counter(pushed(engine_of(LAZY), rows)) == Counter(expected) != Counter()


def test_entailment() -> None:
    ontology = b"<urn:sub> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:a> ."
    query = f"SELECT * FROM STREAM s <{STREAM}> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?x <urn:a> ?v }} }}"
    found = []
    for way in (lambda engine, one: by_push(engine, one), lambda engine, one: pushed(engine, [one])):
        engine = spaseq.Engine({"urn:o": ontology}, entail="rdfs")
        engine.register(query)
        found.append(way(engine, ("s", 1, None, b"<urn:x> <urn:sub> <urn:v> .")))
    assert found[0] == found[1] != []


def test_streams_in_turn() -> None:
    query = "SELECT ?x ?y FROM STREAM s <urn:1> FROM STREAM t <urn:2> WHERE {{ SEQ(A {} B) {} {} }}"
    text = query.format(";", "DEFINE GPM A ON s { ?x <urn:p> ?o }", "DEFINE GPM B ON t { ?y <urn:p> ?o }")
    rows: list[Row] = [
        (("s", "urn:2", "urn:1")[n % 3], n // 2, None, b"<urn:%d> <urn:p> <urn:o> ." % n) for n in range(30)
    ]
    wanted, engine, coded = (engine_of(text) for _ in range(3))
    expected = Counter(match for one in rows for match in by_push(wanted, one))
    assert Counter(pushed(engine, rows)) == expected != Counter()
    column = pyarrow.array([one[0] for one in rows], pyarrow.string()).dictionary_encode()
    data = table(rows).set_column(0, "stream", column).slice(0, 30)
    assert Counter(match for found in coded.push_arrow(data) for match in found) == expected
    assert engine.statistics() == wanted.statistics() == coded.statistics()


def cast(data: pyarrow.Table, texts: pyarrow.DataType, graphs: pyarrow.DataType) -> pyarrow.Table:
    """The table with other types."""
    return data.cast(pyarrow.schema([("stream", texts), SCHEMA[1], ("event", texts), ("graph", graphs)]))


FORMS: dict[str, Callable[[pyarrow.Table], Any]] = {
    "a batch": lambda data: data.combine_chunks().to_batches()[0],
    "a slice": lambda data: pyarrow.concat_tables([data, data]).combine_chunks().slice(3, 3),
    "chunks": lambda data: pyarrow.concat_tables([data.slice(0, 1), data.slice(1, 0), data.slice(1)]),
    "a reader": lambda data: data.to_reader(1),
    "large columns": lambda data: cast(data, pyarrow.large_string(), pyarrow.large_binary()),
    "views": lambda data: cast(data, pyarrow.string_view(), pyarrow.binary_view()),
    "texts": lambda data: data.set_column(3, "graph", data["graph"].cast(pyarrow.string())),
    "another order": lambda data: data.select(["graph", "event", "time", "stream"]),
    "a frame of pandas": lambda data: data.to_pandas(),
    "a dictionary": lambda data: data.set_column(0, "stream", data["stream"].dictionary_encode()),
    "no names": lambda data: data.drop_columns(["event"]),
    "null names": lambda data: data.set_column(2, "event", pyarrow.nulls(3)),
    "numbers": lambda data: data.set_column(1, "time", data["time"].cast(pyarrow.int64())),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    rows: list[Row] = [("s", 1, None, LINE), ("s", 2, None, QUAD), ("s", 3, None, b"<urn:a> <urn:b> _:c .\n")]
    wanted = [match for one in rows for match in by_push(engine, one)] if (engine := engine_of(ALL)) else []
    data = FORMS[form](table(rows))
    assert [match for found in engine_of(ALL).push_arrow(data) for match in found] == wanted


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    rows: list[Row] = [("s", 1, "urn:e", LINE)]
    frame = polars.from_arrow(table(rows))
    assert [match for found in engine_of(ALL).push_arrow(frame) for match in found] == pushed(engine_of(ALL), rows)


UNITS = [("s", None, -1, -1_000_000), ("ms", "UTC", 5, 5_000), ("us", "Europe/Vienna", 7, 7), ("ns", None, 1_999, 1),
         ("ns", None, -1, -1)]  # fmt: skip


@pytest.mark.parametrize(("unit", "zone", "given", "microseconds"), UNITS)
def test_times(unit: str, zone: str | None, given: int, microseconds: int) -> None:
    data = table([("s", 0, None, LINE)]).set_column(1, "time", pyarrow.array([given], pyarrow.timestamp(unit, zone)))
    (found,) = (match for some in engine_of(ALL).push_arrow(data) for match in some)
    assert found.microseconds.first == microseconds


@pytest.mark.parametrize("unit", ["s", "ms", "us", "int64"])
def test_times_at_the_ends_of_their_range(unit: str) -> None:
    worth = {"s": 10**6, "ms": 1000}.get(unit, 1)
    type_ = pyarrow.int64() if unit == "int64" else pyarrow.timestamp(unit)
    most = (2**63 - 2) // worth
    given = [-most, most, most + 1, -most - 1 if worth > 1 else -(2**63), 2**63 - 1, -(2**63)]
    times = pyarrow.array(given, pyarrow.int64()).view(type_)
    data = table([("s", 0, None, LINE)] * len(given)).set_column(1, "time", times)
    engine = engine_of(ALL)
    found = [match.microseconds.first for some in engine.push_arrow(data, skip=True) for match in some]
    assert found == [-most * worth, most * worth]
    (stream,) = engine.statistics()["streams"].values()
    assert (stream["events"], stream["skipped"]) == (2, 4)
    assert stream["first_skipped"] == "<batch>, row 2: the time is outside the range of 64-bit microseconds"


def test_late_rows_and_a_promise() -> None:
    late: list[Event] = []
    engine = spaseq.Engine(lateness=2, on_late=late.append)
    engine.register(ALL)
    found = pushed(engine, [("s", 5, None, LINE), ("s", 3, "urn:b", LINE), ("s", 2, "urn:late", LINE)], promise=5)
    assert [match.microseconds.first for match in found] == [3, 5]
    assert [event.name for event in late] == ["urn:late"]


def test_streams_that_cannot_be_pushed_to() -> None:
    derived = ALL.replace("SELECT *", "CONSTRUCT { ?s <urn:p> <urn:o> } INTO STREAM <urn:new>")
    engine = engine_of(derived, ALL.replace(f"s <{STREAM}>", "n <urn:new>").replace("ON s", "ON n"))
    for skip in (False, True):
        with pytest.raises(spaseq.OptionError, match="derived by a query"):
            pushed(engine, [("s", 1, None, LINE), ("n", 1, None, LINE)], skip=skip)
    assert len(pushed(engine, [("s", 1, None, LINE), ("s", 2, None, LINE)])) == 4
    engine.close("s")
    with pytest.raises(spaseq.OptionError, match="is closed"):
        pushed(engine, [("s", 3, None, LINE)], skip=True)


# ── bad rows ─────────────────────────────────────────────────────────────────────────────────────────────
BAD: list[tuple[Row, str]] = [
    ((None, 1, None, LINE), "the stream is missing"),
    (("other", 1, None, LINE), 'no query reads a stream "other"; streams that are read: s'),
    (("s", None, None, LINE), "the time is missing"),
    (("s", 1, None, None), "the graph is missing"),
    (("s", 1, "", LINE), "the event's name is empty: it is an IRI, or null"),
    (("s", 1, "no iri", LINE), "the event's name <no iri> is no IRI: Invalid IRI code point ' '"),
    (("s", 1, None, b""), "an event needs at least one triple"),
    (("s", 1, None, b"# nothing\n\n"), "an event needs at least one triple"),
    (("s", 1, None, LINE + QUAD), "an event is one graph: <urn:named>, DEFAULT are several"),
    (("s", 1, None, LINE + b"<urn:s> <urn:p> urn:o .\n"), "the prefix urn: has not been declared"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_bad_rows(bad: Row, message: str) -> None:
    """The same error as of ``push``, with the row; nothing is taken."""
    good: list[Row] = [("s", time, None, b"_:b <urn:p> <urn:o> .\n") for time in range(2)]
    engine = engine_of(ALL)
    with pytest.raises(spaseq.StreamError) as caught:
        pushed(engine, [*good, bad, ("s", None, None, None)])
    assert isinstance(caught.value, RowError)
    assert (caught.value.row, caught.value.message) == (2, message)
    assert str(caught.value).startswith("<batch>, row 2") and message in str(caught.value)
    assert engine.statistics()["streams"][STREAM]["events"] == 0
    assert names_of(engine) == names_of(engine_of(ALL))


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_bad_rows_are_skipped(bad: Row, message: str) -> None:
    good: list[Row] = [("s", time, None, b"_:b <urn:p> <urn:o> .\n") for time in range(4)]
    engine, wanted = engine_of(ALL), engine_of(ALL)
    found = pushed(engine, [*good[:2], bad, bad, *good[2:], bad], skip=True)
    assert found == pushed(wanted, good)
    assert names_of(engine) == names_of(wanted)
    statistics = engine.statistics()
    stream = statistics["streams"][STREAM]
    told = stream if bad[0] == "s" else statistics
    assert (told["skipped"], "skipped" in stream) == (3, bad[0] == "s")
    assert told["first_skipped"].startswith("<batch>, row 2") and message in told["first_skipped"]
    assert stream["events"] == 5
    pushed(engine, [bad], skip=True)
    again = engine.statistics()["streams"][STREAM] if bad[0] == "s" else engine.statistics()
    assert (again["skipped"], again["first_skipped"]) == (4, told["first_skipped"])


def test_the_line_and_the_place_in_it_are_shown() -> None:
    with pytest.raises(RowError) as caught:
        pushed(engine_of(ALL), [("s", 1, None, LINE), ("s", 2, None, LINE + b'<urn:s> <urn:p> "unended .\n')])
    assert str(caught.value).splitlines()[:2] == [
        "<batch>, row 1:2:17: error: unexpected end of file",
        '  <urn:s> <urn:p> "unended .',
    ]
    assert (caught.value.row, caught.value.line) == (1, 2)


def test_why_there_is_no_match_tells_of_skipped_rows() -> None:
    engine = engine_of(PAIRS.replace("{}", ";"))
    pushed(engine, [("s", None, None, LINE)], skip=True)
    (query,) = engine.statistics()["queries"].values()
    assert query["why"][0] == f"1 malformed row of <{STREAM}> was skipped"


@pytest.mark.parametrize("at_once", [1, 2, 4096])
def test_the_first_bad_row_of_several_streams(at_once: int) -> None:
    text = ALL.replace("WHERE", "FROM STREAM t <urn:t> WHERE")
    rows: list[Row] = [("t", 1, None, LINE), ("s", 1, None, LINE), ("t", 2, None, b"<"), ("s", 2, None, b"<")]
    with patch.object(encoder, "AT_ONCE", at_once):
        with pytest.raises(RowError) as caught:
            pushed(engine_of(text), rows)
        assert caught.value.row == 2
        engine = engine_of(text)
        pushed(engine, rows * 3, skip=True)
    assert [stream["skipped"] for stream in engine.statistics()["streams"].values()] == [3, 3]


# ── what is no batch ─────────────────────────────────────────────────────────────────────────────────────
GOOD = table([("s", 1, "urn:e", LINE)])
NO_BATCH: list[tuple[Any, str]] = [
    (None, "rows are a RecordBatch"), ([1], "rows are a RecordBatch"), ({"stream": ["s"]}, "rows are a RecordBatch"),
    (GOOD.drop_columns(["time"]), "there is no column time: events have the columns stream, time, event and graph"),
    (GOOD.rename_columns(["stream", "time", "events", "graph"]), "events have no column events; did you mean event?"),
    (GOOD.rename_columns(["stream", "time", "time", "graph"]), "there are 2 columns time"),
    (GOOD.set_column(1, "time", pyarrow.array(["now"])), "time is of type timestamp, or int64 .microseconds., not"),
    (GOOD.set_column(1, "time", pyarrow.array([1], pyarrow.int32())), "column time .* not int32"),
    (GOOD.set_column(0, "stream", pyarrow.array([1])), "column stream .* not int64"),
    (GOOD.set_column(0, "stream", pyarrow.array([1]).dictionary_encode()), "column stream .* not dictionary"),
    (GOOD.set_column(2, "event", pyarrow.array([b"e"])), "column event .* not binary"),
    (GOOD.set_column(3, "graph", pyarrow.array([[1]])), "column graph .* not list"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "message"), NO_BATCH)
def test_what_is_no_batch(data: Any, message: str) -> None:
    with pytest.raises(spaseq.OptionError, match=message):
        engine_of(ALL).push_arrow(data)


@pytest.mark.parametrize("options", [{"skip": 1}, {"skip": None}, {"promise": "soon"}, {"promise": 2**63}])
def test_other_arguments(options: dict[str, Any]) -> None:
    engine = engine_of(ALL)
    with pytest.raises(spaseq.OptionError):
        engine.push_arrow(GOOD, **options)
    assert engine.statistics()["streams"][STREAM]["events"] == 0


def test_nothing() -> None:
    engine = engine_of(ALL)
    assert pushed(engine, []) == []
    assert list(engine.push_arrow(GOOD.schema.empty_table().to_reader())) == []


def test_without_pyarrow() -> None:
    with patch.dict(sys.modules, {"pyarrow": None}), pytest.raises(spaseq.OptionError, match=r"spaseq\[arrow\]"):
        engine_of(ALL).push_arrow(GOOD)


def test_an_engine_asks_for_pyarrow_only_where_it_is_needed() -> None:
    code = "import sys, spaseq; spaseq.Engine(); assert not {'pyarrow', 'pyspark'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_many_events_hold_on_to_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a batch whose events wait, the buffer is let go when most of them have left."""
    engine = spaseq.Engine(lateness=10)
    engine.register(ALL)
    pushed(engine, [("s", time, None, LINE) for time in range(1000)])
    (streamset,) = engine.core.inputs
    (events,) = streamset.waiting()
    assert sum(map(len, events.graphs.texts.blocks)) < 20 * len(LINE)
    assert np.array_equal(events.times, np.arange(990, 1000) if len(events) == 10 else np.arange(989, 1000))


def test_engines_share_a_batch(rows: Sequence[Row] = (("s", 1, None, LINE),)) -> None:
    data = table(rows)
    assert [len(list(engine_of(ALL).push_arrow(data))) for _ in range(3)] == [1, 1, 1]


# ── damaged batches ──────────────────────────────────────────────────────────────────────────────────────
def damaged(column: str, array: pyarrow.Array) -> pyarrow.RecordBatch:
    columns = {
        "stream": pyarrow.array(["s", "s"]), "time": pyarrow.array([1, 2]),
        "graph": pyarrow.array([b"<urn:s> <urn:p> <urn:o> ."] * 2),
    } | {column: array}  # fmt: skip
    return pyarrow.record_batch(columns)


def texts_of(offsets: list[int], data: bytes, kind: pyarrow.DataType) -> pyarrow.Array:
    buffers = [None, pyarrow.py_buffer(np.array(offsets, np.int32)), pyarrow.py_buffer(data)]
    return pyarrow.Array.from_buffers(kind, len(offsets) - 1, buffers)


@pytest.mark.parametrize(
    ("column", "array"),
    [
        ("stream", pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 7]), pyarrow.array(["s"]), safe=False)),
        ("stream", pyarrow.DictionaryArray.from_arrays(pyarrow.array([-5, 0]), pyarrow.array(["s"]), safe=False)),
        ("graph", texts_of([0, 20, 10], b"<urn:s> <urn:p> <urn:o> .", pyarrow.binary())),
        ("graph", texts_of([0, 2000, 25], b"<urn:s> <urn:p> <urn:o> .", pyarrow.binary())),
        ("event", texts_of([0, 5, 3], b"urn:e", pyarrow.string())),
    ],
)  # fmt: skip
def test_what_would_be_read_beyond_its_end_is_refused(column: str, array: pyarrow.Array) -> None:
    engine = spaseq.Engine()
    engine.register("SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?x ?y ?z } }")
    with pytest.raises(OptionError, match="a batch of Arrow is damaged"):
        engine.push_arrow(damaged(column, array))
    assert engine.statistics()["streams"]["urn:s"]["events"] == 0
