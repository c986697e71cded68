"""What a query for row patterns is fed: rows, that time has passed, and that there are no more; and what takes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow

from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.streams.batch import Numbers
from spaseq.tuples.columns.rows import Rows
from spaseq.tuples.row_patterns.arrow_types import arrow_type

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


class RowPatternEvaluation(ABC):
    """See ``TableEvaluation``: what a query is fed, and gives, whose columns are known."""

    variables: tuple[str, ...] = ()
    met = 0

    def __init__(self, query: RowPatternQuery) -> None:
        assert query.columns is not None
        self.schema = pyarrow.schema([(column.name, arrow_type(column.type)) for column in query.columns])
        self.found = 0

    def batches(self, batch: Fed) -> Iterator[pyarrow.RecordBatch]:
        """See ``TableEvaluation``.  StreamError: a row has no value."""
        for found in self.results(batch):
            self.found += found.num_rows
            yield found

    def counts(self, batch: Fed) -> Iterator[int]:
        """See ``TableEvaluation``."""
        for found in self.batches(batch):
            yield found.num_rows

    @abstractmethod
    def results(self, batch: Fed) -> Iterator[pyarrow.RecordBatch]:
        """What this decides.  StreamError: a row has no value."""
