"""What it takes to read the queries of ``tests.bombs``: seconds and memory of ``spaseq check`` and ``explain``.

``python -m benchmarks.bombs`` runs each in a process of its own and prints the ten slowest; with words, only bombs
whose names have one.  It fails where one takes more than the bounds, or leaves with something else than a plan or an
error of ours.  The seconds are those of the processor: others may be busy.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bombs import BOMBS
from tests.bombs.bomb import Bomb

MOST_SECONDS, MOST_MEGABYTES = {"check": 2.0, "explain": 5.0}, 500  # explain makes the automaton, too
GIVEN_UP = 20  # seconds of the processor, where a bomb is stopped
COMMANDS = ("check", "explain")


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a command on a bomb: what it took, how it ended, and the first lines of what it said."""

    bomb: Bomb
    size: int
    command: str
    seconds: float
    megabytes: float
    code: int
    said: str

    @property
    def wrong(self) -> str:
        """What is wrong with it, or nothing."""
        if self.code not in (0, 2) or "internal error" in self.said or "Traceback" in self.said:
            return f"exit code {self.code}"
        most = MOST_SECONDS[self.command]
        if self.seconds > most:
            return f"more than {most} s"
        return f"more than {MOST_MEGABYTES} MB" if self.megabytes > MOST_MEGABYTES else ""

    def __str__(self) -> str:
        name = f"{self.bomb.name} [{self.bomb.language} {self.command} {self.size:,}]"
        said = self.said.splitlines()[0][:60] if self.said else ""
        return f"{self.seconds:6.2f} s {self.megabytes:6.0f} MB  {name:<75} {self.wrong or said}"


def measure(bomb: Bomb, size: int, command: str, folder: Path) -> Measured:
    """Run a command on a bomb in a process of its own."""
    path = folder / f"bomb.{bomb.language}"
    path.write_text(bomb.make(size), encoding="utf-8")
    output = folder / "output"
    child = os.fork()
    if not child:
        _become(command, path, output)
    _, status, used = os.wait4(child, 0)
    said = output.read_text(encoding="utf-8", errors="replace")[:400].replace(f"{path}:", "")
    code = os.waitstatus_to_exitcode(status)
    return Measured(bomb, size, command, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code, said)


def _become(command: str, path: Path, output: Path) -> None:
    """Be ``spaseq``; this never returns."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (GIVEN_UP, GIVEN_UP))
        written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(written, 1)
        os.dup2(written, 2)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, "-m", "spaseq", command, str(path)])
    finally:
        os._exit(127)


def measured(words: list[str]) -> Iterator[Measured]:
    """All bombs, or those whose names have one of the words."""
    with tempfile.TemporaryDirectory() as folder:
        for bomb in BOMBS:
            if words and not any(word in f"{bomb.language} {bomb.name}" for word in words):
                continue
            for size in bomb.sizes:
                for command in COMMANDS:
                    yield measure(bomb, size, command, Path(folder))


def main(words: list[str]) -> int:
    """Measure, print the slowest ten and the largest three, and all that are wrong; the exit code."""
    found = []
    for one in measured(words):
        found.append(one)
        if words or one.wrong:
            print(one, flush=True)
    slowest = sorted(found, key=lambda one: -one.seconds)[:10]
    largest = sorted(found, key=lambda one: -one.megabytes)[:3]
    wrong = [one for one in found if one.wrong]
    print(*("", "the slowest:", *slowest, "the largest:", *largest), sep="\n")
    summary = {"bombs": len({one.bomb.name + one.bomb.language for one in found}), "runs": len(found)}
    summary |= {"refused": sum(one.code == 2 for one in found), "wrong": len(wrong)}
    print(json.dumps(summary))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
