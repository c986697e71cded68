"""Sources that cannot be read again, by way of a disk: what they gave is there until it is in a checkpoint.

Messages are on the disk before they are acknowledged, and are gone when a checkpoint has them.  Bytes without bounds
of messages stay: who goes on reads them from their beginning, as those of a file.
"""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

from spaseq.errors import OptionError, StreamError
from spaseq.sources.source import AT_ONCE, Pipe, Source, opened_url
from spaseq.sources.transports.receiving import Threaded
from spaseq.sources.transports.spool_file import SpoolFile
from spaseq.sources.transports.transport import Message, Position, Transport

S = TypeVar("S", bound=Source)
STEP = 0.1  # seconds between two looks whether anybody reads
_TELLING = 40  # characters of a stream's name that the name of its file has


def spooled(path: str, stream: str, folder: Path, follow: bool = False) -> Spool | SpooledBytes | None:
    """What a URL or a pipe gives, by way of a file in ``folder`` for ``stream``; None: it can be read again by itself.

    OptionError: the URL makes no sense, it has several partitions, or the file cannot be used.
    """
    source = opened_url(path)
    if source is None:
        source = Pipe(path, follow)
    elif source.resumes and not source.redelivers:
        source.close()
        return None
    return through_spool(source, SpoolFile(folder / spool_name(stream)))


def through_spool(source: Source, file: SpoolFile) -> Spool | SpooledBytes:
    """What a source gives, by way of a file.  OptionError: its messages are in several partitions."""
    if not (isinstance(source, Transport) and source.comes_in_messages):
        return SpooledBytes(source, file)
    if len(found := source.partitions()) != 1:
        raise OptionError(f"{source.url} has {len(found):,} partitions, and a spool keeps one: name one of them")
    return Spool(found[0], file)


def spool_name(stream: str) -> str:
    """The name of the file for a stream: one can see whose it is, and no two have the same."""
    digest = hashlib.sha256(stream.encode()).hexdigest()[:8]
    return f"{re.sub('[^A-Za-z0-9.-]+', '-', stream)[-_TELLING:].strip('-')}-{digest}.spool"


class _Spooled(Threaded, Generic[S]):
    """What comes is put to the disk as soon as it is there, and then read from it."""

    def __init__(self, source: S, file: SpoolFile) -> None:
        super().__init__(source.url)
        self._source = source
        self._file = file
        self._ended = False
        self._error: Exception | None = None  # with which the source ended

    @property
    def identity(self) -> str:
        """What tells its file from others."""
        return self._file.identity

    def receive(self) -> None:
        """See ``Receiving``."""
        number = self.position if isinstance(self.position, int) else 0
        while not self.channel.is_closed:
            self._look()
            if found := self._file.after(number):
                self.channel.put(found)
                number = int(found[-1].position or 0)
            elif self._error is not None:
                raise self._error
            elif self._ended:
                return
            elif not self._source.ready():
                self._source.wait(STEP)

    def close(self) -> None:
        """See ``Source``."""
        super().close()
        self._source.close()
        self._file.close()

    def _look(self) -> None:
        """Keep what is there."""
        try:
            if not self._ended and self._source.ready():
                self._ended = not self._keep()
        except (OSError, StreamError) as error:
            self._error, self._ended = error, True

    @abstractmethod
    def _keep(self) -> bool:
        """Put what is there to the disk; False at the end.  StreamError, OSError: it broke off."""


class Spool(_Spooled[Transport]):
    """The messages of a transport; their positions are numbers."""

    resumes = True

    def __init__(self, source: Transport, file: SpoolFile) -> None:
        super().__init__(source, file)
        self.format = source.format

    def take(self) -> Sequence[Message] | None:
        """See ``Transport``."""
        found = super().take()
        self.dropped = self._source.dropped
        return found

    def go_on(self, position: Position) -> None:
        """See ``Transport``.  OptionError: the spool does not belong to what stopped there."""
        number = position if isinstance(position, int) else 0
        self._file.check(number)
        self._file.release(number)
        super().go_on(number)

    def release(self, position: Position) -> None:
        """See ``Transport``."""
        if isinstance(position, int):
            self._file.release(position)

    def place(self, message: Message) -> str:
        """See ``Transport``."""
        return self._source.place(message)

    def _keep(self) -> bool:
        messages = self._source.arrivals.take()
        if messages is None:
            return False
        self._file.add(messages)
        self._source.release(messages[-1].position)
        return True


class SpooledBytes(_Spooled[Source]):
    """Bytes, of which text is kept in whole lines: another process cannot tell how one goes on that was begun."""

    comes_in_messages = False

    def __init__(self, source: Source, file: SpoolFile) -> None:
        super().__init__(source, file)
        self._rest = b""  # of a line
        self._is_text: bool | None = None

    def read(self) -> bytes:
        """See ``Source``: as it came."""
        return b"".join(one.data for one in self.arrivals.take() or [])

    def _keep(self) -> bool:
        data = self._source.read()
        if self._is_text is None:
            self._is_text = _is_text(data)
        text = self._rest + data
        if not data and self._is_text and text:
            text += b"\n"  # what another process adds begins a line
        whole = self._whole(text) if data else len(text)
        if whole:
            self._file.add([Message(text[:whole])])
        self._rest = text[whole:]
        return bool(data)

    def _whole(self, text: bytes) -> int:
        """How much of it can be kept."""
        return text.rfind(b"\n") + 1 if self._is_text and len(text) < AT_ONCE else len(text)


def _is_text(data: bytes) -> bool:
    """Whether bytes begin as a text does, not as what is packed or binary."""
    return not re.search(rb"[^\t\n\f\r -\x7e\x80-\xf4]", data[:1000]) and data[:1] != b"\x1f"
