"""The rows of past events, as long as a match may need them, by the positions of their events, which rise."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute

from spaseq.runtime.snapshot.validation import COUNT, Shape
from spaseq.tuples.columns.rows import MOST_FEW, FewRows, array
from spaseq.tuples.columns.serialisation import damaged, marks_read, numbers_stored, require, rows_read, rows_stored
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.encoding.times import Times

Positions = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]


class RowPositions:
    """The positions of n rows; most rows that are asked for are among the last ones, of which none is missing."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        behind = positions - np.arange(len(positions))  # rises where some are missing
        self._behind = int(behind[-1]) if len(positions) else 0
        self._whole_from = self._behind + int(np.searchsorted(behind, self._behind))

    def places(self, wanted: Positions) -> Places:
        """Which rows are at these positions (m), at all of which there is one."""
        found = wanted - self._behind
        others = np.flatnonzero(wanted < self._whole_from)
        if len(others):
            found[others] = np.searchsorted(self._positions, wanted[others])
        return found


def places_among(known: Positions, wanted: Positions) -> Places:
    """Where those of ``wanted`` (rising) are that are among ``known`` (rising)."""
    places = np.searchsorted(known, wanted)
    there = places < len(known)
    there[there] = known[places[there]] == wanted[there]
    return places[there].astype(np.int64, copy=False)


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
SMALL = 1 << 12  # rows of a batch that may be joined with others
MANY = 1 << 14  # rows of which some may be in no match any more
PAST: Shape = [{"first": COUNT, "starts": bytes, "rows": bytes}]  # at most one
Kept = tuple[int, Times, pyarrow.RecordBatch]  # the first position, the starts (or all positions), and the rows


class EventHistory:
    """Some columns of events by position; if ``forgets``, without those that no later window reaches.

    Else only what matches hold says what is needed (``keep_only``).  ``schema`` is that of the columns that are kept,
    without dictionaries.
    """

    def __init__(self, names: Sequence[str], schema: pyarrow.Schema, forgets: bool) -> None:
        """``schema`` is that of the events."""
        self._names = list(dict.fromkeys(names))
        self.schema = pyarrow.schema([(name, _plain_type(schema.field(name).type)) for name in self._names])
        self._forgets = forgets
        self._kept: deque[Kept] = deque()
        self._few: deque[tuple[int, Times, FewRows]] = deque()  # that came after these
        self._count, self._many = 0, MANY  # of rows
        self._table: pyarrow.Table | None = None
        self._positions: RowPositions | None = None  # of its rows, if some may be missing between them

    def keep(self, batch: EncodedBatch, starts: Times, least: Times) -> None:
        """Know a batch, and forget events before its windows: of their ``starts``, windows begin at ``least``."""
        if not self._names or not len(batch):
            return
        if self._forgets:
            self._forget(least[0])
        first = batch.first_position
        marks = starts if self._forgets else np.arange(first, first + len(batch))
        self._count += len(batch)
        if isinstance(batch.batch, FewRows):
            self._few.append((first, marks, batch.batch))
            if len(self._few) == MOST_FEW:
                self._settle()
            return
        self._settle()
        columns = [_plain(batch.batch.column(name)) for name in self._names]
        self._append((first, marks, pyarrow.record_batch(columns, schema=self.schema)))

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
        marks = np.concatenate([marks for _, marks, _ in self._few])
        columns = [
            array([value for _, _, rows in self._few for value in rows.values(field.name)], field.type)
            for field in self.schema
        ]
        self._append((self._few[0][0], marks, pyarrow.record_batch(columns, schema=self.schema)))
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
    def has_many(self) -> bool:
        """Whether half of the rows may be in no match any more, for all that is known."""
        return not self._forgets and self._count >= self._many

    def keep_only(self, held: Times) -> None:
        """Forget all rows but those at these positions (rising)."""
        self._settle()
        _, positions, rows = _joined(self._kept)
        needed = places_among(positions, held)
        self._kept.clear()
        self._table = None
        self._count = len(needed)
        self._many = max(MANY, 2 * self._count)
        if self._count:
            left = positions[needed]
            self._kept.append((int(left[0]), left, rows.take(pyarrow.array(needed))))

    def has(self, positions: Times) -> bool:
        """Whether the rows at these positions are known."""
        if self._forgets or not self._names:
            return True
        self._settle()
        known = np.concatenate([np.empty(0, np.int64), *(marks for _, marks, _ in self._kept)])
        return len(places_among(known, positions)) == len(positions)

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
            marks = marks_read(kept["starts"], kept["first"], end, self._forgets)
            require(bool(self._names) and len(marks) > 0, "rows are kept that nobody needs")
            require(len(marks) == rows.num_rows, "rows that were kept are missing")
            self._kept.append((kept["first"], marks, rows))
            self._count = len(marks)

    def values(self, name: str, positions: pyarrow.Array) -> pyarrow.Array:
        """The values of a column at these positions (int64).

        SnapshotError: they are forgotten, for a snapshot had other starts of windows than its matches.
        """
        try:
            return self._known(name, positions)
        except pyarrow.ArrowIndexError:
            raise damaged("windows of rows begin otherwise than those of matches") from None

    def _known(self, name: str, positions: pyarrow.Array) -> pyarrow.Array:
        self._settle()
        if self._table is None:
            require(bool(self._kept), "rows that were kept are missing")
            self._table = pyarrow.Table.from_batches([batch for _, _, batch in self._kept]).combine_chunks()
            marks = [marks for _, marks, _ in self._kept]
            self._positions = None if self._forgets else RowPositions(np.concatenate(marks))
        return self._table.column(name).take(self._places(positions)).combine_chunks()

    def _places(self, positions: pyarrow.Array) -> pyarrow.Array:
        """The rows in the table."""
        if self._positions is None:
            return pyarrow.compute.subtract(positions, self._kept[0][0])
        return pyarrow.array(self._positions.places(positions.to_numpy()))


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
