"""Aggregates over the matches of each end: COUNT, SUM, AVG, MIN and MAX, maybe by groups, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow

from spaseq.pattern.formulas.query import AttributeWindow, FormulaQuery, GroupKey, MatchAggregate
from spaseq.plan.formulas.aggregation import way, why_enumerated
from spaseq.plan.formulas.automaton import Recognition
from spaseq.snapshots.shapes import COUNT, AnyNames, Shape
from spaseq.tuples.aggregates.enumerated import ENUMERATION, Enumeration
from spaseq.tuples.aggregates.rising import RISING, Rising
from spaseq.tuples.columns.integers import Integers
from spaseq.tuples.columns.stored import require
from spaseq.tuples.columns.vectors import Mask
from spaseq.tuples.encoding.encoded import EncodedBatch
from spaseq.tuples.encoding.partitions import PARTITIONS, Numbers
from spaseq.tuples.prepared import needed
from spaseq.tuples.selection.names import free
from spaseq.tuples.totals.operands import CalculatedOperand, Operand, operands_of
from spaseq.tuples.totals.totals import AggregateRows, Ends, Totals

AGGREGATION: Shape = {
    "operands": AnyNames(PARTITIONS), "found": COUNT, "totals": [bytes], "enumeration": [ENUMERATION],
    "rising": [RISING],
}  # fmt: skip


class _Source(Protocol):
    """What gives the rows of aggregates."""

    def rows(self, batch: EncodedBatch) -> Iterator[AggregateRows]:
        """Those whose ends are in a batch."""

    def met(self) -> int:
        """The atoms that some event had so far."""

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows."""

    def living(self) -> Numbers:
        """The partitions that have something which a later event can go on with."""

    def keep(self, kept: Numbers) -> None:
        """Forget all but these (rising), which get the numbers from 0 on."""


