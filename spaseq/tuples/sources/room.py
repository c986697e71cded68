"""Memory for what cannot tell that there is none."""

from __future__ import annotations

import mmap

THREADS = 2 * (128 + 8) << 20  # bytes of addresses that two threads ask for at first: arenas of malloc, and stacks


def ensure_room(size: int) -> None:
    """MemoryError unless ``size`` bytes more than threads need could be had now.

    Arrow reads CSV in a thread of its own, and without memory (``ulimit -v``) that thread waits for ever, or ends the
    process.  So nobody calls it then.
    """
    try:
        mmap.mmap(-1, THREADS + size).close()
    except (OSError, ValueError, OverflowError):
        raise MemoryError from None
