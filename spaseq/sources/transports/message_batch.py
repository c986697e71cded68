"""What came: messages, mostly many of them, whose bytes are looked at together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, overload

Position: TypeAlias = "int | str | None"  # of a message among those of its transport; None: it has none


class Message(NamedTuple):
    """What came as one.  An event never lies in two of them.

    ``time`` is what the transport says of it, in microseconds since 1970.
    """

    data: bytes
    position: Position = None
    time: int | None = None
    key: bytes | None = None
    headers: Sequence[tuple[str, bytes]] = ()


def _itself(one: Message) -> Message:
    return one


class MessageBatch(Sequence[Message]):
    """Messages in their order; ``data`` has the bytes of each, ``size`` is how many these are.

    ``ones`` are what a library has received, of which ``made`` makes a message when somebody asks for it: few do.
    """

    __slots__ = ("_made", "_ones", "data", "size")

    def __init__(self, data: list[bytes], ones: list[Any], made: Callable[[Any], Message] = _itself) -> None:
        self.data = data
        self.size = sum(map(len, data))
        self._ones = ones
        self._made = made

    @classmethod
    def of(cls, messages: Sequence[Message]) -> MessageBatch:
        """Those of any sequence."""
        if isinstance(messages, MessageBatch):
            return messages
        return cls([one.data for one in messages], list(messages))

    @classmethod
    def joined(cls, parts: Sequence[MessageBatch]) -> MessageBatch:
        """Those of parts of one transport, behind each other."""
        if len(parts) == 1:
            return parts[0]
        data, ones = (chain.from_iterable(some) for some in ([one.data for one in parts], [one._ones for one in parts]))
        return cls([*data], [*ones], parts[0]._made if parts else _itself)

    def parts(self, size: int) -> Iterator[MessageBatch]:
        """Each time the next ones that have so many bytes together, or that with which they have more."""
        begin = total = 0
        for end, length in enumerate(map(len, self.data), 1) if self.size > size else ():
            total += length
            if total >= size:
                yield self[begin:end]
                begin, total = end, 0
        if begin < len(self.data):
            yield self[begin:] if begin else self

    def halves(self) -> tuple[MessageBatch, MessageBatch]:
        """Those before and behind the middle."""
        middle = len(self.data) // 2
        return self[:middle], self[middle:]

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Message]:
        return map(self._made, self._ones)

    @overload
    def __getitem__(self, place: int) -> Message: ...
    @overload
    def __getitem__(self, place: slice) -> MessageBatch: ...
    def __getitem__(self, place: int | slice) -> Message | MessageBatch:
        if isinstance(place, slice):
            return MessageBatch(self.data[place], self._ones[place], self._made)
        return self._made(self._ones[place])
