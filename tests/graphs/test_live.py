"""Live input: results while the streams go on, in every format; silence; files that grow.

Each test waits for what it expects, as long as a slow machine may need.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, Any

import pytest

from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from spaseq.results.match import Match
from spaseq.sources.rdf.wire import WireOptions

PATIENCE = 60  # seconds that a test waits for what must come
SHORT = timedelta(milliseconds=20)
TIME = "http://www.w3.org/ns/prov#generatedAtTime"
LONG = "<http://www.w3.org/2001/XMLSchema#long>"
ONE = """
SELECT ?v
WITHIN 1 SECONDS SLIDING
FROM STREAM a <urn:s:a>
WHERE { SEQ(A) DEFINE GPM A ON a { ?s <urn:v> ?v } }
"""
TWO = ONE.replace("FROM STREAM a <urn:s:a>", "FROM STREAM a <urn:s:a>\nFROM STREAM b <urn:s:b>")
ABSENT = TWO.replace("SEQ(A)", "SEQ(A ; B!)").replace("DEFINE", "DEFINE GPM B ON b { ?s <urn:v> ?w } DEFINE")


def nquads(number: int, stream: str = "a") -> str:
    event = f"<urn:{stream}:{number}>"
    return f'{event} <{TIME}> "{number}"^^{LONG} .\n<urn:s> <urn:v> {number_text(number)} {event} .\n'


def number_text(number: int) -> str:
    return f'"{number}"^^{LONG}'


def time_behind(number: int) -> str:
    return "".join(reversed(nquads(number).splitlines(keepends=True)))


def trig(number: int) -> str:
    event, values = f"<urn:a:{number}>", f"<urn:v> {number} ; <urn:w> '}} . #' . # ."
    return f"{event} <{TIME}> {number} . {event} {{\n<urn:s> {values}\n}}\n"


def trig_time_behind(number: int) -> str:
    return f"<urn:a:{number}> {{ <urn:s> <urn:v> {number} }} <urn:a:{number}> <{TIME}> {number} .\n"


def message(number: int) -> str:
    event, value = f"<urn:a:{number}>", number_text(number)
    return f"{event} <{TIME}> {value} .\n{event} <urn:v> {value} .\nMESSAGE\n"


def dataset_message(number: int) -> str:
    return nquads(number) + "MESSAGE\n"


def jsonld(number: int) -> str:
    return json.dumps({"@id": f"urn:a:{number}", TIME: number, "urn:v": number}) + "\n"


class Reader:
    """A run in a thread of its own."""

    def __init__(self, query: str, streams: dict[str, Any], **options: Any) -> None:
        self.run = Run(query, streams, **options)
        self._found: queue.Queue[Match | None] = queue.Queue()
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for match in self.run:
                self._found.put(match)
        except StreamError as error:
            self.error = error
        self._found.put(None)

    def next(self) -> int | None:
        """The number of the event that the next match has picked; None at the end."""
        match = self._found.get(timeout=PATIENCE)
        return None if match is None else int(match.bindings["v"].value)

    def rest(self) -> list[int]:
        """All up to the end."""
        return list(iter(self.next, None))

    def stop(self) -> None:
        self.run.stop()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


class Pipes:
    """Named pipes in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened = ExitStack()

    def make(self, name: str) -> str:
        path = self._folder / name
        os.mkfifo(path)
        return str(path)

    def write_to(self, path: str) -> IO[bytes]:
        """Open a pipe for writing, unbuffered."""
        return self._opened.enter_context(open(path, "wb", buffering=0))  # noqa: PTH123

    def close(self) -> None:
        self._opened.close()


