"""Messages as rows: in JSON, CSV or Arrow, for tables and for mappings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq import tuples
from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from spaseq.sources.rdf.wire import WireOptions
from spaseq.sources.transports.transport import Transport
from spaseq.tuples import CsvFormat
from tests.transports.scripted import Scripted, Topic

ROWS: list[dict[str, Any]] = [{"type": "T", "time": 1000 * number, "value": number % 3} for number in range(8)]
RISE = "SELECT * WHERE T AS a : T AS b FILTER a[value = 0] AND b[value = 1]"
NAMES = CsvFormat(names=("type", "time", "value"))
MAPPING = """PREFIX : <urn:>
EVENT <urn:{?time}> AT ?time UNIT ms
CONSTRUCT { <urn:{?time}> :value ?value }"""
ALL = "SELECT ?v FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"


def ipc(rows: list[dict[str, Any]]) -> bytes:
    schema = pyarrow.schema([(name, pyarrow.int64()) for name in ("time", "value")])
    table = pyarrow.Table.from_pylist(rows, None if "type" in (rows or [{}])[0] else schema)
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def csv(row: dict[str, Any]) -> bytes:
    return ",".join(map(str, row.values())).encode()


MESSAGES = {
    "json": [json.dumps(row).encode() for row in ROWS],
    "pretty json": [json.dumps(row, indent=1).encode() for row in ROWS],
    "json lines": ["\n".join(map(json.dumps, ROWS[:5])).encode(), b"", "\n".join(map(json.dumps, ROWS[5:])).encode()],
    "csv": [csv(row) for row in ROWS],
    "csv lines": [b"\n".join(map(csv, ROWS[:3])) + b"\n", b"\n".join(map(csv, ROWS[3:]))],
    "arrow": [ipc(ROWS[:3]), ipc(ROWS[3:])],
}


@pytest.mark.parametrize("at_once", [1, 3, 100])
@pytest.mark.parametrize("kind", MESSAGES)
def test_tuples(kind: str, at_once: int) -> None:
    source = Scripted(MESSAGES[kind], at_once)
    found = tuples.match(RISE, source, csv=NAMES).to_arrow()
    assert found.column("start").to_pylist() == [0, 3, 6]
    assert source.released[-1] == len(MESSAGES[kind]) - 1


@pytest.mark.parametrize("at_once", [1, 3, 100])
@pytest.mark.parametrize("kind", MESSAGES)
def test_a_mapping(kind: str, at_once: int) -> None:
    mapped = spaseq.Mapped(Scripted(MESSAGES[kind], at_once), MAPPING, csv=NAMES)
    assert [int(one.bindings["v"]) for one in spaseq.run(ALL, {"s": mapped})] == [0, 1, 2, 0, 1, 2, 0, 1]


BROKEN = {"no JSON": b'{"type": "T", ', "another type": b'{"type": "T", "time": "soon", "value": 1}', "a number": b"17"}


@pytest.mark.parametrize("at_once", [1, 100])
@pytest.mark.parametrize("broken", BROKEN)
def test_one_that_is_broken(broken: str, at_once: int) -> None:
    messages = [*MESSAGES["json"][:2], BROKEN[broken], *MESSAGES["json"][2:]]
    source = Scripted(messages, at_once)
    run = Run(ALL, {"s": spaseq.Mapped(source, MAPPING, types={"time": "int64"})})
    found = []
    with pytest.raises(StreamError, match="scripted://x@2"):
        found += [int(one.bindings["v"]) for one in run]
    assert source.arrivals.position == 1
    skipping = spaseq.Mapped(Scripted(messages, at_once), MAPPING, types={"time": "int64"})
    run = Run(ALL, {"s": skipping}, options=WireOptions(skip=True))
    run.warns = False
    assert [int(one.bindings["v"]) for one in run] == [0, 1, 2, 0, 1, 2, 0, 1]
    assert run.statistics()["streams"]["urn:s"]["wire"]["errors"] == 1


@pytest.mark.parametrize("kind", ["json", "csv"])
@pytest.mark.parametrize("places", [(0,), (49,), (7, 8, 30), (0, 1, 2, 48, 49), range(1, 50, 2)])
def test_broken_ones_among_many(places: Sequence[int], kind: str) -> None:
    rows = [{"type": "T", "time": number, "value": number} for number in range(50)]
    messages = [csv(row) if kind == "csv" else json.dumps(row).encode() for row in rows]
    for place, what in zip(places, cycle([b'{"', b'{"time": "soon", "value": 1}', b"17"]), strict=False):
        messages[place] = what if kind == "json" else b"T,soon"
    mapped = spaseq.Mapped(Scripted(messages, 25), MAPPING, types={"time": "int64", "value": "int64"}, csv=NAMES)
    run = Run(ALL, {"s": mapped}, options=WireOptions(skip=True))
    run.warns = False
    assert [int(one.bindings["v"]) for one in run] == [place for place in range(50) if place not in places]
    assert run.statistics()["streams"]["urn:s"]["wire"]["errors"] == len(places)


@pytest.mark.parametrize("at_once", [1, 100])
def test_a_row_that_is_no_event_comes_again(at_once: int) -> None:
    messages = [*MESSAGES["json"][:2], b'{"time": 1500}', *MESSAGES["json"][2:]]
    source = Scripted(messages, at_once)
    with pytest.raises(StreamError, match="scripted://x@2: error: the row is no event: none of its triples is whole"):
        list(Run(ALL, {"s": spaseq.Mapped(source, MAPPING)}))
    assert source.arrivals.position == 1


@pytest.mark.parametrize(
    ("declared", "written", "term"),
    [
        ("decimal(10,2)", "0.10", '"0.10"^^xsd:decimal'),
        ("date", '"2026-01-01"', '"2026-01-01"^^xsd:date'),
        ("timestamp", '"2026-01-01T00:00:00Z"', '"2026-01-01T00:00:00Z"^^xsd:dateTime'),
        ("double", "1", '"1"^^xsd:double'),
        ("string", '"1"', '"1"'),
    ],
)
@pytest.mark.parametrize("at_once", [1, 100])
def test_declared_types(declared: str, written: str, term: str, at_once: int) -> None:
    rows = [b'{"time": %d, "value": %s}' % (number, written.encode()) for number in range(3)]
    mapped = spaseq.Mapped(Scripted(rows, at_once), MAPPING, types={"value": declared})
    query = f"PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> {ALL.replace('?v }', f'?v FILTER(?v = {term}) }}')}"
    assert len(list(spaseq.run(query, {"s": mapped}))) == 3


CAST = "BIND(<http://www.w3.org/2001/XMLSchema#{}>(?v) AS ?value)"
TYPED: dict[str, tuple[bytes, str, str, dict[str, Any]]] = {
    "a cast of a member": (b'{"time": 1, "p": {"v": 0.10}}', 'COLUMN "p.v" AS ?v', CAST.format("decimal"), {}),
    "a declared member": (
        b'{"time": 1, "p": {"v": 0.10}}', 'COLUMN "p.v" AS ?value', "", {"types": {"p.v": "decimal(10,2)"}},
    ),
    "a member that comes later": (
        b'{"time": 1, "p": {"w": 1}}\n{"time": 1, "p": {"v": 0.10}}', 'COLUMN "p.v" AS ?v', CAST.format("decimal"), {},
    ),
    "a cast of elements": (b'{"time": 1, "p": [0.10]}', 'EACH "p" AS ?v', CAST.format("decimal"), {}),
    "a cast of CSV": (b"1,00.10", "", CAST.format("decimal"), {"csv": CsvFormat(names=("time", "v"))}),
}  # fmt: skip


@pytest.mark.parametrize("case", TYPED)
def test_decimals_are_exact_wherever_they_stand(case: str) -> None:
    written, columns, where, more = TYPED[case]
    mapping = f"{columns} EVENT <urn:{{?time}}> AT ?time CONSTRUCT {{ <urn:x> <urn:value> ?value }} WHERE {{ {where} }}"
    run = spaseq.run(ALL, {"s": spaseq.Mapped(Scripted([written]), mapping, **more)})
    assert [one.bindings["v"].n3() for one in run] == ['"0.1"^^<http://www.w3.org/2001/XMLSchema#decimal>']


@pytest.mark.parametrize("at_once", [1, 100])
def test_an_event_ends_with_its_message(at_once: int) -> None:
    lines = b'{"time": 1, "value": 1}\n{"time": 1, "value": 2}'
    alike = [lines, b'{"time": 1, "value": 3}', b'{"time": 1, "value": 4}']
    run = spaseq.run(ALL, {"s": spaseq.Mapped(Scripted(alike, at_once), MAPPING)})
    assert [int(one.bindings["v"]) for one in run] == [1, 2, 3, 4]
    assert run.statistics()["streams"]["urn:s"]["events"] == 3


@pytest.mark.parametrize(
    "messages",
    [
        (b"", b'{"time": 0}\n{"time": 1, "value": 2}'),
        (b" \n", b'{"time": 1}', b"", b'{"time": 1, "value": 1}'),
        (ipc([]), ipc([{"time": 0, "value": None}, {"time": 1, "value": 2}])),
    ],
)
def test_blank_ones_have_no_rows(messages: Sequence[bytes]) -> None:
    mapped = spaseq.Mapped(Scripted(messages, 100), MAPPING, types={"value": "int64", "time": "int64"})
    with pytest.raises(StreamError, match="scripted://x@1: error: the row is no event"):
        list(Run(ALL, {"s": mapped}))


def test_partitions_of_a_mapping_have_clocks_of_their_own() -> None:
    split = Topic({"0": Scripted(MESSAGES["json"][4:], 100), "1": Scripted([None] * 9 + MESSAGES["json"][:4])})
    run = spaseq.run(ALL, {"s": spaseq.Mapped(split, MAPPING)})
    assert [int(one.bindings["v"]) for one in run] == [0, 1, 2, 0, 1, 2, 0, 1]
    assert run.losses() == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Scripted(MESSAGES["csv"]), "messages in CSV have no header; say which columns they have: --columns"),
        (Topic({"0": Scripted([]), "1": Scripted([])}), r"has 2 partitions.*read one of them, as in \?partition=0"),
    ],
)
def test_errors(source: Transport, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        tuples.match(RISE, source)


def test_a_format_without_rows() -> None:
    source = Scripted([b""])
    source.format = "trig"
    with pytest.raises(OptionError, match="messages in trig have no rows; rows are in json, csv, arrow"):
        tuples.match(RISE, source)
    source = Scripted([b""])
    source.format = "csv"
    with pytest.raises(OptionError, match="format=csv: events of streams of graphs are in"):
        spaseq.run(ALL, {"s": source})
