"""Aggregates in a window that an attribute measures: by totals as long as it rises, from then on by enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow

from spaseq.pattern.formulas.query import FormulaQuery
from spaseq.snapshots.shapes import COUNT, TIME, Shape
from spaseq.tuples.aggregates.enumerated import Enumeration
from spaseq.tuples.columns.stored import (
    integers_read,
    numbers_stored,
    require,
    rows_read,
    rows_stored,
    vector_read,
    vector_stored,
)
from spaseq.tuples.columns.vectors import Vector
from spaseq.tuples.encoding.encoded import EncodedBatch
from spaseq.tuples.encoding.measures import Measure
from spaseq.tuples.encoding.partitions import NO_PARTITION, Numbers
from spaseq.tuples.encoding.windows import NEVER, edges
from spaseq.tuples.totals.totals import AggregateRows, Totals

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
