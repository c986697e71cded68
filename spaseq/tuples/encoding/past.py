"""The rows of past events, as long as a match may need them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.snapshots.shapes import COUNT, Shape
from spaseq.tuples.columns.few import MOST_FEW, FewRows, array
from spaseq.tuples.columns.stored import integers_read, numbers_stored, require, rows_read, rows_stored
from spaseq.tuples.encoding.encoded import EncodedBatch
from spaseq.tuples.encoding.times import Times

SMALL = 1 << 12  # rows of a batch that may be joined with others
PAST: Shape = [{"first": COUNT, "starts": bytes, "rows": bytes}]  # at most one
Kept = tuple[int, Times, pyarrow.RecordBatch]  # the first position, the starts, and the rows


class Past:
    """Some columns of events by position; if ``forgets``, without those that no later window reaches.

    ``schema`` is that of the columns that are kept, without dictionaries.
    """

    def __init__(self, names: Sequence[str], schema: pyarrow.Schema, forgets: bool) -> None:
        """``schema`` is that of the events."""
        self._names = list(dict.fromkeys(names))
        self.schema = pyarrow.schema([(name, _plain_type(schema.field(name).type)) for name in self._names])
        self._forgets = forgets
        self._kept: deque[Kept] = deque()
        self._few: deque[tuple[int, Times, FewRows]] = deque()  # that came after these
        self._table: pyarrow.Table | None = None

    def keep(self, batch: EncodedBatch, starts: Times, least: Times) -> None:
        """Know a batch, and forget events before its windows: of their ``starts``, windows begin at ``least``."""
        if not self._names or not len(batch):
            return
        if self._forgets:
            self._forget(least[0])
        if isinstance(batch.batch, FewRows):
            self._few.append((batch.first_position, starts, batch.batch))
            if len(self._few) == MOST_FEW:
                self._settle()
            return
        self._settle()
        columns = [_plain(batch.batch.column(name)) for name in self._names]
        self._append((batch.first_position, starts, pyarrow.record_batch(columns, schema=self.schema)))

    def _forget(self, least: np.int64) -> None:
        """All before the windows begin."""
        while self._kept and self._kept[0][1][-1] < least:
            self._kept.popleft()
        while not self._kept and self._few and self._few[0][1][-1] < least:
            self._few.popleft()

    def _settle(self) -> None:
        """Keep as a batch what came as few rows."""
        if not self._few:
            return
        starts = np.concatenate([starts for _, starts, _ in self._few])
        columns = [
            array([value for _, _, rows in self._few for value in rows.values(field.name)], field.type)
            for field in self.schema
        ]
        self._append((self._few[0][0], starts, pyarrow.record_batch(columns, schema=self.schema)))
        self._few.clear()

    def _append(self, kept: Kept) -> None:
        """Know a batch that came after the others."""
        self._kept.append(kept)
        while len(self._kept) > 1 and len(self._kept[-1][1]) < SMALL and self._is_short(self._kept[-2]):
            self._kept.append(_joined([self._kept.pop(), self._kept.pop()][::-1]))
        self._table = None

    def _is_short(self, before: Kept) -> bool:
        """Whether a batch is not much longer than the one after it: small ones are joined, so that there are few."""
        return len(before[1]) <= 2 * len(self._kept[-1][1])

    @property
    def oldest(self) -> int:
        """The position of the first event that is known; 0: there is none."""
        return next((first for first, _, _ in chain(self._kept, self._few)), 0)

    def state(self) -> list[dict[str, Any]]:
        """What is known, as PAST."""
        self._settle()
        if not self._kept:
            return []
        first, starts, rows = _joined(self._kept)
        return [{"first": first, "starts": numbers_stored(starts), "rows": rows_stored(rows)}]

    def restore(self, state: list[dict[str, Any]], end: int) -> None:
        """Go on where ``state`` was taken, before position ``end``; SnapshotError: it is of other rows."""
        require(len(state) <= 1, "rows are kept twice")
        for kept in state:
            rows = rows_read(kept["rows"], self.schema)
            starts = integers_read(kept["starts"])
            require(bool(self._names) and len(starts) > 0, "rows are kept that nobody needs")
            require(len(starts) == rows.num_rows == end - kept["first"], "rows that were kept are missing")
            self._kept.append((kept["first"], starts, rows))

    def values(self, name: str, positions: pyarrow.Array) -> pyarrow.Array:
        """The values of a column at these positions (int64)."""
        self._settle()
        if self._table is None:
            self._table = pyarrow.Table.from_batches([batch for _, _, batch in self._kept]).combine_chunks()
        places = pyarrow.compute.subtract(positions, self._kept[0][0])
        return self._table.column(name).take(places).combine_chunks()


def _joined(kept: Sequence[Kept]) -> Kept:
    """Batches behind each other as one."""
    starts = np.concatenate([starts for _, starts, _ in kept])
    table = pyarrow.Table.from_batches([batch for _, _, batch in kept]).combine_chunks()
    (batch,) = table.to_batches() or [kept[0][2]]
    return kept[0][0], starts, batch


def _plain(column: pyarrow.Array) -> pyarrow.Array:
    return column.dictionary_decode() if isinstance(column, pyarrow.DictionaryArray) else column


def _plain_type(type_: pyarrow.DataType) -> pyarrow.DataType:
    return type_.value_type if pyarrow.types.is_dictionary(type_) else type_
