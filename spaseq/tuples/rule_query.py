"""Rows of a query with parameters at work that run as one: begun together, each of them ends when it is taken away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pyarrow

from spaseq.errors import QueryError
from spaseq.pattern.formulas.binding import window_of
from spaseq.pattern.formulas.parameters import ConstantRow, RowKey, row_key
from spaseq.pattern.formulas.query import FormulaQuery, TimeWindow
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.plan.formulas.rule_conditions import RuleConditions, rule_conditions
from spaseq.sources.tables.types import Integers
from spaseq.streams.timestamps import GREATEST
from spaseq.tuples.encoding.rule_sets import RuleSets
from spaseq.tuples.selection.rule_selection import RowsChanged, RuleSelection
from spaseq.tuples.table_query import Found
from spaseq.tuples.tuple_query import TupleQuery, window_back


@dataclass(slots=True, eq=False)
class RuleQuery(TupleQuery):
    """See ``TupleQuery``: ``prepared`` has parameters, and ``rows`` are those that it runs, by key, in their order.

    Rows change in the order in which that was said and events came, however late these are evaluated.
    """

    rows: dict[RowKey, ConstantRow] = field(default_factory=dict)

    @property
    def rules(self) -> RuleSelection:
        """What evaluates them, as they have begun."""
        assert isinstance(self.evaluation, RuleSelection)
        return self.evaluation

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_empty(self) -> bool:
        """See ``TupleQuery``."""
        return not self.rows

    @property
    def repeats(self) -> bool:
        """Whether its matches have any number of events, so that there may be too many to be made and counted."""
        states = enumerate(self.prepared.plan.automaton.states)
        return any(one >= number for number, state in states for one in (*state.after, *state.directly_after))

    def may_run(self, row: ConstantRow) -> bool:
        """Whether a row can be compared with the events, as far as these are known."""
        try:
            if self.evaluation is not None:
                self.rules.check(row)
        except QueryError:
            return False
        return not self.is_over

    def misfits(self, schema: pyarrow.Schema, rows: Iterable[ConstantRow]) -> list[ConstantRow]:
        """Those of some rows that cannot be compared with events of these columns."""
        given = self.prepared.query.given
        assert given is not None
        sets = RuleSets(rule_conditions(self.prepared.plan_for(schema)), schema)
        return [row for row in rows if not sets.fits(dict(zip(given.names, row, strict=True)))]

    def add_row(self, row: ConstantRow) -> None:
        """One more, which fits; it sees what comes from now on."""
        self.add_key(row_key(row), row)

    def add_key(self, key: RowKey, row: ConstantRow) -> None:
        """The same under another key."""
        self._to_change(key)[key] = row

    def remove_row(self, key: RowKey) -> None:
        """One less."""
        del self._to_change()[key]
        if self.fed and isinstance(changed := self.fed[-1], RowsChanged):
            changed.gone.add(key)

    def _to_change(self, coming: RowKey = ()) -> dict[RowKey, ConstantRow]:
        """The rows, as they are for what comes from now on."""
        last = self.fed[-1] if self.fed else None
        if self.evaluation is not None and not (isinstance(last, RowsChanged) and coming not in last.gone):
            self.rows = dict(self.rows)
            self.fed.append(RowsChanged(self.rows))
        return self.rows

    def become(self, rows: dict[RowKey, ConstantRow]) -> None:
        """These rows run from now on; no events wait."""
        self.rows = rows
        self.rules.change(RowsChanged(rows))

    def selection(
        self, plan: RecognitionPlan, conditions: RuleConditions, schema: pyarrow.Schema, first: int,
        remembered: Sequence[str], integers: Integers,
    ) -> RuleSelection:  # fmt: skip
        """What evaluates them on events of a schema; QueryError: these cannot be compared with a row."""
        found = RuleSelection(self.prepared.query, plan, conditions, schema, first, remembered, integers)
        for row in self.rows.values():
            found.check(row)
        found.change(RowsChanged(self.rows))
        return found

    def settle(self) -> None:
        """Change rows now, where no events wait."""
        if self._going is None and all(isinstance(one, RowsChanged) for one in self.fed):
            for changed in self.fed:
                self.rules.change(changed)
            self.fed.clear()

    # ── as of any query at work ──────────────────────────────────────────────────────────────────────────
    def tables(self) -> Iterator[Found]:
        """See ``TupleQuery``: results with the rows that have them (RuleResults)."""
        return iter(()) if self.evaluation is None else self.each(self.rules.rule_results)

    def counts(self) -> Iterator[Found]:
        """See ``TupleQuery``."""
        return iter(()) if self.evaluation is None else self.each(self.rules.numbers)

    def needed_since(self, time: int) -> int | None:
        """See ``RunningQuery``: what the longest window needs."""
        return GREATEST if self.is_over else window_back(self._widest, time)

    @property
    def _widest(self) -> FormulaQuery:
        query = self.prepared.query
        if not query.lengths or not self.rows:
            return query
        windows = (window_of(query, row) for row in self.rows.values())
        lengths = [one.microseconds for one in windows if isinstance(one, TimeWindow)]
        return replace(query, window=TimeWindow(max(lengths)))
