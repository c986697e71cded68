"""Aggregates over the matches of each end: COUNT, SUM, AVG, MIN and MAX, maybe by groups, batch by batch.

In a window that an attribute measures they come by totals as long as it rises, from then on by enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pyarrow

from spaseq.pattern.formulas.query import AttributeWindow, FormulaQuery, GroupKey, MatchAggregate
from spaseq.plan.formulas.aggregation import way, why_enumerated
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.runtime.snapshot.validation import COUNT, TIME, AnyNames, Shape
from spaseq.sources.tables.types import Integers
from spaseq.tuples.aggregates.enumeration import ENUMERATION, Enumeration
from spaseq.tuples.columns.serialisation import (
    integers_read,
    numbers_stored,
    require,
    rows_read,
    rows_stored,
    vector_read,
    vector_stored,
)
from spaseq.tuples.columns.vectors import Mask, Vector
from spaseq.tuples.encoding.batches import NEVER, EncodedBatch, edges
from spaseq.tuples.encoding.partitions import NO_PARTITION, PARTITIONS, Numbers
from spaseq.tuples.encoding.times import Measure
from spaseq.tuples.queries import needed
from spaseq.tuples.selection.picks import free
from spaseq.tuples.totals.operands import CalculatedOperand, Operand, operands_of
from spaseq.tuples.totals.totals import AggregateRows, Ends, Totals

_KEPT: Shape = {"first": COUNT, "symbols": bytes, "partitions": [bytes], "measure": bytes, "rows": bytes}
RISING: Shape = {"last": TIME, "fallen": bool, "kept": [_KEPT]}


class Rising:
    """Rows by ``totals`` up to the batch in which the window's attribute falls, from there on by ``enumeration``.

    What came before may then be in a window again: so events are kept, with the columns of ``needed``."""

    def __init__(self, query: FormulaQuery, needed: tuple[str, ...], totals: Totals, enumeration: Enumeration) -> None:
        self._window = query.window
        self._needed = needed
        self._totals = totals
        self._enumeration = enumeration
        self._kept: list[EncodedBatch] = []
        self._last = NEVER
        self._has_fallen = False

    def rows(self, batch: EncodedBatch) -> Iterator[AggregateRows]:
        """The rows whose ends are in a batch, in their order."""
        if self._has_fallen:
            return self._enumeration.rows(batch)
        if self._falls(batch):
            self._has_fallen = True
            return self._from_the_begin(batch)
        nowhen = np.broadcast_to(np.int64(0), len(batch))  # times are not asked for again
        self._kept.append(replace(batch, times=nowhen, batch=batch.batch.select(self._needed)))
        return self._totals.rows(batch)

    @property
    def has_fallen(self) -> bool:
        """Whether matches are enumerated now."""
        return self._has_fallen

    def met(self) -> int:
        """The atoms that some event had so far."""
        return self._enumeration.met() if self._has_fallen else self._totals.met()

    def state(self) -> dict[str, Any]:
        """What is kept, as RISING."""
        return {"last": int(self._last), "fallen": self._has_fallen, "kept": [_stored(batch) for batch in self._kept]}

    def restore(self, state: dict[str, Any], masks: Sequence[int], schema: pyarrow.Schema) -> None:
        """Go on where ``state`` was taken: ``masks`` are the symbols so far, ``schema`` is that of the events.

        SnapshotError: it cannot be.
        """
        self._last, self._has_fallen = np.int64(state["last"]), state["fallen"]
        require(not (self._has_fallen and state["kept"]), "events are kept that nobody needs")
        own = pyarrow.schema([schema.field(name) for name in self._needed])
        self._kept = [_read(one, masks, own) for one in state["kept"]]

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows, at most."""
        kept = int(self._partitions().astype(np.int64).max(initial=-1)) + 1
        return max(kept, self._totals.known_partitions, self._enumeration.known_partitions)

    def living(self) -> Numbers:
        """The partitions that have something which a later event can go on with: all, as long as events are kept."""
        return self._enumeration.living() if self._has_fallen else self._partitions()

    def keep(self, kept: Numbers) -> None:
        """Forget all partitions but these (rising), which get the numbers from 0 on."""
        self._enumeration.keep(kept)
        if not self._has_fallen:
            self._totals.keep(kept)
            self._kept = [_renumbered(batch, kept) for batch in self._kept]

    def _partitions(self) -> Numbers:
        """Those of the events that are kept, rising."""
        numbers = [np.unique(batch.partitions) for batch in self._kept if batch.partitions is not None]
        found: Numbers = np.unique(np.concatenate([*numbers, np.empty(0, np.uint32)]))
        there: Numbers = found[found != NO_PARTITION]
        return there

    def _falls(self, batch: EncodedBatch) -> bool:
        starts, _ = edges(self._window, batch)
        there = np.concatenate([[self._last], starts[starts != NEVER]])
        self._last = there[-1]
        return bool((there[1:] < there[:-1]).any())

    def _from_the_begin(self, batch: EncodedBatch) -> Iterator[AggregateRows]:
        """The rows of a batch, after all that came before it."""
        kept, self._kept = self._kept, []
        for before in kept:
            for _ in self._enumeration.rows(before):
                pass
        yield from self._enumeration.rows(batch)


def _renumbered(batch: EncodedBatch, kept: Numbers) -> EncodedBatch:
    """The batch, with the numbers that its partitions have if these are kept."""
    assert batch.partitions is not None
    there = batch.partitions != NO_PARTITION
    numbers = np.full(len(batch), NO_PARTITION, np.uint32)
    numbers[there] = np.searchsorted(kept, batch.partitions[there])
    return replace(batch, partitions=numbers)


def _stored(batch: EncodedBatch) -> dict[str, Any]:
    """A batch that is kept, as _KEPT."""
    assert batch.measure is not None
    partitions = [] if batch.partitions is None else [numbers_stored(batch.partitions.astype(np.int64))]
    return {
        "first": batch.first_position,
        "symbols": numbers_stored(batch.symbols.astype(np.int64)),
        "partitions": partitions,
        "measure": vector_stored(Vector(batch.measure.values, batch.measure.valid)),
        "rows": rows_stored(batch.batch),
    }


def _read(state: dict[str, Any], masks: Sequence[int], schema: pyarrow.Schema) -> EncodedBatch:
    """The batch; SnapshotError: it cannot be."""
    symbols = integers_read(state["symbols"])
    require(bool(((symbols >= 0) & (symbols < len(masks))).all()), "an event has a symbol that there is not")
    count = len(symbols)
    partitions = [integers_read(data, count) for data in state["partitions"]]
    require(
        len(partitions) < 2 and all(((some >= 0) & (some <= NO_PARTITION)).all() for some in partitions),
        "an event is in a partition that there is not",
    )
    measured = vector_read(state["measure"], count)
    require(measured.values.dtype != object, "values are no numbers")
    rows = rows_read(state["rows"], schema)
    require(rows.num_rows == count or not schema.names, "rows that were kept are missing")
    return EncodedBatch(
        state["first"], np.broadcast_to(np.int64(0), count), symbols.astype(np.uint32),
        partitions[0].astype(np.uint32) if partitions else None, Measure(measured.values, measured.valid), rows, masks,
    )  # fmt: skip


# ── batch by batch ───────────────────────────────────────────────────────────────────────────────────────
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
        plan: RecognitionPlan,
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

    def _source_of(
        self, plan: RecognitionPlan, schema: pyarrow.Schema, unordered: Sequence[str], first: int
    ) -> _Source:
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
