"""Whole runs with real queries: files, iterables, several streams, errors, interruption, counting."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import pytest
import rdflib

import spaseq
from spaseq.errors import OptionError, QueryError, QuerySyntaxError, StreamError
from spaseq.streams import WireOptions

QUERY = """
PREFIX ex: <http://ex.org/>
SELECT ?s ?v ?w
WITHIN 10 SECONDS SLIDING
FROM STREAM a <urn:s:a>
FROM STREAM b <urn:s:b>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON a { ?s ex:value ?v }
  DEFINE GPM B ON b { ?s ex:value ?w }
}
"""
ABSENT = QUERY.replace("?v ?w", "?v").replace("SEQ(A ; B)", "SEQ(A ; B!)")
BY_EVENTS = QUERY.replace("10 SECONDS SLIDING", "7 EVENTS")
DERIVED = """
PREFIX ex: <http://ex.org/>
CONSTRUCT { ?s ex:sum ?v } INTO STREAM <urn:s:c>
WITHIN 10 SECONDS SLIDING
FROM STREAM a <urn:s:a>
WHERE { SEQ(A ; B!) DEFINE GPM A ON a { ?s ex:value ?v } DEFINE GPM B ON a { ?s ex:stop ?x } }
"""
READER = """
PREFIX ex: <http://ex.org/>
SELECT ?s ?v FROM STREAM c <urn:s:c>
WHERE { SEQ(C) DEFINE GPM C ON c { ?s ex:sum ?v } }
"""
SECOND = 1_000_000


def line(number: int, second: float, subject: int, stream: str = "a") -> str:
    time = datetime.fromtimestamp(1_800_000_000 + second, UTC).isoformat()
    event = f"<urn:{stream}:{number}>"
    stamp = f'"{time}"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    return (
        f"{event} <http://www.w3.org/ns/prov#generatedAtTime> {stamp} .\n"
        f'<http://ex.org/{subject}> <http://ex.org/value> "{number}" {event} .\n'
    )


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Two streams of random events."""
    generator = random.Random(5)
    for stream in "ab":
        times = sorted(generator.uniform(0, 100) for _ in range(200))
        lines = (line(n, time, generator.randrange(3), stream) for n, time in enumerate(times))
        (tmp_path / f"{stream}.nq").write_text("".join(lines))
    return {stream: str(tmp_path / f"{stream}.nq") for stream in "ab"}


def content(matches: list[spaseq.Match]) -> list[str]:
    return sorted(str(match.to_dict()) for match in matches)


def test_files_and_iterables_give_the_same(files: dict[str, str]) -> None:
    found = list(spaseq.run([QUERY, ABSENT, BY_EVENTS], files))
    decided = [match.microseconds.decided for match in found if match.query != "query3"]
    assert decided == sorted(decided)
    assert {match.query for match in found} == {"query1", "query2", "query3"}

    def pushed(stream: str) -> Iterator[tuple[datetime, rdflib.Graph, str]]:
        dataset = rdflib.Dataset()
        dataset.parse(files[stream], format="nquads")
        times = {s: o for s, _, o, _ in dataset.quads((None, rdflib.PROV.generatedAtTime, None, None))}
        for event, time in sorted(times.items(), key=lambda item: item[1].toPython()):
            yield time.toPython(), dataset.graph(event), str(event)

    again = list(spaseq.run([QUERY, ABSENT, BY_EVENTS], {stream: pushed(stream) for stream in "ab"}))
    assert content(found) == content(again)


def test_pushing_one_by_one_gives_the_same(files: dict[str, str]) -> None:
    from spaseq.sources.merge import merge
    from spaseq.streams import WireReport, read_source

    for query in (QUERY, ABSENT, BY_EVENTS):
        expected = content(list(spaseq.run(query, files)))
        engine = spaseq.Engine()
        engine.register(query)
        lists = merge([read_source(files[s], f"urn:s:{s}", WireOptions(), WireReport()) for s in "ab"], 1)
        found: list[spaseq.Match] = []
        for batch in lists:
            for event in sorted(chain(*batch), key=lambda event: event.timestamp):
                found += engine.push(event.stream, event.triples, event.timestamp, event.name)
        assert content(found + engine.close()) == expected
        assert expected


def test_derived_streams(files: dict[str, str]) -> None:
    found = list(spaseq.run({"make": DERIVED, "read": READER}, {"a": files["a"]}))
    made = [match for match in found if match.query == "make"]
    read = [match for match in found if match.query == "read"]
    assert len(made) == len(read) == 200
    assert [match.microseconds.last for match in read] == [match.microseconds.decided for match in made]
    assert all(match.microseconds.decided == match.microseconds.last + 10 * SECOND for match in made)
    assert [match.events["C"][0] for match in read] == [match.derived.name for match in made if match.derived]


def test_what_the_end_decides_is_derived_at_the_end(files: dict[str, str]) -> None:
    endless = DERIVED.replace("WITHIN 10 SECONDS SLIDING\n", "")
    found = list(spaseq.run({"make": endless, "read": READER}, {"a": files["a"]}))
    made = [match.derived for match in found if match.query == "make"]
    last = max(match.microseconds.last for match in found if match.query == "make")
    assert len(made) == 200
    assert {event.timestamp for event in made if event} == {last}
    assert {match.microseconds.last for match in found if match.query == "read"} == {last}


