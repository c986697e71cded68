"""The parent's side of a worker: inputs go in, outcomes come back, also of inputs that end the process."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tests.fuzz.door import ROOT
from tests.fuzz.outcome import Outcome
from tests.fuzz.worker import LARGE, LENGTH, SLOW

LOOK = 0.1  # seconds between two looks at a busy child
PATIENCE = 2.0  # times SLOW, after which a child is ended that does not say so itself
STUCK = 900.0  # seconds without an answer, whatever the processor says
ENOUGH = 1_000  # bytes of what a dying process says
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")


class Child:
    """A worker for a door."""

    def __init__(self, door: str) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (closed in ``close``)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", door],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, cwd=ROOT, env=_environment(),
        )  # fmt: skip
        self._selector = selectors.DefaultSelector()
        assert self._process.stdout is not None
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self.size = 0  # bytes that it had at its last look

    def ask(self, data: bytes) -> Outcome:
        """What becomes of an input; afterwards the child may be gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(LENGTH.pack(len(data)) + data)
            self._process.stdin.flush()
        except BrokenPipeError:
            return self._gone()
        return self._watched() or self._answer()

    @property
    def alive(self) -> bool:
        """Whether it takes another input."""
        return self._process.poll() is None

    def _watched(self) -> Outcome | None:
        """Wait for an answer; what is wrong if the child takes too much."""
        start, size = self._used(), self._resident()
        waited = 0.0
        while not self._selector.select(LOOK):
            waited += LOOK
            seconds, grown = self._used() - start, self._resident() - size
            if seconds > PATIENCE * SLOW or waited > STUCK:
                return self._ended(Outcome("slow", f"more than {seconds:.0f} seconds", seconds, grown))
            if grown > 2 * LARGE:
                return self._ended(Outcome("large", f"more than {grown >> 20} MB", seconds, grown))
        return None

    def _answer(self) -> Outcome:
        assert self._process.stdout is not None
        head = self._process.stdout.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return self._gone()
        self.size = self._resident()
        return Outcome(*json.loads(self._process.stdout.read(LENGTH.unpack(head)[0])))

    def _gone(self) -> Outcome:
        """The outcome of an input that ended the process: how, and its last words."""
        code = self._process.wait()
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome("crash", f"{how} {self.said()}")

    def said(self) -> str:
        """The beginning of the last report on its standard error."""
        self._said.seek(0)
        text = self._said.read().decode("utf-8", "replace")
        place = max(text.rfind("==ERROR: "), text.rfind("runtime error: ") - 200, text.rfind("Fatal Python"), 0)
        return text[place:][:ENOUGH].strip()

    def _ended(self, outcome: Outcome) -> Outcome:
        self._process.kill()
        self._process.wait()
        return outcome

    def _used(self) -> float:
        """Seconds of the processor that the child has used."""
        fields = _proc(self._process.pid, "stat").rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS if fields else 0.0

    def _resident(self) -> int:
        fields = _proc(self._process.pid, "statm").split()
        return int(fields[1]) * _PAGE if fields else 0

    def close(self) -> None:
        """End the child."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._ended(Outcome("slow"))
        self._selector.close()
        self._said.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _proc(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _environment() -> dict[str, str]:
    """Sanitizers make reports of their own, otherwise a crash tells where in Python it was."""
    sanitized = "LD_PRELOAD" in os.environ
    more = {"PYTHONFAULTHANDLER": "" if sanitized else "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return {**os.environ, **more}
