"""A finding made small: pieces are left out as long as the input fares the same."""

from __future__ import annotations

from collections.abc import Callable

TRIES = 150
SMALL = 64  # bytes that need no more


def shrunk(data: bytes, fares_the_same: Callable[[bytes], bool], tries: int = TRIES) -> bytes:
    """A part of ``data`` for which the test holds, as it does for ``data``; it is called at most ``tries`` times."""
    size = len(data) // 2
    while size and len(data) > SMALL and tries > 0:
        at, found = 0, False
        while at < len(data) and tries > 0:
            shorter = data[:at] + data[at + size :]
            tries -= 1
            if fares_the_same(shorter):
                data, found = shorter, True
            else:
                at += size
        size = size if found and size > 1 else size // 2
    return data