@pytest.fixture
def pipes(tmp_path: Path) -> Iterator[Pipes]:
    made = Pipes(tmp_path)
    yield made
    made.close()


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def jelly(count: int, flat: bool = False) -> bytes:
    """The events 1, 2, … as a Jelly stream."""
    pytest.importorskip("pyjelly")
    from tests.streams import test_jelly as frames

    def quads(number: int) -> list[Any]:
        event, value = frames.g.IRI(f"urn:a:{number}"), frames.number(number)
        time = frames.g.Quad(event, frames.TIME, value, frames.g.DefaultGraph)
        return [time, frames.g.Quad(frames.g.IRI("urn:s"), frames.g.IRI("urn:v"), value, event)]

    events = [quads(number) for number in range(1, count + 1)]
    if not flat:
        return frames.written(*events)
    out = io.BytesIO()
    kind = frames.jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS
    frames.flat_stream_to_file(chain(*events), out, frames.SerializerOptions(frame_size=2, logical_type=kind))
    return out.getvalue()


# ── complete on the wire ─────────────────────────────────────────────────────────────────────────────────
MESSAGES = 'VERSION "1.2-messages"\n'
AT_ONCE = {  # an event is complete with its last byte
    "nt": (MESSAGES, message),
    "nq": (MESSAGES, dataset_message),
    "ttl": (MESSAGES, message),
    "trig": (MESSAGES, message),
    "jsonl": ("", jsonld),
}
Text = Callable[[int], str]


def text_ending(text: Text) -> str:
    """The ending of a file of such events."""
    return {"nquads": ".nq", "time_behind": ".nq", "jsonld": ".jsonl"}.get(text.__name__, ".trig")


@pytest.mark.parametrize("ending", AT_ONCE)
def test_messages_are_matched_when_they_are_complete(pipes: Pipes, ending: str) -> None:
    head, text = AT_ONCE[ending]
    path = pipes.make(f"p.{ending}")
    reader = Reader(ONE, {"a": path})
    with pipes.write_to(path) as pipe:
        pipe.write(head.encode())
        for number in (1, 2, 3):
            pipe.write(text(number).encode())
            assert reader.next() == number
    assert reader.rest() == []


def test_jelly_is_matched_by_frames(pipes: Pipes) -> None:
    path = pipes.make("p.jelly")
    streams = [b"", *map(jelly, (1, 2, 3))]
    reader = Reader(ONE, {"a": path})
    with pipes.write_to(path) as pipe:
        for number, (before, after) in enumerate(pairwise(streams), 1):
            assert after.startswith(before)
            pipe.write(after[len(before) :])
            assert reader.next() == number
    assert reader.rest() == []


@pytest.mark.parametrize("idle", [None, SHORT])
def test_flat_jelly_is_matched_by_graphs(pipes: Pipes, idle: timedelta | None) -> None:
    path = pipes.make("p.jelly")
    reader = Reader(ONE, {"a": path}, idle=idle)
    with pipes.write_to(path) as pipe:
        pipe.write(jelly(3, flat=True))
        assert [reader.next() for _ in range(3 if idle else 2)] == ([1, 2, 3] if idle else [1, 2])
    assert reader.rest() == ([] if idle else [3])


@pytest.mark.parametrize("text", [nquads, time_behind, trig, trig_time_behind], ids=lambda text: text.__name__)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_an_event_is_complete_when_the_next_graph_begins(pipes: Pipes, text: Text, ending: str) -> None:
    path = pipes.make(f"p{text_ending(text)}{ending}")
    pack = Packed() if ending else bytes
    reader = Reader(ONE, {"a": path})
    with pipes.write_to(path) as pipe:
        pipe.write(pack(text(1).encode()))
        for number in (1, 2, 3):
            pipe.write(pack(text(number + 1).encode()))
            assert reader.next() == number
        pipe.write(pack(b""))
    assert reader.rest() == [4]


@pytest.mark.parametrize("text", [nquads, time_behind, trig, trig_time_behind], ids=lambda text: text.__name__)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_an_event_is_complete_after_a_while(pipes: Pipes, text: Text, ending: str) -> None:
    path = pipes.make(f"p{text_ending(text)}{ending}")
    pack = Packed() if ending else bytes
    reader = Reader(ONE, {"a": path}, idle=SHORT)
    with pipes.write_to(path) as pipe:
        for number in (1, 2, 3):
            pipe.write(pack(text(number).encode()))
            assert reader.next() == number
        pipe.write(pack(b""))
    assert reader.rest() == []


