"""Results to servers of the test's own on loopback, from the command line."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

pytest.importorskip("confluent_kafka")
pytest.importorskip("httpx")
pytest.importorskip("websockets")
pytest.importorskip("paho.mqtt")

from confluent_kafka import Consumer, TopicPartition
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from websockets.sync.server import ServerConnection, serve

from spaseq.errors import StreamError
from spaseq.sinks.kafka import TopicSink
from tests.cli.conftest import MATCHES, STREAM, Invoke, event
from tests.transports.kafka_cluster import Cluster
from tests.transports.test_mqtt import Broker, needs_broker

RUN = "run q.spaseq --stream s=s.nq --quiet"
EVENTS = "run c.spaseq --stream s=s.nq --quiet --format nquads"
FOUND = [found[:3] for found in MATCHES]  # ?x, ?v, ?w


def command(invoke: Invoke, line: str, target: str) -> Any:
    return invoke(*shlex.split(line), "--output", target)


def values(messages: list[bytes]) -> list[tuple[str, ...]]:
    """What results in JSON have bound."""
    found = []
    for one in map(json.loads, messages):
        found.append(tuple(term["value"].rpartition("/")[2] for term in one["bindings"].values()))
    return found


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.transports.receiving.SHORTEST", 0.02)


# ── Kafka ────────────────────────────────────────────────────────────────────────────────────────────────
def of_topic(cluster: Cluster, topic: str) -> list[tuple[bytes, dict[str, bytes]]]:
    """The data and headers of all messages."""
    consumer = Consumer({"bootstrap.servers": cluster.servers, "group.id": "x", "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, number, 0) for number in range(4)])
    found, open_ = [], 4
    while open_:
        one = consumer.poll(5)
        if one.error():
            open_ -= 1
        else:
            found.append((one.value(), dict(one.headers() or ())))
    consumer.close()
    return found


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    one = Cluster()
    yield one
    one.stop()


def test_a_topic(cluster: Cluster, invoke: Invoke) -> None:
    cluster.make("found")
    assert command(invoke, RUN, cluster.url("found")).exit_code == 0
    found = of_topic(cluster, "found")
    assert sorted(values([data for data, _ in found])) == sorted(FOUND)
    runs = {headers["id"].decode().partition("-")[0] for _, headers in found}
    assert {headers["id"].decode() for _, headers in found} == {f"{run}-{n}" for run in runs for n in (1, 2)}


def test_an_event_is_a_message(cluster: Cluster, invoke: Invoke) -> None:
    cluster.make("events")
    assert command(invoke, EVENTS, cluster.url("events")).exit_code == 0
    messages = [data for data, _ in of_topic(cluster, "events")]
    assert [one.count(b"generatedAtTime") for one in messages] == [1, 1]
    found = invoke(
        *shlex.split("run r.spaseq --quiet --format jsonl"), "--stream", f"out={cluster.url('events', end='now')}"
    )
    assert sorted(values(found.stdout.encode().splitlines())) == [("1",), ("2",)]


def test_what_did_not_leave_leaves_later_and_once(
    cluster: Cluster, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StreamError("killed")

    cluster.make("once")
    line, target = f"{RUN} --checkpoint kept", cluster.url("once")
    with monkeypatch.context() as patched:
        patched.setattr(TopicSink, "commit", broken)
        assert command(invoke, line, target).exit_code == 1
    assert of_topic(cluster, "once") == []
    for _ in range(2):
        assert command(invoke, line, target).exit_code == 0
        found = of_topic(cluster, "once")
        assert sorted(values([data for data, _ in found])) == sorted(FOUND)


def test_a_mark_outlives_brokers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sinks.kafka.REMARKED", 0.0)
    cluster = Cluster()
    cluster.make("t")
    sink = TopicSink(cluster.url("t"))
    mark = sink.mark()
    assert json.loads(mark) == {"0": 0, "1": 0, "2": 0, "3": 0}
    cluster.stop()
    assert sink.mark() == mark
    sink.close()


KAFKA_ERRORS = {
    "none": ("there is no topic none", ""),
    "found?delivery=twice": ("delivery=twice is none of exactly-once, at-least-once", ""),
    "found?sasl.nothing=1": ('No such configuration property: "sasl.nothing"', ""),
    "found": ("--format csv: to kafka://", "--format csv"),
    "found?x=1": ("--count prints a number", "--count"),
}


@pytest.mark.parametrize("target", KAFKA_ERRORS)
def test_topics_that_cannot_be_written(cluster: Cluster, invoke: Invoke, target: str) -> None:
    cluster.make("found")
    message, options = KAFKA_ERRORS[target]
    result = command(invoke, f"{RUN} {options}", f"kafka://{cluster.servers}/{target}")
    assert result.exit_code in (1, 2)
    assert message in result.stderr


def test_brokers_that_are_away(invoke: Invoke) -> None:
    result = command(invoke, RUN, "kafka://127.0.0.1:1/t?retry=100ms")
    assert result.exit_code == 1
    assert "kafka://127.0.0.1:1/t: error: cannot reach a broker: " in result.stderr


# ── HTTP ─────────────────────────────────────────────────────────────────────────────────────────────────
class Hook:
    """Remembers what is posted, and answers as a list says, then always as its last element."""

    def __init__(self, *answers: int) -> None:
        posted = self.posted = list[tuple[bytes, dict[str, str]]]()
        left = list(answers)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                posted.append((data, {name.lower(): value for name, value in self.headers.items()}))
                self.send_response(left.pop(0) if len(left) > 1 else left[0])
                body = b"that is no result\nat all\n"
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hook?all=1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def hooked() -> Iterator[Callable[..., Hook]]:
    hooks: list[Hook] = []

    def hook(*answers: int) -> Hook:
        hooks.append(Hook(*answers))
        return hooks[-1]

    yield hook
    for one in hooks:
        one.close()


def test_a_webhook_is_asked_again(
    hooked: Callable[..., Hook],
    invoke: Invoke,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET", "word")
    hook = hooked(200, 503, 429, 204)
    result = command(invoke, RUN.replace("--quiet", ""), f"{hook.url}#token_env=SECRET")
    assert result.exit_code == 0
    ids = [headers["idempotency-key"] for _, headers in hook.posted]
    assert len(ids) == 4 and len(set(ids)) == 2 and ids[1:] == ids[1:2] * 3
    assert values([hook.posted[0][0], hook.posted[3][0]]) == FOUND
    assert {headers["authorization"] for _, headers in hook.posted} == {"Bearer word"}
    assert {headers["content-type"] for _, headers in hook.posted} == {"application/json"}
    told = [line for line in result.stderr.splitlines() if "trying again" in line]
    assert len(told) == 1 and "the server answers 503 Service Unavailable" in told[0]
    assert "word" not in result.stderr


def test_a_webhook_that_refuses(hooked: Callable[..., Hook], invoke: Invoke) -> None:
    result = command(invoke, RUN, hooked(400).url)
    assert result.exit_code == 1
    assert "/hook: error: the server answers 400 Bad Request: that is no result\n" in result.stderr


# ── WebSocket ────────────────────────────────────────────────────────────────────────────────────────────
def test_a_socket_that_breaks_off(invoke: Invoke) -> None:
    came: list[bytes] = []

    def take(connection: ServerConnection) -> None:
        for number, one in enumerate(connection):
            came.append(one.encode() if isinstance(one, str) else one)
            if len(came) == 1 and number == 0:
                connection.close(1011)

    server = serve(take, "127.0.0.1", 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    result = command(invoke, RUN, f"ws://127.0.0.1:{server.socket.getsockname()[1]}/live")
    server.shutdown()
    assert result.exit_code == 0, result.stderr
    by_id = {json.loads(one)["id"]: one for one in came}
    assert sorted(values(list(by_id.values()))) == sorted(FOUND)


# ── MQTT ─────────────────────────────────────────────────────────────────────────────────────────────────
@needs_broker
def test_what_is_published(tmp_path: Path, invoke: Invoke) -> None:
    broker, came, subscribed, all_there = Broker(tmp_path), list[Any](), threading.Event(), threading.Event()
    broker.start()
    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)

    def take(_client: Any, _data: Any, one: Any) -> None:
        came.append(one)
        if len(came) == 2:
            all_there.set()

    client.on_message, client.on_subscribe = take, lambda *_: subscribed.set()
    client.connect("127.0.0.1", broker.port)
    client.subscribe("found/#", qos=1)
    client.loop_start()
    assert subscribed.wait(10)
    result = command(invoke, RUN, broker.url("found/here"))
    assert result.exit_code == 0, result.stderr
    assert all_there.wait(10)
    client.loop_stop()
    broker.stop()
    assert values([bytes(one.payload) for one in came]) == FOUND
    assert [dict(one.properties.UserProperty)["id"].rpartition("-")[2] for one in came] == ["1", "2"]


def test_mqtt_that_nobody_answers(invoke: Invoke) -> None:
    result = command(invoke, RUN, "mqtt://127.0.0.1:1/t")
    assert result.exit_code == 1 and "cannot write: cannot connect: " in result.stderr
    assert "write mqtt://HOST/TOPIC, without # and +" in command(invoke, RUN, "mqtt://127.0.0.1:1/t/#").stderr


# ── folders ──────────────────────────────────────────────────────────────────────────────────────────────
def parts(folder: Path) -> list[tuple[str, ...]]:
    """The rows of all files of a folder, in the order of their names."""
    tables = [pyarrow.parquet.read_table(path) for path in sorted(folder.glob("*.parquet"))]
    rows = [row for table in tables for row in table.to_pylist()]
    return [(row["x"].rpartition("/")[2], row["v"], row["w"]) for row in rows]


def test_a_folder_of_parts(invoke: Invoke, folder: Path) -> None:
    assert command(invoke, RUN, "parts/").exit_code == 0
    assert parts(folder / "parts") == FOUND
    assert [path.name[:15] for path in (folder / "parts").iterdir()] == ["part-0000000001"]


def test_a_run_that_goes_on_writes_further_parts(invoke: Invoke, folder: Path) -> None:
    line = f"{RUN} --checkpoint kept --idle 1h"
    assert command(invoke, line, "parts/").exit_code == 0
    more = event(4, 'c v "5"') + event(5, 'c w "6"')
    (folder / "s.nq").write_text(STREAM + more)
    assert command(invoke, line, "parts/").exit_code == 0
    assert parts(folder / "parts") == [*FOUND, ("c", "5", "6")]
    assert len(list((folder / "parts").iterdir())) == 2
    other = command(invoke, line, "others/")
    assert other.exit_code == 2 and "--output parts/, here it is others/" in other.stderr
    next((folder / "parts").glob("part-0000000002*")).unlink()
    assert command(invoke, line, "parts/").exit_code == 0  # what the checkpoint has is written again
    assert parts(folder / "parts") == [*FOUND, ("c", "5", "6")]
    for path in (folder / "parts").iterdir():
        path.unlink()
    lacking = command(invoke, line, "parts/")
    assert lacking.exit_code == 2 and "parts/ lacks results of this run" in lacking.stderr


def test_tables(invoke: Invoke, folder: Path) -> None:
    (folder / "t.csv").write_text("type,price\nT,1\nT,2\nT,3\n")
    (folder / "q.ceql").write_text("SELECT b.price FROM S WHERE T AS a : T AS b WITHIN 5 EVENTS")
    line = "tuples q.ceql --events t.csv --quiet"
    assert command(invoke, line, "rows/").exit_code == 0
    table = pyarrow.parquet.read_table(next((folder / "rows").glob("*.parquet")))
    assert table.column("b.price").to_pylist() == [2, 3]


@pytest.mark.parametrize(
    ("target", "message"),
    [("htp://h/x", "nothing writes to htp://; did you mean http?"), ("s.nq/parts/", "Not a directory")],
)
def test_other_targets(invoke: Invoke, target: str, message: str) -> None:
    result = command(invoke, RUN, target)
    assert result.exit_code == 2
    assert message in result.stderr