def test_lateness(tmp_path: Path) -> None:
    text = line(1, 5, 0) + line(2, 3, 0) + line(3, 9, 0)
    (tmp_path / "a.nq").write_text(text)
    query = READER.replace("ex:sum", "ex:value").replace("urn:s:c", "urn:s:a")
    late: list[object] = []
    assert len(list(spaseq.run(query, {"c": tmp_path / "a.nq"}, on_late=late.append))) == 2
    assert len(late) == 1
    found = list(spaseq.run(query, {"c": tmp_path / "a.nq"}, lateness=timedelta(seconds=2)))
    assert [str(match.bindings["v"]) for match in found] == ["2", "1", "3"]


def test_results_before_an_error_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text(line(1, 1, 0) + line(2, 2, 0) + "<bad\n" + line(3, 3, 0))
    query = READER.replace("ex:sum", "ex:value").replace("urn:s:c", "urn:s:a")
    matches = spaseq.run(query, {"c": tmp_path / "a.nq"})
    assert str(next(matches).bindings["v"]) == "1"
    with pytest.raises(StreamError, match=r"a\.nq:5:1"):
        next(matches)
    run = spaseq.Run(query, {"c": tmp_path / "a.nq"}, options=WireOptions(skip=True))
    assert [str(match.bindings["v"]) for match in run] == ["1", "3"]
    wire = run.statistics()["streams"]["urn:s:a"]["wire"]
    assert (wire["events"], wire["errors"], len(wire["first_errors"])) == (2, 1, 1)


def test_results_come_early(files: dict[str, str]) -> None:
    asked = 0

    def endless() -> Iterator[tuple[int, bytes]]:
        nonlocal asked
        while True:
            asked += 1
            yield asked * SECOND, b'<http://ex.org/s> <http://ex.org/value> "1" .'

    matches = spaseq.run(QUERY, {"a": endless(), "b": endless()})
    assert next(matches).query == "query1"
    assert asked < 20


def test_stopping_and_interrupting(files: dict[str, str]) -> None:
    run = spaseq.Run(ABSENT, files)
    tables = run.tables()
    next(tables)
    run.stop()
    assert sum(len(table) for table in tables) < 200
    assert run.stopped

    def interrupted() -> Iterator[tuple[int, bytes]]:
        yield SECOND, b'<http://ex.org/s> <http://ex.org/value> "1" .'
        raise KeyboardInterrupt

    query = READER.replace("ex:sum", "ex:value").replace("urn:s:c", "urn:s:a")
    matches = spaseq.run(query, {"c": interrupted()})
    assert str(next(matches).bindings["v"]) == "1"
    with pytest.raises(KeyboardInterrupt):
        next(matches)


def test_counting(files: dict[str, str]) -> None:
    for query in (QUERY, ABSENT, QUERY.replace("SELECT", "SELECT DISTINCT")):
        run = spaseq.Run(query, files, count_only=True)
        for _ in run.tables():
            pass
        assert run.counts() == {"query1": len(list(spaseq.run(query, files)))}


def test_background(tmp_path: Path, files: dict[str, str]) -> None:
    query = QUERY.replace("{ ?s ex:value ?v }", "{ ?s ex:value ?v . GRAPH <urn:kb> { ?s ex:kind ex:good } }")
    kb = tmp_path / "kb.ttl"
    kb.write_text("<http://ex.org/1> <http://ex.org/kind> <http://ex.org/good> .")
    found = list(spaseq.run(query, files, background={"urn:kb": kb}))
    assert {str(match.bindings["s"]) for match in found} == {"http://ex.org/1"}
    kb.write_text("nonsense")
    with pytest.raises(StreamError, match=r"kb\.ttl:1:"):
        spaseq.run(query, files, background={"urn:kb": kb})
    with pytest.raises(StreamError, match="cannot read: No such file"):
        spaseq.run(query, files, background={"urn:kb": tmp_path / "missing.ttl"})


def test_wrong_arguments(files: dict[str, str]) -> None:
    a, b = files["a"], files["b"]
    cases = [
        (OptionError, "reads the stream b <urn:s:b>, which nothing supplies", QUERY, {"a": a}),
        (OptionError, 'no query reads a stream "x"', QUERY, {"a": a, "b": b, "x": a}),
        (OptionError, "is given twice", QUERY, {"a": a, "urn:s:a": a, "b": b}),
        (OptionError, "is derived by a query", [DERIVED, READER], {"a": a, "c": b}),
        (OptionError, "there is no query", [], {"a": a}),
        (OptionError, "only one stream can be read from standard input", QUERY, {"a": "-", "b": "-"}),
        (OptionError, "a stream is a path or an iterable", QUERY, {"a": 3, "b": b}),
        (StreamError, "cannot read: no such file", QUERY, {"a": "missing.nq", "b": b}),
        (QuerySyntaxError, "", "SELECT nothing", {"a": a}),
        (QueryError, "depend on itself", DERIVED.replace("urn:s:c", "urn:s:a"), {"a": a}),
    ]
    for kind, message, query, streams in cases:
        with pytest.raises(kind) as caught:
            spaseq.run(query, streams)  # type: ignore[arg-type]
        assert message in str(caught.value)


def test_several_files_of_one_stream_are_merged(tmp_path: Path, files: dict[str, str]) -> None:
    events = Path(files["a"]).read_text().splitlines(keepends=True)
    pairs = ["".join(events[at : at + 2]) for at in range(0, len(events), 2)]
    folder = tmp_path / "many"
    folder.mkdir()
    for part in range(3):
        (folder / f"{part}.nq").write_text("".join(pairs[part::3]))
    for query in (QUERY, ABSENT, BY_EVENTS):
        whole = content(list(spaseq.run(query, files)))
        assert content(list(spaseq.run(query, {"a": folder, "b": files["b"]}))) == whole
        assert content(list(spaseq.run(query, {"a": str(folder / "*.nq"), "b": files["b"]}))) == whole
