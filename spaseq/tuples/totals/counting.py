"""The number of a query's results without enumerating them, where totals of partial matches tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spaseq.pattern.formulas.query import AttributeWindow, FormulaQuery, MatchAggregate
from spaseq.plan.formulas.aggregation import why_enumerated
from spaseq.plan.formulas.automaton import Recognition
from spaseq.tuples.columns.integers import Integers
from spaseq.tuples.encoding.encoded import EncodedBatch
from spaseq.tuples.totals.totals import Totals

_ALL = MatchAggregate("COUNT", None, "count")


class TotalsCounter:
    """Counts the results of a query that end in each batch; ``integers`` says how many an end may have."""

    def __init__(self, query: FormulaQuery, plan: Recognition, integers: Integers) -> None:
        asked = replace(query, aggregates=(_ALL,), group_by=(), columns=(), variables=())
        self._totals = Totals(asked, plan, {}, 0, integers)

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """How many results there are, part by part; StreamError comes with an end that has too many."""
        return (sum(map(int, rows.columns[0].to_pylist())) for rows in self._totals.rows(batch))

    def met(self) -> int:
        """The atoms that some event had so far."""
        return self._totals.met()

    def statistics(self) -> dict[str, int]:
        """What is kept of the events that came."""
        return self._totals.statistics()


def counter(query: FormulaQuery, plan: Recognition, integers: Integers) -> TotalsCounter | None:
    """What counts the results of a query; None: they are enumerated, or there may be too many keys."""
    if query.limit is not None or plan.partition or isinstance(query.window, AttributeWindow):
        return None
    return None if why_enumerated(query, plan) is not None else TotalsCounter(query, plan, integers)
