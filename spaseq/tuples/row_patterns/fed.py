"""What a query for row patterns is fed: rows, that time has passed, and that there are no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import pyarrow

from spaseq.streams.batch import Numbers
from spaseq.tuples.columns.rows import Rows

MOST_SHOWN = 1 << 16  # results of a batch


class EndOfRows:
    """No further row comes."""


@dataclass(frozen=True, slots=True)
class TimePassed:
    """No row before that time will come."""

    time: int


@dataclass(frozen=True, slots=True)
class RowsFed:
    """Rows with their times, which rise (where they have none: whatever), the first of them at that position."""

    first: int
    rows: Rows
    times: Numbers


Fed: TypeAlias = "RowsFed | TimePassed | EndOfRows"


def batch_of(fed: RowsFed, columns: pyarrow.Schema) -> pyarrow.RecordBatch:
    """The rows with these columns alone."""
    return fed.rows.select(columns.names)
