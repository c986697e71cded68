"""What lies between the thread that receives messages and the reader: so many bytes at most."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Sequence

from spaseq.sources.transports.transport import AT_ONCE, Message, MessageBatch

CAPACITY = 64 << 20  # bytes of the messages of a stream that wait to be read
OVERHEAD = 256  # bytes that a message takes beside its data


class Signal:
    """A descriptor that the operating system can wait for: it is ready from ``set`` to ``clear``."""

    def __init__(self) -> None:
        self._is_set = False
        if hasattr(os, "eventfd"):
            self._read = self._write = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        else:
            self._read, self._write = os.pipe()

    def fileno(self) -> int:
        """The descriptor."""
        return self._read

    def set(self) -> None:
        """Who waits goes on."""
        if not self._is_set:
            self._is_set = True
            os.write(self._write, (1).to_bytes(8, "little"))

    def clear(self) -> None:
        """Who waits, waits."""
        if self._is_set:
            self._is_set = False
            os.read(self._read, 8)

    def close(self) -> None:
        """The descriptor is none any more."""
        for descriptor in {self._read, self._write}:
            os.close(descriptor)


class Channel:
    """Messages from a thread to the reader.  Full, the thread waits; or with ``drops`` the newest ones are dropped."""

    def __init__(self, capacity: int = CAPACITY, drops: bool = False) -> None:
        self._capacity = capacity
        self._drops = drops
        self._changed = threading.Condition()
        self._signal = Signal()
        self._waiting = deque[MessageBatch]()  # parts, none larger than what is decoded together
        self._size = 0
        self._error: Exception | None = None
        self._has_ended = False
        self.is_closed = False
        self.dropped = 0

    def descriptor(self) -> int:
        """What is ready when messages, or the end, are there."""
        return self._signal.fileno()

    @property
    def is_full(self) -> bool:
        """Whether no more should be put into it."""
        return self._size >= self._capacity

    @property
    def has_room(self) -> bool:
        """Whether it is half empty, so that it is worth while to go on."""
        return 2 * self._size < self._capacity

    # ── the thread ───────────────────────────────────────────────────────────────────────────────────────────
    def put(self, messages: Sequence[Message], waits: bool = True) -> bool:
        """Messages came; False when nobody reads any more.  ``waits``: while it is full."""
        found = MessageBatch.of(messages)
        with self._changed:
            if self._drops and self.is_full:
                self.dropped += len(messages)
                return not self.is_closed
            while waits and self.is_full and not self.is_closed:
                self._changed.wait()
            if not self.is_closed and found:
                self._waiting += found.parts(AT_ONCE)
                self._size += _taken_by(found)
                self._signal.set()
            return not self.is_closed

    def end(self, error: Exception | None = None) -> None:
        """Nothing more comes; the reader gets the error behind all messages."""
        with self._changed:
            if not self.is_closed:
                self._error, self._has_ended = error, True
                self._signal.set()

    def pause(self, seconds: float) -> bool:
        """Wait for so long; False when nobody reads any more."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_closed, seconds)
            return not self.is_closed

    # ── the reader ───────────────────────────────────────────────────────────────────────────────────────────
    def take(self) -> MessageBatch | None:
        """Some of what is there, maybe nothing; None at the end.  The error with which it ended."""
        with self._changed:
            found = self._first()
            if self._waiting or found or not (self._has_ended or self.is_closed):
                return found
            if self._error is not None:
                raise self._error
            return None

    def _first(self) -> MessageBatch:
        """As many messages as are decoded together."""
        parts, size = list[MessageBatch](), 0
        while self._waiting and (not parts or size + self._waiting[0].size <= AT_ONCE):
            parts.append(self._waiting.popleft())
            size += parts[-1].size
        found = MessageBatch.joined(parts)
        self._size -= _taken_by(found)
        if not (self._waiting or self._has_ended or self.is_closed):
            self._signal.clear()
        self._changed.notify_all()
        return found

    def close(self) -> None:
        """Nobody reads any more; the thread is told with the next message, or pause."""
        with self._changed:
            if not self.is_closed:
                self.is_closed = True
                self._signal.close()
                self._waiting.clear()
                self._changed.notify_all()


def _taken_by(messages: MessageBatch) -> int:
    """The bytes that messages take."""
    return messages.size + OVERHEAD * len(messages)
