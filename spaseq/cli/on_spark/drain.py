"""What becomes of the results of a job: matches are printed or counted, late events go to their file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spaseq.cli.on_spark.job import ResultPiece
from spaseq.cli.printer import ResultCounter
from spaseq.results.formats.rdf import TimedGraph
from spaseq.results.table import MergedTables


@dataclass(slots=True)
class Drain:
    """``shown`` takes matches, ``on_late`` late events (None: nobody does)."""

    shown: ResultCounter
    on_late: Callable[[TimedGraph], object] | None
    ended: bool = False  # the user does not want more

    @property
    def results(self) -> int:
        """The number of results so far."""
        return self.shown.results

    @property
    def full(self) -> bool:
        """Whether no more are wanted."""
        return self.ended or self.shown.full

    def take(self, piece: ResultPiece) -> None:
        """Take what a job gives."""
        for table in piece.tables:
            if not self.full:
                self.shown.take(MergedTables.of(table))
        for event in piece.late:
            assert self.on_late is not None
            self.on_late(event)

    def end(self, *_: object) -> None:
        """The user wants no more: a handler of signals."""
        if self.ended:
            raise KeyboardInterrupt
        self.ended = True
