"""What a query for row patterns knows of rows that came, for a snapshot: rows and where matches begin, no sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow

from spaseq.runtime.snapshot.validation import COUNT, TIME, Shape
from spaseq.tuples.columns.serialisation import integers_read, numbers_stored, require, rows_read, rows_stored
from spaseq.tuples.row_patterns.partition_numbers import PartitionNumbers
from spaseq.tuples.row_patterns.tied_rows import POSITION, TiedRows

STREAM: Shape = {
    "rows": bytes, "numbers": bytes, "heads": bytes, "keys": bytes, "tied": bytes, "tied_at": [TIME], "held": [bool],
    "found": COUNT, "next": COUNT, "promised": TIME,
}  # fmt: skip
HEAD = 6  # numbers that are told of a partition (``RowPatternStreamScanner.kept``)
Places = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class KeptStream:
    """The rows of partitions that are of use, by partition, as ``heads`` tell, with their ``numbers``."""

    heads: Places
    numbers: Places
    rows: pyarrow.RecordBatch

    def stored(self) -> dict[str, bytes]:
        """As part of STREAM; partitions have the numbers that they get when they are restored."""
        heads = np.column_stack([np.arange(len(self.heads)), self.heads[:, 1:]])
        return {
            "rows": rows_stored(self.rows), "numbers": numbers_stored(self.numbers),
            "heads": numbers_stored(heads.ravel()),
        }  # fmt: skip

    @staticmethod
    def of(state: dict[str, bytes], schema: pyarrow.Schema, position: int, following: int) -> KeptStream:
        """What was stored of rows whose next one is ``following``, at a position; SnapshotError: it cannot be."""
        rows = rows_read(state["rows"], schema)
        numbers, heads = integers_read(state["numbers"], rows.num_rows), integers_read(state["heads"])
        require(len(heads) % HEAD == 0, "a partition is not all there")
        found = KeptStream(heads.reshape(-1, HEAD), numbers, rows)
        counts = found.heads[:, HEAD - 1]
        require(bool((counts >= 0).all()) and int(counts.sum()) == rows.num_rows, "rows of partitions are missing")
        require(len(np.unique(found.heads[:, 0])) == len(found.heads), "a partition is there twice")
        require(len(np.unique(numbers)) == len(numbers), "a row is there twice")
        require(bool(((numbers >= 0) & (numbers < following)).all()), "rows are of later")
        check_positions(rows, position)
        return found


def check_positions(rows: pyarrow.RecordBatch, position: int) -> None:
    """SnapshotError: rows say that they are at positions where none was."""
    if POSITION not in rows.schema.names:
        return
    its = rows.column(POSITION)
    require(not its.null_count and all(0 <= each < position for each in its.to_pylist()), "rows are of later")


def tied_stored(tied: TiedRows) -> dict[str, Any]:
    """Rows that wait for time to pass."""
    return {"tied": rows_stored(tied.rows), "tied_at": [tied.due] if len(tied) else []}


def restore_tied(tied: TiedRows, state: dict[str, Any], position: int) -> None:
    """The rows that waited; SnapshotError."""
    rows = rows_read(state["tied"], tied.schema)
    require(len(state["tied_at"]) == bool(rows.num_rows), "rows that wait are of no time")
    require(tied.sorts or not rows.num_rows, "rows wait for nothing")
    check_positions(rows, position)
    for time in state["tied_at"]:
        tied.keep(rows, time)


def restore_keys(partitions: PartitionNumbers, kept: KeptStream, keys: bytes, types: pyarrow.Schema) -> None:
    """The keys of partitions, of columns of these ``types``; SnapshotError: they are not those of their rows."""
    found = rows_read(keys, types)
    require(found.num_rows == len(kept.heads), "keys are missing")
    partitions.restore(found, kept.heads[:, 0].tolist())
    require(len(partitions) == len(kept.heads), "two partitions have one key")
    of = partitions.of(kept.rows, _unknown) if kept.rows.num_rows else np.zeros(0, np.uint32)
    wanted = np.repeat(kept.heads[:, 0], kept.heads[:, HEAD - 1])
    require(bool((of == wanted).all()), "a row is of another partition")


def _unknown() -> int:
    """The number of a key that no partition has."""
    return (1 << 32) - 1
