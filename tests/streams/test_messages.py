"""RDF messages in text formats: where they end, which events they are, what is said of malformed ones.

``SPASEQ_UPDATE_GOLDEN=1`` writes the golden file anew; read the difference before committing it.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, parse

from spaseq.errors import Location, StreamError
from spaseq.sources.rdf.assembler import Dataset as Message, EventAssembler, Received
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.jsonld import read_jsonld
from spaseq.sources.rdf.messages import DELIMITED_FORMATS, read_delimited
from spaseq.sources.rdf.text import announces_messages, without_delimiters
from spaseq.sources.rdf.wire import WireOptions, WireReport
from tests.data import folder
from tests.streams.recorder import Recorder

ERRORS = Path(__file__).parent / "message_errors"
GOLDEN = ERRORS / "golden.json"
SUITES = folder("w3c-rdf-tests")
KINDS = {".nt": "ntriples", ".nq": "nquads", ".ttl": "turtle", ".trig": "trig"}
A, B, C = "<urn:a> <urn:p> 1 .", "<urn:b> <urn:p> 2 .", "<urn:c> <urn:p> 3 ."
TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"


def read(text: str | bytes, kind: str = "trig") -> list[Received]:
    """The messages; what follows the last delimiter is none if it is empty."""
    recorder, data = Recorder(), text if isinstance(text, bytes) else text.encode()
    list(read_delimited(io.BytesIO(data), "log", kind, cast(Any, recorder)))
    *messages, last = [*recorder.found] or [Message([], cast(Any, None))]
    return messages if isinstance(last, Message) and not last.quads else [*messages, last]


def subjects(text: str, kind: str = "trig") -> list[str]:
    """The subjects of each message, or its error."""
    return [
        message.message
        if isinstance(message, StreamError)
        else " ".join(str(quad.subject).strip("<>").removeprefix("urn:") for quad in message.quads)
        for message in read(text, kind)
    ]


def events_of(text: str, report: WireReport | None = None, kind: str = "trig", **options: object) -> list[Event]:
    found = events_as_they_come(io.BytesIO(text.encode()), report or WireReport(), kind, **options)
    return [event for events in found for event in events]


def events_as_they_come(
    source: BinaryIO, report: WireReport | None = None, kind: str = "trig", **options: Any
) -> Iterator[Events]:
    assembler = EventAssembler("urn:s", WireOptions(**options), report or WireReport())
    return (events for events in read_delimited(source, "log", kind, assembler) if len(events))


def error_of(text: str) -> str:
    with pytest.raises(StreamError) as caught:
        events_of(text)
    return caught.value.render()


# ── where messages end ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "no delimiter": (f'VERSION "1.2-messages"\n{A}\n{B}', ["a b"]),
        "keyword": (f"{A}\nMESSAGE\n{B}", ["a", "b"]),
        "keyword in small letters": (f"{A}\nmessage\n{B}", ["a", "b"]),
        "directive": (f'@version "1.1-messages" .\n{A}\n@message .\n{B}', ["a", "b"]),
        "empty ones": (f"MESSAGE\n{A}\nMESSAGE\nMESSAGE\n{B}", ["", "a", "", "b"]),
        "the last delimiter opens none": (f"{A}\nMESSAGE\n# the end\n", ["a"]),
        "on one line": (f"{A} MESSAGE {B} @message . {C}", ["a", "b", "c"]),
        "after a graph": (f"<urn:g> {{ {A} }} MESSAGE\n{B}", ["a", "b"]),
        "with a comment": (f"{A}\nMESSAGE # another\n{B}", ["a", "b"]),
        "comments as delimiters": (f"{A}\n# @message the next\n{B} # @message\n{C}", ["a", "b", "c"]),
        "comments as comments": (f"{A}\nMESSAGE\n{B}\n# @message\n{C}", ["a", "b c"]),
        "announced, so comments as comments": (f'VERSION "1.2-messages"\n{A}\n# @message\n{B}', ["a b"]),
        "in a long string": (f'<urn:a> <urn:p> """\nMESSAGE\n@message .\n""" .\nMESSAGE\n{B}', ["a", "b"]),
        "in another long string": ("<urn:a> <urn:p> '''\nMESSAGE\n\\''' # @message\n''' .\nMESSAGE\n" + B, ["a", "b"]),
        "in a string": (f'<urn:a> <urn:p> \'MESSAGE\', "# @message \\" MESSAGE " .\nMESSAGE {B}', ["a a", "b"]),
        "a language tag": (f'<urn:a> <urn:p> "x"@message .\nMESSAGE\n{B}', ["a", "b"]),
        "in names": (
            f"PREFIX m: <urn:> PREFIX message: <urn:m#>\nm:message m:MESSAGE message:x . MESSAGE {B}",
            ["message", "b"],
        ),
        "in an IRI": (f"<urn:a> <urn:MESSAGE> <urn:@message.> .\nMESSAGE\n{B}", ["a", "b"]),
        "Windows line ends": (f"{A}\r\nMESSAGE\r\n{B}\r\n", ["a", "b"]),
        "byte order mark": (f"\ufeffMESSAGE\n{A}", ["", "a"]),
    }.values(),
)
def test_delimiters(text: str, expected: list[str]) -> None:
    assert subjects(text) == expected


@pytest.mark.parametrize(("kind", "graph"), [("ntriples", ""), ("nquads", " <urn:g>")])
def test_formats_of_lines(kind: str, graph: str) -> None:
    text = 'VERSION "1.2-messages"\n<urn:a> <urn:p> "MESSAGE"{} .\nMESSAGE\n\n<urn:b> <urn:p> "\'\'\'"{} .\nMESSAGE'
    assert subjects(text.format(graph, graph), kind) == ["a", "b"]


def test_prefixes_go_on_and_can_change() -> None:
    text = (
        "PREFIX : <urn:one:> :s :p 1 . MESSAGE :s :p 2 . MESSAGE @prefix : <urn:two:> . @base <http://b/> . :s :p <o> ."
    )
    found = [message.quads for message in read(text) if isinstance(message, Message)]
    assert [str(quads[0].subject) for quads in found] == ["<urn:one:s>", "<urn:one:s>", "<urn:two:s>"]
    assert str(found[2][0].object) == "<http://b/o>"


def test_columns_are_those_of_the_line() -> None:
    (_, error) = read(f"{A}\n<urn:é> <urn:p> 'é' . MESSAGE <urn:b> <urn:p> oops .\n")
    assert isinstance(error, StreamError)
    assert (error.line, error.column) == (2, 47)


def test_the_line_behind_a_comment_that_delimits() -> None:
    (_, error) = read(f"{A} # @message\n<urn:b> <urn:p> oops .\n")
    assert isinstance(error, StreamError)
    assert (error.line, error.column, error.location.text) == (2, 17, "<urn:b> <urn:p> oops .")


def test_a_bad_message_is_lost_alone() -> None:
    text = f"PREFIX m: <urn:> {A}\nMESSAGE\n<urn:x> <urn:y .\nMESSAGE\nm:c m:p 3 .\nMESSAGE\nnot: rdf .\nMESSAGE {B}"
    report = WireReport()
    found = events_of(
        text.replace("1 .", f'1 ; {TIME} "1"^^<http://www.w3.org/2001/XMLSchema#int> .'), report, skip=True
    )
    assert [event.name for event in found] == ["urn:a"]
    assert report.errors == 4  # two that are no RDF, two without time


@pytest.mark.parametrize(
    ("beginning", "announced"),
    [
        ('VERSION "1.2-basic-messages"\n', True),
        ("@version '1.1-messages' .\n", True),
        (f"# a log\n{A}\nMESSAGE\n", True),
        (f"{A}\n# @message\n", True),
        (f'VERSION "1.2"\n{A}\n', False),
        (f"# MESSAGE\n{A}\n", False),
        ("<urn:a> <urn:p> 'MESSAGE' .\n", False),
        ("", False),
    ],
)
def test_announcement(beginning: str, announced: bool) -> None:
    assert announces_messages(beginning.encode()) is announced


def test_the_format_shows_without_delimiters() -> None:
    assert without_delimiters(f'VERSION "1.2-messages"\nMESSAGE\n{A}'.encode()).strip().startswith(b"<urn:a>")


@pytest.mark.parametrize("ending", KINDS)
def test_a_text_without_delimiters_is_one_message(ending: str) -> None:
    """Each file of the W3C's suites, the malformed ones too, is read as the parser reads it."""
    rdf_format = DELIMITED_FORMATS[KINDS[ending]]
    for file in sorted(SUITES.glob(f"*/*{ending}")):
        data = file.read_bytes()
        found = read(data, KINDS[ending])
        try:
            quads = list(parse(data, rdf_format))
        except SyntaxError:
            assert [type(message) for message in found] == [StreamError], file
            continue
        messages = [message for message in found if isinstance(message, Message)]
        assert len(found) == len(messages) == bool(quads), file
        assert all(canonical(message.quads) == canonical(quads) for message in messages), file


