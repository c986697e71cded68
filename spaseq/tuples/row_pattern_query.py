"""One registered query in SQL at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from spaseq.pattern.rows.query import RowPatternQuery, Shown, ToNextRow
from spaseq.plan.rows.plan import row_pattern_plan
from spaseq.plan.rows.reach import row_reach, why_remembered
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.encoding.encoder import Encoded
from spaseq.tuples.row_patterns.fed import EndOfRows, RowsFed, TimePassed
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern
from spaseq.tuples.row_patterns.row_stream import RowStream
from spaseq.tuples.row_patterns.whole_table import WholeTable
from spaseq.tuples.table_query import TableQuery


@dataclass(slots=True, eq=False)
class RunningRowPattern(TableQuery[PreparedRowPattern, WholeTable | RowStream]):
    """See ``TableQuery``: it is fed all columns of its rows, and told when there are no more.

    ``in_order``: they come in the order of the query, so that matches can be told as they are decided.
    """

    max_steps: int = 0
    in_order: bool = False
    names_known: tuple[str, ...] = ()  # all columns of its rows, when it began
    end_is_told: bool = False  # what is decided when no further row comes was told before
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
        self.names_known, asked = tuple(names), self.prepared.asked(names)
        self.schema, self.first = columns.fixed(asked, asked), first
        parsed, query = self.prepared.parsed, self.prepared.on(names, self.schema)
        self.evaluation = (
            RowStream(parsed, query, self.schema, first, self.max_steps)
            if self.in_order
            else WholeTable(parsed, query, self.schema, self.max_steps)
        )
        self.is_fed = True

    def feed(self, rows: Encoded) -> None:
        """Rows came."""
        self.end_is_told = False
        self.fed.append(RowsFed(rows.position, rows.batch, rows.times))

    @property
    def due(self) -> int:
        """See ``RunningQuery``."""
        return self.evaluation.due if isinstance(self.evaluation, RowStream) else GREATEST

    def advance(self, watermark: int) -> None:
        """See ``RunningQuery``."""
        if watermark > self.due or self._waits_for(watermark):
            self.fed.append(TimePassed(watermark))

    def _waits_for(self, time: int) -> bool:
        """Whether something is yet to be evaluated after which this time may decide more."""
        if not self.fed:
            return self._going is not None
        match self.fed[-1]:
            case RowsFed(_, _, times):
                return bool(time > times[-1])
            case TimePassed(before):
                return time > before
        return False

    def finish(self) -> None:
        """See ``RunningQuery``."""
        if self.evaluation is not None and not self.end_is_told:
            self.fed.append(EndOfRows())

    def needed_since(self, time: int) -> int | None:
        """See ``RunningQuery``."""
        if self.is_over:
            return GREATEST
        return needed_back(self.prepared.query, time) if self.in_order else None


def needed_back(query: RowPatternQuery, time: int) -> int | None:
    """No row before this matters for matches that are decided at ``time`` or later; None: any may.

    Where a match begins depends on the ones before, unless each row may be the first of one.
    """
    if time == GREATEST:
        return GREATEST
    plan = row_pattern_plan(query)
    reach = row_reach(query, plan)
    chains = not isinstance(query.skipping, ToNextRow) or query.shown is Shown.WITH_UNMATCHED
    if query.within is None or chains or reach.ahead or reach.behind or why_remembered(query, plan, reach):
        return None
    at_end = any(follower.at_end for position in plan.automaton.positions for follower in position.followers)
    return None if at_end else max(LEAST, time - query.within)
