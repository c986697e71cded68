"""The progress of a long run, on a terminal's standard error."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.status import Status

from spaseq.engine.run import Run
from spaseq.results.times import iso

_PATIENCE = 1.0  # seconds before anything is shown
_INTERVAL = 0.2  # seconds between two updates


class Progress:
    """One line with rate, event time, results and groups of partial matches; silent where nobody could see it.

    ``busy``: the results themselves go to the terminal, where the line would be in their way.
    """

    def __init__(self, busy: bool) -> None:
        self._console = Console(stderr=True)
        self._visible = self._console.is_terminal and not busy and not sys.stderr.closed
        self._status: Status | None = None
        self._start = self._shown = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to call ``show``."""
        now = time.monotonic()
        return self._visible and now - self._shown > _INTERVAL and now - self._start > _PATIENCE

    def show(self, run: Run, results: int) -> None:
        """Renew the line."""
        self._shown = time.monotonic()
        if self._status is None:
            self._status = self._console.status("")
            self._status.start()
        rate = run.events / (self._shown - self._start)
        reached = f" · {iso(run.time)}" if run.events else ""
        self._status.update(
            f"{run.events:,} events · {rate:,.0f}/s{reached} · {results:,} results · {_groups(run):,} groups"
        )

    def close(self) -> None:
        """Take the line away."""
        if self._status is not None:
            self._status.stop()


def _groups(run: Run) -> int:
    """Groups of partial matches that are kept, of all queries."""
    queries = run.statistics()["queries"].values()
    return sum(state["groups"] for query in queries for state in query["matcher"]["states"])