def canonical(quads: Iterable[Quad]) -> Dataset:
    """The statements with labels that do not depend on the parser."""
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


# ── which events they are ────────────────────────────────────────────────────────────────────────────────
def test_a_named_graph_and_its_time() -> None:
    report = WireReport()
    text = f"<urn:e> {TIME} 5 ; <urn:q> 1 . <urn:f> {TIME} 7 . <urn:e> {{ {A} {B} }}\nMESSAGE\n"
    (event,) = events_of(text, report)
    assert (event.stream, event.name, event.timestamp, len(event.triples)) == ("urn:s", "urn:e", 5, 2)
    assert (report.events, report.ignored, report.unused_times) == (1, 1, 1)


def test_no_named_graph() -> None:
    (event,) = events_of(f"<urn:e> {TIME} 5 ; <urn:q> [ <urn:r> 2 ] .")
    assert (event.name, event.timestamp, len(event.triples)) == ("urn:e", 5, 3)


def test_the_subject_to_which_nothing_refers_is_the_event() -> None:
    (event,) = events_of(f"<urn:note> {TIME} 3 . <urn:create> <urn:object> <urn:note> ; {TIME} 5 .")
    assert (event.name, event.timestamp, len(event.triples)) == ("urn:create", 5, 3)


def test_nodes_without_name() -> None:
    found = events_of(f"[] {TIME} 5 . MESSAGE _:g {TIME} 6 . _:g {{ {A} }}")
    assert [(event.name, event.timestamp) for event in found] == [("", 5), ("", 6)]


