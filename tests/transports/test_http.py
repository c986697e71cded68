"""Answers of servers: server-sent events, lines and files, by a server of the test's own on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import spaseq
from spaseq import tuples
from spaseq.cli import main
from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from tests.transports.scripted import event

pytest.importorskip("httpx")

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
FAST = pytest.mark.usefixtures("fast")
Answer = Callable[[BaseHTTPRequestHandler], None]


def sse(name: str, time: int, number: int | None = None) -> bytes:
    data = b"".join(b"data: " + line + b"\n" for line in event(name, time).splitlines())
    return (f"id: {number}\n".encode() if number is not None else b": none\n") + data + b"\n"


class Server:
    """Gives the answers of a list, one to each request, then the last one again; remembers headers that came."""

    def __init__(self, *answers: Answer) -> None:
        asked = self.asked = list[dict[str, str]]()
        left = list(answers)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append({name.lower(): value for name, value in self.headers.items()} | {"path": self.path})
                (left.pop(0) if len(left) > 1 else left[0])(self)

            def log_message(self, *_: object) -> None: ...

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Who asked went away."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def answer(kind: str, *parts: bytes, status: int = 200, length: int | None = None) -> Answer:
    def answered(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        if length is not None:
            handler.send_header("Content-Length", str(length))
        handler.end_headers()
        for part in parts:
            handler.wfile.write(part)
            handler.wfile.flush()

    return answered


def gone(handler: BaseHTTPRequestHandler) -> None:
    """No content: the end of server-sent events."""
    handler.send_response(204)
    handler.end_headers()


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("receiving", "http"):
        monkeypatch.setattr(f"spaseq.sources.transports.{module}.SHORTEST", 0.02)


@pytest.fixture
def served() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def serve(*answers: Answer) -> Server:
        servers.append(Server(*answers))
        return servers[-1]

    yield serve
    for one in servers:
        one.close()


def names(run: Run) -> list[str]:
    return [str(one.bindings["a"])[4:] for one in run]


EVENTS = "text/event-stream; charset=utf-8"


@FAST
def test_server_sent_events_go_on_behind_the_last_one(
    served: Callable[..., Server], caplog: pytest.LogCaptureFixture
) -> None:
    half = sse("b", 2, 2)[:-30]  # forgotten: it comes again
    broken = answer(EVENTS, sse("a", 1, 1), half, length=10_000)
    server = served(broken, answer(EVENTS, sse("b", 2, 2), sse("c", 3, 3)), gone)
    assert names(spaseq.run(ALL, {"s": f"{server.url}/events?all=1"})) == ["a", "b", "c"]
    assert [one.get("last-event-id") for one in server.asked] == [None, "1", "3"]
    assert {one["path"] for one in server.asked} == {"/events?all=1"}
    lost, back = caplog.messages  # that an answer has ended is nothing to tell
    assert "peer closed connection" in lost and "connected again after 0 s" in back


@FAST
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_of_events_end_in_any_way_wherever_they_are_cut(served: Callable[..., Server], end: bytes) -> None:
    text = b"\xef\xbb\xbf" + (sse("a", 1)[7:] + sse("b", 2, 2)).replace(b"\n", end)  # the mark is before the data
    first = answer(EVENTS, *(text[at : at + 1] for at in range(len(text))))
    server = served(first, answer(EVENTS, b"\xef\xbb\xbf" + sse("c", 3)[7:].replace(b"\n", end)), gone)
    assert names(spaseq.run(ALL, {"s": f"{server.url}/events"})) == ["a", "b", "c"]


@FAST
@pytest.mark.parametrize(("ends", "asked"), [("é☃", "é☃"), (" 7\t ", "7"), ("a b\x01", "a b\x01")])
def test_ids_are_any_texts(served: Callable[..., Server], ends: str, asked: str) -> None:
    first = answer(EVENTS, f"id: {ends}\n".encode() + sse("a", 1), b"retry: " + b"9" * 5000 + b"\nretry: 0\n\n")
    server = served(first, answer(EVENTS, sse("b", 2, 2)), gone)
    assert names(spaseq.run(ALL, {"s": f"{server.url}/events"})) == ["a", "b"]
    assert server.asked[1]["last-event-id"].encode("latin-1").decode() == asked


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (EVENTS, [b"data: ", *[b"x" * 60] * 20]),
        (EVENTS, [b"data: " + b"x" * 60 + b"\n"] * 20),
        ("application/x-ndjson", [b"x" * 60] * 20),
    ],
)
def test_messages_have_a_bound(
    served: Callable[..., Server], kind: str, parts: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spaseq.sources.transports.http.LONGEST", 1000)
    server = served(answer(kind, *parts))
    with pytest.raises(StreamError, match=r"/events: error: a message has more than 1,000 bytes"):
        list(spaseq.run(ALL, {"s": f"{server.url}/events"}))


@FAST
def test_a_run_goes_on_from_its_state(served: Callable[..., Server]) -> None:
    first, later = answer(EVENTS, sse("a", 1, 1), sse("b", 2, 2)), answer(EVENTS, sse("c", 3, 3))
    server = served(first, gone, first, later, gone)
    run = Run(ALL, {"s": server.url}, on_step=lambda: 1.0)
    assert names(run) == ["a", "b"]
    again = Run(ALL, {"s": server.url}, state=run.state())
    assert names(again) == ["c"]
    assert [one.get("last-event-id") for one in server.asked] == [None, "2", None, "2", "3"]


@FAST
def test_checkpoints_tell_of_gaps(served: Callable[..., Server], tmp_path: Path) -> None:
    """What comes behind an event without an id cannot be asked for."""
    (tmp_path / "q.spaseq").write_text(ALL)
    for ids, said in (((None, None), True), ((1, 2), False)):
        both = answer(EVENTS, sse("a", 1, ids[0]), sse("b", 2, ids[1]))
        server = served(both, both, gone)  # who asks first is content with the kind of the answer
        state = str(tmp_path / f"state{said}")
        more = ["--stream", f"s={server.url}/e", "--checkpoint", state, "--format", "jsonl", "--quiet"]
        result = CliRunner().invoke(main, ["run", str(tmp_path / "q.spaseq"), *more])
        assert result.stdout.count("\n") == 2
        told = f"events of {server.url}/e have no ids: those that come while no run reads are lost"
        assert result.stderr == said * f"note: {told}\n"


def test_lines_are_messages(served: Callable[..., Server]) -> None:
    lines = b"".join(json.dumps({"type": "T", "time": n, "value": n % 2}).encode() + b"\n" for n in range(6))
    server = served(answer("application/x-ndjson", lines[:50], lines[50:]))
    found = tuples.match("SELECT * WHERE T AS a : T AS b FILTER a[value = 0] AND b[value = 1]", f"{server.url}/rows")
    assert found.to_arrow().column("start").to_pylist() == [0, 2, 4]


def test_a_file(served: Callable[..., Server]) -> None:
    text = event("a", 1) + b"\n" + event("b", 2) + b"\n"
    server = served(answer("application/n-quads", text[:70], text[70:]))
    assert names(spaseq.run(ALL, {"s": f"{server.url}/events"})) == ["a", "b"]


def test_a_table(served: Callable[..., Server]) -> None:
    server = served(answer("text/csv", b"type,time,value\nT,1,0\n", b"T,2,1\n"))
    assert tuples.match("SELECT * WHERE T AS a : T AS b", f"{server.url}/trades.csv").count() == 1


def test_a_mapped_table_is_asked_for_once(served: Callable[..., Server]) -> None:
    server = served(answer("text/csv", b"id,at\na,1\n", b"b,2\n"))
    rows = spaseq.Mapped(f"{server.url}/t.csv", "AT ?at CONSTRUCT { <urn:{?id}> <urn:value> ?at }")
    assert names(spaseq.run(ALL, {"s": rows})) == ["a", "b"]
    assert len(server.asked) == 1


def test_a_file_that_breaks_off_is_an_error(served: Callable[..., Server]) -> None:
    text = event("a", 1) + b"\n" + event("b", 2) + b"\n"
    server = served(answer("application/n-quads", text, length=1000))
    run = spaseq.run(ALL, {"s": f"{server.url}/events"})
    assert str(next(run).bindings["a"]) == "urn:a"
    with pytest.raises(StreamError, match="cannot read: peer closed connection"):
        list(run)


def test_who_asks(served: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORD", "secret")
    server = served(answer("application/n-quads", event("a", 1) + b"\n"))
    for settings, header in (("user=me&password_env=WORD", "Basic bWU6c2VjcmV0"), ("token_env=WORD", "Bearer secret")):
        assert names(spaseq.run(ALL, {"s": f"{server.url}/x#{settings}"})) == ["a"]
        assert server.asked[-1]["authorization"] == header


@FAST
@pytest.mark.parametrize(
    ("status", "settings", "message"),
    [
        (404, "", "/x: error: the server answers 404 Not Found"),
        (503, "", "/x: error: cannot read: the server answers 503 Service Unavailable"),
        (503, "#retry=100ms", "/x: error: cannot read: the server answers 503 Service Unavailable"),
    ],
)
def test_refusals(served: Callable[..., Server], status: int, settings: str, message: str) -> None:
    server = served(answer("text/plain", b"no", status=status))
    with pytest.raises(StreamError, match=message):
        list(spaseq.run(ALL, {"s": f"{server.url}/x{settings}"}))
    assert len(server.asked) > 1 or not settings


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        ("http://127.0.0.1:1/x", StreamError, "http://127.0.0.1:1/x: error: cannot read: .*refused"),
        ("http://me:word@h/x", OptionError, "http://h/x: a password in a URL is seen by others"),
        ("http://h/x#password=word", OptionError, "http://h/x: password in a URL is seen by others"),
        ("http://h/x#fromat=json", OptionError, "there is no setting fromat; did you mean format?"),
    ],
)
def test_errors(url: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as found:
        list(spaseq.run(ALL, {"s": url}))
    assert "word@" not in str(found.value)
