"""Topics of Kafka, on librdkafka's mock cluster."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import spaseq
from spaseq.cli import main
from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from spaseq.runtime.run import RunState
from tests.transports.scripted import event

pytest.importorskip("confluent_kafka")

from confluent_kafka import Consumer, TopicPartition

from spaseq.sources.transports.kafka import Client
from tests.transports.kafka_cluster import Cluster

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
PAIRS = """
SELECT ?a ?b WITHIN 1 HOUR SLIDING FROM STREAM s <urn:s>
WHERE { SEQ(A , B) DEFINE GPM A ON s { ?a <urn:value> ?v } DEFINE GPM B ON s { ?b <urn:value> ?w } }
"""
MINUTE = 60_000_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    yield Cluster()


def names(run: Run) -> list[str]:
    return [str(one.bindings["a"])[4:] for one in run]


def test_partitions_are_merged_by_time(cluster: Cluster) -> None:
    for number in range(12):
        cluster.send("merged", [event(f"e{number}", number * MINUTE)], partition=number % 3)
    run = spaseq.run(PAIRS, {"s": cluster.url("merged", end="now")})
    assert names(run) == [f"e{number}" for number in range(11)]
    assert run.losses() == []


def test_it_waits_for_more(cluster: Cluster) -> None:
    cluster.send("live", [event("a", 1)])
    run = spaseq.run(ALL, {"s": cluster.url("live", partition=0)})
    assert str(next(run).bindings["a"]) == "urn:a"
    later = threading.Timer(0.1, cluster.send, ("live", [event("b", 2)]))
    later.start()
    assert str(next(run).bindings["a"]) == "urn:b"
    later.join()


def test_silent_partitions(cluster: Cluster) -> None:
    cluster.send("silent", [event("a", 1), event("b", 2)])
    run = spaseq.run(PAIRS, {"s": cluster.url("silent")}, idle_advance=timedelta(milliseconds=300))
    assert str(next(run).bindings["b"]) == "urn:b"


@pytest.mark.parametrize(("start", "expected"), [("earliest", ["e0", "e1", "e2"]), ("latest", [])])
def test_start(cluster: Cluster, start: str, expected: list[str]) -> None:
    cluster.send(f"start-{start}", [event(f"e{number}", number) for number in range(3)])
    assert names(spaseq.run(ALL, {"s": cluster.url(f"start-{start}", start=start, end="now")})) == expected


def test_a_time_to_start_at(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mock answers no question for offsets of times, so this one is answered here: e1, and none."""
    asked: list[tuple[int, int]] = []

    def offsets(self: Client, asked_for: list[TopicPartition], timeout: float) -> list[TopicPartition]:
        asked.extend((one.partition, one.offset) for one in asked_for)
        return [TopicPartition("timed", one.partition, -1 if one.partition else 1) for one in asked_for]

    monkeypatch.setattr(
        "spaseq.sources.transports.kafka.Consumer", type("Asked", (Consumer,), {"offsets_for_times": offsets})
    )
    cluster.send("timed", [event(f"e{number}", number) for number in range(3)])
    run = spaseq.run(ALL, {"s": cluster.url("timed", start="2026-01-01T00:00:01.0005Z", end="now")})
    assert names(run) == ["e1", "e2"]
    assert asked == [(number, 1_767_225_601_001) for number in range(4)]


def test_it_goes_on_where_it_was(cluster: Cluster, tmp_path: Path) -> None:
    cluster.send("resumed", [event(f"e{number}", number) for number in range(5)], partition=1)
    cluster.send("resumed", [event("f", 0)], partition=2)
    state: RunState | None = None
    found: list[str] = []
    for limit in (2, 4, 100):
        run = Run(PAIRS, {"s": cluster.url("resumed", end="now")}, state=state, on_step=lambda: 1.0)
        for match in run:
            found.append(str(match.bindings["a"])[4:])
            if len(found) >= limit:
                run.stop()
        state = run.state()
    assert found == ["e0", "e1", "e2", "e3"] or found[0] == "f"
    assert len(found) == 5 and state is not None
    assert {one.position for one in state.partitions["urn:s"].values()} == {4, 0, -1}


