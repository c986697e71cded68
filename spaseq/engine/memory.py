"""An engine that ran out of memory is not used any more: what it was changing may be half done."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from spaseq.errors import OutOfMemoryError

if TYPE_CHECKING:
    from spaseq.engine.engine import Engine

P = ParamSpec("P")
T = TypeVar("T")


def whole_or_broken(method: Callable[Concatenate[Engine, P], T]) -> Callable[Concatenate[Engine, P], T]:
    """A method of an engine after whose MemoryError the engine is broken; OutOfMemoryError then and ever after."""

    @wraps(method)
    def careful(engine: Engine, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            engine.terms.check()
            return method(engine, *args, **options)
        except MemoryError as error:
            raise broken(engine, error) from error

    return careful


def broken(engine: Engine, error: MemoryError) -> OutOfMemoryError:
    """Mark the engine as broken by the error; what to raise for it."""
    if isinstance(error, OutOfMemoryError):
        return error
    engine.terms.give_up()
    return OutOfMemoryError(str(error) or "out of memory: this engine cannot go on")
