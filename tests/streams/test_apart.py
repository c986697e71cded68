"""Events whose statements lie anywhere in some files are those that they would be if these lay together."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, Triple, parse

from spaseq.errors import StreamError
from spaseq.graphs.conversion import converted, write_in_order
from spaseq.sources.conversion import grouping
from spaseq.sources.conversion.grouping import StatementGrouping
from spaseq.sources.conversion.inputs import RdfInput
from spaseq.sources.conversion.statements import ApartError
from spaseq.sources.rdf import assembler
from spaseq.sources.rdf.files import read_source
from spaseq.sources.rdf.wire import PROV_TIME, WireOptions, WireReport

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
SUBJECTS = ["<urn:s>", "<urn:t>", "_:a", "_:b"]
OBJECTS = [
    *SUBJECTS, '"x"', '"a \\" <urn:g0> . _:a"', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"ä"@de',
    "<<( _:a <urn:p> <<( <urn:s> <urn:p> _:b )>> )>>",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Made:
    """An event: ``lines`` are its statements without their graph."""

    name: str
    time: int
    lines: list[str]

    @property
    def time_line(self) -> str:
        return f'{self.name} <{PROV_TIME}> "{self.time}"^^<http://www.w3.org/2001/XMLSchema#integer>'


lines = st.builds("{} <urn:{}> {}".format, st.sampled_from(SUBJECTS), st.sampled_from("pq"), st.sampled_from(OBJECTS))
some_events = st.lists(st.tuples(st.integers(0, 4), st.lists(lines, min_size=1, max_size=5)), min_size=1, max_size=7)
Statement = tuple[str, str]  # its three terms, and the graph or nothing


def as_nquads(statements: Sequence[Statement]) -> bytes:
    return "".join(f"{line} {graph} .\n" for line, graph in statements).encode()


def as_trig(statements: Sequence[Statement]) -> bytes:
    return "\n".join(f"{graph} {{ {line} }}" if graph else f"{line} ." for line, graph in statements).encode()


FORMATS: dict[str, Callable[[Sequence[Statement]], bytes]] = {
    "1.nq": as_nquads,
    "2.trig": as_trig,
    "3.nq.gz": lambda statements: gzip.compress(as_nquads(statements)),
}


def graph_of(triples: Iterable[Triple | Quad]) -> frozenset[str]:
    """The same for graphs that differ in the labels of blank nodes alone."""
    graph = Dataset(Quad(one.subject, one.predicate, one.object) for one in triples)
    graph.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return frozenset(map(str, graph))


def expected(events: Iterable[Made]) -> list[tuple[int, str, frozenset[str]]]:
    return [
        (one.time, one.name[1:-1], graph_of(parse(" .\n".join([*one.lines, ""]), RdfFormat.N_TRIPLES)))
        for one in events
    ]


def written(path: Path) -> list[tuple[int, str, frozenset[str]]]:
    read = read_source(str(path), "urn:x", WireOptions(), WireReport())
    return [(event.timestamp, event.name, graph_of(event.triples)) for events in read for event in events]


def regrouped(files: Sequence[Path], output: Path, memory: int = 1, options: WireOptions | None = None) -> WireReport:
    report, inputs = WireReport(), [RdfInput(str(file), None) for file in files]
    events = StatementGrouping(inputs, "urn:x", options or WireOptions(), report).events(memory, output.parent)
    write_in_order(events, output, memory)
    return report


def dealt(events: Sequence[Made], seed: int, count: int) -> list[list[tuple[Made, Statement]]]:
    """The statements of all events in any order, in so many files; blank nodes of one event are in one of them."""
    draw = Random(seed)
    files: list[list[tuple[Made, Statement]]] = [[] for _ in range(count)]
    for event in events:
        home = draw.choice(files)
        draw.choice(files).append((event, (event.time_line, "")))
        for line in event.lines:
            (home if "_:" in line else draw.choice(files)).append((event, (line, event.name)))
    for file in files:
        draw.shuffle(file)
    return files


@given(some_events, st.integers(0, 1 << 30), st.sampled_from([1, 3000, 1 << 20]), st.integers(1, 3))
@settings(max_examples=60)
def test_statements_in_any_order_in_any_files(
    drawn: list[tuple[int, list[str]]], seed: int, memory: int, count: int
) -> None:
    events = [Made(f"<urn:g{number}>", time, lines) for number, (time, lines) in enumerate(drawn)]
    files = dealt(events, seed, count)
    by_place = dict.fromkeys(event for file in files for event, (_, graph) in file if graph)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in list(FORMATS)[:count]]
        for path, file in zip(paths, files, strict=True):
            path.write_bytes(FORMATS[path.name]([statement for _, statement in file]))
        report = regrouped(paths, Path(folder) / "out.nq", memory)
        assert written(Path(folder) / "out.nq") == expected(sorted(by_place, key=lambda event: event.time))
    assert (report.events, report.errors, report.unused_times) == (len(events), 0, 0)


@given(some_events, st.integers(0, 1 << 30))
@settings(max_examples=40)
def test_what_lies_apart_is_noticed_and_what_does_not_is_read_once(
    drawn: list[tuple[int, list[str]]], seed: int
) -> None:
    events = [Made(f"<urn:g{number}>", time, lines) for number, (time, lines) in enumerate(drawn)]
    (file,) = dealt(events, seed, 1)
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder) / "1.nq", Path(folder) / "out.nq"
        path.write_bytes(as_nquads([statement for _, statement in file]))
        wire, report = WireOptions(), WireReport()
        try:
            in_order = [event.name for some in read_source(str(path), "urn:x", wire, report) for event in some]
        except StreamError:  # so it says that they lie apart
            with pytest.raises(ApartError):
                list(converted(RdfInput(str(path), None), "urn:x", wire, report))
            return
        write_in_order(converted(RdfInput(str(path), None), "urn:x", wire, report), output, 1 << 20)
        found = written(output)
        assert sorted(name for _, name, _ in found) == sorted(in_order)
        regrouped([path], output)
        assert written(output) == found


def test_jelly_in_a_flat_stream(tmp_path: Path) -> None:
    pytest.importorskip("pyjelly")
    from tests.streams import test_jelly as jelly

    out, quads = io.BytesIO(), [quad for number in (3, 1, 2) for quad in jelly.dataset(number)]
    Random(1).shuffle(quads)
    options = jelly.SerializerOptions(frame_size=2, logical_type=jelly.jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS)
    jelly.flat_stream_to_file(iter(quads), out, options)
    (tmp_path / "1.jelly").write_bytes(out.getvalue())
    regrouped([tmp_path / "1.jelly"], tmp_path / "out.nq")
    found = written(tmp_path / "out.nq")
    assert [(time, name, len(graph)) for time, name, graph in found] == [
        (number, f"http://ex.org/e{number}", 3) for number in (1, 2, 3)
    ]


def test_messages_beside_statements_that_lie_apart(tmp_path: Path) -> None:
    (tmp_path / "1.jsonld").write_text(f'{{"@id": "urn:m", "{PROV_TIME}": 2, "urn:p": 5}}\n' * 2)
    (tmp_path / "2.nq").write_bytes(
        as_nquads([('_:a <urn:p> "x"', "_:g"), (f'_:g <{PROV_TIME}> "1"^^<{INTEGER}>', "")])
    )
    (tmp_path / "3.nq").write_bytes(
        as_nquads([('_:a <urn:p> "y"', "_:g"), (f'_:g <{PROV_TIME}> "3"^^<{INTEGER}>', "")])
    )
    regrouped([tmp_path / f"{number}" for number in ("1.jsonld", "2.nq", "3.nq")], tmp_path / "out.nq")
    lines = (tmp_path / "out.nq").read_text().splitlines()
    assert [line.split()[2] for line in lines if "<urn:p>" in line] == ['"x"', *[f'"5"^^<{INTEGER}>'] * 2, '"y"']
    nodes = {line.split()[0] for line in lines if PROV_TIME in line} - {"<urn:m>"}
    assert len(nodes) == 2  # _:g of each file is another


def test_a_name_is_one_however_it_is_written(tmp_path: Path) -> None:
    statements = [('_:a <urn:p> "x"', "<urn:\\u0067>"), ('_:b <urn:p> "y"', "<urn:h>"), ('_:a <urn:q> "z"', "<urn:g>")]
    times = [(f'<urn:{name}> <{PROV_TIME}> "1"^^<{INTEGER}>', "") for name in ("g", "\\u0068")]
    (tmp_path / "1.nq").write_bytes(as_nquads([*statements, *times]))
    regrouped([tmp_path / "1.nq"], tmp_path / "out.nq")
    assert [(name, len(graph)) for _, name, graph in written(tmp_path / "out.nq")] == [("urn:g", 2), ("urn:h", 1)]


def test_an_event_that_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "LARGEST_EVENT", 500)
    monkeypatch.setattr(grouping, "LARGEST_EVENT", 500)
    large = Made("<urn:g>", 1, [f'_:a <urn:p> "{number}"' for number in range(100)])
    small = [Made(f"<urn:h{number}>", 2, ["_:a <urn:p> 'x'".replace("'", '"')]) for number in range(9)]
    (file,) = dealt([large, *small], 1, 1)
    (tmp_path / "1.nq").write_bytes(as_nquads([statement for _, statement in file]))
    for memory in (1, 1 << 20):
        with pytest.raises(StreamError, match="the graph <urn:g> has more than 500 bytes"):
            regrouped([tmp_path / "1.nq"], tmp_path / "out.nq", memory)
        report = regrouped([tmp_path / "1.nq"], tmp_path / "out.nq", memory, WireOptions(skip=True))
        assert written(tmp_path / "out.nq") == expected(by_place(file, small))
        assert report.errors == 1


def by_place(file: Sequence[tuple[Made, Statement]], events: Sequence[Made]) -> list[Made]:
    return list(dict.fromkeys(event for event, (_, graph) in file if graph and event in events))
