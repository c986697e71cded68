"""What all jobs have in common, whatever language their queries are in: engines, what these find, and packed rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pyarrow

from spaseq import runtime

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


Batches: TypeAlias = "Iterator[pyarrow.RecordBatch]"


@dataclass(frozen=True, slots=True)
class PackedForm:
    """The columns of packed rows: which has their times (µs), and which their streams (None: they are of one).

    ``counted`` is a column that is true in one of the engines that a row goes to (None: it goes to one alone).
    """

    schema: pyarrow.Schema
    time: str
    stream: str | None = None
    counted: str | None = None

    def number(self, rows: pyarrow.Table) -> int:
        """How many rows count here, and in no other engine."""
        return len(rows) if self.counted is None else int(rows[self.counted].to_numpy().sum())


class ShardEngine(runtime.Engine):
    """One of the engines of a job: packed rows in.  What it is given has been taken when an iterator is at its end."""

    @abstractmethod
    def push_packed(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[Any]:
        """Rows came; then the promise that none comes before ``promise`` (µs)."""

    @abstractmethod
    def snapshot(self) -> bytes:
        """The state as bytes."""

    @property
    def left_out(self) -> int:
        """How many steps and groups of partial matches were left out, to keep work within its bound."""
        return 0


class JobResults(Protocol):
    """What a job makes of what its engines find: rows for Spark."""

    @property
    def results(self) -> str | StructType:
        """The columns of results, for Spark."""

    @property
    def late(self) -> bool:
        """Whether late rows are among the results."""

    def late_rows(self, rows: pyarrow.Table) -> pyarrow.RecordBatch:
        """Rows of the results for packed rows that are late."""

    def misfits(self, results: pyarrow.RecordBatch) -> int:
        """How many values in these rows of results are NULL as they did not fit the types of their columns."""

    def rows(self, number: int, found: Any) -> pyarrow.RecordBatch | None:
        """Rows of the results for what the engine of that number found; None: nothing of it is its own to give."""


class EngineJob(JobResults, Protocol):
    """Queries that are cut into engines; it never changes, and pickles."""

    @property
    def partitions(self) -> int:
        """The number of shuffle partitions of Spark."""

    @property
    def labels(self) -> Sequence[int]:
        """The label of each engine by number."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What must be equal for a state to be of this job, by what it is called in errors."""

    @property
    def free(self) -> frozenset[str]:
        """What of the identity may have changed since a state was kept."""

    @property
    def form(self) -> PackedForm:
        """How rows are packed for engines."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The streams by which late rows are counted."""

    def sift(self, batches: Iterable[pyarrow.RecordBatch], ticks: bool = False) -> Batches:
        """Rows of ``PACKED`` for rows of the input; ``ticks``: one more has the latest time of all."""

    def started(self, number: int) -> ShardEngine:
        """A new engine of that number."""

    def restored(self, number: int, snapshot: bytes) -> ShardEngine:
        """The engine of that number as it was when the snapshot was taken."""


def job_rows(job: EngineJob, number: int, found: Iterable[Any]) -> Batches:
    """Rows of the results for all that the engine of that number finds: made before it goes on."""
    made = (job.rows(number, one) for one in found)
    return (rows for rows in made if rows is not None)
