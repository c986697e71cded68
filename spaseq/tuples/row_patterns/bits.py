"""Values as a search has them: integers of 64 bits, or the bits of real numbers; texts by places in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray

from spaseq.pattern.rows.types import SqlKind, SqlType
from spaseq.tuples.row_patterns.faults import ValueFault
from spaseq.tuples.row_patterns.text_places import TextPlaces

Bits: TypeAlias = tuple[NDArray[np.int64], NDArray[np.uint8]]  # values, and which of them are known
PlacesOf: TypeAlias = Callable[[pyarrow.Array], NDArray[np.int64]]  # of texts, which are in the order of these
_LARGEST = (1 << 63) - 1


def bits_of(column: pyarrow.Array, type_: SqlType, places: PlacesOf) -> Bits:
    """The values of a column.  ValueFault: one is too large."""
    known = column.is_valid().to_numpy(zero_copy_only=False).astype(np.uint8)
    if pyarrow.types.is_null(column.type):
        return np.zeros(len(column), np.int64), known
    return np.ascontiguousarray(_integers(column, type_, places)), known


def _integers(column: pyarrow.Array, type_: SqlType, places: PlacesOf) -> NDArray[np.int64]:
    match type_.kind:
        case SqlKind.TEXT:
            return places(column)
        case SqlKind.DOUBLE:
            reals: NDArray[np.float64] = pc.add(column.fill_null(0.0), 0.0).to_numpy(zero_copy_only=False)
            return np.ascontiguousarray(reals).view(np.int64)
        case SqlKind.DECIMAL:
            scaled = (_scaled(value, type_.scale, row) for row, value in enumerate(column.to_pylist()))
            return np.fromiter(scaled, np.int64, len(column))
        case SqlKind.DATE:
            days: NDArray[np.int32] = column.cast(pyarrow.int32()).fill_null(0).to_numpy(zero_copy_only=False)
            return days.astype(np.int64) * 86_400_000_000
        case _:
            its = column.cast(pyarrow.int64()).fill_null(0)
            found: NDArray[np.int64] = its.to_numpy(zero_copy_only=False)
            return found


def _scaled(value: Any, scale: int, row: int) -> int:
    found = 0 if value is None else int(value.scaleb(scale))
    if not -_LARGEST <= found <= _LARGEST:
        raise ValueFault("a condition that reads the match takes decimals of 18 digits", row)
    return found


def few_bits(values: Sequence[Any], type_: SqlType, texts: TextPlaces) -> list[int] | NDArray[np.int64]:
    """The same of a few values of Python, as rows have them that are pushed."""
    match type_.kind:
        case SqlKind.TEXT:
            return [0 if value is None else texts.place(value) for value in values]
        case SqlKind.DOUBLE:
            return np.array([0.0 if value is None else value + 0.0 for value in values]).view(np.int64)
        case _:
            return [0 if value is None else int(value) for value in values]


class SortedTexts:
    """All texts that there are."""

    def __init__(self, texts: Sequence[pyarrow.Array]) -> None:
        found = pyarrow.concat_arrays([pc.unique(column) for column in texts if not pyarrow.types.is_null(column.type)])
        there = pc.unique(found).drop_null()
        self._texts = there.take(pc.sort_indices(there))

    def places(self, column: pyarrow.Array) -> NDArray[np.int64]:
        """The places of texts of these."""
        places = pc.index_in(column, value_set=self._texts).fill_null(0).cast(pyarrow.int64())
        found: NDArray[np.int64] = places.to_numpy(zero_copy_only=False)
        return found
