"""Functions that are not ours, without holding up an event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def called(function: Callable[..., Found], *given: Any) -> Found:
    """What a function gives.  RuntimeError: it raised StopIteration, which no future can hold."""
    try:
        return function(*given)
    except StopIteration as error:
        raise RuntimeError("StopIteration was raised by a function that is no iterator") from error


async def in_thread(function: Callable[..., Found], *given: Any) -> Found:
    """As ``called``, by a thread."""
    from asyncio import to_thread

    return await to_thread(called, function, *given)


async def gathered(
    function: Callable[[Given], Awaitable[Found]], given: Sequence[Given], at_once: int | None
) -> list[Found]:
    """What an async function gives for each, in the same order; for so many at once, None: for all."""
    from asyncio import Semaphore, gather

    gate = Semaphore(len(given) if at_once is None else at_once)

    async def one(each: Given) -> Found:
        async with gate:
            return await function(each)

    return await gather(*map(one, given))
