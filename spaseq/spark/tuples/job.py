"""What a job with a query in CEQL is; it never changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow

from spaseq.plan.description import Split, whole
from spaseq.plan.formulas.automaton import split
from spaseq.spark.kinds import Batches, PackedForm
from spaseq.spark.labels import labels
from spaseq.spark.meta import BUCKETS, PARTITIONS
from spaseq.spark.tuples.engine import Found, TupleShard
from spaseq.spark.tuples.reading import TIME, TableReading
from spaseq.spark.tuples.showing import late_rows
from spaseq.spark.tuples.sifting import sift

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class TupleJob:
    """A query on a table; it is cut into ``buckets`` where it may be, unless it is kept ``whole``.

    ``results`` are the columns of what comes out.  It pickles.
    """

    reading: TableReading
    results: StructType
    buckets: int
    partitions: int
    whole: bool = False

    @cached_property
    def split(self) -> Split:
        """Where the query is cut."""
        query = self.reading.query
        return whole("so it was asked for") if self.whole else split(query.query, query.plan_for(self.reading.usual))

    @property
    def engines(self) -> int:
        """How many there are."""
        return self.buckets if self.split.keys else 1

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The label of each engine by number."""
        return labels(self.engines, self.partitions)

    @property
    def form(self) -> PackedForm:
        """See ``EngineJob``."""
        return PackedForm(self.reading.packed, TIME, self.reading.options.stream)

    @property
    def late(self) -> bool:
        """See ``EngineJob``."""
        return self.reading.late

    def late_rows(self, rows: pyarrow.Table) -> pyarrow.RecordBatch:
        """See ``EngineJob``."""
        return late_rows(rows, self.reading, self.schema)

    def misfits(self, results: pyarrow.RecordBatch) -> int:
        """See ``EngineJob``: values have the types of their columns."""
        return 0

    @property
    def inputs(self) -> tuple[str, ...]:
        """See ``EngineJob``."""
        return self.reading.query.query.streams if self.reading.options.stream is not None else ()

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """The columns of results, in Arrow."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.results, timezone="UTC")

    @property
    def free(self) -> frozenset[str]:
        """See ``EngineJob``."""
        return frozenset()

    @property
    def identity(self) -> dict[str, str]:
        """See ``EngineJob``."""
        options = self.reading.options
        roles = (options.type, options.relation, options.stream, options.time, options.unit, options.form)
        return {
            "the query": self.reading.query.fingerprint,
            "what columns are for": repr(roles),
            "the columns": ", ".join(f"{field.name}: {field.type}" for field in self.reading.packed),
            "totals": options.totals,
            PARTITIONS: str(self.partitions),
            BUCKETS: str(self.buckets),  # which follow from partitions
            "what is whole": str(self.whole),
        }

    def sift(self, batches: Iterable[pyarrow.RecordBatch], ticks: bool = False) -> Batches:
        """See ``EngineJob``."""
        return sift(self, batches, ticks)

    def rows(self, number: int, found: Found) -> pyarrow.RecordBatch:
        """See ``EngineJob``."""
        return found.rows()

    def started(self, number: int) -> TupleShard:
        """See ``EngineJob``."""
        return TupleShard(self.reading, self.schema)

    def restored(self, number: int, snapshot: bytes) -> TupleShard:
        """See ``EngineJob``."""
        return TupleShard.restored(self.reading, self.schema, snapshot)
