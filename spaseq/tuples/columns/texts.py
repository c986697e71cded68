"""Texts as numbers: equal ones for equal texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow

from spaseq.pattern.formulas.predicates import Attribute, Value
from spaseq.tuples.columns.predicates import coded
from spaseq.tuples.columns.stored import column_read, column_stored, distinct, require, rows_read, rows_stored
from spaseq.tuples.columns.vectors import Mask

MANY = 1 << 14  # texts of which some may be over
_NUMBERED = pyarrow.schema({"values": pyarrow.string(), "numbers": pyarrow.int64()})


class KnownTexts(dict[str, int]):
    """Gives a text the next number from 1 on, which it keeps as long as a window has it; then it may get another."""

    def __init__(self) -> None:
        super().__init__()
        self._before: dict[str, int] = {}  # those that did not come since
        self._last_before: int | None = None  # the start of the last event that had one of them
        self._latest: int | None = None  # start
        self._next = 1

    def __missing__(self, text: str) -> int:
        number = self._before.get(text)
        if number is None:
            number, self._next = self._next, self._next + 1
        self[text] = number
        return number

    def forget(self, least: int, latest: int) -> None:
        """Forget texts that came before ``least`` alone, where windows begin now; starts rise up to ``latest``."""
        if self._last_before is not None and least > self._last_before:
            self._before, self._last_before = {}, None
        if len(self) >= MANY and self._last_before is None and self._latest is not None:
            self._before, self._last_before = dict(self), self._latest
            self.clear()
        self._latest = latest

    def stored(self) -> bytes:
        """The texts that have numbers, and these if some are missing between them; for a snapshot."""
        known = sorted((self._before | self).items(), key=lambda pair: pair[1])
        texts = pyarrow.array([text for text, _ in known], pyarrow.string())
        numbers = [number for _, number in known]
        if numbers == [*range(1, len(known) + 1)]:
            return column_stored(texts)
        return rows_stored(pyarrow.record_batch([texts, pyarrow.array(numbers)], schema=_NUMBERED))

    def restore(self, data: bytes, latest: int) -> None:
        """Know these texts, which came with starts up to ``latest``; SnapshotError: one is there twice."""
        texts, numbers = _texts_read(data)
        distinct(texts)
        self.update(zip(texts, numbers, strict=True))
        self._latest, self._next = latest, max(numbers, default=0) + 1  # greater ones are in no window


def _texts_read(data: bytes) -> tuple[Sequence[str], Sequence[int]]:
    """Texts and their numbers; SnapshotError."""
    if rows_read(data).num_columns == 1:
        texts = column_read(data, pyarrow.string()).to_pylist()
        return texts, range(1, len(texts) + 1)
    rows = rows_read(data, _NUMBERED)
    require(not any(column.null_count for column in rows.columns), "a value is missing")
    numbers = rows.column("numbers").to_pylist()
    rise = all(one < other for one, other in pairwise(numbers))
    require(rise and (not numbers or (numbers[0] > 0 and numbers[-1] < 2**62)), "numbers of texts are none")
    return rows.column("values").to_pylist(), numbers


def numbered(value: Value, batch: pyarrow.RecordBatch, known: KnownTexts) -> tuple[npt.NDArray[np.int64], Mask]:
    """The numbers of an attribute's texts (n), from 1 on; and where it has some.  New ones become ``known``."""
    assert isinstance(value, Attribute)
    column = batch.column(value.name)
    if not isinstance(column, pyarrow.DictionaryArray):
        column = column.cast(pyarrow.string()).dictionary_encode()
    codes, values = coded(column)
    found = np.array([0 if text is None else known[text] for text in values.to_pylist()], np.int64)[codes]
    return found, found > 0
