"""Standard error of Spark: what workers of SPAseq say gets through, what the JVM says does not."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from spaseq.streams.losses import counted, were

NO_MEMORY = "Terminating due to java.lang.OutOfMemoryError"  # the last words of a JVM
SECONDS = 2.0  # until the last words are read
WORKER = "spaseq: "  # how lines begin that workers write for users

_SKIPPED = re.compile(r"([\d,]+) malformed events? of (<[^>]*>) (?:was|were) skipped(: .*?)(; first .*)?")


def together(lines: Iterable[str]) -> list[str]:
    """What several workers say of the events of one stream that they skipped as one line, with the number of all."""
    found: dict[str, tuple[int, str, str, str]] = {}
    for line in lines:
        if told := _SKIPPED.fullmatch(line):
            number, stream, remedy, first = told.groups("")
            before, *_, known = found.get(stream + remedy, (0, "", "", ""))
            found[stream + remedy] = (before + int(number.replace(",", "")), stream, remedy, known or first)
        else:
            found[line] = (0, "", "", line)
    return [_line(*one) for one in found.values()]


def _line(number: int, stream: str, remedy: str, first: str) -> str:
    if not number:
        return first
    return f"{counted(number, 'malformed event')} of {stream} {were(number)} skipped{remedy}{first}"


@dataclass(slots=True)
class Noise:
    """What was written for users: ``told`` are the lines of workers, without their beginning."""

    told: list[str] = field(default_factory=list)
    no_memory: threading.Event = field(default_factory=threading.Event)

    def was_out_of_memory(self) -> bool:
        """Whether the JVM ended because it had no memory; its last words may still be on their way."""
        return self.no_memory.wait(SECONDS)

    def take(self, line: str) -> None:
        """A line came."""
        if line.startswith(NO_MEMORY):
            self.no_memory.set()
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
