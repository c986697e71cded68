"""Reading Jelly, a binary format of frames; the package pyjelly decodes it (``pip install 'spaseq[jelly]'``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from spaseq.errors import Location, StreamError

if TYPE_CHECKING:
    from spaseq.streams.jelly_frames import JellyFrames

# Perhaps empty frames and the frame's size, then the first row, and in it the options of the stream.
_START = re.compile(rb"\x00*(?:[\x80-\xff]{0,4}[\x01-\x7f])?\n[\x80-\xff]{0,4}[\x00-\x7f]\n[\x80-\xff]{0,4}[\x00-\x7f]")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")


def read_jelly(source: BinaryIO, path: str) -> JellyFrames:
    """The frames of a source that has ``peek``.

    StreamError: pyjelly is not installed, the source does not begin as Jelly does, or its type of stream has no events.
    """
    try:
        from spaseq.streams.jelly_frames import JellyFrames
    except ImportError as error:
        message = f"reading Jelly needs the package pyjelly: {error}"
        raise StreamError(message, Location(path), hint="pip install 'spaseq[jelly]'") from None
    beginning = source.peek(64)  # type: ignore[attr-defined]
    if beginning.strip(b"\0") and not is_jelly(beginning):
        raise StreamError("this does not begin as Jelly does", Location(path))
    return JellyFrames(source, path)


def is_jelly(beginning: bytes) -> bool:
    """Whether data that begin so look like Jelly."""
    return _START.match(beginning) is not None and _NO_TEXT.search(beginning[:64]) is not None
