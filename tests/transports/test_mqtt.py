"""Subscriptions by MQTT 5, with a mosquitto of the test's own on loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.graphs.graph_run import Run
from tests.transports.scripted import event

pytest.importorskip("paho.mqtt")

from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5

from spaseq.sources.transports.mqtt import Subscription

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed")


class Broker:
    """A broker on loopback, which may be stopped and started; it knows the user me with the password word."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._settings = folder / "mosquitto.conf"
        self._settings.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, topic: str, settings: str = "") -> str:
        return f"mqtt://127.0.0.1:{self.port}/{topic}" + (f"?{settings}" if settings else "")

    def start(self) -> None:
        assert MOSQUITTO is not None
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._settings)], stderr=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.1).close()
                return
            except OSError:
                time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)

    def publish(self, topic: str, *messages: bytes) -> None:
        client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        client.connect("127.0.0.1", self.port)
        client.loop_start()
        for one in messages:
            client.publish(topic, one, qos=1).wait_for_publish(10)
        client.disconnect()
        client.loop_stop()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    one = Broker(tmp_path_factory.mktemp("broker"))
    one.start()
    yield one
    one.stop()


def subscribed(broker: Broker, url: str, **given: Any) -> tuple[Run, Subscription]:
    """A run whose subscription is there: what is published from now on comes."""
    source = Subscription(url)
    run = Run(ALL, {"s": source}, **given)
    source.descriptor()
    while source._client is None or not source._connected.wait(0.01):
        pass
    return run, source


def name(run: Run) -> str:
    return str(next(run).bindings["a"])[4:]


@needs_broker
def test_what_is_published(broker: Broker) -> None:
    run, source = subscribed(broker, broker.url("sensors/#", "client_id=published"))
    broker.publish("sensors/a", event("a", 1))
    broker.publish("sensors/b/c", event("b", 2))
    broker.publish("others", event("x", 3))
    broker.publish("sensors/a", event("c", 3))
    assert [name(run) for _ in range(3)] == ["a", "b", "c"]
    source.close()


@needs_broker
@pytest.mark.parametrize("released", [False, True])
def test_what_is_not_acknowledged_comes_again(broker: Broker, released: bool) -> None:
    topic = f"again/{released}"
    url = broker.url(topic, f"client_id={released}")
    run, source = subscribed(broker, url, on_step=lambda: 1.0)
    broker.publish(topic, event("a", 1), event("b", 2))
    assert [name(run), name(run)] == ["a", "b"]
    if released:  # as it is when a checkpoint was written
        run.release()
    source.close()
    broker.publish(topic, event("c", 3))
    expected = ["c"] if released else ["a", "b", "c"]
    run, source = subscribed(broker, url)
    assert [name(run) for _ in expected] == expected
    source.close()


@needs_broker
def test_a_run_that_ends_can_still_acknowledge(broker: Broker) -> None:
    """So the last checkpoint, which is written behind the end, counts as others do."""
    url = broker.url("ends", "client_id=ends")
    run, source = subscribed(broker, url, on_step=lambda: 1.0)
    broker.publish("ends", event("a", 1), event("b", 2))
    assert [name(run), name(run)] == ["a", "b"]
    run.stop()
    assert list(run) == []
    run.release()
    run.close()
    broker.publish("ends", event("c", 3))
    run, source = subscribed(broker, url)
    assert name(run) == "c"
    source.close()


@needs_broker
def test_an_error_has_its_topic(broker: Broker) -> None:
    run, source = subscribed(broker, broker.url("wrong/+"))
    broker.publish("wrong/here", event("a", 1), b"<urn:x> .")
    assert name(run) == "a"
    with pytest.raises(StreamError, match=rf"mqtt://127.0.0.1:{broker.port}/wrong/here@2:1:"):
        next(run)
    source.close()


@needs_broker
def test_an_outage_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    own = Broker(tmp_path)
    own.start()
    run, source = subscribed(own, own.url("t"))
    own.publish("t", event("a", 1))
    assert name(run) == "a"
    own.stop()
    while not caplog.messages:
        time.sleep(0.01)
    own.start()
    while len(caplog.messages) < 2:
        time.sleep(0.01)
    own.publish("t", event("b", 2))
    assert name(run) == "b"
    source.close()
    own.stop()
    lost, back = caplog.messages
    assert "the connection was lost" in lost and lost.endswith("trying again")
    assert "connected again after" in back


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        (
            "mqtt://127.0.0.1:1/t",
            StreamError,
            "mqtt://127.0.0.1:1/t: error: cannot read: cannot connect: Connection refused",
        ),
        ("mqtt://127.0.0.1:1/", OptionError, "write mqtt://HOST/TOPIC, where # stands for all below"),
        ("mqtt://127.0.0.1:1/t?qos=3", OptionError, "qos=3 is none of 1, 0, 2"),
        ("mqtt://127.0.0.1:x/t", OptionError, "Port could not be cast to integer"),
        ("mqtt://me:word@127.0.0.1:1/t", OptionError, "a password in a URL is seen by others"),
    ],
)
def test_errors(url: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        list(spaseq.run(ALL, {"s": url}))


def test_who_is_known_to_the_broker_can_go_on() -> None:
    assert [Subscription(f"mqtt://h/t{rest}").resumes for rest in ("", "?client_id=me", "?client_id=me&qos=0")] == [
        False, True, False,
    ]  # fmt: skip
