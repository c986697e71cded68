"""What signals do while a command runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)  # ask a command to end: Ctrl-C is the first
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
