"""The progress of a long run, on a terminal's standard error."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from spaseq.engine.run import Run
from spaseq.results.times import iso

if TYPE_CHECKING:
    from rich.status import Status

_PATIENCE = 1.0  # seconds before anything is shown
_INTERVAL = 0.2  # seconds between two updates


class Progress:
    """One line with rate, event time, results and groups of partial matches; silent where nobody could see it.

    ``busy``: the results themselves go to the terminal, where the line would be in their way.
    """

    def __init__(self, busy: bool) -> None:
        self._visible = not busy and not sys.stderr.closed and sys.stderr.isatty()
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
            from rich.console import Console

            self._status = Console(stderr=True).status("")
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
