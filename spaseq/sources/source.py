"""Where the bytes of a stream come from, if from no file that is there: pipes, files that grow, and other sources.

A source of one's own derives from ``Source``, and its scheme is an entry point of the group ``spaseq.sources``: then
``scheme://…`` stands wherever the path of a stream may (CONTRIBUTING, "Adding a source").
"""

from __future__ import annotations

import os
import re
import select
import stat
import time
from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from pathlib import Path

from spaseq.environment import with_first
from spaseq.errors import OptionError
from spaseq.text import did_you_mean

AT_ONCE = 1 << 18  # bytes of one read
INTERVAL = 0.005  # seconds between two looks at a source of which nothing tells that bytes are there
GROUP = "spaseq.sources"  # of entry points: schemes, and the classes that read what their URLs name
_OWN = "spaseq.sources.transports"
TRANSPORTS = {  # schemes that are known without an entry point: the module and the class, and the extra that it needs
    "kafka": (f"{_OWN}.kafka", "Topic", "kafka"),
    "mqtt": (f"{_OWN}.mqtt", "Subscription", "mqtt"),
    "mqtts": (f"{_OWN}.mqtt", "Subscription", "mqtt"),
    "http": (f"{_OWN}.http", "Response", "http"),
    "https": (f"{_OWN}.http", "Response", "http"),
    "ldes+http": (f"{_OWN}.ldes", "LinkedDataEventStream", "http"),
    "ldes+https": (f"{_OWN}.ldes", "LinkedDataEventStream", "http"),
    "ws": (f"{_OWN}.websocket", "Socket", "websocket"),
    "wss": (f"{_OWN}.websocket", "Socket", "websocket"),
}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://")


class Source(ABC):
    """Bytes of a stream as they come, in any format of streams; maybe packed by gzip.

    ``read`` is all that a source needs; while it waits, so do the other streams of its queries.  They do not where it
    has a ``descriptor``, or says whether it is ``ready``.
    """

    goes_on = False  # after the end of one file there is another: ``next_file``
    resumes = False  # what comes in messages is read on behind a position (``Transport``)
    redelivers = False  # of what resumes: only what was not released, and that may come twice

    def __init__(self, url: str) -> None:
        self.url = url

    @abstractmethod
    def read(self) -> bytes:
        """What is there, or else the next that comes; empty at the end.  StreamError, OSError: it broke off."""

    def descriptor(self) -> int | None:
        """What the operating system can wait for; None: nothing, it has to be looked at every now and then."""
        return None

    def ready(self) -> bool:
        """Whether bytes, or the end, are there; True where nobody can tell."""
        descriptor = self.descriptor()
        return descriptor is None or bool(_polled(descriptor, 0))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until they are, at most so long, or for a moment: look again."""
        descriptor = self.descriptor()
        if descriptor is None:
            time.sleep(INTERVAL)
        else:
            _polled(descriptor, None if seconds is None else seconds * 1000)

    @property
    def tells(self) -> bool:
        """Whether ``ready`` can tell."""
        return type(self).ready is not Source.ready or self.descriptor() is not None

    def next_file(self) -> None:  # noqa: B027  (most have none)
        """Go on to the next file, where there is one."""

    def close(self) -> None:  # noqa: B027  (nothing may be open)
        """Read no further."""


def _polled(descriptor: int, milliseconds: float | None) -> list[tuple[int, int]]:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return poll.poll(milliseconds)


def is_url(path: str) -> bool:
    """Whether a path names a source by a scheme that is known."""
    scheme = _scheme(path)
    return scheme is not None and (scheme in TRANSPORTS or _of_scheme(scheme) is not None)


def check_scheme(path: str) -> None:
    """OptionError: a path is a URL of a scheme that nothing reads."""
    scheme = _scheme(path)
    if scheme is not None and not is_url(path):
        from importlib.metadata import entry_points

        known = [*TRANSPORTS, *entry_points(group=GROUP).names]
        what = f"{scheme}://" if path.startswith(scheme) else "its scheme"
        raise OptionError(f"{path}: nothing reads {what}; {did_you_mean(scheme, known)}")


def resumes(path: str) -> bool:
    """Whether a path names a source whose messages can be read on where another run stopped."""
    source = opened_url(path)
    if source is None:
        return False
    try:
        return source.resumes
    finally:
        source.close()


def opened_url(path: str) -> Source | None:
    """The source that a path names by its scheme; None: it is a path.

    OptionError: the URL makes no sense, or the library is not installed that its scheme needs.
    """
    scheme = _scheme(path)
    made = None if scheme is None else _of_scheme(scheme)
    return None if made is None else made(path)


def _scheme(path: str) -> str | None:
    """The scheme of a URL; None: it is none.  OptionError: a variable of the environment is not there."""
    found = _SCHEME.match(with_first(path))
    return None if found is None else found[1]


@cache
def _of_scheme(scheme: str) -> type[Source] | None:
    if scheme in TRANSPORTS:
        return _transport(scheme, *TRANSPORTS[scheme])
    from importlib.metadata import entry_points  # an import that is seldom needed

    for entry in entry_points(group=GROUP, name=scheme):
        made = entry.load()
        if not (isinstance(made, type) and issubclass(made, Source)):
            raise OptionError(f"{scheme}:// is read by {entry.value}, which does not derive from Source")
        return made
    return None


def _transport(scheme: str, module: str, name: str, extra: str) -> type[Source]:
    try:
        found: type[Source] = getattr(import_module(module), name)
    except ImportError as error:
        missing = f"{scheme}:// needs {error.name}; install it with: pip install 'spaseq[{extra}]'"
        raise OptionError(missing) from error
    return found


class Pipe(Source):
    """What the operating system can wait for: a pipe, a terminal.

    A named pipe opens without waiting for who writes into it.  With ``follow`` it does not end when nobody does.
    """

    def __init__(self, path: str, follow: bool) -> None:
        super().__init__(path)
        self._owned = path != "-"
        mode = os.O_RDWR if follow and self._owned and _is_fifo(path) else os.O_RDONLY
        self._file = os.open(path, mode | os.O_NONBLOCK) if self._owned else 0
        self._poll = select.poll()
        self._poll.register(self._file, select.POLLIN)

    def ready(self) -> bool:
        """Whether bytes, or the end, are there."""
        return bool(self._poll.poll(0))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until they are, at most so long."""
        self._poll.poll(None if seconds is None else seconds * 1000)

    def read(self) -> bytes:
        """What is there, when it is ready; empty at the end."""
        return os.read(self._file, AT_ONCE)

    def descriptor(self) -> int | None:
        """The file descriptor."""
        return self._file

    def close(self) -> None:
        """Close what was opened here."""
        if self._owned:
            os.close(self._file)
            self._owned = False


