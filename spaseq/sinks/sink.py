"""What takes the results of a run: brokers and servers by their URLs, and folders.

A sink of one's own derives from ``Sink``, and its scheme is an entry point of the group ``spaseq.sinks``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import ClassVar

from spaseq.environment import with_first
from spaseq.errors import OptionError
from spaseq.text import did_you_mean

GROUP = "spaseq.sinks"  # of entry points: schemes, and the classes that write to what their URLs name
_OWN = "spaseq.sinks"
SINKS = {  # schemes that are known without an entry point: the module and the class, and the extra that it needs
    "kafka": (f"{_OWN}.kafka", "TopicSink", "kafka"),
    "mqtt": (f"{_OWN}.mqtt", "Publication", "mqtt"),
    "mqtts": (f"{_OWN}.mqtt", "Publication", "mqtt"),
    "http": (f"{_OWN}.webhook", "Webhook", "http"),
    "https": (f"{_OWN}.webhook", "Webhook", "http"),
    "ws": (f"{_OWN}.websocket", "SocketSink", "websocket"),
    "wss": (f"{_OWN}.websocket", "SocketSink", "websocket"),
}
_FOLDER = (f"{_OWN}.folder", "PartFolder", "arrow")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A result on its way.  It has the same ``run`` and ``number``, counted from 1, whenever it is made again."""

    data: bytes
    run: str
    number: int
    headers: tuple[tuple[str, bytes], ...] = ()  # what else is said of it, by those who can

    @property
    def id(self) -> str:
        """Its name."""
        return f"{self.run}-{self.number}"


class Sink(ABC):
    """Takes results in their order.  StreamError of any of this: it cannot be reached, or does not take them."""

    formats: ClassVar[tuple[str, ...]] = ("jsonl", "nquads")  # the first is the usual one
    has_headers: ClassVar[bool] = True  # data may be any bytes, and ``headers`` go with them
    has_transactions: ClassVar[bool] = False  # ``commit``: what is given arrives whole, and is found again

    def __init__(self, url: str) -> None:
        self.url = url

    def open(self) -> None:  # noqa: B027  (most need nothing)
        """Results are going to be given one by one: see whether somebody takes them."""

    @abstractmethod
    def send(self, results: Sequence[Outgoing]) -> None:
        """Give them away.  It waits while too many are under way."""

    @abstractmethod
    def flush(self) -> None:
        """Wait until all that were given have arrived."""

    @property
    def is_transactional(self) -> bool:
        """Whether results leave in transactions, where there are checkpoints."""
        return self.has_transactions

    def mark(self) -> str:
        """Where results stand that are given from now on, or before that."""
        raise NotImplementedError

    def newest(self, run: str, mark: str) -> int | None:
        """The number of the newest result of a run behind a mark, None: there is none.  Other runs of its name end."""
        raise NotImplementedError

    def commit(self, results: Sequence[Outgoing]) -> None:
        """Give all of them away in one transaction."""
        raise NotImplementedError

    def close(self) -> None:  # noqa: B027  (nothing may be open)
        """Nothing more comes."""


def names_sink(target: str) -> bool:
    """Whether results of this target go to a sink, and not to a file: a URL, or a folder."""
    return _scheme(target) is not None or is_folder(target)


def is_folder(target: str) -> bool:
    """Whether it is one: its name ends with a slash."""
    return _scheme(target) is None and target.endswith("/")


def opened_sink(target: str) -> Sink:
    """What a target names.

    OptionError: nothing writes to such URLs, the URL makes no sense, or the library is not installed that it needs.
    """
    if is_folder(target):
        return _own("a folder", *_FOLDER)(target)
    scheme = _scheme(target)
    assert scheme is not None
    made = _of_scheme(scheme)
    if made is None:
        from importlib.metadata import entry_points

        known = did_you_mean(scheme, [*SINKS, *entry_points(group=GROUP).names])
        raise OptionError(f"nothing writes to {f'{scheme}://' if target.startswith(scheme) else target}; {known}")
    return made(target)


def _scheme(target: str) -> str | None:
    """The scheme of a URL; None: it is none.  OptionError: a variable of the environment is not there."""
    found = _SCHEME.match(with_first(target))
    return None if found is None else found[1]


@cache
def _of_scheme(scheme: str) -> type[Sink] | None:
    from importlib.metadata import entry_points  # an import that is seldom needed

    if scheme in SINKS:
        return _own(f"{scheme}://", *SINKS[scheme])
    for entry in entry_points(group=GROUP, name=scheme):
        made = entry.load()
        if not (isinstance(made, type) and issubclass(made, Sink)):
            raise OptionError(f"{scheme}:// is written by {entry.value}, which does not derive from Sink")
        return made
    return None


def _own(what: str, module: str, name: str, extra: str) -> type[Sink]:
    try:
        found: type[Sink] = getattr(import_module(module), name)
    except ImportError as error:
        missing = f"{what} needs {error.name}; install it with: pip install 'spaseq[{extra}]'"
        raise OptionError(missing) from error
    return found