class AggregatingQuery:
    """The rows of a query's aggregates, of events that come in encoded batches, the first one at position ``first``.

    ``integers`` says of which type numbers of matches are.  ``schema`` is that of the batches of rows: the end, what
    SELECT shows of GROUP BY, and the aggregates.  ``found`` counts rows, ``way`` says how they are found.  QueryError:
    an aggregate has no meaning for events of ``schema``.
    """

    variables: tuple[str, ...] = ()

    def __init__(
        self,
        query: FormulaQuery,
        plan: Recognition,
        schema: pyarrow.Schema,
        first: int = 0,
        integers: Integers = Integers.INT64,
    ) -> None:
        self._query = query
        self._events, self._first = schema, first
        operands = operands_of(query, schema)
        unordered = [name for name, operand in operands.items() if not operand.is_ordered]
        self.way = way(query, plan, unordered)
        self._operands = operands
        self._shown = [number for number, key in enumerate(query.group_by) if key.name is not None]
        self._integers = integers
        self.schema = _schema(query, operands, integers)
        self.found = 0
        self._enumeration: Enumeration | None = None
        self._totals: Totals | None = None
        self._source = self._source_of(plan, schema, unordered, first)

    def batches(self, batch: EncodedBatch) -> Iterator[pyarrow.RecordBatch]:
        """The rows whose ends are in a batch; StreamError comes with a number that does not fit."""
        self._forget_values()
        for rows in self._source.rows(batch):
            shown = [self._values(self._query.group_by[number], rows, number) for number in self._shown]
            found = pyarrow.record_batch([pyarrow.array(rows.ends), *shown, *rows.columns], schema=self.schema)
            if self._query.limit is not None and self._query.group_by:
                found = found.filter(pyarrow.array(_first_of_each_end(rows.ends, self._query.limit)))
            self.found += found.num_rows
            yield found

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """How many these are, part by part."""
        return (found.num_rows for found in self.batches(batch))

    @property
    def met(self) -> int:
        """The atoms that some event had so far."""
        return self._source.met()

    def statistics(self) -> dict[str, int]:
        """What is kept of the events that came."""
        kept = {} if self._totals is None else self._totals.statistics()
        return kept if self._enumeration is None else kept | self._enumeration.selection.statistics()

    def _forget_values(self) -> None:
        """Let go of the numbers of values that are in no match any more, when they may be as many as the others."""
        sources = [one for one in (self._totals, self._enumeration) if one is not None]
        if self._totals is not None:
            self._totals.forget_keys()
        for name, operand in self._operands.items():
            if operand.has_many:
                numbers = operand.keep(np.concatenate([source.held(name) for source in sources]))
                for source in sources:
                    source.renumber(name, numbers)

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> dict[str, Any]:
        """What the future depends on, as AGGREGATION."""
        rising = self._rising
        over = rising is not None and rising.has_fallen
        return {
            "operands": {name: operand.state() for name, operand in self._numbered.items()},
            "found": self.found,
            "totals": [self._totals.snapshot()] if self._totals is not None and not over else [],
            "enumeration": [self._enumeration.state()] if self._enumeration is not None else [],
            "rising": [rising.state()] if rising is not None else [],
        }

    def restore(self, state: dict[str, Any], position: int, time: int | None, masks: Sequence[int]) -> None:
        """Go on where ``state`` was taken, with the event at ``position``; the one before it had this ``time``.

        ``masks`` are the symbols so far.  SnapshotError, ValueError: it cannot be.
        """
        require(state["operands"].keys() == self._numbered.keys(), "values are of other attributes")
        for name, operand in self._numbered.items():
            operand.restore(state["operands"][name])
        require(len(state["enumeration"]) == (self._enumeration is not None), "a query is counted in another way")
        require(len(state["rising"]) == (self._rising is not None), "a query is counted in another way")
        has_fallen = any(each["fallen"] for each in state["rising"])
        require(len(state["totals"]) == (self._totals is not None and not has_fallen), "there are no totals")
        self.found = state["found"]
        if self._totals is not None and not has_fallen:
            self._totals.restore(state["totals"][0])
            self._totals.check(position, masks)
        if self._rising is not None:
            self._rising.restore(state["rising"][0], masks, self._events)
        if self._enumeration is not None:
            begun = has_fallen or self._rising is None
            self._enumeration.restore(state["enumeration"][0], position if begun else self._first, time)

    @property
    def _numbered(self) -> dict[str, Operand]:
        """Those whose values have numbers."""
        return {name: one for name, one in self._operands.items() if not isinstance(one, CalculatedOperand)}

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows."""
        return self._source.known_partitions

    @property
    def _rising(self) -> Rising | None:
        return self._source if isinstance(self._source, Rising) else None

    # ── partitions of which nothing is left ──────────────────────────────────────────────────────────────
    @property
    def ends_with_time(self) -> bool:
        """Whether time alone ends what is in them; those of totals are not numbered with such ones."""
        return self._totals is None and self._query.forgets

    def living(self) -> Numbers:
        """The partitions that have something which a later event can go on with."""
        return self._source.living()

    def keep(self, kept: Numbers) -> None:
        """Forget all but these (rising), which get the numbers from 0 on."""
        self._source.keep(kept)

    def _source_of(self, plan: Recognition, schema: pyarrow.Schema, unordered: Sequence[str], first: int) -> _Source:
        """What gives the rows."""
        query = self._query
        rises = isinstance(query.window, AttributeWindow)
        enumerates = why_enumerated(query, plan, unordered) is not None
        if enumerates or rises:
            self._enumeration = Enumeration(query, plan, self._operands, schema, first, self._integers)
        if enumerates:
            assert self._enumeration is not None
            return self._enumeration
        self._totals = Totals(query, plan, self._operands, first, self._integers)
        if self._enumeration is not None:
            return Rising(query, needed(query), self._totals, self._enumeration)
        return self._totals

    def _values(self, key: GroupKey, rows: AggregateRows, number: int) -> pyarrow.Array:
        return self._operands[key.attribute.name].numbered(rows.keys[number])


def _schema(query: FormulaQuery, operands: Mapping[str, Operand], integers: Integers) -> pyarrow.Schema:
    shown = [(key.name, operands[key.attribute.name].type) for key in query.group_by if key.name is not None]
    columns = shown + [(each.name, _type(each, operands, integers)) for each in query.aggregates]
    return pyarrow.schema([(free("end", [name for name, _ in columns]), pyarrow.int64()), *columns])


def _type(aggregate: MatchAggregate, operands: Mapping[str, Operand], integers: Integers) -> pyarrow.DataType:
    """The type of an aggregate's column."""
    if aggregate.operand is None or aggregate.function == "COUNT":
        return integers.type
    operand = operands[aggregate.operand]
    if aggregate.function in ("MIN", "MAX"):
        return operand.type
    return pyarrow.float64() if aggregate.function == "AVG" or operand.is_double else integers.type


def _first_of_each_end(ends: Ends, most: int) -> Mask:
    """The first rows of each end, at most so many (m)."""
    begins = np.searchsorted(ends, ends)
    return np.arange(len(ends)) - begins < most
