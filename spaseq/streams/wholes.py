"""From sources of messages to events as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from gpm.native.assembly import Encoder
from nfa_native.words import Terms
from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.delimited import FORMATS, read_messages
from spaseq.streams.event import Events
from spaseq.streams.jelly import read_jelly
from spaseq.streams.jsonld import read_jsonld
from spaseq.streams.messages import Message, Received, batches
from spaseq.streams.wire import WireOptions, WireReport

KINDS = (*FORMATS, "jsonld", "jelly")


def read_wholes(
    kind: str,
    source: BinaryIO,
    path: str,
    stream: str,
    options: WireOptions,
    report: WireReport,
    encoder: Encoder | None = None,
) -> Iterator[Events]:
    """Give the events of a source of messages as they come; ``kind`` is one of KINDS.

    ``source`` has ``read1`` and ``peek``.  A wire error is raised as StreamError after the events before
    it, or, with ``options.skip``, noted in ``report``.
    """
    encoder = encoder or Encoder(Terms())
    nothing = Events.of(stream, [], encoder)
    messages: Iterable[Received | None]
    if kind == "jelly":
        frames = read_jelly(source, path)
        messages = frames.messages()
        if not frames.grouped:
            yield from by_graphs(
                messages, EventAssembler(stream, options, report, encoder), path, lambda: frames.is_idle
            )
            return
    else:
        messages = read_jsonld(source, path) if kind == "jsonld" else read_messages(source, path, kind)
    for batch in batches(messages, stream, options, report):
        yield Events.of(stream, batch, encoder) if batch else nothing


def by_graphs(
    portions: Iterable[Received | None], assembler: EventAssembler, path: str, is_idle: Callable[[], bool]
) -> Iterator[Events]:
    """The events of a stream of quads, of which each portion has some; None comes before waiting for more.

    ``is_idle``: nothing came for so long that the open event is complete.
    """
    try:
        place = _Portion(Message([], lambda _: Location(path)))
        for portion in portions:
            if isinstance(portion, Message):
                place = _Portion(portion)
                assembler.read(place.block, place)
            elif portion is not None:
                assembler.fail(portion, None, 0, place)
            elif is_idle():
                assembler.flush()
            yield assembler.take() or assembler.nothing
        assembler.finish(place.locate(0, ""))
    except StreamError:
        if complete := assembler.take():
            yield complete
        raise
    if complete := assembler.take():
        yield complete


class _Portion:
    """Quads as N-Quads lines; a Place."""

    def __init__(self, message: Message) -> None:
        self.block = "".join(f"{quad} .\n" for quad in message.quads).encode()
        self._locate = message.locate

    def locate(self, offset: int, text: str) -> Location:
        return self._locate(text)

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        line = self.block[offset:].partition(b"\n")[0].decode()
        return StreamError(f"a term of this statement cannot be used: {line}", self.locate(offset, "")), None
