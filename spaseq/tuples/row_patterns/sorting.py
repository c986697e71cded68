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
    """A table whose partitions lie one behind the other; p has the rows from ``begins[p]`` to before the next."""

    table: pyarrow.Table
    begins: NDArray[np.int64]

    def partition_of(self) -> NDArray[np.int64]:
        """By row: its partition."""
        return np.repeat(np.arange(len(self.begins) - 1), np.diff(self.begins))


def sorted_rows(table: pyarrow.Table, partition: Sequence[str], order: Sequence[RowOrder]) -> SortedRows:
    """The rows of a table in the order in which matches are looked for."""
    table = table.combine_chunks()
    keys = partition_keys(table, partition)
    count = int(keys.max()) + 1 if len(keys) else 0
    begins = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]).astype(np.int64)
    columns: list[tuple[pyarrow.Array, str]] = [(pyarrow.array(keys), "ascending")] if count > 1 else []
    for key in order:
        columns += _sort_columns(_array(table, key.column), key)
    if columns:
        names = [f"key{number}" for number in range(len(columns))]
        sorting = pyarrow.table([column for column, _ in columns], names=names)
        places = pc.sort_indices(sorting, [(name, way) for name, (_, way) in zip(names, columns, strict=True)])
        table = table.take(places).combine_chunks()
    return SortedRows(table, begins)


def _array(table: pyarrow.Table, name: str) -> pyarrow.Array:
    column = table.column(name)
    found = column.chunk(0) if column.num_chunks == 1 else pyarrow.concat_arrays(column.chunks or [_none(column)])
    return found.dictionary_decode() if pyarrow.types.is_dictionary(found.type) else found


def _none(column: pyarrow.ChunkedArray) -> pyarrow.Array:
    return pyarrow.array([], column.type)


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
    for name in names:
        column = _array(table, name)
        if pyarrow.types.is_floating(column.type):
            column = pc.add(column, 0.0)  # -0.0 is 0.0
        codes = column.dictionary_encode(null_encoding="encode").indices.to_numpy()
        keys = keys * (int(codes.max()) + 1 if len(codes) else 1) + codes
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        ranks = np.empty(len(first), np.int64)
        ranks[np.argsort(first)] = np.arange(len(first))
        keys = ranks[places]
    return keys
