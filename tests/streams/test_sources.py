"""Reading well-formed streams: formats, compression, folders, standard input, where the time stands."""

from __future__ import annotations

import gzip
import io
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pyarrow
import pytest

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError
from spaseq.sources.merge import merge
from spaseq.sources.rdf.files import sniff
from spaseq.streams import Event, Events, WireOptions, WireReport, expand, in_lists, read_source

TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
LONG = "^^<http://www.w3.org/2001/XMLSchema#long>"

ENCODER = Encoder(Terms())
PACKERS = {".gz": gzip.compress, ".zst": lambda data: bytes(pyarrow.compress(data, "zstd", asbytes=True))}


def time_of(number: int, time: int) -> str:
    return f'<urn:e:{number}> {TIME} "{time}"{LONG} .\n'


def graph_of(number: int, triples: int = 2) -> str:
    return "".join(f'<urn:s> <urn:p:{i}> "{number}" <urn:e:{number}> .\n' for i in range(triples))


def read(path: Path | str, report: WireReport | None = None, **options: object) -> list[Event]:
    lists = read_source(str(path), "urn:s", WireOptions(**options), report or WireReport())  # type: ignore[arg-type]
    return [event for events in lists for event in events]


def brief(events: list[Event]) -> list[tuple[str, int, int]]:
    return [(event.name, event.timestamp, len(event.triples)) for event in events]


TWO = [("urn:e:1", 10, 2), ("urn:e:2", 20, 3)]
TEXTS = {
    "before": time_of(1, 10) + graph_of(1) + time_of(2, 20) + graph_of(2, 3),
    "after": graph_of(1) + time_of(1, 10) + graph_of(2, 3) + time_of(2, 20),
    "all before": time_of(2, 20) + time_of(1, 10) + graph_of(1) + graph_of(2, 3),
    "within": graph_of(1, 1) + time_of(1, 10) + graph_of(1).splitlines(True)[1] + time_of(2, 20) + graph_of(2, 3),
    "twice the same": time_of(1, 10) * 2 + graph_of(1) + time_of(1, 10) + time_of(2, 20) + graph_of(2, 3),
    "comments": "# one\n\n  \t\n" + time_of(1, 10) + graph_of(1) + "# two\n" + time_of(2, 20) + graph_of(2, 3),
    "line ends of Windows": (time_of(1, 10) + graph_of(1) + time_of(2, 20) + graph_of(2, 3)).replace("\n", "\r\n"),
    "line ends of old": (time_of(1, 10) + graph_of(1) + time_of(2, 20) + graph_of(2, 3)).replace("\n", "\r"),
    "no line end": (time_of(1, 10) + graph_of(1) + time_of(2, 20) + graph_of(2, 3)).rstrip(),
    "byte order mark": "\ufeff" + time_of(1, 10) + graph_of(1) + time_of(2, 20) + graph_of(2, 3),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("ending", [".nq", ".txt", ".nq.gz", ".nq.zst"])
def test_the_time_may_stand_anywhere(tmp_path: Path, name: str, ending: str) -> None:
    data = TEXTS[name].encode()
    file = tmp_path / f"stream{ending}"
    file.write_bytes(pack(data) if (pack := PACKERS.get(file.suffix)) else data)
    assert brief(read(file)) == TWO


def test_trig(tmp_path: Path) -> None:
    text = """@prefix : <urn:e:> . @prefix prov: <http://www.w3.org/ns/prov#> .
    :1 prov:generatedAtTime 10 . :1 { <urn:s> <urn:p:1> "a" ; <urn:p:2> "b" . }
    GRAPH :2 { <urn:s> <urn:p:1> 1, 2, 3 . } :2 prov:generatedAtTime 20 ."""
    for name in ("a.trig", "a", "a.trig.gz"):
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        assert brief(read(tmp_path / name)) == TWO


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (TEXTS["before"].encode(), gzip.compress(TEXTS["before"].encode())):
        stdin = SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]
        monkeypatch.setattr("sys.stdin", stdin)
        assert brief(read("-")) == TWO


def test_a_pipe_gives_events_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read_one = threading.Event()

    def write() -> None:
        with path.open("w") as pipe:
            pipe.write(time_of(1, 10) + graph_of(1) + time_of(2, 20) + graph_of(2, 1))
            pipe.flush()
            assert read_one.wait(10)
            pipe.write(graph_of(2, 3).split("\n", 1)[1])

    writer = threading.Thread(target=write)
    writer.start()
    lists = read_source(str(path), "urn:s", WireOptions(), WireReport())
    first = next(lists)
    assert brief(first) == TWO[:1]
    read_one.set()
    assert brief([event for events in lists for event in events]) == TWO[1:]
    writer.join()


def test_time_properties_and_units(tmp_path: Path) -> None:
    file = tmp_path / "a.nq"
    file.write_text(TEXTS["before"].replace("http://www.w3.org/ns/prov#generatedAtTime", "urn:when"))
    assert [event.timestamp for event in read(file, time_properties=("urn:when",), time_unit=1000)] == [10_000, 20_000]
    with pytest.raises(StreamError, match=r"the graph <urn:e:1> has no time"):
        read(file)


def test_blank_nodes_name_graphs_too(tmp_path: Path) -> None:
    file = tmp_path / "a.nq"
    file.write_text(TEXTS["before"].replace("<urn:e:1>", "_:g"))
    assert brief(read(file)) == [("", 10, 2), *TWO[1:]]


