"""Ctrl-C: at once while the run waits for events; else what it has read is worked out first, for a moment."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from spaseq.cli.signals import ENDING, handled
from spaseq.graphs.graph_run import Run

PATIENCE = 0.4  # seconds in which what was read is worked out, and again in which a table is written


class Interrupts:
    """Whether the user (or SIGTERM) asked a run to end, ``came``.  Who asks twice does not want to wait.

    ``late``: a moment has passed since.  ``torn``: what was being written is not complete, nor can it be.
    """

    def __init__(self, run: Run) -> None:
        self.came = False
        self.late = False
        self.torn = False
        self._writing = False
        self._run = run

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Within, signals stop the run; KeyboardInterrupt if it waits for input, is late, or at the second one."""
        with handled({**dict.fromkeys(ENDING, self._handle), signal.SIGALRM: self._hurry}):
            try:
                yield
            except KeyboardInterrupt:
                self.came = True
                self.torn = self._writing
            finally:
                if self.came:
                    signal.setitimer(signal.ITIMER_REAL, 0)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Within, results are written: what is begun is ended, if that does not take long."""
        self._writing = True
        yield
        self._writing = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.came or self._run.reading:
            raise KeyboardInterrupt
        self.came = True
        self._run.stop()
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def _hurry(self, number: int, frame: FrameType | None) -> None:
        if self.late or not self._writing:
            raise KeyboardInterrupt
        self.late = True
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
