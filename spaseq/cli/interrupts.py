"""Ctrl-C and SIGTERM: what they do while a command runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import Protocol

ENDING = (signal.SIGINT, signal.SIGTERM)  # ask a command to end: Ctrl-C is the first
PATIENCE = 0.4  # seconds in which what was read is worked out, and again in which a table is written
Handler = Callable[[int, FrameType | None], object]


@contextmanager
def handled(handlers: Mapping[signal.Signals, Handler]) -> Iterator[None]:
    """Within, signals are handled so, and then as before; only the main thread has anything to do with them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(number, signal.signal(number, handler)) for number, handler in handlers.items()]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


class Interrupts:
    """Whether the user (or SIGTERM) asked a command to end, ``came``; here a KeyboardInterrupt passes, which says so.

    ``late``: a moment has passed since.  ``torn``: what was being written is not complete, nor can it be.
    """

    def __init__(self) -> None:
        self.came = False
        self.late = False
        self.torn = False

    def handled(self) -> AbstractContextManager[None]:
        """Within, results are made, and signals do what is told here."""
        return nullcontext()

    def writing(self) -> AbstractContextManager[None]:
        """Within, results are written."""
        return nullcontext()


class StepInterrupts(Interrupts):
    """Whoever makes results looks at ``came`` between two steps; KeyboardInterrupt at the second one."""

    def handled(self) -> AbstractContextManager[None]:
        """Within, signals are noted."""
        return handled(dict.fromkeys(ENDING, self._handle))

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True


class Stoppable(Protocol):
    """A run that reads no further when it is told so."""

    @property
    def reading(self) -> bool:
        """Whether it waits for input: KeyboardInterrupt does no harm."""

    def stop(self) -> None:
        """Read no further."""


class RunInterrupts(Interrupts):
    """At once while the run waits for events; else what it has read is worked out first, for a moment.

    Who asks twice does not want to wait.
    """

    def __init__(self, run: Stoppable) -> None:
        super().__init__()
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