class GrowingFile(Source):
    """A file that is read as it grows.

    It ends where it is cut to less than what was read, or where another file has its name and something in it; that
    file is then the next one.  What stands in the old one is read before.
    """

    goes_on = True
    _place: int  # bytes read
    _data: bytes  # of them, those that nobody has taken
    _ended: bool

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._path = path
        self._file = os.open(path, os.O_RDONLY) if path != "-" else 0
        self._next: int | None = None  # another file with its name
        self._begin()

    def ready(self) -> bool:
        """Whether bytes, or the end, are there."""
        if not self._data and not self._ended:
            self._look_for_next()  # before the last look at the old file, which is not written any more
            self._data = os.read(self._file, AT_ONCE)
            self._place += len(self._data)
            self._ended = not self._data and (self._next is not None or os.fstat(self._file).st_size < self._place)
        return bool(self._data) or self._ended

    def read(self) -> bytes:
        """What is there, when it is ready; empty at the end."""
        data, self._data = self._data, b""
        return data

    def next_file(self) -> None:
        """Begin to read what stands under the name now."""
        if self._next is None:  # the same file was cut
            os.lseek(self._file, 0, os.SEEK_SET)
        else:
            os.close(self._file)
            self._file, self._next = self._next, None
        self._begin()

    def close(self) -> None:
        """Close what was opened here."""
        for file in (self._file, self._next):
            if file:
                os.close(file)
        self._file, self._next = 0, None

    def _begin(self) -> None:
        self._place = os.lseek(self._file, 0, os.SEEK_CUR)  # where standard input was left
        self._data = b""
        self._ended = False

    def _look_for_next(self) -> None:
        """Open another file that has the name, if something is in it."""
        if self._next is None and self._is_another(self._path):
            file = os.open(self._path, os.O_RDONLY)
            if self._is_another(file):
                self._next = file
            else:
                os.close(file)

    def _is_another(self, path: str | int) -> bool:
        try:
            found = os.stat(path)  # noqa: PTH116  (Path has no descriptors)
        except OSError:  # nothing has the name; standard input has none
            return False
        same = os.path.samestat(found, os.fstat(self._file))
        return not same and stat.S_ISREG(found.st_mode) and found.st_size > 0


def is_regular(path: str | int) -> bool:
    """Whether a path or an open file is one on a disk; OSError: there is none."""
    return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116  (Path has no descriptors)


def _is_fifo(path: str) -> bool:
    return Path(path).is_fifo()
