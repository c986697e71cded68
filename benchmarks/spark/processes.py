"""CPU time and memory of this process and all below it: the driver, its JVM, Python workers (Linux)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """``seconds`` of CPU that it took, with those of its children that have ended."""

    number: int
    parent: int
    name: str
    seconds: float


def family(root: int = 0) -> list[Process]:
    """A process (0: this one) and all below it."""
    known = {one.number: one for one in _processes()}
    found = [known[root or os.getpid()]]
    for one in found:
        found += [other for other in known.values() if other.parent == one.number]
    return found


def seconds() -> float:
    """The CPU time of the family, also of those that have ended: whoever waited for them has theirs."""
    return sum(one.seconds for one in family())


def workers() -> list[Process]:
    """The Python workers: a JVM starts processes of Python, of which they are forked."""
    found = family()
    machines = {one.number for one in found if one.name.startswith("java")}
    daemons = {one.number for one in found if one.parent in machines}
    return [one for one in found if one.parent in daemons]


def memory(process: int) -> float:
    """MB of a process, where shared pages count for each in part."""
    with suppress(OSError):
        for line in (PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _processes() -> Iterator[Process]:
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                head, _, rest = (folder / "stat").read_text().rpartition(")")
                fields = rest.split()
                taken = sum(map(int, fields[11:15])) / TICK
                yield Process(int(folder.name), int(fields[1]), head.partition("(")[2], taken)
