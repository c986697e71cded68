"""What a stream of messages is: bytes that came together, and where they stand in what can be read again.

A transport of one's own derives from ``Transport``, as a source of bytes does from ``Source``.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from functools import cached_property

from spaseq.errors import StreamError
from spaseq.sources.source import Source
from spaseq.sources.transports.message_batch import Message, MessageBatch, Position

__all__ = ["AT_ONCE", "UNKNOWN", "Arrivals", "Message", "MessageBatch", "Position", "Transport", "as_line"]
UNKNOWN = ""  # what a checkpoint has as the position where messages came, though none had one
AT_ONCE = 1 << 20  # bytes of messages that are decoded together, or one message


class Transport(Source):
    """Messages of a stream as they come; each has events or rows of any format.

    ``take`` is all that a transport needs.  It waits for nothing; who waits looks again, or at the ``descriptor``.
    """

    comes_in_messages = True  # else its messages are bytes that follow each other, as of a file
    name = ""  # of this one among the ``partitions`` of its stream
    format = ""  # of all messages; empty: each tells it
    position: Position = None  # behind which the first message stands
    dropped = 0  # messages that nobody got, because reading was too slow

    @abstractmethod
    def take(self) -> Sequence[Message] | None:
        """What is there, maybe nothing; None at the end.  StreamError, OSError: it broke off."""

    def partitions(self) -> Sequence[Transport]:
        """What it consists of, each in an order of its own.  StreamError: there is no such thing."""
        return [self]

    def go_on(self, position: Position) -> None:
        """Begin behind this position, of an earlier message or of a beginning; called before any was taken."""
        self.position = position

    def release(self, position: Position) -> None:
        """All up to this position is worked out, and in the checkpoint if there is one: it need not come again."""

    def state(self, position: Position) -> Position:
        """What a checkpoint has of a position of a message that was given, and ``go_on`` is called with."""
        return position

    def place(self, message: Message) -> str:
        """What errors call a message."""
        return self.url if message.position is None else f"{self.url}@{message.position}"

    @cached_property
    def arrivals(self) -> Arrivals:
        """The messages, for their only reader."""
        return Arrivals(self)

    # ── as bytes, for who reads no messages ──────────────────────────────────────────────────────────────────
    def ready(self) -> bool:
        """Whether a message, or the end, is there."""
        return self.arrivals.ready()

    def read(self) -> bytes:
        """The messages that are there as lines, after waiting for one; empty at the end."""
        lines = b""
        while not lines and (messages := self.arrivals.take()) is not None:
            lines = b"".join(map(as_line, messages.data))
            self.arrivals.done(messages[-1])
        return lines


def as_line(data: bytes) -> bytes:
    """The data of a message with a line end behind it; nothing of an empty one."""
    return data if not data or data.endswith(b"\n") else data + b"\n"


class Arrivals:
    """The messages of a transport, which wait here until they are asked for.

    ``last`` is the monotonic time when one came last, ``position`` that of the last one that was worked out.
    """

    heeds_pauses = False  # no event is open between two messages, so that it does not matter for how long nothing comes
    is_idle = False

    def __init__(self, source: Transport) -> None:
        self.source = source
        self.last = time.monotonic()
        self.position = source.position
        self._waiting = deque[MessageBatch]()  # parts that are decoded together
        self._ended = False
        self._told = True  # the reader knows that nothing is there
        self._error: Exception | None = None  # that comes after the messages

    def close(self) -> None:
        """Read no further."""
        self.source.close()

    def ready(self) -> bool:
        """Whether a message, or the end, is there."""
        if not self._waiting and not self._ended:
            self._look()
        return bool(self._waiting) or self._ended

    def is_waited_for(self) -> bool:
        """Whether the reader can do nothing until more is there."""
        return self._told and not self.ready()

    def pauses(self) -> bool:
        """Whether nothing is there: true once, then ``take`` waits."""
        if self.ready():
            return False
        told, self._told = self._told, True
        return not told

    def rest(self) -> None:
        """Nothing came for long: no matter."""

    def rests_for(self, seconds: float) -> bool:
        """Whether nothing comes for so long; waits for that."""
        if not self.ready():
            self.source.wait(seconds)
        return not self.ready()

    def take(self) -> MessageBatch | None:
        """Some messages, after waiting for one; None at the end.  StreamError, OSError: there it broke off."""
        while not self.ready():
            self.source.wait()
        self._told = False
        if not self._waiting and self._error is not None:
            raise self._error
        return self._waiting.popleft() if self._waiting else None

    def done(self, message: Message) -> None:
        """All up to this message is worked out."""
        self.position = message.position

    def _look(self) -> None:
        try:
            found = self.source.take()
        except (OSError, StreamError) as error:
            self._error, self._ended = error, True
            return
        if found is None:
            self._ended = True
        elif found:
            self._waiting += MessageBatch.of(found).parts(AT_ONCE)
            self.last = time.monotonic()
