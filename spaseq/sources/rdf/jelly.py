"""Reading Jelly, a binary format of frames; the package pyjelly decodes it (``pip install 'spaseq[jelly]'``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from spaseq.errors import Location, StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.jsonld import Collected
from spaseq.sources.rdf.text import Gathering
from spaseq.sources.rdf.trig import unusable

if TYPE_CHECKING:
    from spaseq.sources.rdf.jelly_frames import JellyFrames

# Perhaps empty frames and the frame's size, then the first row, and in it the options of the stream.
_START = re.compile(rb"\x00*(?:[\x80-\xff]{0,4}[\x01-\x7f])?\n[\x80-\xff]{0,4}[\x00-\x7f]\n[\x80-\xff]{0,4}[\x00-\x7f]")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")


def read_jelly(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a source, which has ``peek``, as they come.

    StreamError as for ``open_jelly``; after the events before it: data are damaged, or a frame is no event.
    """
    frames = open_jelly(source, path)
    try:
        yield from _by_frames(frames, assembler) if frames.grouped else _by_graphs(frames, assembler, path)
    finally:
        if complete := assembler.take():
            yield complete


def _by_frames(frames: JellyFrames, assembler: EventAssembler) -> Iterator[Events]:
    """The events of a stream of which each frame is one."""
    collected, gathering = Collected(assembler, lambda frame: frame), Gathering()
    for frame in frames.decoded():
        is_due = frame is None
        if isinstance(frame, StreamError):
            collected.fail(frame)
        elif frame is not None:
            collected.add(frame.lines, frame)
            is_due = gathering.is_due(len(frame.lines))
        if is_due:
            collected.flush()
            yield assembler.take() or assembler.nothing
    collected.flush()


def _by_graphs(frames: JellyFrames, assembler: EventAssembler, path: str) -> Iterator[Events]:
    """The events of a stream of quads, of which each frame has some."""
    place, gathering = _Portion(b"", Location(path)), Gathering()
    for frame in frames.decoded():
        is_due = frame is None
        if isinstance(frame, StreamError):
            assembler.fail(frame, None, 0, place)
        elif frame is not None:
            place = _Portion(frame.lines, frame.locate())
            assembler.read(frame.lines, place)
            is_due = gathering.is_due(len(frame.lines))
        elif frames.is_idle:
            assembler.flush()
        if is_due:
            yield assembler.take() or assembler.nothing
    assembler.finish(lambda: place.locate(0, ""))


class _Portion:
    """The lines of a frame, as a Place."""

    def __init__(self, lines: bytes, place: Location) -> None:
        self._lines = lines
        self._place = place

    def locate(self, offset: int, text: str) -> Location:
        return self._place

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        return unusable(self._lines, offset, self._place)


def open_jelly(source: BinaryIO, path: str) -> JellyFrames:
    """The frames of a source that has ``peek``.

    StreamError: pyjelly is not installed, the source does not begin as Jelly does, or its type of stream has no events.
    """
    try:
        from spaseq.sources.rdf.jelly_frames import JellyFrames
    except ImportError as error:
        message = f"reading Jelly needs the package pyjelly: {error}"
        raise StreamError(message, Location(path), hint="pip install 'spaseq[jelly]'") from None
    beginning = source.peek(64)[:64]  # type: ignore[attr-defined]
    if beginning[:32].strip(b"\0") and not is_jelly(beginning):  # else it begins with too many empty frames to tell
        raise StreamError("this does not begin as Jelly does", Location(path))
    return JellyFrames(source, path)


def is_jelly(beginning: bytes) -> bool:
    """Whether data that begin so look like Jelly."""
    return _START.match(beginning) is not None and _NO_TEXT.search(beginning[:64]) is not None
