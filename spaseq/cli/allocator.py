"""The allocator of the process: what a long run gives back is given back to the system, not kept between other blocks.

glibc raises the size from which a block is given back by itself to that of the largest freed so far (``mallopt(3)``,
``M_MMAP_THRESHOLD``).  Columns and blocks of text then lie among small ones: a run of 110 MB goes up and down by 30.
"""

from __future__ import annotations

import os
import sys

LARGE = 4 << 20  # bytes
_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
_SETTINGS = ("MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def give_back_large_blocks() -> bool:
    """Let blocks of 4 MiB be given back as soon as they are free; whether it was done.

    It is left alone where the user has set something, and where the allocator is not glibc's.
    """
    if not sys.platform.startswith("linux") or any(name in os.environ for name in _SETTINGS):
        return False
    import ctypes

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    return set_option is not None and set_option(_MMAP_THRESHOLD, LARGE) == 1
