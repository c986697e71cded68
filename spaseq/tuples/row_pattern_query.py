"""One registered query in SQL at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spaseq.streams.timestamps import GREATEST
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.encoding.encoder import Encoded
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern
from spaseq.tuples.row_patterns.whole_table import EndOfRows, RowsFed, WholeTable
from spaseq.tuples.table_query import TableQuery


@dataclass(slots=True, eq=False)
class RunningRowPattern(TableQuery[PreparedRowPattern, WholeTable]):
    """See ``TableQuery``: it is fed all columns of its rows, and told when there are no more."""

    max_steps: int = 0
    is_fed: bool = False  # rows come, and are no longer wanted when it is over
    is_plain: ClassVar[bool] = True  # results have nothing but values

    @property
    def members(self) -> tuple[RunningRowPattern]:
        """What runs: itself."""
        return (self,)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables whose conditions no row fits, whatever came before it."""
        return () if self.evaluation is None else self.evaluation.unmatched

    def unmatched_of(self, name: str) -> tuple[str, ...]:
        """``unmatched`` of the query of that name."""
        return self.unmatched

    def begin(self, names: Sequence[str], columns: ColumnTypes, first: int) -> None:
        """Begin on rows of a table with these columns, the first one at that position.

        QueryError: it means nothing there.
        """
        asked = self.prepared.asked(names)
        self.schema, self.first = columns.fixed(asked, asked), first
        self.evaluation = WholeTable(
            self.prepared.parsed, self.prepared.on(names, self.schema), self.schema, self.max_steps
        )
        self.is_fed = True

    def feed(self, rows: Encoded) -> None:
        """Rows came."""
        self.fed.append(RowsFed(rows.position, rows.batch))

    def finish(self) -> None:
        """See ``RunningQuery``."""
        if self.evaluation is not None:
            self.fed.append(EndOfRows())

    def needed_since(self, time: int) -> int | None:
        """See ``RunningQuery``: all rows matter."""
        return GREATEST if self.is_over else None