class Packed:
    """Gzip whose pieces can be read as they come."""

    def __init__(self) -> None:
        self._out = io.BytesIO()
        self._file = gzip.GzipFile(fileobj=self._out, mode="wb")

    def __call__(self, data: bytes) -> bytes:
        """The next piece; empty: the end."""
        if data:
            self._file.write(data)
            self._file.flush()
        else:
            self._file.close()
        packed = self._out.getvalue()
        self._out.seek(0)
        self._out.truncate()
        return packed


@pytest.mark.parametrize("text", [nquads, trig], ids=lambda text: text.__name__)
def test_an_event_may_come_in_pieces(pipes: Pipes, text: Text) -> None:
    path = pipes.make(f"p{text_ending(text)}")
    reader = Reader(ONE, {"a": path}, idle=timedelta(hours=1))
    data = "".join(map(text, range(1, 6))).encode()
    with pipes.write_to(path) as pipe:
        for place in range(len(data)):
            pipe.write(data[place : place + 1])
    assert reader.rest() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("text", "cut"), [(nquads, -9), (nquads, 30), (trig, -4), (trig, 40)])
def test_what_has_begun_is_not_complete(pipes: Pipes, text: Text, cut: int) -> None:
    """However long the rest of a line, or of a graph in braces, takes."""
    path = pipes.make(f"p{text_ending(text)}")
    reader = Reader(ONE, {"a": path}, idle=SHORT)
    data = text(1).encode()
    with pipes.write_to(path) as pipe:
        pipe.write(data[:cut])
        time.sleep(5 * SHORT.total_seconds())
        pipe.write(data[cut:] + text(2).encode())
        assert [reader.next(), reader.next()] == [1, 2]
    assert reader.rest() == []


def test_an_event_without_time_is_not_complete(pipes: Pipes) -> None:
    path = pipes.make("p.nq")
    reader = Reader(ONE, {"a": path}, idle=SHORT)
    graph, stamp = time_behind(1).encode().splitlines(keepends=True)
    with pipes.write_to(path) as pipe:
        pipe.write(graph)
        time.sleep(5 * SHORT.total_seconds())
        pipe.write(stamp)
        assert reader.next() == 1


@pytest.mark.parametrize("text", [nquads, trig], ids=lambda text: text.__name__)
def test_what_goes_on_after_it_was_complete_is_an_error(pipes: Pipes, text: Text) -> None:
    path = pipes.make(f"p{text_ending(text)}")
    more = text(1).encode().partition(b" .")[2].strip() + b"\n"  # the graph without its time
    reader = Reader(ONE, {"a": path}, idle=SHORT)
    with pipes.write_to(path) as pipe:
        pipe.write(text(1).encode())
        assert reader.next() == 1
        pipe.write(more)
        assert reader.rest() == []
    assert "<urn:a:1> goes on after it counted as complete" in str(reader.error)
    path = pipes.make(f"q{text_ending(text)}")
    reader = Reader(ONE, {"a": path}, idle=SHORT, options=WireOptions(skip=True))
    with pipes.write_to(path) as pipe:
        pipe.write(text(1).encode())
        assert reader.next() == 1
        pipe.write(more + text(2).encode())
        assert reader.next() == 2
    assert reader.rest() == []
    assert reader.run.reports["urn:s:a"].errors == 1


# ── several streams ──────────────────────────────────────────────────────────────────────────────────────
def test_a_pipe_that_nobody_opens_does_not_keep_others_from_being_read(pipes: Pipes) -> None:
    a, b = pipes.make("a.nq"), pipes.make("b.nq")
    reader = Reader(TWO, {"a": a, "b": b})
    with pipes.write_to(a) as pipe:
        pipe.write((nquads(1) + nquads(2)).encode())
        eventually(lambda: held_back_by(reader) == "urn:s:b")
        with pipes.write_to(b) as other:
            other.write((nquads(5, "b") + nquads(6, "b")).encode())
            assert reader.next() == 1
    assert reader.rest() == [2]


