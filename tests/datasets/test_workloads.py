"""The generators: equal seeds give equal bytes, streams are sorted and valid, and they suit their queries."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pyoxigraph
import pytest

from spaseq import streams
from spaseq.datasets import Workload, workloads
from spaseq.datasets.event import Event
from spaseq.datasets.workload import EXAMPLES, KNOWLEDGE
from spaseq.errors import OptionError
from tests.datasets.rows import COUNTS

GENERATED = [workload for workload in workloads().values() if not workload.finite]
BUNDLED = EXAMPLES / "streams"
TIME = "http://www.w3.org/ns/prov#generatedAtTime"


@pytest.fixture(params=GENERATED, ids=lambda workload: workload.name)
def workload(request: pytest.FixtureRequest) -> Workload:
    return request.param


def test_equal_seeds_give_equal_files(workload: Workload, tmp_path: Path) -> None:
    first, again, other = (
        {name: path.read_bytes() for name, path in workload.write(tmp_path / folder, 300, seed).items()}
        for folder, seed in (("first", 7), ("again", 7), ("other", 8))
    )
    assert first == again
    assert all(first[stream] != other[stream] for stream in workload.streams if first[stream] or other[stream])


def test_fewer_events_are_a_prefix_of_more(workload: Workload) -> None:
    assert list(workload.events(100, 3)) == list(workload.events(200, 3))[:100]


def test_events_are_sorted_and_named_once(workload: Workload) -> None:
    events = list(workload.events(5_000, 1))
    assert len(events) == 5_000
    assert all(before.time <= after.time for before, after in pairwise(events))
    assert len({event.name for event in events}) == len(events)
    assert {event.stream for event in events} <= set(workload.streams)
    assert all(event.triples for event in events)


def test_the_files_say_what_the_events_say(workload: Workload, tmp_path: Path) -> None:
    files = workload.write(tmp_path, 500, 2)
    for stream in workload.streams:
        quads = list(pyoxigraph.parse(path=str(files[stream]), format=pyoxigraph.RdfFormat.N_QUADS))
        expected = [event for event in workload.events(500, 2) if event.stream == stream]
        assert [quad.subject.value for quad in quads if _is_time(quad)] == [event.name for event in expected]
        assert len(quads) == sum(len(event.triples) + 1 for event in expected)
        _each_time_follows_its_graph(quads)


def test_knowledge_is_turtle(workload: Workload, tmp_path: Path) -> None:
    files = workload.write(tmp_path, 1, 0)
    assert (KNOWLEDGE in files) == (workload.knowledge is not None) == (workload.knowledge_iri is not None)
    if KNOWLEDGE in files:
        assert list(pyoxigraph.parse(path=str(files[KNOWLEDGE]), format=pyoxigraph.RdfFormat.TURTLE))


def test_lines_are_the_file_of_one_stream(workload: Workload, tmp_path: Path) -> None:
    files = workload.write(tmp_path, 200, 5)
    for stream in workload.streams:
        assert b"".join(workload.lines(200, 5, stream)) == files[stream].read_bytes()


def test_lines_need_to_know_the_stream() -> None:
    with pytest.raises(OptionError, match="several streams"):
        workloads()["smartgrid"].lines(10)
    with pytest.raises(OptionError, match="no stream 'sun'"):
        workloads()["smartgrid"].lines(10, stream="sun")


def test_a_negative_number_of_events_is_an_error() -> None:
    with pytest.raises(OptionError, match="negative"):
        workloads()["stocks"].events(-1)


def test_stocks_are_as_the_benchmark_wants_them() -> None:
    events = list(workloads()["stocks"].events(1_000, 0))
    assert {len(event.triples) for event in events} == {6}
    assert {after.time - before.time for before, after in pairwise(events)} == {10_000}
    companies = [_object(event, "company") for event in events]
    assert companies[:100] == companies[100:200] and len(set(companies)) == 100


def test_our_own_reader_takes_the_files(workload: Workload, tmp_path: Path) -> None:
    files = workload.write(tmp_path, 300, 6)
    for stream, iri in workload.streams.items():
        read = _read(files[stream], iri)
        expected = [event for event in workload.events(300, 6) if event.stream == stream]
        assert [(event.name, event.timestamp) for event in read] == [(event.name, event.time) for event in expected]
        assert [len(event.triples) for event in read] == [len(event.triples) for event in expected]


@pytest.mark.parametrize("query", COUNTS)
def test_the_paper_queries_match_often_but_not_too_often(query: str) -> None:
    name, matches = COUNTS[query]
    workload = workloads()[name]
    assert EXAMPLES / query in workload.queries
    assert 100 <= matches(workload.events(10_000, 0), workload) <= 100_000


def test_every_example_query_belongs_to_a_workload() -> None:
    known = {path for workload in workloads().values() for path in workload.queries}
    named = {EXAMPLES / name for workload in workloads().values() for name in workload.query_names}
    assert known == named == set(EXAMPLES.glob("*/*.spaseq"))


def test_queries_with_a_comma_have_a_variant_with_a_semicolon() -> None:
    for query in EXAMPLES.glob("*/*.spaseq"):
        expression = re.search(r"SEQ\((.*?)\)\s*$", query.read_text(), re.MULTILINE)
        assert expression, query
        if query.relative_to(EXAMPLES).as_posix() in COUNTS and "," in expression[1]:
            assert query.with_name(f"{query.stem}_next.spaseq").is_file()


def test_streams_and_knowledge_have_the_names_of_the_queries() -> None:
    for workload in workloads().values():
        for query in workload.queries:
            text = query.read_text()
            named = dict(re.findall(r"FROM STREAM (\w+) <([^>]*)>", text))
            named.pop("drops", None)  # the derived stream
            assert named.items() <= workload.streams.items(), query
            assert set(re.findall(r"GRAPH <([^>]*)>", text)) <= {workload.knowledge_iri}, query


def test_commands_name_what_the_query_reads(tmp_path: Path) -> None:
    cards, stocks = workloads()["cards"], workloads()["stocks"]
    files = cards.write(tmp_path, 10)
    command = cards.command(EXAMPLES / "cards/fraud.spaseq", files)
    assert f"--stream purchases={files['purchases']} --kb https://spaseq.org/kb/card={files['kb']}" in command
    assert "confirmations" not in command
    assert "--kb" not in cards.command(EXAMPLES / "cards/unconfirmed.spaseq", files)
    both = stocks.command(EXAMPLES / "stocks/falling_market.spaseq", {"stock": Path("stock.nq")})
    assert re.search(r"drops\.spaseq .*falling_market\.spaseq --stream stock=stock\.nq$", both)


def test_bundled_streams_are_small_and_valid() -> None:
    found = [path for path in BUNDLED.iterdir() if path.suffix in {".nq", ".trig"}]
    knowledge = list(BUNDLED.glob("*.ttl"))
    assert sum(path.stat().st_size for path in [*found, *knowledge]) <= 300_000
    assert sum(len(_read(path, path.stem)) for path in found) >= 300
    assert all(list(pyoxigraph.parse(path=str(path))) for path in knowledge)


def _read(path: Path, stream: str) -> list[streams.Event]:
    report = streams.WireReport()
    return [
        event for events in streams.read_source(str(path), stream, streams.WireOptions(), report) for event in events
    ]


def _is_time(quad: pyoxigraph.Quad) -> bool:
    return quad.graph_name == pyoxigraph.DefaultGraph() and quad.predicate.value == TIME


def _each_time_follows_its_graph(quads: list[pyoxigraph.Quad]) -> None:
    for before, quad in pairwise(quads):
        if _is_time(quad):
            assert before.graph_name == quad.subject


def _object(event: Event, property_name: str) -> str:
    return next(value for _, predicate, value in event.triples if predicate.endswith(f"#{property_name}>"))
