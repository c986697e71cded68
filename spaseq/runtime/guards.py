"""What guards an engine: one thread at a time may call it, and none once memory has run out.

A call beside another one is refused before it can do any harm.

The look whether a call is under way, and the note that one is now, are steps between which CPython changes to no other
thread and runs no signal handler (it does at calls and at the ends of loops).  So they need no lock, which would cost
more than all the rest.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any, ClassVar, Concatenate, NoReturn, ParamSpec, Protocol, SupportsIndex, TypeVar

from spaseq.errors import BusyError, OptionError, OutOfMemoryError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Uncopied:
    """What has a state that copies would share: it is neither copied nor pickled; ``instead`` says what to do."""

    instead: ClassVar[str]

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """OptionError, for ``copy``, ``deepcopy`` and ``pickle`` alike."""
        own = type(self).__name__
        raise OptionError(f"{own} is neither copied nor pickled, as copies would share its state: {self.instead}")


ANOTHER_ENGINE = "take its snapshot(), and restore() another one from that"


class Use:
    """Which call is under way in what belongs to one thread at a time, such as "this engine"; "": none is.

    ``owner`` is the thread that began it.  Where an iterator of tables is half consumed, ``call`` is what gave it.
    """

    __slots__ = ("call", "lock", "owner", "pending", "what")

    def __init__(self, what: str) -> None:
        self.what = what
        self.call = ""
        self.owner = 0
        self.pending: weakref.ref[Tables[Any]] | None = None  # the iterator that is half consumed
        self.lock = threading.Lock()

    def wait(self, name: str) -> None:
        """BusyError, unless ``call`` is over: of an iterator that was dropped, the rest comes with a later call."""
        with self.lock:
            if self.pending is not None:
                if self.pending() is not None:
                    raise self._half_consumed(name)
                self.pending = None
                self.end()
        call = self.call
        if call and self.owner == get_ident():
            raise self._from_within(name, call)
        if call:
            raise self._by_another(name, call)

    def check(self, name: str) -> None:
        """BusyError if another thread is within a call."""
        if self.call and self.pending is None and self.owner != get_ident():
            self.wait(name)

    def end(self) -> None:
        """The call is over."""
        self.owner = 0  # before another thread can begin
        self.call = ""

    def _half_consumed(self, name: str) -> BusyError:
        rest = "take them all before the next call, or close() the iterator, whose rest then comes with a later call"
        return BusyError(f"{name}: not all tables of {self.call} are taken; {rest}")

    def _from_within(self, name: str, call: str) -> BusyError:
        return BusyError(
            f"{name}: {call} of {self.what} is under way, and has called you (on_match, on_late or an iterable of "
            "yours): do that after it has returned"
        )

    def _by_another(self, name: str, call: str) -> BusyError:
        return BusyError(
            f"{name}: {call} of {self.what} is under way in another thread; {self.what.replace('this', 'one', 1)} "
            "belongs to one thread at a time"
        )


class Exclusive(Protocol):
    """What belongs to one thread at a time."""

    _use: Use


E = TypeVar("E", bound=Exclusive)
Method = Callable[Concatenate[E, P], R]


def exclusive(method: Method[E, P, R]) -> Method[E, P, R]:
    """The method; BusyError where a call is under way, or an iterator of tables is half consumed."""
    name = method.__name__

    @functools.wraps(method)
    def alone(self: E, /, *args: P.args, **options: P.kwargs) -> R:
        use = self._use
        while use.call:
            use.wait(name)
        use.call = name
        try:
            use.owner = get_ident()
            return method(self, *args, **options)
        finally:
            use.owner = 0
            use.call = ""

    return alone


def reading(method: Method[E, P, R]) -> Method[E, P, R]:
    """The method, which callbacks may call as well, and whoever has consumed half of an iterator."""
    alone, name = exclusive(method), method.__name__

    @functools.wraps(method)
    def within(self: E, /, *args: P.args, **options: P.kwargs) -> R:
        use = self._use
        if use.call and use.owner == get_ident():
            return method(self, *args, **options)
        return alone(self, *args, **options)

    within.__name__ = name
    return within


def in_steps(method: Method[E, P, Iterator[T]]) -> Method[E, P, Iterator[T]]:
    """The method as an exclusive one, and so is each step of the iterator that it gives."""
    begin = exclusive(method)

    @functools.wraps(method)
    def alone(self: E, /, *args: P.args, **options: P.kwargs) -> Iterator[T]:
        return Tables(self._use, method.__name__, begin(self, *args, **options))

    return alone


class Tables(Uncopied, Iterator[T]):
    """Tables that are made as they are taken; from the first one to the end nothing else is called, but statistics."""

    instead = "take the tables, and copy these"

    def __init__(self, use: Use, name: str, made: Iterator[T]) -> None:
        self._use = use
        self._name = name
        self._made = made
        self._mark = weakref.ref(self)

    def __next__(self) -> T:
        self._begin()
        use = self._use
        try:
            table = next(self._made)
        except BaseException:
            use.end()
            raise
        use.pending = self._mark
        return table

    def close(self) -> None:
        """Take no more; the rest comes with a later call."""
        self._begin()
        self._made = iter(())
        self._use.end()

    def _begin(self) -> None:
        use = self._use
        if use.pending is self._mark:
            use.pending = None
        else:
            while use.call:
                use.wait(self._name)
            use.call = self._name
        use.owner = get_ident()


# ── memory ───────────────────────────────────────────────────────────────────────────────────────────────
class Soundness:
    """Whether there was always memory for ``what``, such as "this engine"."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._is_broken = False

    def check(self) -> None:
        """MemoryError: there was none once."""
        if self._is_broken:
            raise OutOfMemoryError(f"out of memory earlier: {self._what} cannot go on")

    def give_up(self) -> None:
        """There is none now."""
        self._is_broken = True

    def broken(self, error: MemoryError) -> OutOfMemoryError:
        """What to raise for the error, now and ever after."""
        self.give_up()
        if isinstance(error, OutOfMemoryError):
            return error
        return OutOfMemoryError(str(error) or f"out of memory: {self._what} cannot go on")

    def each(self, found: Iterator[T]) -> Iterator[T]:
        """What is found, as long as there is memory."""
        try:
            self.check()
            yield from found
        except MemoryError as error:
            raise self.broken(error) from error


class Breakable(Protocol):
    """What may run out of memory."""

    @property
    def soundness(self) -> Soundness:
        """Whether it has."""


B = TypeVar("B", bound=Breakable)


def whole_or_broken(method: Callable[Concatenate[B, P], T]) -> Callable[Concatenate[B, P], T]:
    """A method after whose MemoryError nothing is whole any more; OutOfMemoryError then and ever after."""

    @functools.wraps(method)
    def careful(self: B, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            self.soundness.check()
            return method(self, *args, **options)
        except MemoryError as error:
            raise self.soundness.broken(error) from error

    return careful
