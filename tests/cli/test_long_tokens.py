"""Whatever the input has, errors show at most 200 characters of it, at every door."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyoxigraph import NamedNode, Quad

import spaseq
from spaseq.cli.main import main
from spaseq.errors import LONGEST_MESSAGE, LocatedError, SpaseqError, shortened
from spaseq.streams import WireOptions, WireReport, read_source

LONG = "x" * 1_000_000
WORDS = "x y " * 250_000
TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
NUMBER = "<http://www.w3.org/2001/XMLSchema#long>"
GRAPH = f'<urn:{LONG}> {TIME} "1"^^{NUMBER} .\n<urn:s> <urn:p> <urn:o> <urn:{LONG}> .\n'
STREAMS = {
    "no statement.nq": f"<urn:s> <urn:p> {LONG} .\n",
    "bad IRI.nq": f"<urn:s> <urn:p> <urn:{LONG}|> .\n",
    "bad string.nq": f'<urn:s> <urn:p> "{WORDS}\\q" .\n',
    "bad tag.nq": f'<urn:s> <urn:p> "a"@{LONG} .\n',
    "no time.nq": f"<urn:s> <urn:p> <urn:o> <urn:{LONG}> .\n",
    "bad time.nq": f'<urn:e> {TIME} "{WORDS}" .\n',
    "time of a long type.nq": f'<urn:e> {TIME} "1"^^<urn:{LONG}> .\n',
    "time that is an IRI.nq": f"<urn:e> {TIME} <urn:{LONG}> .\n",
    "another time.nq": f'<urn:e> <urn:{LONG}> "2026-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
    "<urn:s> <urn:p> <urn:o> <urn:e> .\n",
    "comes back.nq": GRAPH + f'<urn:f> {TIME} "2"^^{NUMBER} .\n<urn:s> <urn:p> 1 <urn:f> .\n' + GRAPH[-2_000_000:],
    "bad.trig": f"@prefix p: <urn:{LONG}> .\np:a p:b {LONG} .\n",
    "unknown prefix.trig": f"<urn:s> <urn:p> {LONG}:x .\n",
    "bad escape.trig": f'<urn:s> <urn:p> "{WORDS}\\q" .\n',
    "messages.ttl": f"MESSAGE\n<urn:s> <urn:p> {LONG}:x .\nMESSAGE\n",
    "messages without time.ttl": f"MESSAGE\n<urn:{LONG}> <urn:p> <urn:o> .\nMESSAGE\n",
    "messages of two graphs.nq": f"MESSAGE\n<urn:s> <urn:p> _:a <urn:{LONG}> .\n<urn:s> <urn:p> _:a <urn:b> .\n",
    "bad.jsonld": '{"' + LONG + '": ' + LONG + "}\n",
    "bad IRI.jsonld": '{"@id": "' + WORDS + '", "urn:a:p": {"@type": "' + LONG + '", "@value": {}}}\n',
    "remote.jsonld": '{"@context": "urn:' + LONG + '"}\n',
    "bad.jelly": "\n" + LONG,
}  # fmt: skip
QUERY = "SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }"
QUERIES = {
    "unknown name": QUERY.replace("SEQ(A)", f"SEQ({LONG[:50_000]})"),
    "no token": QUERY.replace("?s ?p ?o", "?s ?p \\" + LONG[:50_000]),
    "unknown prefix": QUERY.replace("?s ?p ?o", f"?s ?p {LONG[:50_000]}:x"),
    "bad IRI": QUERY.replace("?s ?p ?o", f"?s ?p <urn:{LONG[:50_000]}^>"),
    "unknown function": QUERY.replace("?s ?p ?o", f"?s ?p ?o BIND({LONG[:50_000]}(?o) AS ?x)"),
    "string": QUERY.replace("?s ?p ?o", f'?s ?p "{WORDS[:50_000]}'),
    "CEQL": f"SELECT * FROM S WHERE a AS {LONG[:50_000]} FILTER b[x > 1]",
}
OPTIONS = {
    "name of a graph": lambda: spaseq.Engine({WORDS: b""}),
    "text of a graph": lambda: spaseq.Engine({"urn:kb": f"<urn:s> <urn:p> {LONG} .".encode()}),
    "a graph with a long name": lambda: spaseq.Engine({f"urn:{LONG}": b"<"}),
    "file": lambda: spaseq.Engine({"urn:kb": LONG}),
    "entail": lambda: spaseq.Engine({}, entail=LONG),
    "gpm": lambda: spaseq.Engine(gpm=LONG),
    "stream": lambda: engine().push(LONG, b"<urn:s> <urn:p> <urn:o> .", 1),
    "event": lambda: engine().push("s", b"<urn:s> <urn:p> <urn:o> .", 1, WORDS),
    "pushed text": lambda: engine().push("s", LONG.encode(), 1),
    "time": lambda: engine().push("s", b"<urn:s> <urn:p> <urn:o> .", LONG),  # type: ignore[arg-type]
    "two graphs": lambda: engine().push("s", [quad(f"urn:{LONG}"), quad("urn:b")], 1),
    "what is no graph": lambda: engine().push("s", LONG, 1),  # type: ignore[arg-type]
    "query": lambda: engine().unregister(LONG),
    "snapshot": lambda: spaseq.Engine.restore(LONG.encode(), [QUERY]),
    "source": lambda: list(spaseq.run(QUERY, {"s": LONG})),
    "unknown stream": lambda: list(spaseq.run(QUERY, {LONG: "a.nq"})),
}


def engine() -> spaseq.Engine:
    found = spaseq.Engine()
    found.register(QUERY)
    return found


def quad(graph: str) -> Quad:
    node = NamedNode("urn:x")
    return Quad(node, node, node, NamedNode(graph))


def check(work: Callable[[], object]) -> None:
    with pytest.raises(SpaseqError) as caught:
        work()
    error = caught.value
    assert len(str(error)) < 1500
    if isinstance(error, LocatedError):
        assert len(error.message) <= LONGEST_MESSAGE
        assert len(error.hint) <= LONGEST_MESSAGE


@pytest.mark.parametrize("name", STREAMS)
def test_streams(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(STREAMS[name])
    check(lambda: list(read_source(str(tmp_path / name), "urn:x", WireOptions(), WireReport())))
    report = WireReport()
    list(read_source(str(tmp_path / name), "urn:x", WireOptions(skip=True), report)) if "jelly" not in name else None
    assert len(str(report.to_dict())) < 20_000


@pytest.mark.parametrize("name", QUERIES)
def test_queries(name: str) -> None:
    check(lambda: spaseq.Engine().register(QUERIES[name]))


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str) -> None:
    check(OPTIONS[name])


@pytest.mark.parametrize(
    "arguments",
    [
        "LONG",
        "run --LONG",
        "run --gpm LONG",
        "check LONG",
        "run LONG",
        "run - --stream LONG",
        "run - --kb LONG=x",
        "run - --lateness LONG",
        "run - --time-property LONG",
    ],
)
def test_command_lines(arguments: str) -> None:
    result = CliRunner().invoke(main, arguments.replace("LONG", LONG).split(), input=QUERY)
    assert result.exit_code in (1, 2)
    assert len(result.output) < 2500


def test_what_is_left_of_a_message() -> None:
    assert shortened("the graph <urn:a> has no time") == "the graph <urn:a> has no time"
    assert shortened(f"the graph <urn:{LONG}> has no time") == f"the graph <urn:{'x' * 65}…{'x' * 29}> has no time"
    assert shortened(f'the time "{WORDS}" cannot be read').startswith('the time "x y x y')
    assert len(shortened(WORDS)) == 200
