"""A query with parameters that selects events, for all of its rows together: a rule of one recognizer for each row."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.events.recognizer import ComplexEvents, RuleRecognizer
from spaseq.errors import StreamError
from spaseq.pattern.formulas.binding import window_of
from spaseq.pattern.formulas.parameters import ConstantRow, RowKey
from spaseq.pattern.formulas.query import FormulaQuery, TimeWindow
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.plan.formulas.rule_conditions import RuleConditions
from spaseq.sources.tables.types import Integers
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.encoding.rule_sets import RuleSets
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.selection.recall_sample import FedEvents
from spaseq.tuples.selection.selection import MOST, SelectionQuery
from spaseq.tuples.totals.totals import HINT

MANY = 1 << 14  # partitions of rules of which some may be done with
MOST_COUNTED = 2**64 - 1
RowsByKey = Mapping[RowKey, ConstantRow]


class RuleResults(NamedTuple):
    """Results of several rows: of which of ``keys`` each of them is (m)."""

    batch: pyarrow.RecordBatch
    rules: npt.NDArray[np.uint32]
    keys: Sequence[RowKey]


@dataclass(frozen=True, slots=True, eq=False)
class RowsChanged:
    """Between two batches: these rows run from now on, and no others.  Those that did so come first, in their order.

    ``gone`` are those that were taken away: one of them that comes again is another one, and comes with a later change.
    """

    rows: RowsByKey
    gone: set[RowKey] = field(default_factory=set)


class RuleSelection(SelectionQuery):
    """See ``SelectionQuery``: ``query`` has parameters, and ``plan`` the conditions of all rows, split.

    Results of one end are in the order of rows.
    """

    def __init__(
        self,
        query: FormulaQuery,
        plan: RecognitionPlan,
        conditions: RuleConditions,
        schema: pyarrow.Schema,
        first: int = 0,
        remembered: Sequence[str] = (),
        integers: Integers = Integers.INT64,
    ) -> None:
        self._parametric = query
        self._conditions = conditions.conditions
        self._sets = RuleSets(conditions, schema)
        self._keys: list[RowKey] = []
        self._many = MANY
        self.most = MOST
        self._counts: npt.NDArray[np.uint64] | None = None  # by rule: results are counted there, and not made
        super().__init__(replace(query, given=None), plan, schema, first, remembered, integers)

    @property
    def rules(self) -> RuleRecognizer:
        """What runs them."""
        assert isinstance(self._recognizer, RuleRecognizer)
        return self._recognizer

    def _made_recognizer(self, **options: Any) -> RuleRecognizer:
        consume = "PARTITION" if options["consume"] == "ANY" else options["consume"]  # of what is the rule's
        return RuleRecognizer(self._plan.automaton, self._conditions, **options | {"consume": consume})

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def keys(self) -> Sequence[RowKey]:
        """Those of the rows, by the number of their rule."""
        return self._keys

    def check(self, row: ConstantRow) -> None:
        """QueryError: events cannot be compared with the constants of a row."""
        assert self._parametric.given is not None
        self._sets.check(dict(zip(self._parametric.given.names, row, strict=True)))

    def change(self, changed: RowsChanged) -> None:
        """These rows run from now on; all fit."""
        rows, given = changed.rows, self._parametric.given
        assert given is not None
        self.met = self.met
        kept = [number for number, key in enumerate(self._keys) if key in rows]
        self._sets.change(given.names, list(rows.values()))
        self.rules.change_rules(len(rows), np.array(kept, np.uint32), self._lengths(list(rows.values())))
        self._keys = list(rows)

    def _lengths(self, rows: Sequence[ConstantRow]) -> Times | None:
        """How long the windows of rows are, if that depends on these; ``_query`` has the longest."""
        if not self._parametric.lengths:
            return None
        windows = [window_of(self._parametric, row) for row in rows]
        lengths = [window.microseconds for window in windows if isinstance(window, TimeWindow)]
        self._query = replace(self._query, window=TimeWindow(max(lengths, default=0)))
        return np.array([min(length, 2**62) for length in lengths], np.int64)

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    def rule_results(self, batch: EncodedBatch | RowsChanged) -> Iterator[RuleResults]:
        """The results that end in a batch, with the rows that have them."""
        for found in self._found_in(batch):
            yield RuleResults(self.shown(found), rules_of(found), self._keys)

    def results_by_rule(self, batch: EncodedBatch | RowsChanged) -> Iterator[tuple[RowKey, pyarrow.RecordBatch]]:
        """The same, part by part those of each row."""
        for found in map(sorted_by_rule, self._found_in(batch)):
            shown, rules = self.shown(found), rules_of(found)
            begins = np.flatnonzero(np.append(True, rules[1:] != rules[:-1])).tolist()
            for begin, end in zip(begins, [*begins[1:], len(rules)], strict=True):
                yield self._keys[rules[begin]], shown.slice(begin, end - begin)

    def numbers(self, batch: EncodedBatch | RowsChanged) -> Iterator[int]:
        """How many these are, part by part."""
        return (len(found.starts) for found in self._found_in(batch))

    def numbers_by_rule(self, batch: EncodedBatch | RowsChanged) -> list[tuple[RowKey, int]]:
        """How many these are for each row that has some."""
        counts = self._counted_in(batch)
        if len(counts) and counts.max() == MOST_COUNTED:
            raise StreamError(f"a query has more than {MOST_COUNTED - 1:,} results in one batch", hint=HINT)
        some = np.flatnonzero(counts)
        return [(self._keys[rule], count) for rule, count in zip(some.tolist(), counts[some].tolist(), strict=True)]

    def _counted_in(self, batch: EncodedBatch | RowsChanged) -> npt.NDArray[np.uint64]:
        """By rule, how many these are, or ``MOST_COUNTED``; without making them where that goes."""
        counts = np.zeros(len(self._keys), np.uint64)
        if not self.rules.counts_results:
            for found in self._found_in(batch):
                counts += np.bincount(rules_of(found), minlength=len(counts)).astype(np.uint64)
            return counts
        self._counts = counts
        try:
            deque(self._found_in(batch), maxlen=0)
        finally:
            self._counts = None
        self.found += sum(counts.tolist())
        return counts

    def _found_in(self, batch: EncodedBatch | RowsChanged) -> Iterator[ComplexEvents]:
        if isinstance(batch, RowsChanged):
            self.change(batch)
        else:
            yield from self.recognized(batch)

    def recognized(self, batch: EncodedBatch) -> Iterator[ComplexEvents]:
        """See ``SelectionQuery``."""
        if self.rules.owned > self._many:
            self.rules.sweep(self._bound)
            self._many = max(MANY, 2 * self.rules.owned)
        self._tests = self._sets.read(batch.batch) if self._keys else []
        yield from super().recognized(batch)

    def _feed(self, fed: FedEvents, at: int) -> int:
        return self.rules.feed_rules(*fed[:4], at, self.most, fed.columns, self._tests, self._counts)

    def _know(self, masks: Sequence[int]) -> None:
        """What is asked of all rows alike: whether it is met says nothing of any."""
        self.rules.know_symbols(masks[self.rules.symbols :])

    @property
    def met(self) -> int:
        """See ``SelectionQuery``: of all rows together, also of those that are gone."""
        return reduce(or_, self.rules.met, self._met)

    @met.setter
    def met(self, met: int) -> None:
        self._met = met

    @property
    def met_by_key(self) -> dict[RowKey, int]:
        """For each row the set of its atoms that some event had so far."""
        return dict(zip(self._keys, self.rules.met, strict=True))


def rules_of(found: ComplexEvents) -> npt.NDArray[np.uint32]:
    """By which rule each of them is found."""
    assert found.rules is not None
    return found.rules


def sorted_by_rule(found: ComplexEvents) -> ComplexEvents:
    """The same results, those of a rule together, in their order."""
    rules = rules_of(found)
    order = np.argsort(rules, kind="stable")
    if found.columns is not None:
        width, count = len(found.columns), len(order)
        columns = np.ascontiguousarray(found.columns[:, order])
        positions = found.positions.reshape(count, width)[order].ravel()
        return ComplexEvents(columns[0], columns[-1], found.offsets, positions, found.states, columns, rules[order])
    lengths = np.diff(found.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    picks = np.repeat(found.offsets[:-1][order] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return ComplexEvents(
        found.starts[order], found.ends[order], offsets, found.positions[picks], found.states[picks],
        None, rules[order],
    )  # fmt: skip
