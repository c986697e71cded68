"""What ran out of memory is not used any more: what it was changing may be half done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from spaseq.errors import OutOfMemoryError

P = ParamSpec("P")
T = TypeVar("T")


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

    @wraps(method)
    def careful(self: B, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            self.soundness.check()
            return method(self, *args, **options)
        except MemoryError as error:
            raise self.soundness.broken(error) from error

    return careful
