"""``mqtt://host/topic/filter`` and ``mqtts://…``: what is published, by MQTT 5.

A message is acknowledged when it is worked out: then it is in the checkpoint, if there is one.  What was not, a broker
sends again to a client that it knows: one with a ``client_id``.
"""

from __future__ import annotations

import secrets
import ssl
import threading
import time
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.receiving import LONGEST, Receiving
from spaseq.sources.transports.transport import Message, Position

SETTINGS = ("qos", "client_id", "user", "password", "ca", "session")
STEP = 0.2  # seconds between two looks whether the connection is there
MOST_UNACKNOWLEDGED = 65_535  # messages that a broker may send ahead of their acknowledgement, if it wants to
CONTACT = 10.0  # seconds within which a broker answers, at the beginning
DAY = 86_400.0  # seconds for which a broker is asked to remember a client
PASSING = {"Server unavailable", "Server busy", "Connection rate exceeded", "Quota exceeded", "Server shutting down"}


class Subscription(Receiving):
    """What a broker sends of the topics that fit a filter; positions number the messages that came."""

    redelivers = True

    def __init__(self, url: str) -> None:
        super().__init__(url, SETTINGS)
        address = self.address
        self.filter = address.path
        if not self.filter or not address.url.hostname:
            raise OptionError(f"{self.url}: write {address.url.scheme}://HOST/TOPIC, where # stands for all below")
        self.qos = int(address.choice("qos", ("1", "0", "2")))
        self.known_as = address.get("client_id")
        self.session = int(address.seconds("session", DAY))
        self.position = 0
        self._came = 0
        self._acknowledged = 0
        self._pending: list[tuple[int, int]] = []  # the number and the id of each message that is not acknowledged
        self._pending_lock = threading.Lock()
        self._connected = threading.Event()
        self._was_connected = False
        self._lost = "the broker does not answer"
        self._refused = ""
        self._client: Client | None = None

    @property
    def resumes(self) -> bool:  # type: ignore[override]
        """Whether a broker keeps what is not acknowledged."""
        return bool(self.known_as) and self.qos > 0

    def go_on(self, position: Position) -> None:
        """See ``Transport``: what was not acknowledged comes again, and is numbered on."""
        assert isinstance(position, int)
        super().go_on(position)
        self._came = self._acknowledged = position

    def release(self, position: Position) -> None:
        """See ``Transport``: acknowledge what is worked out."""
        client = self._client
        if not isinstance(position, int) or position <= self._acknowledged or client is None:
            return
        self._acknowledged = position
        with self._pending_lock:
            ready = [one for one in self._pending if one[0] <= position]
            self._pending = self._pending[len(ready) :]
        for _, mid in ready:
            client.ack(mid, self.qos)

    def place(self, message: Message) -> str:
        """See ``Transport``: with the topic."""
        topic = (message.key or b"").decode("utf-8", "replace")
        return self.address.told(f"{self.address.url.scheme}://{self.address.url.netloc}/{topic}@{message.position}")

    # ── the thread ───────────────────────────────────────────────────────────────────────────────────────────
    def receive(self) -> None:
        """See ``Receiving``."""
        self._client = client = self._made()
        try:
            self._connect(client)
            client.loop_start()
            self._watch()
        finally:
            client.disconnect()
            client.loop_stop()

    def _made(self) -> Client:
        client = client_of(self.address, manual_ack=True)
        client.on_connect, client.on_disconnect, client.on_message = (
            self._on_connect,
            self._on_disconnect,
            self._on_message,
        )
        client.on_subscribe = self._on_subscribe
        return client

    def _connect(self, client: Client) -> None:
        """Make the first connection.  StreamError: there is none."""
        properties: Any = Properties  # whose constructor has no types
        asked = properties(PacketTypes.CONNECT)
        asked.ReceiveMaximum = MOST_UNACKNOWLEDGED
        if self.known_as:
            asked.SessionExpiryInterval = self.session
        while not self.channel.is_closed:
            try:
                connect(client, self.address, clean_start=not self.known_as, properties=asked)
                return
            except OSError as error:
                self.channel.pause(self.outages.failed(f"cannot connect: {error.strerror or error}"))

    def _watch(self) -> None:
        """Wait until nobody reads.  StreamError: the broker refuses, or is away for too long."""
        limit = time.monotonic() + CONTACT
        while self.channel.pause(STEP):
            if self._refused:
                raise StreamError(self.address.told(self._refused), Location(self.url))
            if self._was_connected:
                self.outages.answered()
            if self._connected.is_set():
                self.outages.mended()
            elif self._was_connected or time.monotonic() > limit:
                self.outages.failed(self._lost)

    def _on_connect(self, client: Client, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        if not reason.is_failure:
            client.subscribe(self.filter, qos=self.qos)
        elif reason.getName() not in PASSING:
            self._refused = f"the broker refuses the connection: {reason}"
            client.disconnect()

    def _on_subscribe(self, _client: Any, _data: Any, _mid: int, reasons: list[ReasonCode], _properties: Any) -> None:
        if reasons and reasons[0].is_failure:
            self._refused = f"the broker refuses the subscription to {self.filter}: {reasons[0]}"
        else:
            self._connected.set()
            self._was_connected = True

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        self._connected.clear()
        self._lost = f"the connection was lost: {reason}"
        with self._pending_lock:
            self._pending = []  # they come again

    def _on_message(self, _client: Any, _data: Any, one: MQTTMessage) -> None:
        self._came += 1
        if one.qos:
            with self._pending_lock:
                self._pending.append((self._came, one.mid))
        written = getattr(one.properties, "UserProperty", ())
        headers = tuple((name, value.encode()) for name, value in written)
        self.channel.put([Message(bytes(one.payload), self._came, None, one.topic.encode(), headers)])


# ── what who publishes needs as well ─────────────────────────────────────────────────────────────────────
def client_of(address: Address, manual_ack: bool = False) -> Client:
    """A client that connects again by itself."""
    known_as = address.get("client_id") or f"spaseq-{secrets.token_hex(8)}"
    client = Client(CallbackAPIVersion.VERSION2, known_as, protocol=MQTTv5, manual_ack=manual_ack)
    client.reconnect_delay_set(1, int(LONGEST))
    if user := address.get("user"):
        client.username_pw_set(user, address.secret("password"))
    if address.url.scheme == "mqtts":
        client.tls_set(ca_certs=address.get("ca") or None)
    return client


def connect(client: Client, address: Address, **given: Any) -> None:
    """Make the first connection.  OSError: there is none for now; StreamError: nor ever."""
    port = address.port or (8883 if address.url.scheme == "mqtts" else 1883)
    try:
        client.connect(address.url.hostname or "", port, **given)
    except ssl.SSLError as error:
        raise StreamError(f"cannot connect: {error.reason or error}", Location(address.shown)) from None
