"""``mqtt://host/topic`` and ``mqtts://…``: results are published, by MQTT 5, at least once.

Each has its id as the user property ``id``.  A broker acknowledges what it has; what it has not acknowledged is
published again when a lost connection is back.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from paho.mqtt.client import Client, MQTTMessageInfo
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sinks.sink import Outgoing, Sink
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.mqtt import CONTACT, PASSING, client_of, connect
from spaseq.sources.transports.receiving import Outages

SETTINGS = ("qos", "client_id", "user", "password", "ca")
STEP = 0.2  # seconds between two looks whether the connection is there
MOST = 1000  # results that are not acknowledged yet


class Publication(Sink):
    """A topic of a broker."""

    def __init__(self, url: str) -> None:
        self.address = address = Address.of(url, SETTINGS, common=("retry",))
        super().__init__(address.shown)
        self.topic = address.path
        if not self.topic or not address.url.hostname or set("#+") & set(self.topic):
            raise OptionError(f"{self.url}: write {address.url.scheme}://HOST/TOPIC, without # and +")
        self.qos = int(address.choice("qos", ("1", "0", "2")))
        self._outages = Outages(address, "write")
        self._client: Client | None = None
        self._connected = threading.Event()
        self._why = "the broker does not answer"
        self._refused = ""
        self._sent: deque[MQTTMessageInfo] = deque()  # and not known to be acknowledged

    def open(self) -> None:
        """See ``Sink``."""
        self._client = client = client_of(self.address)
        client.max_inflight_messages_set(MOST)
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        while True:
            try:
                connect(client, self.address)
                break
            except OSError as error:
                time.sleep(self._outages.failed(f"cannot connect: {error.strerror or error}"))
        client.loop_start()
        limit = time.monotonic() + CONTACT
        while not self._connected.wait(STEP):
            self._check(time.monotonic() > limit)
        self._outages.mended()

    def send(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        client = self._client
        assert client is not None
        for one in results:
            self._wait(MOST - 1)
            properties: Any = Properties  # whose constructor has no types
            given = properties(PacketTypes.PUBLISH)
            given.UserProperty = [("id", one.id), *((name, value.decode()) for name, value in one.headers)]
            self._sent.append(client.publish(self.topic, one.data, self.qos, properties=given))

    def flush(self) -> None:
        """See ``Sink``."""
        self._wait(0)

    def close(self) -> None:
        """See ``Sink``."""
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()
            self._client = None

    def _wait(self, most: int) -> None:
        """Wait until no more than so many results are not acknowledged."""
        while True:
            while self._sent and self._sent[0].is_published():
                self._sent.popleft()
            if len(self._sent) <= most:
                return
            self._sent[0].wait_for_publish(STEP)
            self._check(not self._connected.is_set())

    def _check(self, is_out: bool) -> None:
        """StreamError: the broker refuses, or is away for too long."""
        if self._refused:
            raise StreamError(self.address.told(self._refused), Location(self.url))
        if is_out:
            self._outages.failed(self._why)
        elif self._connected.is_set():
            self._outages.mended()

    def _on_connect(self, client: Client, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        if not reason.is_failure:
            self._connected.set()
        elif reason.getName() not in PASSING:
            self._refused = f"the broker refuses the connection: {reason}"
            client.disconnect()

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        self._connected.clear()
        self._why = f"the connection was lost: {reason}"
