"""Rows in the order of a query: partitions in that of their first rows, each by its keys, ties as they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray

from spaseq.pattern.rows.query import RowOrder
from spaseq.sources.tables.types import exact_name
from spaseq.tuples.columns.rows import FewRows


@dataclass(frozen=True, slots=True)
class SortedRows:
    """A table whose partitions lie one behind the other; p has the rows from ``begins[p]`` to before the next.

    ``places``: where each row was in the table before; None: there.
    """

    table: pyarrow.Table
    begins: NDArray[np.int64]
    places: pyarrow.Array | None = None

    def partition_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The partitions of some rows."""
        return np.searchsorted(self.begins, rows, side="right") - 1

    def came_at(self, row: int) -> int:
        """The place of a row in the table before."""
        return row if self.places is None else int(self.places[row].as_py())


def sorted_rows(table: pyarrow.Table, partition: Sequence[str], order: Sequence[RowOrder]) -> SortedRows:
    """The rows of a table in the order in which matches are looked for."""
    heads, keys = _runs(table, partition)
    ordered = [one for key in order for one in _sort_columns(column_of(table, key.column), key)]
    if int(keys.max(initial=-1)) + 1 == len(heads) and _is_sorted(ordered, heads[1:]):
        return SortedRows(table, np.append(heads, table.num_rows))
    of_rows = np.repeat(keys, np.diff(np.append(heads, table.num_rows)))
    begins = np.concatenate([[0], np.cumsum(np.bincount(of_rows))]).astype(np.int64)
    if _is_sorted(ordered, heads[:0]):
        places = _by_key(of_rows)
    else:
        places = _by_all([(pyarrow.array(of_rows), "ascending"), *ordered])
    return SortedRows(table.take(places).combine_chunks(), begins, places)


