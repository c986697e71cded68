"""Rows of a bounded data frame are spread over partitions by their keys: by how many rows each has, not by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from heapq import heapify, heapreplace
from typing import TYPE_CHECKING

import pyarrow

from spaseq.spark.cluster import carried
from spaseq.spark.shards import labels

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Columns that no data frame has: their names begin with a tab.
KEY, LABEL = "\tkey", "\tlabel"
MOST_ASSIGNED = 100_000  # keys
_ASSIGNED = pyarrow.schema([(KEY, pyarrow.int64()), (LABEL, pyarrow.int32())])
_ASSIGNED_DDL = f"`{KEY}` bigint, `{LABEL}` int"


def spread(rows: DataFrame, keys: Sequence[Column], partitions: int) -> DataFrame:
    """The rows in so many partitions, those with equal ``keys`` in one, so that the largest one has as few as can be.

    Rows are counted by their keys first.  The ``MOST_ASSIGNED`` largest keys are assigned, others go by their digests.
    Without keys all rows are in one partition.
    """
    from pyspark.sql import functions

    if not keys or partitions == 1:
        return rows.repartition(1)
    own = labels(partitions, partitions)
    digested = rows.withColumn(KEY, functions.xxhash64(*keys))
    counts = digested.groupBy(KEY).count().orderBy(functions.desc("count"), KEY).limit(MOST_ASSIGNED).coalesce(1)
    assigned = functions.broadcast(counts.mapInArrow(carried(partial(assignment, own)), _ASSIGNED_DDL))
    by_digest = functions.get(functions.lit(list(own)), functions.pmod(KEY, functions.lit(partitions)).cast("int"))
    label = functions.coalesce(functions.col(LABEL), by_digest).cast("int")
    return digested.join(assigned, KEY, "left").withColumn(LABEL, label).repartition(partitions, LABEL).drop(KEY, LABEL)


def assignment(own: Sequence[int], batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The label of each key, one of ``own``; rows have keys, and how many rows each has."""
    counts: dict[int, int] = {}
    for batch in batches:
        counts.update(zip(batch[KEY].to_pylist(), batch["count"].to_pylist(), strict=True))
    places = assigned(counts, len(own))
    columns = [list(places), [own[place] for place in places.values()]]
    arrays = [pyarrow.array(column, type_) for column, type_ in zip(columns, _ASSIGNED.types, strict=True)]
    yield pyarrow.RecordBatch.from_arrays(arrays, schema=_ASSIGNED)


def assigned(counts: dict[int, int], places: int) -> dict[int, int]:
    """The place of each key: the one with the fewest rows by then, keys with many rows first."""
    heap = [(0, place) for place in range(places)]
    heapify(heap)
    found = {}
    for key in sorted(counts, key=lambda key: (-counts[key], key)):
        rows, place = heap[0]
        heapreplace(heap, (rows + counts[key], place))
        found[key] = place
    return found
