"""The program with a terminal as its standard error, and what stands there."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
import tty
from contextlib import suppress
from typing import Any

from tests.cli.conftest import ROOT

_PROGRAM = """
import sys
from spaseq.cli import main
from spaseq.cli.progress import Pace
{before}
main(sys.argv[2:], prog_name="spaseq", obj=Pace(float(sys.argv[1]), 0.05))
"""
_CONTROLS = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]|\r")
_TIMEOUT = 120  # seconds for what comes at once, unless the machine is busy


class OnTerminal:
    """A process whose progress is shown after ``patience`` seconds; ``before`` is Python that runs in it first."""

    def __init__(self, *arguments: str, patience: float = 0, before: str = "", stdout: Any = subprocess.PIPE) -> None:
        self._ours, theirs = pty.openpty()
        tty.setraw(theirs)
        program = [sys.executable, "-c", _PROGRAM.format(before=before), str(patience), *arguments]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "140"}
        self.process = subprocess.Popen(
            program, env=environment, stdin=subprocess.PIPE, stdout=theirs if stdout == "terminal" else stdout,
            stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        self._written = b""
        self._more = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def write(self, text: str) -> None:
        """Give the process this on standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def wait_for(self, pattern: str) -> None:
        """Wait until the terminal shows something."""
        with self._more:
            assert self._more.wait_for(lambda: re.search(pattern, self.shown), _TIMEOUT), self.shown[-500:]

    def end(self) -> tuple[str, str, int]:
        """Close standard input and wait; standard output, all that the terminal was given, and the exit code."""
        output = self.process.communicate(timeout=_TIMEOUT)[0]
        self._reader.join(_TIMEOUT)
        return (output or b"").decode(), self.shown, self.process.returncode

    @property
    def shown(self) -> str:
        """All that the terminal was given, without what steers it."""
        return _CONTROLS.sub("", self._written.decode("utf-8", "replace"))

    def _read(self) -> None:
        """Take what is written until the last writer is gone."""
        with suppress(OSError):  # how Linux says so
            while part := os.read(self._ours, 65_536):
                with self._more:
                    self._written += part
                    self._more.notify_all()
        os.close(self._ours)
