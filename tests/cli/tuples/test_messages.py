"""``spaseq tuples`` on messages: a checkpoint has their positions, and what is broken is kept."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("confluent_kafka")
pytest.importorskip("httpx")
pytest.importorskip("paho.mqtt")

from spaseq.errors import OptionError
from spaseq.runtime.message_sources import PartitionState
from spaseq.sources.transports.transport import Transport
from spaseq.tuples.feeding import SourceFeed
from spaseq.tuples.matching import resumed
from spaseq.tuples.queries import ReadingOptions
from tests.cli.conftest import Invoke, start
from tests.sinks.test_sinks import of_topic
from tests.transports.kafka_cluster import Cluster
from tests.transports.scripted import Scripted, Topic
from tests.transports.test_http import EVENTS, Server, answer, gone
from tests.transports.test_mqtt import Broker, needs_broker, subscribed

QUERY = "SELECT a.n, b.n FROM S WHERE T AS a : T AS b WITHIN 3 SECONDS"
READING = ReadingOptions(time="time", unit="s")
GOOD = [json.dumps({"type": "T", "n": number, "time": number}).encode() for number in range(12)]
BROKEN = {
    "no UTF-8": b'{"type": "T", "n": 1, "time": 1, "x": "\xff"',
    "cut off": b'{"type": "T", "n": 1',
    "another type": b'{"type": "T", "n": "one", "time": 1}',
    "a time that falls": b'{"type": "T", "n": 1, "time": -1}',
    "no time": b'{"type": "T", "n": 1}',
}


def pairs(upto: int) -> list[tuple[int, int]]:
    return [(number, number + 1) for number in range(upto - 1)]


def shown(lines: str) -> list[tuple[int, int]]:
    rows = [json.loads(line)["values"] for line in lines.splitlines()]
    return [(row["a.n"], row["b.n"]) for row in rows]


class KilledError(Exception):
    """A run ends here, whatever it had found."""


def one_run(
    source: Transport, state: tuple[bytes, Any] | None, steps: int
) -> tuple[list[tuple[int, int]], tuple[bytes, Any] | None]:
    """What a run finds up to the last of so many steps, of which it keeps the state, and that."""
    found: list[tuple[int, int]] = []
    kept, left = state, steps

    def step(feed: SourceFeed) -> float:
        nonlocal kept, left
        kept, left, counted[:] = (feed.state(), feed.partitions), left - 1, found
        if not left:
            raise KilledError
        return 0.0

    counted: list[tuple[int, int]] = []
    before = (None, {}) if state is None else state
    matches = resumed({"q": QUERY}, source, READING, step, before[0], partitions=before[1])
    try:
        for _, batch in matches:
            found += [tuple(row.values())[-2:] for row in batch.to_pylist()]  # type: ignore[misc]
    except KilledError:
        return counted, kept
    return found, kept


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("seed", range(4))
def test_each_row_counts_once_however_often_it_is_killed(at_once: int, seed: int) -> None:
    choose, state, found = random.Random(seed), None, list[tuple[int, int]]()
    for _ in range(3):
        some, state = one_run(Scripted(GOOD, at_once), state, choose.randrange(1, 5))
        found += some
    some, state = one_run(Scripted(GOOD, at_once), state, 1000)
    assert found + some == pairs(12)
    assert one_run(Scripted(GOOD, at_once), state, 1000)[0] == []


def test_types_are_those_of_the_first_messages() -> None:
    half = [row.replace(b'"n": ', b'"n": 0.5, "m": ') for row in GOOD[:2]]
    _, state = one_run(Scripted(half), None, 1000)
    more = [*half, *(row.replace(b'"n": 2', b'"n": 7') for row in GOOD[2:4])]  # an integer, but the column has doubles
    found, _ = one_run(Scripted(more), state, 1000)
    assert found == [(0.5, 7.0), (7.0, 3.0)]


def test_other_partitions_are_refused() -> None:
    _, state = one_run(Topic({"0": Scripted(GOOD)}), None, 1000)
    assert state is not None and state[1] == {"": {"0": PartitionState(11)}}
    with pytest.raises(OptionError, match="had 1 partition when the checkpoint was written, and has 2 now"):
        one_run(Topic({"0": Scripted(GOOD), "1": Scripted([])}), state, 1000)


def test_messages_are_released_when_they_are_in_a_checkpoint_or_there_is_none() -> None:
    source = Scripted(GOOD)
    one_run(source, None, 1000)
    assert source.released == []
    for _ in resumed({"q": QUERY}, source := Scripted(GOOD), READING, None, None):
        pass
    assert source.released[-1] == 11


# ── on the command line ──────────────────────────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    one = Cluster()
    yield one
    one.stop()


@pytest.fixture
def place(folder: Path) -> Path:
    Path("q.ceql").write_text(QUERY)
    return folder


def arguments(url: str, *more: str) -> list[str]:
    return ["tuples", "q.ceql", "--events", url, "--time", "time", "--time-unit", "s", "--quiet", *more]


def test_kafka_goes_on_behind_the_last_offset(cluster: Cluster, place: Path, invoke: Invoke) -> None:
    cluster.send("resumed", GOOD[:5])
    line = arguments(cluster.url("resumed", end="now", partition=0), "--checkpoint", "state")
    first = invoke(*line)
    assert (first.exit_code, first.stderr) == (0, "")
    cluster.send("resumed", GOOD[5:])
    second, third = invoke(*line), invoke(*line)
    assert shown(first.stdout + second.stdout) == pairs(12)
    assert third.stdout == ""


def test_kafka_and_a_kill(cluster: Cluster, place: Path) -> None:
    cluster.send("killed", GOOD[:5])
    url = cluster.url("killed", partition=0)
    line = arguments(url, "--checkpoint", "state", "--checkpoint-every", "10ms", "--output", "out")
    process = start(*line)
    written(process, 4)
    process.kill()
    process.wait()
    cluster.send("killed", GOOD[5:])
    process = start(*line)
    written(process, 11)
    process.send_signal(2)
    assert process.wait(60) == 130
    assert shown(Path("out").read_text()) == pairs(12)


def written(process: subprocess.Popen[str], lines: int) -> None:
    until = time.monotonic() + 60
    while not Path("out").exists() or Path("out").read_text().count("\n") < lines:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)


def test_server_sent_events_go_on_behind_the_last_id(place: Path, invoke: Invoke) -> None:
    there = 5

    def rows_behind(handler: BaseHTTPRequestHandler) -> None:
        rows = range(int(handler.headers.get("Last-Event-ID", "-1")) + 1, there)
        (answer(EVENTS, *(b"id: %d\ndata: %s\n\n" % (row, GOOD[row]) for row in rows)) if rows else gone)(handler)

    server = Server(rows_behind)
    line = arguments(f"{server.url}/rows#format=json", "--checkpoint", "state")
    first = invoke(*line)
    there = 12
    second = invoke(*line)
    server.close()
    assert (first.exit_code, first.stderr) == (0, "")
    assert shown(first.stdout + second.stdout) == pairs(12)


@needs_broker
def test_what_mqtt_has_not_acknowledged_comes_again(place: Path, tmp_path: Path) -> None:
    broker = Broker(tmp_path)
    broker.start()
    url = broker.url("rows", "client_id=one")
    subscribed(broker, url)[1].close()  # the broker knows the client from now on
    line = arguments(url, "--checkpoint", "state", "--checkpoint-every", "10ms", "--output", "out")
    broker.publish("rows", *GOOD[:5])
    process = start(*line)
    written(process, 4)
    process.send_signal(2)
    assert process.wait(60) == 130
    broker.publish("rows", *GOOD[5:])
    process = start(*line)
    written(process, 11)
    process.send_signal(2)
    assert process.wait(60) == 130
    broker.stop()
    assert shown(Path("out").read_text()) == pairs(12)


def test_what_cannot_be_read_again_is_refused(place: Path, invoke: Invoke) -> None:
    result = invoke(*arguments("mqtt://127.0.0.1:1/rows", "--checkpoint", "state"))
    assert result.exit_code == 2
    assert "--checkpoint needs files, which can be read again: mqtt://127.0.0.1:1/rows cannot" in result.stderr


def test_what_is_broken_is_kept(cluster: Cluster, place: Path, invoke: Invoke) -> None:
    messages = list(GOOD)
    for at, broken in enumerate(BROKEN.values()):
        messages.insert(2 * at + 1, broken)
    cluster.send("broken", messages)
    more = ("--on-error", "dead-letter", "--dead-letters", "letters", "--declare", "n=int64")
    result = invoke(*arguments(cluster.url("broken", end="now", partition=0), *more))
    assert result.exit_code == 0, result.stderr
    assert shown(result.stdout) == pairs(12)
    letters = sorted(
        map(json.loads, Path("letters").read_text().splitlines()), key=lambda one: place_of(one["position"])
    )
    assert [data_of(one) for one in letters] == list(BROKEN.values())
    assert [place_of(one["position"]) for one in letters] == [1, 3, 5, 7, 9]


def test_dead_letters_to_a_topic(cluster: Cluster, place: Path, invoke: Invoke) -> None:
    cluster.make("letters")
    cluster.send("of one", [GOOD[0], BROKEN["cut off"], GOOD[1]])
    more = ("--on-error", "dead-letter", "--dead-letters", cluster.url("letters"))
    result = invoke(*arguments(cluster.url("of one", end="now", partition=0), *more))
    assert (shown(result.stdout), result.stderr) == ([(0, 1)], "")
    ((data, headers),) = of_topic(cluster, "letters")
    assert data == BROKEN["cut off"]
    assert headers["position"].decode().startswith(f"kafka://{cluster.servers}/of one[0]@1")


def place_of(position: str) -> int:
    return int(position.rpartition("@")[2].partition(":")[0])


def data_of(letter: dict[str, str]) -> bytes:
    return base64.b64decode(letter["base64"]) if "base64" in letter else letter["data"].encode()
