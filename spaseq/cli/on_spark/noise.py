"""Standard error of Spark: what workers of SPAseq say gets through, what the JVM says does not."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

WORKER = "spaseq: "  # how lines begin that workers write for users


@dataclass(slots=True)
class Noise:
    """What was written for users: ``told`` are the lines of workers, without their beginning."""

    told: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        """A line came."""
        if line.startswith(WORKER):
            self.told.append(line.removeprefix(WORKER))


@contextmanager
def kept_quiet(noise: Noise) -> Iterator[None]:
    """Programs started within have a standard error of their own, which ``noise`` takes, also later."""
    if os.environ.get("SPASEQ_TRACEBACK"):
        yield
        return
    sys.stderr.flush()
    reading, writing = os.pipe()
    own = os.dup(2)
    threading.Thread(target=_read, args=(reading, noise), daemon=True).start()
    os.dup2(writing, 2)
    os.close(writing)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)


def _read(file: int, noise: Noise) -> None:
    with open(file, errors="replace") as lines:
        for line in lines:
            noise.take(line.rstrip("\n"))
