"""One registered query in CEQL at work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Any, Protocol

import pyarrow

from spaseq.pattern.formulas.query import Consumption, FormulaQuery, TimeWindow
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.encoding.encoder import Forgetful, QueryReading
from spaseq.tuples.queries import Prepared
from spaseq.tuples.selection.picks import called, in_order
from spaseq.tuples.table_query import TableEvaluation, TableQuery


class Evaluation(Forgetful, TableEvaluation, Protocol):
    """What evaluates a query, batch by batch."""

    def batches(self, batch: EncodedBatch) -> Iterator[pyarrow.RecordBatch]:
        """The results that end in a batch."""

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """How many these are, part by part."""

    def state(self) -> dict[str, Any]:
        """What the future depends on, for a snapshot."""


@dataclass(slots=True, eq=False)
class TupleQuery(TableQuery[Prepared, Evaluation]):
    """See ``TableQuery``.

    It ``remembers`` all columns of the events that its results pick, or ``extra`` ones beside those that it shows.
    """

    plan: RecognitionPlan | None = None
    reading: QueryReading | None = None

    @property
    def members(self) -> tuple[TupleQuery]:
        """What runs: itself."""
        return (self,)

    @property
    def is_plain(self) -> bool:
        """Whether results have nothing but values."""
        return bool(self.prepared.query.aggregates)

    def begin(
        self, plan: RecognitionPlan, evaluation: Evaluation, reading: QueryReading, schema: pyarrow.Schema, first: int
    ) -> None:
        """Begin on events with these columns, the first one at that position."""
        self.plan, self.evaluation, self.reading, self.schema, self.first = plan, evaluation, reading, schema, first

    def needed_since(self, time: int) -> int | None:
        """See ``RunningQuery``; what is left out where work is bounded depends on all that came before."""
        if self.is_over:
            return GREATEST
        return None if self.is_bounded else window_back(self.prepared.query, time)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables and types for which there was no event so far, whatever came before it."""
        return self.unmatched_by(
            self.evaluation.met if self.evaluation is not None else self.ended.met if self.ended else 0
        )

    def unmatched_of(self, name: str) -> tuple[str, ...]:
        """``unmatched`` of the query of that name."""
        return self.unmatched

    def unmatched_by(self, met: int) -> tuple[str, ...]:
        """The same where this set of atoms was met."""
        plan = self.plan or self.prepared.plan
        names = called(self.prepared.query, plan)
        states = [any(met >> atom & 1 for atom in state.atoms) for state in plan.automaton.states]
        some = frozenset[str]().union(*compress(names, states))
        return tuple(name for name in in_order(names) if name not in some)


def window_back(query: FormulaQuery, time: int) -> int | None:
    """No event before this matters for results that end at ``time`` or later; None: any may.

    What is consumed depends on earlier results, and these on what others consumed.
    """
    if time == GREATEST:
        return GREATEST
    if not isinstance(query.window, TimeWindow) or query.consumption is not Consumption.NONE:
        return None
    return max(LEAST, time - query.window.microseconds)
