"""The child process: takes inputs from a pipe, puts each through a door, and tells what became of it.

``python -m tests.fuzz.worker DOOR``.  An input is its length (8 bytes) and its bytes, an answer a length and JSON.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from spaseq.errors import SpaseqError
from tests.fuzz.door import DisagreementError, Door, door
from tests.fuzz.outcome import ACCEPTED, REFUSED, Outcome

LENGTH = struct.Struct("<Q")
SLOW, LARGE = 10.0, 1 << 30  # seconds of the processor, bytes: what an input may not take
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def tried(entrance: Door, data: bytes, patience: float = 1.0) -> Outcome:
    """What becomes of an input, unless it ends the process; ``patience``: how often it may be SLOW."""
    before, printed, start = _reset_size(), _printed(), time.process_time()
    kind, detail = _entered(entrance, data)
    seconds, size = time.process_time() - start, max(0, _size("VmHWM") - before)
    if kind in (ACCEPTED, REFUSED):
        if _printed() != printed:
            kind, detail = "printed", "something on standard error"
        elif seconds > patience * SLOW:
            kind, detail = "slow", f"{seconds:.1f} seconds"
        elif size > LARGE:
            kind, detail = "large", f"{size >> 20} MB"
    return Outcome(kind, detail, seconds, size)


def _entered(entrance: Door, data: bytes) -> tuple[str, str]:
    try:
        return ACCEPTED, entrance.enter(data)
    except SpaseqError as error:
        str(error)  # it can be shown
        return REFUSED, f"{type(error).__name__} {getattr(error, 'message', error)}"
    except DisagreementError as error:
        return "disagreement", str(error)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        place = next((f for f in reversed(frames) if "/tests/" not in f.filename), frames[-1])
        where = f"{Path(place.filename).name}:{place.name}"
        return "raw error", f"{type(error).__name__} in {where}: {str(error)[:300]}"


def _reset_size() -> int:
    """Let the greatest size begin anew; the size now, in bytes."""
    with suppress(OSError):  # then it is the greatest size of the whole process
        _CLEAR.write_bytes(b"5")
    return _size("VmRSS")


def _size(name: str) -> int:
    for line in _STATUS.read_bytes().split(b"\n"):
        if line.startswith(name.encode()):
            return int(line.split()[1]) << 10
    return 0


def _printed() -> int:
    """The bytes on standard error so far, which is a file."""
    return os.fstat(2).st_size


def answers(name: str, inputs: BinaryIO, output: BinaryIO) -> None:
    """Take inputs until there are no more."""
    entrance = door(name)
    while len(head := inputs.read(LENGTH.size)) == LENGTH.size:
        data = inputs.read(LENGTH.unpack(head)[0])
        answer = json.dumps(tried(entrance, data).plain()).encode()
        output.write(LENGTH.pack(len(answer)) + answer)
        output.flush()


def main() -> None:
    """Serve on standard input and what was standard output; whatever else is written goes to standard error."""
    warnings.simplefilter("ignore")
    with os.fdopen(os.dup(1), "wb") as output:
        os.dup2(2, 1)
        answers(sys.argv[1], sys.stdin.buffer, output)


if __name__ == "__main__":
    main()