def test_what_is_ignored_is_counted(tmp_path: Path) -> None:
    report = WireReport()
    file = tmp_path / "a.nq"
    file.write_text("<urn:e:1> <urn:about> <urn:x> .\n" + TEXTS["before"] + time_of(9, 3))
    assert brief(read(file, report)) == TWO
    assert (report.ignored, report.unused_times, report.events, report.errors) == (1, 1, 2, 0)


def test_only_so_many_graphs_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.assembler.REMEMBERED", 3)
    file = tmp_path / "a.nq"
    text = "".join(time_of(n, n) + graph_of(n, 1) for n in (1, 2, 3, 4))
    file.write_text(text + time_of(1, 7) + graph_of(1, 1))
    assert [event.timestamp for event in read(file)] == [1, 2, 3, 4, 7]
    file.write_text(text + time_of(2, 2) + graph_of(2, 1))
    with pytest.raises(StreamError, match="comes back"):
        read(file)
    report = WireReport()
    file.write_text("".join(time_of(n, n) for n in (1, 2, 3, 4)) + "".join(graph_of(n, 1) for n in (1, 2, 3, 4)))
    assert [event.timestamp for event in read(file, report, skip=True)] == [2, 3, 4]
    assert (report.unused_times, report.errors) == (1, 1)


def test_an_empty_stream_is_fine(tmp_path: Path) -> None:
    for name in ("a.nq", "a.trig", "a"):
        (tmp_path / name).write_text("")
        assert read(tmp_path / name) == []


def test_blocks_may_be_cut_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(time_of(n, n) + graph_of(n, n % 4 + 1) + "# comment\n" for n in range(1, 60))
    good, bad = tmp_path / "good.nq", tmp_path / "bad.nq"
    good.write_text(text)
    bad.write_text(text.replace('"33"', '"33'))
    expected = None
    for size in (7, 50, 333, 1 << 20):
        monkeypatch.setattr("spaseq.sources.rdf.nquads.FIRST_BLOCK", size)
        monkeypatch.setattr("spaseq.sources.rdf.nquads.BLOCK", size)
        report = WireReport()
        found = brief(read(good)), brief(read(bad, report, skip=True)), report.positions
        expected = expected or found
        assert found == expected
    assert expected is not None
    assert len(expected[0]) == 59
    # The bad time line names no graph: the event open there, 32, is lost.  The bad quads name theirs.
    assert {name for name, *_ in expected[0]} - {name for name, *_ in expected[1]} == {"urn:e:32", "urn:e:33"}


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.nquads.LONGEST_LINE", 1000)
    (tmp_path / "a.nq").write_text("x" * 100_000)
    with pytest.raises(StreamError, match="a line is longer than 1,000 bytes"):
        read(tmp_path / "a.nq")


def test_folders_and_globs(tmp_path: Path) -> None:
    for name in ("b.nq", "a.trig", "c.nq.gz", "notes.md"):
        (tmp_path / name).write_text("")
    assert [Path(name).name for name in expand(tmp_path)] == ["a.trig", "b.nq", "c.nq.gz"]
    assert [Path(name).name for name in expand(str(tmp_path / "*.nq*"))] == ["b.nq", "c.nq.gz"]
    assert expand("-") == ["-"]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("", "nquads"),
        ("# x\n<urn:a> <urn:b> <urn:c> .", "nquads"),
        ("_:a <urn:b> <urn:c> <urn:g> .", "nquads"),
        ("@prefix : <urn:a> .", "trig"),
        ("PREFIX : <urn:a>", "trig"),
        ("<urn:g> {", "trig"),
        ("<urn:g> <urn:time> 1 .\n<urn:g> {", "trig"),
        ("\n# x\n:g {", "trig"),
        ("{ <urn:a> <urn:b> 1 }", "trig"),
        ("GRAPH <urn:g> {", "trig"),
        ("ex:e1 prov:generatedAtTime 1 .", "trig"),
    ],
)
def test_formats_are_recognised(text: str, format: str) -> None:
    assert sniff(text.encode()) == format


def events(some: list[Event]) -> Events:
    return Events.of("urn:s", some, ENCODER)


def joined(batch: list[Events]) -> list[Events]:
    return [Events.join(batch)]


def event(time: int, name: str = "") -> Event:
    return Event("urn:s", time, name, [])


def test_merging_keeps_each_source_and_orders_heads() -> None:
    generator = random.Random(1)
    sources = [sorted(generator.sample(range(1000), 100)) for _ in range(5)]

    def columns(source: list[int]) -> Iterator[Events]:
        for start in range(0, 100, 7):
            yield events([event(time) for time in source[start : start + 7]])
            yield events([])

    for eager in (False, True):
        batches = list(merge([columns(source) for source in sources], 16, eager))
        merged = [each.timestamp for (batch,) in map(joined, batches) for each in batch]
        assert merged == sorted(time for source in sources for time in source)
    assert list(merge([])) == []
    assert [[len(part) for part in batch] for batch in merge([iter([events([event(1)] * 5)])], 2)] == [[2], [2], [1]]


def test_single_events_come_in_growing_lists() -> None:
    sizes = [len(events) for events in in_lists((event(time) for time in range(40)), limit=8, seconds=60)]
    assert sizes == [1, 2, 4, 8, 8, 8, 8, 1]
