"""The progress of a long run, on a terminal's standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

import click

from spaseq.streams.timestamps import iso
from spaseq.text import on_one_line

_SECOND = 1_000_000  # microseconds
_FAREWELL = 1.0  # seconds in which the line is taken away, unless the terminal has stopped


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds before anything is shown, and seconds between two looks at the run."""

    patience: float = 1.0
    interval: float = 0.2


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a run is; ``time`` counts microseconds, ``groups`` are those of partial matches; None is not shown."""

    events: int
    results: int
    time: int | None = None
    groups: int | None = None
    held_back_by: str | None = None  # the name of a stream

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""
        parts = [f"{self.events:,} events", f"{self.events / max(seconds, 1e-3):,.0f}/s"]
        parts += [] if self.time is None else [iso(self.time // _SECOND * _SECOND)]
        parts += [f"{self.results:,} results"]
        parts += [] if self.held_back_by is None else [f"held back by {self.held_back_by}"]
        parts += [] if self.groups is None else [f"{self.groups:,} groups"]
        return " · ".join(parts)


class HowFar(Protocol):
    """How far something is."""

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""


class Progress:
    """Within, a line tells how far the run is; ``hidden``: or it does not, as where nobody could see it.

    A thread of its own looks at the run now and then (``reached``), so the line is there while the run waits for input,
    and the run pays nothing for it.  What goes wrong with the line is no concern of the run.
    """

    def __init__(self, reached: Callable[[], HowFar], hidden: bool, pace: Pace = Pace()) -> None:
        self._reached = reached
        self._pace = pace
        self._ended = threading.Event()
        self._thread = None if hidden or not _on_terminal() else threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        if self._thread is not None:
            with suppress(RuntimeError):  # there can be no more threads
                self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(_FAREWELL)

    def _watch(self) -> None:
        begun = time.monotonic()
        if not self._ended.wait(self._pace.patience):
            with suppress(Exception):
                self._show(begun)

    def _show(self, begun: float) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        with Live(
            console=Console(stderr=True), auto_refresh=False, transient=True, redirect_stdout=False,
            redirect_stderr=False,
        ) as live:  # fmt: skip
            while True:
                line = self._reached().line(time.monotonic() - begun)
                live.update(Text(on_one_line(line), no_wrap=True, overflow="ellipsis"), refresh=True)
                if self._ended.wait(self._pace.interval):
                    return


def pace_of(ctx: click.Context) -> Pace:
    """The pace that the program was started with."""
    return ctx.find_object(Pace) or Pace()


def _on_terminal() -> bool:
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