def held_back_by(reader: Reader) -> object:
    return reader.run.held_back_by


def test_a_silent_stream_promises_the_time_of_the_others(pipes: Pipes) -> None:
    a, b = pipes.make("a.nq"), pipes.make("b.nq")
    reader = Reader(ABSENT, {"a": a, "b": b}, idle_advance=SHORT)
    with pipes.write_to(a) as pipe, pipes.write_to(b) as other:
        pipe.write(nquads(1).encode())
        pipe.write(nquads(2_000_000).encode())  # beyond the window
        assert reader.next() == 1
        eventually(lambda: held_back_by(reader) is None)
        other.write((nquads(3, "b") + nquads(2_500_000, "b")).encode())  # 3 is below what was promised
        eventually(lambda: [loss.is_late for loss in reader.run.losses()] == [True])
        pipe.write(nquads(4_000_000).encode())
    assert reader.rest() == [4_000_000]  # 2,000,000 was followed by 2,500,000


def test_files_beside_a_pipe(pipes: Pipes, tmp_path: Path) -> None:
    for part in range(3):
        (tmp_path / f"b{part}.nq").write_text("".join(nquads(number, "b") for number in range(part * 2, 200, 6)))
    a = pipes.make("a.nq")
    query = TWO.replace("SEQ(A)", "SEQ(A , B)").replace("DEFINE", "DEFINE GPM B ON b { ?s <urn:v> ?w } DEFINE")
    reader = Reader(query, {"a": a, "b": str(tmp_path / "b*.nq")})
    with pipes.write_to(a) as pipe:
        for number in (11, 31, 51):
            pipe.write(nquads(number).encode())
        assert reader.next() == 11
    assert reader.rest() == [31, 51]


