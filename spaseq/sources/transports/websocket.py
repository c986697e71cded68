"""``ws://…`` and ``wss://…``: what a server sends, each message by itself.

The query of such a URL is the server's, so that settings stand behind ``#``.  Nothing can be asked for again: what a
server sends while there is no connection is lost.
"""

from __future__ import annotations

import ssl

from websockets.exceptions import ConnectionClosedError, ConnectionClosedOK, InvalidStatus, WebSocketException
from websockets.frames import CloseCode
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from spaseq.errors import Location, StreamError
from spaseq.sources.transports.addresses import Address
from spaseq.sources.transports.receiving import Receiving
from spaseq.sources.transports.transport import Message

SETTINGS = ("token", "ca", "send", "protocol")
LONGEST_MESSAGE = 1 << 26  # bytes
STEP = 0.2  # seconds between two looks whether anybody reads
CONTACT = 10.0  # seconds for a connection


class Socket(Receiving):
    """A connection, which is made again when it is lost; positions number the messages that came.

    It ends when the server closes it properly.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url, SETTINGS, of_server=True)
        self._came = 0

    def receive(self) -> None:
        """See ``Receiving``."""
        while not self.channel.is_closed:
            try:
                with connected(self.address) as connection:
                    self.outages.mended()
                    if text := self.address.get("send"):
                        connection.send(text)
                    self._read(connection)
                return
            except ConnectionClosedOK:
                return
            except InvalidStatus as error:
                status = error.response.status_code
                if status < 500 and status != 429:
                    raise StreamError(f"the server answers {status}", Location(self.url)) from None
                reason = f"the server answers {status}"
            except ssl.SSLError as error:
                raise StreamError(f"cannot connect: {error.reason or error}", Location(self.url)) from None
            except (OSError, WebSocketException) as error:
                if _is_too_big(error):
                    message = f"a message has more than {LONGEST_MESSAGE:,} bytes"
                    raise StreamError(message, Location(self.url)) from None
                reason = f"the connection was lost: {error}" if self._came else f"cannot connect: {error}"
            self.channel.pause(self.outages.failed(reason))

    def _read(self, connection: ClientConnection) -> None:
        """Read until nobody wants more."""
        while not self.channel.is_closed:
            try:
                data = connection.recv(timeout=STEP)
            except TimeoutError:
                continue
            self._came += 1
            self.channel.put([Message(data.encode() if isinstance(data, str) else data, self._came)])


def _is_too_big(error: Exception) -> bool:
    """Whether a message was longer than it may be; it would come again."""
    sent = error.sent if isinstance(error, ConnectionClosedError) else None
    return sent is not None and sent.code == CloseCode.MESSAGE_TOO_BIG


def connected(address: Address) -> ClientConnection:
    """A connection to a server.  OSError, WebSocketException: there is none."""
    token = address.bearer
    headers = {} if token is None else {"Authorization": token}
    context = None
    if address.url.scheme == "wss":
        context = ssl.create_default_context(cafile=address.get("ca") or None)
    protocols = [Subprotocol(address.get("protocol"))] if "protocol" in address.settings else None
    return connect(
        address.asked, ssl=context, additional_headers=headers, max_size=LONGEST_MESSAGE, open_timeout=CONTACT,
        subprotocols=protocols,
    )  # fmt: skip
