"""WebSockets, by a server of the test's own on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from tests.transports.scripted import event

pytest.importorskip("websockets")

from websockets.sync.server import Server, ServerConnection, serve

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
Handler = Callable[[ServerConnection], None]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Serves with one handler after the other; gives the URL."""
    monkeypatch.setattr("spaseq.sources.transports.receiving.SHORTEST", 0.02)
    servers: list[Server] = []

    def start(*handlers: Handler) -> str:
        left = list(handlers)
        server = serve(lambda connection: left.pop(0)(connection), "127.0.0.1", 0)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"ws://127.0.0.1:{server.socket.getsockname()[1]}/live?all=1"

    yield start
    for one in servers:
        one.shutdown()


def sending(*messages: bytes | str) -> Handler:
    def handle(connection: ServerConnection) -> None:
        for one in messages:
            connection.send(one)

    return handle


def breaking(*messages: bytes) -> Handler:
    def handle(connection: ServerConnection) -> None:
        sending(*messages)(connection)
        connection.close(1011)

    return handle


def names(run: Run) -> list[str]:
    return [str(one.bindings["a"])[4:] for one in run]


def test_messages(served: Callable[..., str]) -> None:
    assert names(spaseq.run(ALL, {"s": served(sending(event("a", 1), event("b", 2).decode()))})) == ["a", "b"]


def test_it_connects_again(served: Callable[..., str], caplog: pytest.LogCaptureFixture) -> None:
    url = served(breaking(event("a", 1)), breaking(event("b", 2)), sending(event("c", 3)))
    assert names(spaseq.run(ALL, {"s": url})) == ["a", "b", "c"]
    assert [("lost" in line, "again after" in line) for line in caplog.messages] == [(True, False), (False, True)] * 2


def test_messages_have_a_bound(served: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.transports.websocket.LONGEST_MESSAGE", 1000)
    url = served(breaking(event("a", 1), b"x" * 1001), breaking())
    with pytest.raises(StreamError, match=r"/live: error: a message has more than 1,000 bytes"):
        list(spaseq.run(ALL, {"s": url}))


def test_what_is_said_first(served: Callable[..., str]) -> None:
    def handle(connection: ServerConnection) -> None:
        connection.send(event(str(connection.recv()), 1))

    assert names(spaseq.run(ALL, {"s": served(handle) + "#send=subscribe"})) == ["subscribe"]


def test_an_error_has_its_number(served: Callable[..., str]) -> None:
    with pytest.raises(StreamError, match=r"ws://127.0.0.1:\d+/live@2:1:"):
        list(spaseq.run(ALL, {"s": served(sending(event("a", 1), b"{"))}))


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        ("ws://127.0.0.1:1/x", StreamError, "ws://127.0.0.1:1/x: error: cannot read: cannot connect: .*refused"),
        ("ws://127.0.0.1:1/x#retry=50ms", StreamError, "cannot connect: .*refused"),
        ("ws://me:word@h/x", OptionError, "ws://h/x: a password in a URL is seen by others"),
    ],
)
def test_errors(url: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        list(spaseq.run(ALL, {"s": url}))