def test_an_error_has_its_place(cluster: Cluster) -> None:
    cluster.send("broken", [event("a", 1), b"<urn:a> ."], partition=3)
    with pytest.raises(StreamError, match=rf"{cluster.url('broken')}\[3\]@1:1:"):
        list(spaseq.run(ALL, {"s": cluster.url("broken", end="now")}))


def test_a_slow_reader_stops_what_is_fetched(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.transports.kafka.CAPACITY", 0)
    monkeypatch.setattr("spaseq.sources.transports.kafka.LEAST_CAPACITY", 4000)
    monkeypatch.setattr("spaseq.sources.transports.kafka.AT_ONCE", 5)
    cluster.send("many", [event(f"e{number}", number) for number in range(40)])
    assert names(spaseq.run(ALL, {"s": cluster.url("many", end="now")})) == [f"e{number}" for number in range(40)]


def test_what_was_deleted_is_told(cluster: Cluster) -> None:
    cluster.send("short", [event("a", 1)])
    run = Run(ALL, {"s": cluster.url("short", end="now")}, on_step=lambda: 1.0)
    list(run)
    state = run.state()
    for one in state.partitions["urn:s"].values():
        object.__setattr__(one, "position", 17)
    with pytest.raises(StreamError, match=r"\[0\]: error: it ends before offset 18: this is another topic"):
        Run(ALL, {"s": cluster.url("short", end="now")}, state=state)


ERRORS = [
    ("kafka://127.0.0.1:1/t?retry=1s", StreamError, "kafka://127.0.0.1:1/t: error: cannot reach a broker: .*refused"),
    ("{servers}/none?end=now", StreamError, "there is no topic none"),
    ("{servers}/t?start=soon", OptionError, "start=soon is neither earliest nor latest nor a time"),
    ("{servers}/t?strat=latest", OptionError, "there is no setting strat; did you mean start?"),
    ("{servers}/t?sasl.password=x", OptionError, "sasl.password in a URL is seen by others; .*password_env=VARIABLE"),
    ("kafka://me:secret@h/t", OptionError, "kafka://h/t: a password in a URL is seen by others"),
    ("{servers}/t?user=me&password_env=NONE_SUCH", OptionError, "there is no variable NONE_SUCH in the environment"),
    ("{servers}/t?sasl.nothing=1", OptionError, 'No such configuration property: "sasl.nothing"'),
    ("{servers}/", OptionError, "write kafka://HOST:PORT/TOPIC"),
    ("{servers}/merged?partition=9", OptionError, "there is no partition 9, but 0 to 3"),
]


@pytest.mark.parametrize(("url", "kind", "message"), ERRORS)
def test_errors(cluster: Cluster, url: str, kind: type[Exception], message: str) -> None:
    cluster.make("merged")
    with pytest.raises(kind, match=message) as found:
        list(spaseq.run(ALL, {"s": url.replace("{servers}", f"kafka://{cluster.servers}")}))
    assert "secret" not in str(found.value)


def test_the_command_goes_on_from_a_checkpoint(cluster: Cluster, tmp_path: Path) -> None:
    query, found = tmp_path / "all.spaseq", tmp_path / "found"
    query.write_text(ALL)
    line = ["run", str(query), "--stream", f"s={cluster.url('commanded', end='now')}", "--format", "jsonl", "--quiet"]
    line += ["--checkpoint", str(tmp_path / "kept"), "--output", str(found)]
    for number in range(3):
        cluster.send("commanded", [event(f"e{number}", number)])
        main(line, standalone_mode=False)
    assert [json.loads(one)["bindings"]["a"]["value"] for one in found.read_text().splitlines()] == [
        "urn:e0", "urn:e1", "urn:e2",
    ]  # fmt: skip


def test_brokers_that_are_gone(caplog: pytest.LogCaptureFixture) -> None:
    cluster = Cluster()
    cluster.send("t", [event("a", 1)])
    run = spaseq.run(ALL, {"s": cluster.url("t", partition=0, retry="1s")})
    assert str(next(run).bindings["a"]) == "urn:a"
    cluster.stop()
    with pytest.raises(StreamError, match="/t: error: cannot read: "):
        next(run)
    (told,) = caplog.messages
    assert told.endswith("trying again")
