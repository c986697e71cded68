"""A query in SQL on a bounded data frame: rows come in the order of the query, and whole partitions are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow

from spaseq.errors import StreamError
from spaseq.pattern.rows.query import RowOrder
from spaseq.spark.cluster import carried, input_place
from spaseq.spark.jobs import Batches
from spaseq.spark.tuples.key_spread import spread
from spaseq.spark.tuples.row_pattern_reading import RowPatternReading, sql_results
from spaseq.tuples.row_patterns.faults import RowFault
from spaseq.tuples.row_patterns.fed import MOST_SHOWN
from spaseq.tuples.row_patterns.recognition import recognized
from spaseq.tuples.row_patterns.sorting import partition_keys

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

PLACE = "\tplace"  # where a row is in the input: its partition there, and its number in that
_ROW_BITS = 33  # of a place
AT_ONCE = 1 << 17  # rows of small partitions that are evaluated together


def match_whole_partitions(
    df: DataFrame, reading: RowPatternReading, results: StructType, partitions: int, max_steps: int = 0
) -> DataFrame:
    """The results on all rows of a data frame, in so many partitions of Spark at most.

    ``max_steps``: of a search from one row (0: any number).
    """
    from pyspark.sql import functions
    from pyspark.sql.pandas.types import to_arrow_schema

    rows = reading.selected(df).withColumn(PLACE, functions.monotonically_increasing_id())
    keys = [functions.col(reading.column(name)) for name in reading.meaning.partition]
    order = (_sorting(functions.col(reading.column(key.column)), key) for key in reading.order)
    by = [*(key.asc_nulls_last() for key in keys), *order, functions.col(PLACE)]
    stage = WholePartitions(reading, to_arrow_schema(results, timezone="UTC"), max_steps)
    return spread(rows, keys, partitions).sortWithinPartitions(*by).mapInArrow(carried(stage.evaluate), results)


def _sorting(column: Column, key: RowOrder) -> Column:
    if key.descending:
        return column.desc_nulls_first() if key.nulls_first else column.desc_nulls_last()
    return column.asc_nulls_first() if key.nulls_first else column.asc_nulls_last()


@dataclass(frozen=True)
class WholePartitions:
    """Evaluates a query on rows that are in order of its partitions; ``schema`` is that of results.  It pickles."""

    reading: RowPatternReading
    schema: pyarrow.Schema
    max_steps: int = 0

    def evaluate(self, batches: Iterable[pyarrow.RecordBatch]) -> Batches:
        """The results.  StreamError: a row has no value, SKIP TO finds none, or a search takes too many steps."""
        tables = map(self._read, batches)
        for rows in whole_partitions(tables, self.reading.meaning.partition):
            for found in self._recognized(rows).to_batches(max_chunksize=MOST_SHOWN):
                yield sql_results(found, self.schema)

    def _read(self, batch: pyarrow.RecordBatch) -> pyarrow.Table:
        known = self.reading.known(batch)
        columns = {name: self.reading.exact(known[name], name) for name in self.reading.read}
        return pyarrow.table(columns | {PLACE: batch[PLACE]})

    def _recognized(self, rows: pyarrow.Table) -> pyarrow.Table:
        try:
            return recognized(self.reading.meaning, rows, self.max_steps).results
        except RowFault as fault:
            where = self.reading.query.parsed.place(fault.clause, fault.name)
            raise StreamError(f"{fault} (at {_place(rows, fault.row)})", where) from None


def _place(rows: pyarrow.Table, row: int) -> str:
    partition, number = divmod(rows[PLACE][row].as_py(), 1 << _ROW_BITS)
    own = {name: rows[name].slice(row, 1).combine_chunks() for name in rows.column_names if name != PLACE}
    return input_place(pyarrow.RecordBatch.from_pydict(own), partition, number)


def whole_partitions(
    tables: Iterable[pyarrow.Table], partition: Sequence[str], most: int = AT_ONCE
) -> Iterator[pyarrow.Table]:
    """Rows that are in order of partitions, cut between these; parts have ``most`` rows or more, but the last one."""
    ready: list[pyarrow.Table] = []
    last: list[pyarrow.Table] = []  # rows of the partition that came last
    for table in filter(len, tables):
        begin = _last_partition([*last[-1:], table], partition)
        if begin is not None:
            ready, last = [*ready, *last, table.slice(0, begin)], []
        last.append(table.slice(begin or 0))
        if sum(map(len, ready)) >= most:
            yield pyarrow.concat_tables(ready)
            ready = []
    if ready or last:
        yield pyarrow.concat_tables([*ready, *last])


def _last_partition(tables: Sequence[pyarrow.Table], partition: Sequence[str]) -> int | None:
    """Where in the last table the partition of its last row begins; None: before it, or there are none."""
    if not partition:
        return None
    *before, table = (one.select(list(dict.fromkeys(partition))) for one in tables)
    codes = partition_keys(pyarrow.concat_tables([*(one.slice(len(one) - 1) for one in before), table]), partition)
    begin = int(np.searchsorted(codes, codes[-1])) - len(before)
    return None if begin < 0 else begin
