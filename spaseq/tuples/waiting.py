"""The events of a stream that wait for their turn, in the order of time; those of one time in that of arrival.

They are kept in runs, each in order, the older run before the younger one: a run is joined with the one before it as
soon as that is not much longer.  So there are few, and an event is moved a few times, however small batches are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow

from spaseq.snapshots.shapes import Shape
from spaseq.sources.tables.types import usual_type
from spaseq.tuples.columns.rows import FewRows, Rows, behind_each_other
from spaseq.tuples.columns.serialisation import distinct, integers_read, numbers_stored, require, rows_read, rows_stored
from spaseq.tuples.encoding.times import Times

FEW = 64  # texts of a dictionary that are kept without a thought
WAITING: Shape = [{"times": bytes, "rows": bytes}]
WaitingRun = tuple[Times, Rows]


class Waiting:
    """Events with their times; batches may have different columns."""

    def __init__(self) -> None:
        self._runs: list[WaitingRun] = []

    def __len__(self) -> int:
        """How many there are."""
        return sum(len(times) for times, _ in self._runs)

    @property
    def first(self) -> int:
        """The time of the first of them; there are some."""
        return min(int(times[0]) for times, _ in self._runs)

    def add(self, times: Times, batch: Rows) -> None:
        """More events came, in any order."""
        if len(times) > 1 and (times[1:] < times[:-1]).any():
            order = np.argsort(times, kind="stable")
            times, batch = times[order], batch.take(pyarrow.array(order))
        self._runs.append((times, batch))
        while len(self._runs) > 1 and _may_be_joined(*self._runs[-2:]):
            self._runs[-2:] = [joined(self._runs[-2:])]

    def state(self) -> list[dict[str, Any]]:
        """All of them, as WAITING."""
        return [
            {"times": numbers_stored(times), "rows": rows_stored(_without_the_past(_of_arrow(batch)))}
            for times, batch in self._runs
        ]

    def restore(self, state: list[dict[str, Any]], least: int) -> None:
        """Know these, of which none is before ``least``; SnapshotError: they cannot be."""
        for run in state:
            rows = rows_read(run["rows"])
            times = integers_read(run["times"], rows.num_rows)
            require(len(times) > 0 and bool((times[1:] >= times[:-1]).all()), "events that wait are not in order")
            require(bool(times[0] >= least), "events wait that came too late")
            require(all(usual_type(field.type) == field.type for field in rows.schema), "columns are of other types")
            distinct(rows.schema.names)
            self._runs.append((times, rows))

    def is_due(self, bound: int) -> bool:
        """Whether something is not after the time ``bound``."""
        return any(times[0] <= bound for times, _ in self._runs)

    def taken(self, bound: int) -> list[WaitingRun]:
        """Give away what is not after the time ``bound``: runs in order, the older one first."""
        found: list[WaitingRun] = []
        left: list[WaitingRun] = []
        for run in self._runs:
            times, batch = run
            if times[-1] <= bound:
                found.append(run)
            elif times[0] > bound:
                left.append(run)
            else:
                edge = int(np.searchsorted(times, bound, "right"))
                found.append((times[:edge], batch.slice(0, edge)))
                left.append((times[edge:], batch.slice(edge)))
        self._runs = left
        return found


def _may_be_joined(older: WaitingRun, younger: WaitingRun) -> bool:
    return len(older[0]) <= 2 * len(younger[0]) and _alike(older[1].schema, younger[1].schema)


def _alike(one: pyarrow.Schema, other: pyarrow.Schema) -> bool:
    return one is other or bool(one.equals(other))


def _of_arrow(rows: Rows) -> pyarrow.RecordBatch:
    return rows.batch() if isinstance(rows, FewRows) else rows


def joined(runs: list[WaitingRun]) -> WaitingRun:
    """Several runs as one; of equal times those of the first one come first."""
    if len(runs) == 1:
        return runs[0]
    times = np.concatenate([each for each, _ in runs])
    batch = _concatenated([batch for _, batch in runs])
    if (times[1:] < times[:-1]).any():
        order = np.argsort(times, kind="stable")
        times, batch = times[order], batch.take(pyarrow.array(order))
    return times, batch


def _concatenated(rows: list[Rows]) -> Rows:
    """One behind the other; dictionaries are made one."""
    few = [each for each in rows if isinstance(each, FewRows)]
    if len(few) == len(rows):
        return behind_each_other(few)
    batches = [_without_the_past(_of_arrow(each)) for each in rows]
    table = pyarrow.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    (batch,) = table.to_batches() or [batches[0].slice(0, 0)]
    return batch


def _without_the_past(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The same with dictionaries of what is there, if they have much else, which nothing would ever let go of."""
    for place, column in enumerate(batch.columns):
        if isinstance(column, pyarrow.DictionaryArray) and len(column.dictionary) > 2 * len(column) + FEW:
            batch = batch.set_column(place, batch.schema.field(place), _encoded_anew(column))
    return batch


def _encoded_anew(column: pyarrow.DictionaryArray) -> pyarrow.Array:
    return column.dictionary_decode().dictionary_encode().cast(column.type)
