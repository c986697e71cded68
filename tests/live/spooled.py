"""Runs that are killed at random moments lose nothing of what came by MQTT or a WebSocket, with ``--spool``.

python -m tests.live.spooled 100          # kills of each source
python -m tests.live.spooled 10 mqtt --seed 5

MQTT: messages are published all the time; a broker (mosquitto) sends again what was not acknowledged.  WebSocket:
nobody sends anything again, so that a process is killed once the last message is in its spool: what is on the way is
lost with its connection, whatever is done.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests.live.kafka_broker import ROOT
from tests.transports.scripted import event
from tests.transports.test_mqtt import MOSQUITTO, Broker

QUERY = "SELECT ?v FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
EVERY = 0.005  # seconds between two messages
SETTLED = 1.0  # seconds in which a message that is on the way has arrived, mostly
PATIENCE = 60.0  # seconds within which all has arrived, messages in the spool and results, unless it is lost


class Sender(ABC):
    """Sends events with the numbers from 0, as long as it may."""

    def __init__(self) -> None:
        self.sent = 0
        self.may_send = threading.Event()

    @property
    @abstractmethod
    def url(self) -> str:
        """Where they come from."""

    @abstractmethod
    def before_kill(self, folder: Path) -> None:
        """A process is about to be killed, which has its spool in a folder."""

    @abstractmethod
    def after_kill(self) -> None:
        """It was killed."""

    @abstractmethod
    def close(self) -> None:
        """Send no more."""


class Publisher(Sender):
    """Publishes by a broker that knows the subscriber from the beginning."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._broker = Broker(folder)
        with (folder / "mosquitto.conf").open("a") as settings:
            settings.write("max_queued_messages 0\n")
        self._broker.start()
        self._subscribe()
        self._client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        self._client.connect("127.0.0.1", self._broker.port)
        self._client.loop_start()
        self._thread = threading.Thread(target=self._publish, daemon=True)
        self._ended = False
        self._thread.start()

    @property
    def url(self) -> str:
        return self._broker.url("t", "client_id=spooled")

    def before_kill(self, folder: Path) -> None:
        """Messages are on the way."""

    def after_kill(self) -> None:
        """The broker keeps them."""

    def close(self) -> None:
        self._ended = True
        self._thread.join()
        self._client.disconnect()
        self._client.loop_stop()
        self._broker.stop()

    def _subscribe(self) -> None:
        properties: Any = Properties
        asked = properties(PacketTypes.CONNECT)
        asked.SessionExpiryInterval = 86_400
        client, subscribed = Client(CallbackAPIVersion.VERSION2, "spooled", protocol=MQTTv5), threading.Event()
        client.on_subscribe = lambda *_: subscribed.set()
        client.connect("127.0.0.1", self._broker.port, clean_start=False, properties=asked)
        client.subscribe("t", qos=1)
        client.loop_start()
        assert subscribed.wait(10)
        client.disconnect()
        client.loop_stop()

    def _publish(self) -> None:
        while not self._ended:
            if self.may_send.wait(0.1):
                self._client.publish("t", event(f"e{self.sent}", self.sent, self.sent), qos=1).wait_for_publish(10)
                self.sent += 1
                time.sleep(EVERY)


class Talker(Sender):
    """A server of WebSockets: each message goes to who is connected."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: set[ServerConnection] = set()
        self._server = serve(self._talk, "127.0.0.1", 0)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}/live"

    def before_kill(self, folder: Path) -> None:
        self.may_send.clear()
        time.sleep(0.1)  # which one may be about to be sent
        limit = time.monotonic() + PATIENCE
        while spooled(folder) < self.sent and time.monotonic() < limit:
            time.sleep(0.05)

    def after_kill(self) -> None:
        """Nothing more is sent to whom nobody hears."""
        while self._listeners:
            time.sleep(0.01)

    def close(self) -> None:
        self._server.shutdown()

    def _talk(self, connection: ServerConnection) -> None:
        self._listeners.add(connection)
        try:
            while self.may_send.wait(0.1) or connection.ping():
                if self.may_send.is_set():
                    connection.send(event(f"e{self.sent}", self.sent, self.sent))
                    self.sent += 1
                    time.sleep(EVERY)
        except ConnectionClosed:
            return
        finally:
            self._listeners.discard(connection)


def started(folder: Path, url: str) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-m", "spaseq", "run", "q.spaseq", "--stream", f"s={url}", "--spool", "spool"]
    line += ["--checkpoint", "kept", "--checkpoint-every", "50ms", "--output", "found.jsonl", "--quiet"]
    log = (folder / "run.log").open("ab")
    return subprocess.Popen(line, cwd=folder, stderr=log, env=os.environ | {"PYTHONPATH": str(ROOT)})


def spooled(folder: Path) -> int:
    """How many messages were ever in the spool."""
    with tempfile.TemporaryDirectory() as copy, suppress(FileNotFoundError, sqlite3.DatabaseError):
        names = [shutil.copy(one, copy) for one in sorted((folder / "spool").glob("*.spool*"))]
        with closing(sqlite3.connect(names[0] if names else ":memory:")) as base:
            found = base.execute("SELECT seq FROM sqlite_sequence").fetchone()
            return 0 if found is None else int(found[0])
    return 0  # there is none yet, or it was written while it was copied


def arrived(folder: Path) -> Counter[int]:
    path = folder / "found.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    return Counter(int(json.loads(line)["bindings"]["v"]["value"]) for line in lines)


def check(sender: Sender, kills: int, chance: random.Random, folder: Path) -> str:
    """Runs that read one source; what was seen."""
    (folder / "q.spaseq").write_text(QUERY)
    for _ in range(kills):
        sender.may_send.set()
        run = started(folder, sender.url)
        time.sleep(chance.uniform(0.3, 4))
        sender.before_kill(folder)
        assert run.poll() is None, (folder / "run.log").read_text()
        run.kill()
        run.wait()
        sender.after_kill()
    run = started(folder, sender.url)
    sender.may_send.set()
    time.sleep(2)
    sender.may_send.clear()
    time.sleep(SETTLED)
    limit = time.monotonic() + PATIENCE
    while len(arrived(folder)) < sender.sent and time.monotonic() < limit:
        time.sleep(0.2)
    run.terminate()
    assert run.wait(30) in (0, 130, 143), f"{run.returncode}: {(folder / 'run.log').read_text()}"
    found = arrived(folder)
    missing, doubled = sender.sent - len(found), found.total() - len(found)
    told = (
        f"{sender.url.partition(':')[0]}: {sender.sent:,} messages, {kills} kills: {missing} missing, {doubled} twice"
    )
    assert not missing, told
    return told


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kills", type=int)
    parser.add_argument("sources", nargs="*", default=("mqtt", "websocket"))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for source in asked.sources:
        if source == "mqtt" and MOSQUITTO is None:
            print("mqtt: skipped: mosquitto is not installed")
            continue
        with tempfile.TemporaryDirectory() as name:
            sender = Publisher(Path(name)) if source == "mqtt" else Talker()
            try:
                print(check(sender, asked.kills, random.Random(asked.seed), Path(name)), flush=True)
            finally:
                sender.close()


if __name__ == "__main__":
    main()
