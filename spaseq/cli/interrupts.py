"""Ctrl-C: at once while the run waits for events; else what it has read is worked out first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from spaseq.engine.run import Run

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Whether the user (or SIGTERM) asked a run to end, ``came``.  Who asks twice does not want to wait."""

    def __init__(self, run: Run) -> None:
        self.came = False
        self._run = run

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Within, signals stop the run; KeyboardInterrupt if it waits for input, or at the second one."""
        if threading.current_thread() is not threading.main_thread():
            yield  # signals are none of this thread's business
            return
        before = [(number, signal.signal(number, self._handle)) for number in _SIGNALS]
        try:
            yield
        except KeyboardInterrupt:
            self.came = True
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.came or self._run.reading:
            raise KeyboardInterrupt
        self.came = True
        self._run.stop()
