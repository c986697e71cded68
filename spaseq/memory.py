"""Memory of the process: what the allocator does with blocks that are given back, and objects that stay.

glibc raises the size from which a block goes back to the system by itself to that of the largest freed so far
(``mallopt(3)``, ``M_MMAP_THRESHOLD``).  Columns and blocks of text then lie among small ones: a run of 110 MB goes up
and down by 30.  A worker of Spark has the opposite trouble: it needs as much for each batch as for the last one, and
a page that comes from the system anew costs more than what is written to it.

Nothing is done where the user has set something, and where the allocator is not glibc's.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LARGE = 4 << 20  # bytes
KEPT_BLOCK, KEPT = 32 << 20, 64 << 20  # bytes
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD of malloc.h
_SETTINGS = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES")


def give_back_large_blocks() -> bool:
    """Let blocks of 4 MiB be given back as soon as they are free; whether it was done."""
    return _told({_MMAP_THRESHOLD: LARGE})


def keep_freed_blocks() -> bool:
    """Let blocks below 32 MiB be kept for what comes next, 64 MiB of them at the end of the heap; whether it was done.

    It is 0.3 to 0.5 of the three microseconds that a worker takes for an event.
    """
    return _told({_MMAP_THRESHOLD: KEPT_BLOCK, _TRIM_THRESHOLD: KEPT})


def _told(options: dict[int, int]) -> bool:
    if not sys.platform.startswith("linux") or any(name in os.environ for name in _SETTINGS):
        return False
    import ctypes

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    return set_option is not None and all(set_option(*option) == 1 for option in options.items())


@contextmanager
def lasting() -> Iterator[None]:
    """Within, objects are made that stay: nobody looks for garbage, which would go through them again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
