"""Transports whose messages a thread of its own receives, and what is said when a connection is lost."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from abc import abstractmethod
from collections.abc import Iterable, Sequence

from spaseq.errors import Location, StreamError
from spaseq.sources.transports.addresses import COMMON, Address
from spaseq.sources.transports.channel import Channel
from spaseq.sources.transports.transport import Message, Transport
from spaseq.text import shown

LOG = logging.getLogger(
    "spaseq.transports"
)  # what is said of outages goes to standard error, unless somebody else sees to it
SHORTEST, LONGEST = 1.0, 60.0  # seconds between two attempts to connect
JOINED = 5.0  # seconds that closing waits for a thread


class Outages:
    """Says once that a connection is lost, and once that it is back; knows when to try again.

    An outage ends the run when it has lasted for ``retry`` seconds; one before anything came does at once, unless
    ``retry`` was asked for.
    """

    def __init__(self, address: Address, verb: str = "read") -> None:
        self._address, self._name = address, address.shown
        self._verb = verb
        self._retry = address.seconds("retry", math.inf)
        self._patient = "retry" in address.settings  # from the beginning
        self._since = 0.0
        self._pause = SHORTEST
        self.is_out = False

    def failed(self, reason: str) -> float:
        """A connection was lost, or there is none; the seconds until it is to be tried again.  StreamError: never."""
        now, reason = time.monotonic(), self._address.told(reason)
        if not self.is_out:
            self.is_out, self._since, self._pause = True, now, SHORTEST
            if self._patient:
                LOG.warning("warning: %s: %s; trying again", shown(self._name), shown(reason))
        if not self._patient or now - self._since >= self._retry:
            raise StreamError(f"cannot {self._verb}: {reason}", Location(self._name))
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST)
        return min(pause * random.uniform(0.5, 1), max(0.0, self._since + self._retry - now))

    def answered(self) -> None:
        """There was a connection: if it is lost, it is worth while to try again."""
        self._patient = True

    def mended(self) -> None:
        """There is a connection."""
        if self.is_out:
            seconds = time.monotonic() - self._since
            LOG.warning("warning: %s: connected again after %.0f s", shown(self._name), seconds)
        self.is_out = False
        self.answered()


class Threaded(Transport):
    """A transport with a thread, which begins to receive when somebody looks for messages."""

    def __init__(self, url: str, drops: bool = False) -> None:
        super().__init__(url)
        self.channel = Channel(drops=drops)
        self._thread: threading.Thread | None = None

    @abstractmethod
    def receive(self) -> None:
        """Put messages into the channel until it is closed, or there are no more.  StreamError, OSError: it broke off.

        It runs in the thread.
        """

    def take(self) -> Sequence[Message] | None:
        """See ``Transport``."""
        self._begin()
        found = self.channel.take()
        self.dropped = self.channel.dropped
        return found

    def descriptor(self) -> int | None:
        """See ``Source``."""
        self._begin()
        return None if self.channel.is_closed else self.channel.descriptor()

    def close(self) -> None:
        """See ``Source``."""
        self.channel.close()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(JOINED)

    def _begin(self) -> None:
        if self._thread is None and not self.channel.is_closed:
            self._thread = threading.Thread(target=self._run, name=self.url, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            self.receive()
        except Exception as error:
            self.channel.end(error)
        else:
            self.channel.end()


class Receiving(Threaded):
    """A transport that a URL leads to, with its settings."""

    def __init__(
        self, url: str, settings: Iterable[str] = (), of_server: bool = False, common: Iterable[str] = COMMON
    ) -> None:
        self.address = Address.of(url, settings, common=common, of_server=of_server)
        super().__init__(self.address.shown, self.address.choice("overflow", ("wait", "drop")) == "drop")
        self.format = self.address.get("format")
        self.outages = Outages(self.address)