def test_empty_messages_are_no_events() -> None:
    assert [event.name for event in events_of(f"MESSAGE\nMESSAGE\n<urn:e> {TIME} 5 .\nMESSAGE")] == ["urn:e"]


def test_a_name_that_comes_back_is_an_event_again() -> None:
    assert len(events_of(f"<urn:e> {TIME} 5 . MESSAGE <urn:e> {TIME} 6 .")) == 2


def test_other_properties_and_units() -> None:
    (event,) = events_of("<urn:e> <urn:at> 5 .", time_properties=("urn:at",), time_unit=1000)
    assert event.timestamp == 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"<urn:e> {{ {A} }}", "log:1:1: error: the graph <urn:e> has no time"),
        (f"\n  {A}", "log:2:3: error: the message has no time"),
        (f"<urn:e> {TIME} 5 .\n<urn:e> {TIME} 6 .", "log:2:53: error: a second time for <urn:e>"),
        (f"<urn:e> {TIME} 5 .\n<urn:f> {TIME} 5 .", "log:2:2: error: <urn:e> and <urn:f> have times: which"),
        (f"<urn:e> {TIME} 5 .\n<urn:e> {{ {A} }}\n<urn:g> {{ {A} }}", "log:3:2: error: a message has one named graph"),
        (f"<urn:e> {TIME} <urn:now> .", "log:1:54: error: the time <urn:now> is no literal"),
        (f"<urn:e> {TIME} 'soon' .", 'log:1:54: error: the time "soon" is neither'),
    ],
)
def test_messages_that_are_no_events(text: str, message: str) -> None:
    assert message in error_of(text)


def test_a_message_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.messages.LONGEST_LINE", 50)
    with pytest.raises(StreamError, match="a message is longer than 50 bytes"):
        read(f"{A}\n{A}\n{A}\n")
    with pytest.raises(StreamError, match="a line is longer than 50 bytes"):
        read(f"{A} {A} {A}")


def test_errors_stop_what_is_not_skipped() -> None:
    assembler = EventAssembler("urn:s", WireOptions(), WireReport())
    assembler.take_message(Message([], lambda _: Location()))
    with pytest.raises(StreamError, match="broken"):
        assembler.take_message(StreamError("broken"))


# ── while they come ──────────────────────────────────────────────────────────────────────────────────────
class Pipe(io.BytesIO):
    """Gives one piece a read."""

    def __init__(self, *pieces: str) -> None:
        super().__init__()
        self.pieces = [piece.encode() for piece in pieces]

    def read1(self, _size: int | None = -1, /) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


def test_events_are_handed_on_before_more_is_waited_for() -> None:
    pipe = Pipe(f"<urn:e> {TIME} 1 .\nMESS", f"AGE\n<urn:f> {TIME} 2 .\nMESSAGE\n<urn:g>", f"{TIME} 3 .\nMESSAGE\n")
    found = events_as_they_come(pipe)
    assert [event.name for event in next(found)] == ["urn:e", "urn:f"]
    assert len(pipe.pieces) == 1
    assert [event.name for event in next(found)] == ["urn:g"]
    assert next(found, None) is None


def test_events_before_an_error_are_handed_on() -> None:
    found = events_as_they_come(io.BytesIO(f"<urn:e> {TIME} 1 . MESSAGE oops".encode()))
    assert [event.name for event in next(found)] == ["urn:e"]
    with pytest.raises(StreamError):
        next(found)


# ── malformed files ──────────────────────────────────────────────────────────────────────────────────────
def received(file: Path, options: WireOptions, report: WireReport) -> Iterator[Events]:
    source, assembler = io.BytesIO(file.read_bytes()), EventAssembler("urn:s", options, report)
    if file.suffix in KINDS:
        return read_delimited(source, file.name, KINDS[file.suffix], assembler)
    return read_jsonld(source, file.name, assembler)


@pytest.mark.parametrize("file", sorted(path.name for path in ERRORS.iterdir() if path != GOLDEN))
def test_malformed(file: str) -> None:
    report, stopped = WireReport(), "no error"
    try:
        list(received(ERRORS / file, WireOptions(), WireReport()))
    except StreamError as error:
        stopped = error.render()
    lists = received(ERRORS / file, WireOptions(skip=True), report)
    kept = [event.name for events in lists for event in events]
    found = {"error": stopped.splitlines(), "kept": kept, "positions": report.positions}
    golden = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    if os.environ.get("SPASEQ_UPDATE_GOLDEN"):
        golden[file] = found
        GOLDEN.write_text(json.dumps(golden, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
    assert found == golden[file]
    assert stopped != "no error"
