"""Transports whose messages a test has written, in one partition or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spaseq.errors import StreamError
from spaseq.sources.transports.transport import Message, Position, Transport

TIME = "http://www.w3.org/ns/prov#generatedAtTime"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def event(name: str, time: int, value: int = 0) -> bytes:
    """An event in N-Quads, whose graph says ``name :value value``; without a line end."""
    return (
        f'<urn:{name}> <urn:value> "{value}"^^<{INTEGER}> <urn:{name}> .\n<urn:{name}> <{TIME}> "{time}"^^<{INTEGER}> .'
    ).encode()


class Scripted(Transport):
    """Gives the messages of a list, at most ``at_once`` at a time; an exception is raised, None is a moment without.

    Positions are the numbers of the messages.
    """

    resumes = True

    def __init__(self, messages: Sequence[bytes | StreamError | None], at_once: int = 1, url: str = "scripted://x"):
        super().__init__(url)
        self.messages = list(messages)
        self.at_once = at_once
        self.at = 0
        self.position = -1
        self.released: list[Position] = []
        self.is_closed = False

    def take(self) -> Sequence[Message] | None:
        if self.at >= len(self.messages):
            return None
        found: list[Message] = []
        while self.at < len(self.messages) and len(found) < self.at_once:
            one = self.messages[self.at]
            if isinstance(one, StreamError) and found:
                break
            self.at += 1
            if isinstance(one, StreamError):
                raise one
            if one is None:
                break
            found.append(Message(one, self.at - 1))
        return found

    def go_on(self, position: Position) -> None:
        assert isinstance(position, int)
        super().go_on(position)
        self.at = position + 1

    def release(self, position: Position) -> None:
        self.released.append(position)

    def close(self) -> None:
        self.is_closed = True


class Topic(Transport):
    """Some partitions, by name."""

    resumes = True

    def __init__(self, partitions: Mapping[str, Scripted], url: str = "scripted://x") -> None:
        super().__init__(url)
        self._partitions = partitions
        for name, one in partitions.items():
            one.name, one.url = name, f"{url}[{name}]"

    def partitions(self) -> Sequence[Transport]:
        return list(self._partitions.values())

    def take(self) -> None:
        raise AssertionError("its partitions are read")