def test_no_more_is_read_than_may_wait(pipes: Pipes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.runtime.live.AHEAD", 50)
    monkeypatch.setattr("spaseq.sources.rdf.nquads.GATHERED", 1000)
    file = tmp_path / "a.nq"
    file.write_text("".join(map(nquads, range(5000))))
    b = pipes.make("b.nq")
    reader = Reader(TWO, {"a": str(file), "b": b})
    with pipes.write_to(b) as pipe:
        eventually(lambda: held_back_by(reader) == "urn:s:b")
        pipe.write((nquads(10, "b") + nquads(11, "b")).encode())
        assert [reader.next() for _ in range(11)] == list(range(11))
        assert reader.run.events < 4000
    assert reader.rest() == list(range(11, 5000))


def test_an_error_comes_after_what_was_before_it(pipes: Pipes) -> None:
    path = pipes.make("p.nq")
    reader = Reader(ONE, {"a": path})
    with pipes.write_to(path) as pipe:
        pipe.write((nquads(1) + nquads(2) + "oops\n").encode())
        assert reader.rest() == [1]
    assert reader.error is not None and "p.nq:5" in str(reader.error.render())  # type: ignore[attr-defined]


def test_idle_is_at_most_idle_advance(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text("")
    with pytest.raises(OptionError, match="idle is longer than idle_advance"):
        Run(ONE, {"a": str(tmp_path / "a.nq")}, idle=2_000, idle_advance=1_000)


# ── files that grow ──────────────────────────────────────────────────────────────────────────────────────
def grown(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


@pytest.mark.parametrize("text", [nquads, trig, jsonld], ids=lambda text: text.__name__)
def test_a_file_is_read_as_it_grows(tmp_path: Path, text: Text) -> None:
    path = tmp_path / f"log{text_ending(text)}"
    path.write_text(text(1))
    reader = Reader(ONE, {"a": str(path)}, follow=True, idle=SHORT)
    assert reader.next() == 1
    half = len(text(2)) - 6
    grown(path, text(2)[:half])
    time.sleep(5 * SHORT.total_seconds())
    grown(path, text(2)[half:])
    assert reader.next() == 2
    reader.stop()


@pytest.mark.parametrize("text", [nquads, trig, jsonld], ids=lambda text: text.__name__)
def test_a_file_may_be_replaced_and_cut(tmp_path: Path, text: Text) -> None:
    path = tmp_path / f"log{text_ending(text)}"
    path.write_text(text(1))
    reader = Reader(ONE, {"a": str(path)}, follow=True, idle=SHORT)
    assert reader.next() == 1
    path.rename(tmp_path / "log.1")
    grown(tmp_path / "log.1", text(2))  # who writes has not noticed yet
    grown(path, text(3))
    assert [reader.next(), reader.next()] == [2, 3]
    path.write_text("")
    eventually(lambda: reader_has_read(reader, 0))
    grown(path, text(4))
    assert reader.next() == 4
    path.unlink()
    grown(path, text(5))
    assert reader.next() == 5
    reader.stop()


def reader_has_read(reader: Reader, size: int) -> bool:
    """Whether so many bytes of the file were read."""
    ((source,),) = reader.run._sources.values()
    assert source.incoming is not None
    return source.incoming.source._place == size  # type: ignore[attr-defined]


def test_an_event_may_lie_in_two_files(tmp_path: Path) -> None:
    path = tmp_path / "log.nq"
    stamp, graph = nquads(2).splitlines(keepends=True)
    path.write_text(nquads(1) + stamp)
    reader = Reader(ONE, {"a": str(path)}, follow=True, idle=SHORT)
    assert reader.next() == 1
    path.rename(tmp_path / "old")
    path.write_text(graph)
    assert reader.next() == 2
    grown(path, "oops\n" + nquads(3))
    assert reader.rest() == []
    assert isinstance(reader.error, StreamError) and reader.error.location.line == 2


def test_the_event_that_was_open_when_a_file_was_cut_is_complete_after_a_while(tmp_path: Path) -> None:
    path = tmp_path / "log.nq"
    path.write_text(nquads(1))
    reader = Reader(ONE, {"a": str(path)}, follow=True, idle=timedelta(seconds=1))
    eventually(lambda: reader_has_read(reader, len(nquads(1))))
    path.write_text("")
    assert reader.next() == 1
    grown(path, nquads(2))
    assert reader.next() == 2
    reader.stop()


def test_jelly_begins_anew_in_each_file(tmp_path: Path) -> None:
    path = tmp_path / "log.jelly"
    path.write_bytes(jelly(1))
    reader = Reader(ONE, {"a": str(path)}, follow=True)
    assert reader.next() == 1
    path.rename(tmp_path / "old")
    path.write_bytes(jelly(3))
    assert reader.next() == 1  # equal times are not late
    assert [reader.next(), reader.next()] == [2, 3]
    reader.stop()


def test_what_cannot_be_followed(tmp_path: Path) -> None:
    packed = tmp_path / "a.nq.gz"
    packed.write_bytes(gzip.compress(nquads(1).encode()))
    with pytest.raises(StreamError, match="cannot be compressed"):
        Run(ONE, {"a": str(packed)}, follow=True)
    for path in (tmp_path, tmp_path / "*.nq"):
        with pytest.raises(OptionError, match="only single files can be followed"):
            Run(ONE, {"a": str(path)}, follow=True)
    path = tmp_path / "a.nq"
    path.write_text("")
    reader = Reader(ONE, {"a": str(path)}, follow=True)
    path.write_bytes(packed.read_bytes())
    assert reader.rest() == []
    assert "cannot be compressed" in str(reader.error)


def test_a_pipe_that_is_followed_outlives_its_writers(pipes: Pipes) -> None:
    path = pipes.make("p.nq")
    reader = Reader(ONE, {"a": path}, follow=True, idle=SHORT)
    for number in (1, 2):
        with pipes.write_to(path) as pipe:
            pipe.write(nquads(number).encode())
        assert reader.next() == number
    reader.run.stop()
