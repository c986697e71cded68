"""Archives by themselves: what is written is read, as narrow as it can be; what is damaged is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.core.archive import pack, unpack

Store = tuple[int, dict[str, NDArray[Any]]]

STORES: dict[str, Store] = {
    "numbers": (
        3,
        {
            "small": np.array([0, 1, 255], np.uint32),
            "signed": np.array([-1, -129, 40_000, -(2**63), 2**63 - 1]),
            "great": np.array([2**64 - 1], np.uint64),
            "none": np.zeros(0, np.int64),
            "bytes": np.frombuffer(b"abc", np.uint8),
        },
    ),
    "tables": (
        1,
        {
            "key words": np.arange(6, dtype=np.uint64).reshape(3, 2),
            "one column": np.arange(3, dtype=np.int64).reshape(3, 1),
            "without columns": np.zeros((4, 0), np.uint64),
        },
    ),
    "empty": (9, {}),
}


def equal(one: dict[str, Store], other: dict[str, Store]) -> bool:
    """Names, versions, types, shapes and numbers."""
    if list(one) != list(other):
        return False
    pairs = [(a, b) for name in one for a, b in zip(one[name][1].values(), other[name][1].values(), strict=True)]
    return all(one[name][0] == other[name][0] and list(one[name][1]) == list(other[name][1]) for name in one) and all(
        a.dtype == b.dtype and a.shape == b.shape and (a == b).all() for a, b in pairs
    )


def test_what_is_written_is_read() -> None:
    data = pack(STORES)
    assert equal(unpack(data), STORES)
    assert pack(unpack(data)) == data


@pytest.mark.parametrize(("most", "width"), [(255, 1), (256, 2), (65_535, 2), (65_536, 4), (2**32, 8)])
def test_numbers_are_stored_as_narrow_as_their_greatest(most: int, width: int) -> None:
    few, many = (pack({"s": (1, {"c": np.full(count, most, np.uint64)})}) for count in (1, 101))
    assert len(many) - len(few) == 100 * width


def test_words_are_not_narrowed() -> None:
    few, many = (pack({"s": (1, {"some words": np.zeros(count, np.uint64)})}) for count in (0, 10))
    assert len(many) - len(few) == 80


@pytest.mark.parametrize("array", [np.zeros(1), np.zeros(1, np.bool_), np.zeros((1, 1, 1), np.int64)])
def test_what_is_no_column(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match="no column"):
        pack({"s": (1, {"c": array})})


def test_damage_is_refused_or_gives_arrays() -> None:
    data, choose = pack(STORES), random.Random(1)
    for _ in range(3000):
        changed = bytearray(data)
        for _ in range(choose.choice((1, 2, 8))):
            changed[choose.randrange(len(changed))] = choose.choice((0, 1, 255, choose.randrange(256)))
        try:
            found = unpack(bytes(changed[: choose.choice((len(changed), choose.randrange(len(changed))))]))
        except ValueError:
            continue
        assert sum(array.nbytes for _, columns in found.values() for array in columns.values()) <= 8 * len(data)


@pytest.mark.parametrize("rows", [2**47, 2**48, 2**63, 2**64 - 1])
def test_counts_are_compared_with_what_is_there(rows: int) -> None:
    data = pack({"s": (1, {"c": np.array([7], np.uint64)})})
    place = data.index((1).to_bytes(8, "little"), data.index(b"\x01c"))
    with pytest.raises(ValueError, match="column"):
        unpack(data[:place] + rows.to_bytes(8, "little") + data[place + 8 :])
