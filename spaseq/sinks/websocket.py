"""``ws://…`` and ``wss://…``: each result is a message, in JSON with its ``id``, at least once.

A server that answers a ping has read what was sent before it.  What was not answered is sent again when a lost
connection is back.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import ClassVar

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection

from spaseq.errors import Location, StreamError
from spaseq.sinks.sink import Outgoing, Sink
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.receiving import Outages
from spaseq.sources.transports.websocket import CONTACT, connected
from spaseq.text import json_text

SETTINGS = ("token", "ca", "protocol")
MOST = 1000  # results that are not answered yet


class SocketSink(Sink):
    """A connection, which is made again when it is lost."""

    formats: ClassVar[tuple[str, ...]] = ("jsonl",)
    has_headers: ClassVar[bool] = False

    def __init__(self, url: str) -> None:
        self.address = Address.of(url, SETTINGS, common=("retry",), of_server=True)
        super().__init__(self.address.shown)
        self._outages = Outages(self.address, "write")
        self._connection: ClientConnection | None = None
        self._closing = ExitStack()  # what closes it
        self._sent: list[Outgoing] = []  # and not answered

    def open(self) -> None:
        """See ``Sink``."""
        self._connect()

    def send(self, results: Sequence[Outgoing]) -> None:
        """See ``Sink``."""
        for begin in range(0, len(results), MOST):
            some = list(results[begin : begin + MOST])
            if len(self._sent) + len(some) > MOST:
                self.flush()
            self._sent += some
            self._write(some)

    def flush(self) -> None:
        """See ``Sink``."""
        while self._sent and not self._is_answered():
            self._write(self._sent)

    def close(self) -> None:
        """See ``Sink``."""
        self._connection = None
        self._closing.close()

    def _is_answered(self) -> bool:
        """Whether the server has read all."""
        if self._connection is None:
            return False
        try:
            if self._connection.ping().wait(CONTACT):
                self._sent = []
                return True
            reason = "the server does not answer"
        except ConnectionClosed as error:
            reason = f"the connection was lost: {error}"
        self._lost(reason)
        return False

    def _write(self, results: Sequence[Outgoing]) -> None:
        """Send them; where the connection is new, all that are not answered."""
        while True:
            if self._connection is None:
                results = self._sent
            try:
                connection = self._connection or self._connect()
                for one in results:
                    connection.send(_with_id(one))
                return
            except ConnectionClosed as error:
                self._lost(f"the connection was lost: {error}")

    def _connect(self) -> ClientConnection:
        """A connection, after waiting for one.  StreamError: there is none."""
        while True:
            try:
                connection = self._closing.enter_context(connected(self.address))
                self._connection = connection
                self._outages.mended()
                return connection
            except InvalidStatus as error:
                status = error.response.status_code
                reason = f"the server answers {status}"
                if status < 500 and status != 429:
                    raise StreamError(reason, Location(self.url)) from None
            except ssl.SSLError as error:
                raise StreamError(f"cannot connect: {error.reason or error}", Location(self.url)) from None
            except (OSError, WebSocketException) as error:
                reason = f"cannot connect: {error}"
            time.sleep(self._outages.failed(reason))

    def _lost(self, reason: str) -> None:
        self.close()
        time.sleep(self._outages.failed(reason))


def _with_id(one: Outgoing) -> str:
    """An object with its id before its members."""
    return f'{{"id": {json_text(one.id)}, {one.data[1:].decode()}'
