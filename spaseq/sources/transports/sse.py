"""Server-sent events (text/event-stream), as the HTML standard has them: from lines to messages."""

from __future__ import annotations

from collections.abc import Iterator

from spaseq.sources.transports.transport import Message

LONGEST_PAUSE = 86_400.0  # seconds


class EventStream:
    """Takes lines, gives messages; ``last_id`` is what a new request says, ``retry`` the seconds before it, if told.

    ``size``: about how many bytes the message has that is not complete.  ``lacks_ids``: an event had none, so that what
    comes behind it cannot be asked for.
    """

    def __init__(self, last_id: str = "") -> None:
        self.last_id = last_id
        self.retry: float | None = None
        self.lacks_ids = False
        self.size = 0
        self._data: list[str] = []
        self._id = last_id
        self._kind = ""
        self._begins = True

    def take(self, line: str) -> Iterator[Message]:
        """A line came, without its end; the message that it completes."""
        if self._begins:
            self._begins, line = False, line.removeprefix("\ufeff")
        if not line:
            yield from self._dispatched()
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            self._field(name, value.removeprefix(" "))

    def interrupted(self) -> None:
        """The connection was lost: what is not complete is forgotten."""
        self._data, self._id, self._kind, self.size, self._begins = [], self.last_id, "", 0, True

    def _field(self, name: str, value: str) -> None:
        if name == "data":
            self._data.append(value)
            self.size += len(value) + 1
        elif name == "event":
            self._kind = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = min(float(value) / 1000, LONGEST_PAUSE)

    def _dispatched(self) -> Iterator[Message]:
        self.last_id = self._id
        if self._data:
            headers = (("event", self._kind.encode()),) if self._kind else ()
            self.lacks_ids = not self.last_id
            yield Message("\n".join(self._data).encode(), self.last_id or None, headers=headers)
        self._data, self._kind, self.size = [], "", 0
