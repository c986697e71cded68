"""What a job with a query in CEQL is, and its engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow

from spaseq.pattern.formulas.binding import window_of
from spaseq.pattern.formulas.parameters import row_key
from spaseq.pattern.formulas.query import TimeWindow
from spaseq.plan.description import Partitioning, whole
from spaseq.plan.formulas.automaton import split
from spaseq.plan.sequences.plan import digest
from spaseq.runtime.guards import in_steps, whole_or_broken
from spaseq.runtime.snapshot.container import TUPLES, flattened, inflated
from spaseq.runtime.snapshot.validation import validated
from spaseq.spark.jobs import Batches, PackedForm
from spaseq.spark.log import BUCKETS, PARTITIONS
from spaseq.spark.packing import packed, unpacked
from spaseq.spark.shards import labels
from spaseq.spark.tuples.map_stage import ONLY, ROW, TIME, RowRouter, TableReading, sift
from spaseq.spark.tuples.results import AggregatedRows, RowStore, SelectedRows, ShownConstants, late_rows
from spaseq.spark.tuples.row_keys import RowKeys
from spaseq.spark.tuples.table_shard import TableShard
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.kind import TableKind
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery, ParametricTupleQuery, formula_query
from spaseq.tuples.selection.selection import SelectionQuery
from spaseq.tuples.state import core_state, restore_core
from spaseq.tuples.tuple_query import Evaluation, TupleQuery

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


Found: TypeAlias = "SelectedRows | AggregatedRows"


class TupleShard(TableShard):
    """Runs a query on the rows of one bucket, whose order is that of time; ``schema`` is that of its results."""

    def __init__(self, reading: TableReading, schema: pyarrow.Schema, tables: TableKind | None = None) -> None:
        """A new one, or one that goes on with the ``tables`` of another."""
        self._reading = reading
        self._schema = schema
        super().__init__(reading.begun()[0] if tables is None else tables)
        self.store = RowStore()
        self._constants: dict[TupleQuery, ShownConstants] = {}

    @in_steps
    @whole_or_broken
    def push_packed(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[Found]:
        """See ``ShardEngine``."""
        if len(rows):
            numbers = self.store.add(rows) if self._reading.kept else None
            self._take(self._reading.batch(rows, numbers))
        if promise is not None:
            self._clock.promise(promise)
        return self._results()

    def snapshot(self) -> bytes:
        """See ``ShardEngine``."""
        sections: dict[str, bytes] = {}
        state = {
            "core": core_state(self._tables),
            "following": self.store.following,
            "rows": [[first, packed(rows)] for first, rows in self.store.rows()],
        }
        return TUPLES.pack(flattened(state, sections), sections)

    @staticmethod
    def restored(reading: TableReading, schema: pyarrow.Schema, snapshot: bytes) -> TupleShard:
        """The engine as it was when the snapshot was taken; SnapshotError: it is damaged."""
        with validated():
            state: dict[str, Any] = inflated(*TUPLES.unpack(snapshot))
            tables = reading.tables()
            restore_core(tables, state["core"], {ONLY: reading.running}, reading.kept)
            engine = TupleShard(reading, schema, tables)
            engine.store = RowStore(state["following"])
            for first, rows in state["rows"]:
                engine.store.restore(first, unpacked(rows))
        return engine

    def _results(self) -> Iterator[Found]:
        """What is decided; then rows that no later result shows are forgotten."""
        for _, found in self.core.tables(how=self._found):
            yield found
        self.store.forget(self._shown_since())

    def _found(self, query: AnyTupleQuery) -> Iterator[tuple[str, Found]]:
        query = formula_query(query)
        if isinstance(query, ParametricTupleQuery):
            return query.found(partial(self._found_by, query))
        return self._found_by(query, query)

    def _found_by(self, query: AnyTupleQuery, member: TupleQuery) -> Iterator[tuple[str, Found]]:
        """What a member of a query finds."""
        return iter(()) if member.evaluation is None else member.each(partial(self._found_in, query, member))

    def _found_in(self, query: AnyTupleQuery, member: TupleQuery, batch: EncodedBatch) -> Iterator[Found]:
        evaluation = member.at_work
        if isinstance(evaluation, SelectionQuery):
            for found in evaluation.recognized(batch):
                shown = self._shown(query, member, 2)
                yield SelectedRows(found, batch, evaluation, self.store, self._reading, self._schema, shown)
        else:
            for rows in evaluation.batches(batch):
                yield AggregatedRows(rows, batch, self._schema, self._shown(query, member, 1))

    def _shown(self, query: AnyTupleQuery, member: TupleQuery, times: int) -> ShownConstants:
        """What the results of a member show of its rows, behind so many times."""
        if member not in self._constants:
            self._constants[member] = ShownConstants.of(query, member, list(self._schema)[times:])
        return self._constants[member]

    def _shown_since(self) -> int:
        """No row before this time is in a result that is still to come."""
        query = self._reading.query.query
        if isinstance(query.window, TimeWindow):
            return max(LEAST, self._clock.watermark - self._longest)
        return LEAST if not query.forgets else self._oldest()

    @cached_property
    def _longest(self) -> int:
        """How long the longest window of time is (µs)."""
        query, rows = self._reading.query.query, self._reading.running.rows or ()
        windows = [window_of(query, row) for row in rows] if query.lengths else [query.window]
        return max((one.microseconds for one in windows if isinstance(one, TimeWindow)), default=0)

    def _oldest(self) -> int:
        """The time of the first row that is remembered, in the order of times."""
        (query,), (merged,) = self.core.running.values(), self._tables.inputs
        if not merged.position:
            return LEAST
        return min((self._remembered_since(member.evaluation) for member in query.members), default=LEAST)

    def _remembered_since(self, running: Evaluation | None) -> int:
        if not isinstance(running, SelectionQuery):
            return LEAST
        number = running.past.values(ROW, pyarrow.array([running.past.oldest])).to_numpy()
        return int(self.store.take(number, [TIME])[TIME].cast(pyarrow.int64())[0].as_py())


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
    def split(self) -> Partitioning:
        """Where the query is cut."""
        query = self.reading.query
        if self.whole:
            return whole("so it was asked for")
        return self.row_keys.partitioning if self.row_keys else split(query.query, query.plan_for(self.reading.usual))

    @cached_property
    def row_keys(self) -> RowKeys | None:
        """Where rows of parameters lie, if they do so by a key."""
        return None if self.whole else RowKeys.of(self.reading)

    def router(self) -> RowRouter:
        """See ``RowReader``."""
        wanted = self.row_keys.values.drop_null() if self.row_keys else None
        return RowRouter(self.reading, self.split.keys, self.engines, wanted)

    def _reading_of(self, number: int) -> TableReading:
        """What the engine of that number reads: rows lie where their events go."""
        return replace(self.reading, here=self.row_keys.rows(number, self.engines)) if self.row_keys else self.reading

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

    @cached_property
    def identity(self) -> dict[str, str]:
        """See ``EngineJob``."""
        options = self.reading.options
        roles = (options.type, options.relation, options.stream, options.time, options.unit, options.form)
        rows = self.reading.query.rows
        given = {} if rows is None else {"the rows of the query": digest(repr(sorted(map(row_key, rows))))}
        return {
            "the query": self.reading.query.fingerprint,
            **given,
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
        return TupleShard(self._reading_of(number), self.schema)

    def restored(self, number: int, snapshot: bytes) -> TupleShard:
        """See ``EngineJob``."""
        return TupleShard.restored(self._reading_of(number), self.schema, snapshot)
