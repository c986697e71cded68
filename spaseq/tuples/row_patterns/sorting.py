"""Rows in the order of a query: partitions in that of their first rows, each by its keys, ties as they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray

from spaseq.pattern.rows.query import RowOrder


@dataclass(frozen=True, slots=True)
class SortedRows:
    """A table whose partitions lie one behind the other; p has the rows from ``begins[p]`` to before the next.

    ``places``: where each row was in the table before; None: there.
    """

    table: pyarrow.Table
    begins: NDArray[np.int64]
    places: pyarrow.Array | None = None

    def partition_of(self) -> NDArray[np.int64]:
        """By row: its partition."""
        return np.repeat(np.arange(len(self.begins) - 1), np.diff(self.begins))

    def came_at(self, row: int) -> int:
        """The place of a row in the table before."""
        return row if self.places is None else int(self.places[row].as_py())


def sorted_rows(table: pyarrow.Table, partition: Sequence[str], order: Sequence[RowOrder]) -> SortedRows:
    """The rows of a table in the order in which matches are looked for."""
    table = table.combine_chunks()
    keys = partition_keys(table, partition)
    count = int(keys.max()) + 1 if len(keys) else 0
    begins = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]).astype(np.int64)
    columns: list[tuple[pyarrow.Array, str]] = [(pyarrow.array(keys), "ascending")] if count > 1 else []
    for key in order:
        columns += _sort_columns(column_of(table, key.column), key)
    places = None
    if columns and table.num_rows and not _is_sorted(columns):
        names = [f"key{number}" for number in range(len(columns))]
        sorting = pyarrow.table([column for column, _ in columns], names=names)
        places = pc.sort_indices(sorting, [(name, way) for name, (_, way) in zip(names, columns, strict=True)])
        table = table.take(places).combine_chunks()
    return SortedRows(table, begins, places)


def column_of(table: pyarrow.Table, name: str) -> pyarrow.Array:
    """A column in one piece, without a dictionary."""
    found = table.column(name).combine_chunks()
    return found.dictionary_decode() if pyarrow.types.is_dictionary(found.type) else found


def _sort_columns(column: pyarrow.Array, key: RowOrder) -> list[tuple[pyarrow.Array, str]]:
    """A key, behind what says where its NULLs go, and its NaNs, which are the greatest numbers."""
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
            column = pc.add(column, 0.0)  # -0.0 is 0.0
        codes = _codes(column)
        keys = codes if number == 0 else _codes(pyarrow.array(keys * (int(codes.max(initial=0)) + 1) + codes))
    return keys


def _codes(column: pyarrow.Array) -> NDArray[np.int64]:
    """By row: the number of its value, in the order in which these come first."""
    found: NDArray[np.int32] = column.dictionary_encode(null_encoding="encode").indices.to_numpy()
    return found.astype(np.int64)


def _is_sorted(columns: Sequence[tuple[pyarrow.Array, str]]) -> bool:
    """Whether rows lie in the order of keys; where NULLs lie is told by a key before them."""
    found = pyarrow.scalar(True)
    for column, way in reversed(columns):
        one, other = (column.slice(0, len(column) - 1), column.slice(1))
        if pyarrow.types.is_boolean(column.type):
            one, other = one.cast(pyarrow.uint8()), other.cast(pyarrow.uint8())
        before = pc.less(one, other) if way == "ascending" else pc.greater(one, other)
        alike = pc.equal(one, other).fill_null(True)
        found = pc.or_(before.fill_null(False), pc.and_(alike, found))
    return bool(pc.all(found).as_py())
