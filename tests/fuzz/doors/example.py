"""A door for the tests of the fuzzer itself: what it does is what its input says."""

from __future__ import annotations

import os

from spaseq.errors import StreamError
from tests.fuzz.door import DisagreementError, Door


def enter(data: bytes) -> str:
    """Go wrong in the way that some word of the input names."""
    if b"crash" in data:
        os.abort()
    if b"raw" in data:
        raise KeyError(data[:5])
    if b"differ" in data:
        raise DisagreementError("two answers")
    if b"print" in data:
        os.write(2, b"Exception ignored in: nothing\n")
    if b"refuse" in data:
        raise StreamError("not this")
    return str(len(data) // 1000)


DOOR = Door("example", enter, lambda: [b"a plain input"], (b"refuse",))