def _runs(table: pyarrow.Table, partition: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows where a key may be another one than before, and the number of the partition that begins or goes on there."""
    count = table.num_rows
    if not (partition and count):
        return np.zeros(min(count, 1), np.int64), np.zeros(min(count, 1), np.int64)
    changes = np.zeros(count, np.bool_)
    changes[0] = True
    for name in partition:
        column = one_piece(table.column(name))
        if pyarrow.types.is_null(column.type):
            continue
        column = column.indices if pyarrow.types.is_dictionary(column.type) else column
        other = pc.not_equal(column.slice(1), column.slice(0, count - 1)).fill_null(True)
        changes[1:] |= other.to_numpy(zero_copy_only=False)
    heads = np.flatnonzero(changes)
    return heads, partition_keys(table.select(list(dict.fromkeys(partition))).take(pyarrow.array(heads)), partition)


def _by_key(keys: NDArray[np.int64]) -> pyarrow.Array:
    """Where rows are in the order of their keys, those of one as they came: NumPy sorts 16 bits by radix."""
    places = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    for shift in range(16, int(keys.max()).bit_length(), 16):
        places = places[np.argsort((keys[places] >> shift & 0xFFFF).astype(np.uint16), kind="stable")]
    return pyarrow.array(places)


def _by_all(columns: Sequence[tuple[pyarrow.Array, str]]) -> pyarrow.Array:
    """Where rows are in the order of columns, those that are alike as they came."""
    names = [f"key{number}" for number in range(len(columns))]
    table = pyarrow.table([column for column, _ in columns], names=names)
    return pc.sort_indices(table, [(name, way) for name, (_, way) in zip(names, columns, strict=True)])


def times_of(column: pyarrow.Array) -> NDArray[np.int64]:
    """The microseconds of times or dates; of NULL, 0."""
    found: NDArray[np.int64] = (
        column.cast(pyarrow.timestamp("us")).cast(pyarrow.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    )
    return found


def by_keys(rows: pyarrow.RecordBatch, times: NDArray[np.int64], keys: Sequence[RowOrder]) -> pyarrow.Array:
    """Where rows are in the order of their times, those of one time by ``keys``, those that are alike as they came."""
    columns = [one for key in keys for one in _sort_columns(_plain(rows.column(key.column)), key)]
    return _by_all([(pyarrow.array(times), "ascending"), *columns])


def few_by_keys(rows: FewRows, times: NDArray[np.int64], keys: Sequence[RowOrder]) -> FewRows:
    """The same rows in that order."""
    if rows.num_rows < 2:
        return rows
    places = list(range(rows.num_rows))
    for key in reversed(keys):
        values = rows.values(exact_name(key.column))
        null = (2 if key.nulls_first == key.descending else 0, 0)
        ranks = [null if value is None else (1, value) for value in values]
        places.sort(key=ranks.__getitem__, reverse=key.descending)
    places.sort(key=times.tolist().__getitem__)
    return rows.take(pyarrow.array(places))


def column_of(table: pyarrow.Table, name: str) -> pyarrow.Array:
    """A column in one piece, without a dictionary."""
    return _plain(one_piece(table.column(name)))


def _plain(column: pyarrow.Array) -> pyarrow.Array:
    return column.dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column


def one_piece(column: pyarrow.ChunkedArray) -> pyarrow.Array:
    """A column as one array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _sort_columns(column: pyarrow.Array, key: RowOrder) -> list[tuple[pyarrow.Array, str]]:
    """A key, behind what says where its NULLs go, and its NaNs, which are the greatest numbers; none of NULLs alone."""
    if pyarrow.types.is_null(column.type):
        return []
    way = "descending" if key.descending else "ascending"
    found = [(column, way)]
    if pyarrow.types.is_floating(column.type):
        found.insert(0, (pc.is_nan(column).fill_null(False), way))
    if column.null_count:
        found.insert(0, (column.is_null(), "descending" if key.nulls_first else "ascending"))
    return found


def partition_keys(table: pyarrow.Table, names: Sequence[str]) -> NDArray[np.int64]:
    """By row: the number of its partition, in the order in which they come first; NULLs are alike, and so are NaNs."""
    keys = np.zeros(table.num_rows, np.int64)
    for number, name in enumerate(names):
        column = column_of(table, name)
        if pyarrow.types.is_floating(column.type):
            column = _one_of_each(column)
        codes = _codes(column)
        keys = codes if number == 0 else _codes(pyarrow.array(keys * (int(codes.max(initial=0)) + 1) + codes))
    return keys


def _one_of_each(numbers: pyarrow.Array) -> pyarrow.Array:
    """Numbers of which those that are alike have the same bits: -0.0 is 0.0, and no NaN has a sign."""
    nan = pyarrow.scalar(float("nan"), numbers.type)
    return pc.if_else(pc.is_nan(numbers), nan, pc.add(numbers, pyarrow.scalar(0.0, numbers.type)))


def _codes(column: pyarrow.Array) -> NDArray[np.int64]:
    """By row: the number of its value, in the order in which these come first."""
    if pyarrow.types.is_null(column.type):
        return np.zeros(len(column), np.int64)
    found: NDArray[np.int32] = column.dictionary_encode(null_encoding="encode").indices.to_numpy()
    return found.astype(np.int64)


def _is_sorted(columns: Sequence[tuple[pyarrow.Array, str]], heads: NDArray[np.int64]) -> bool:
    """Whether rows lie in the order of columns, which begins anew at ``heads``; of NULLs a column before tells."""
    if not columns or len(columns[0][0]) < 2:
        return True
    found = pyarrow.scalar(True)
    for column, way in reversed(columns):
        one, other = (column.slice(0, len(column) - 1), column.slice(1))
        if pyarrow.types.is_boolean(column.type):
            one, other = one.cast(pyarrow.uint8()), other.cast(pyarrow.uint8())
        if len(columns) == 1 and not column.null_count:
            found = pc.less_equal(one, other) if way == "ascending" else pc.greater_equal(one, other)
            break
        before = pc.less(one, other) if way == "ascending" else pc.greater(one, other)
        alike = pc.equal(one, other).fill_null(True)
        found = pc.or_(before.fill_null(False), pc.and_(alike, found))
    holds = found.to_numpy(zero_copy_only=False)
    return int(np.count_nonzero(holds)) + int(np.count_nonzero(~holds[heads - 1])) == len(holds)
