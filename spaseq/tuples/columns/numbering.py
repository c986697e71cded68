"""Numbers for the values of a column, from 0 in the order in which they are found; equal ones have the same number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import count, islice, pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute
from pyarrow import types

from nfa_native.events import columns
from spaseq.pattern.formulas.predicates import Attribute, Value
from spaseq.tuples.columns.predicates import coded, vector
from spaseq.tuples.columns.serialisation import (
    column_read,
    column_stored,
    distinct,
    integers_read,
    numbers_stored,
    require,
    rows_read,
    rows_stored,
)
from spaseq.tuples.columns.vectors import Mask

NO_NUMBER = 0xFFFFFFFF
_NOT_ASKED = NO_NUMBER - 1  # a value of a dictionary that did not occur so far

Numbers = npt.NDArray[np.uint32]


class AnyNumbering(Protocol):
    """Gives values numbers, batch by batch; NULL and NaN have none."""

    def __len__(self) -> int:
        """How many there are so far."""

    @property
    def values(self) -> list[Any]:
        """All values by number; times in microseconds."""

    def at(self, numbers: Numbers) -> list[Any]:
        """The values with these numbers."""

    def number(self, column: pyarrow.Array) -> Numbers:
        """The numbers of a column's values (n), NO_NUMBER where there is none."""

    def number_few(self, values: Sequence[Any]) -> list[int]:
        """The same of the values of a few rows (``few``)."""

    def keep(self, kept: Numbers) -> None:
        """Forget all values but those of these numbers, which get the numbers from 0 on."""

    def stored(self) -> bytes:
        """The values, for a snapshot."""

    def restore(self, data: bytes) -> None:
        """Know these values, instead of others; SnapshotError: they cannot be."""


def numbering(type_: pyarrow.DataType) -> AnyNumbering:
    """A numbering for columns of a type; of doubles, integers equal them by value."""
    if types.is_int64(type_) or types.is_timestamp(type_):
        return IntegerNumbering()
    return TextNumbering() if types.is_dictionary(type_) else ValueNumbering(type_)


class IntegerNumbering:
    """Of 64-bit integers and times."""

    def __init__(self) -> None:
        self._numbers = columns.Numbering()

    def __len__(self) -> int:
        """How many there are so far."""
        return len(self._numbers)

    @property
    def values(self) -> list[Any]:
        """All of them by number."""
        found: list[int] = self._numbers.values.tolist()
        return found

    def at(self, numbers: Numbers) -> list[int]:
        """Those with these numbers."""
        found: list[int] = self._numbers.at(numbers).tolist()
        return found

    def keep(self, kept: Numbers) -> None:
        """Forget all but those of these numbers, which get the numbers from 0 on."""
        self._numbers.keep(self._numbers.values[kept])

    def number(self, column: pyarrow.Array) -> Numbers:
        """The numbers of a column's values (n), NO_NUMBER for NULL."""
        found = vector(column)
        return self._numbers.number(found.values, None if found.valid is None else found.valid.view(np.uint8))

    def number_few(self, values: Sequence[int | None]) -> list[int]:
        """The numbers of a few values, NO_NUMBER for NULL."""
        found: list[int] = self._numbers.number(
            np.array([0 if one is None else one for one in values], np.int64),
            None if None not in values else np.array([one is not None for one in values], np.uint8),
        ).tolist()
        return found

    def stored(self) -> bytes:
        """The values, for a snapshot."""
        return numbers_stored(self._numbers.values)

    def restore(self, data: bytes) -> None:
        """Know these values, instead of others; SnapshotError: one is there twice."""
        values = integers_read(data)
        require(len(np.unique(values)) == len(values), "a value has two numbers")
        self._numbers.keep(values)

    def number_pairs(self, first: Numbers, second: Numbers) -> Numbers:
        """Numbers for pairs of numbers (n), NO_NUMBER if one of the two is that."""
        pairs = (first.astype(np.uint64) << np.uint64(32) | second).view(np.int64)
        present = (first != NO_NUMBER) & (second != NO_NUMBER)
        return self._numbers.number(pairs, None if present.all() else present.view(np.uint8))

    def number_few_pairs(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """The same of a few."""
        pairs = zip(first, second, strict=True)
        return self.number_few([None if NO_NUMBER in pair else _signed(pair[0] << 32 | pair[1]) for pair in pairs])

    def check_pairs(self, firsts: int, seconds: int) -> None:
        """SnapshotError: one is not of so many first and second numbers."""
        pairs = self._numbers.values.view(np.uint64)
        require(bool((pairs >> np.uint64(32) < firsts).all()), "a partition has a value that there is not")
        require(bool((pairs.astype(np.uint32) < seconds).all()), "a partition has a value that there is not")

    def keep_pairs(self, kept: Numbers) -> tuple[Numbers, Numbers]:
        """As ``keep``; gives the first and the second numbers that the pairs are of: those to be kept themselves."""
        pairs = self._numbers.values[kept].view(np.uint64)
        firsts, first = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_inverse=True)
        seconds, second = np.unique(pairs.astype(np.uint32), return_inverse=True)
        self._numbers.keep(first.astype(np.int64) << 32 | second.astype(np.int64))
        return firsts, seconds


class ValueNumbering:
    """Of values of any type."""

    def __init__(self, type_: pyarrow.DataType) -> None:
        self._type = type_
        self._know_none()

    def _know_none(self) -> None:
        self._numbers = _numbers()
        self._by_number: list[Hashable] = []  # the first so many of them, as far as they were asked for

    def __len__(self) -> int:
        """How many there are so far."""
        return len(self._numbers) - 1

    def stored(self) -> bytes:
        """The values, for a snapshot."""
        return column_stored(pyarrow.array(self.values, self._type))

    def restore(self, data: bytes) -> None:
        """Know these values, instead of others; SnapshotError: one is there twice, or NaN."""
        values = column_read(data, self._type).to_pylist()
        distinct(values)
        require(all(value == value for value in values), "a value is none")
        self._know_none()
        for value in values:
            self._numbers[value]

    @property
    def values(self) -> list[Any]:
        """All of them by number."""
        return [value for value in self._numbers if value is not None]

    def at(self, numbers: Numbers) -> list[Any]:
        """Those with these numbers."""
        new = islice(reversed(self._numbers), len(self) - len(self._by_number))  # a dictionary remembers their order
        self._by_number += list(new)[::-1]
        return [self._by_number[number] for number in numbers.tolist()]

    def keep(self, kept: Numbers) -> None:
        """Forget all but those of these numbers, which get the numbers from 0 on."""
        values = self.values
        self._know_none()
        for number in kept.tolist():
            self._numbers[values[number]]

    def number(self, column: pyarrow.Array) -> Numbers:
        """The numbers of a column's values (n), NO_NUMBER for NULL and NaN."""
        if types.is_null(column.type):
            return np.full(len(column), NO_NUMBER, np.uint32)
        codes, values = coded(column.dictionary_encode())
        return self.known(values)[codes]

    def number_few(self, values: Sequence[Any]) -> list[int]:
        """The numbers of a few values, NO_NUMBER for NULL."""
        return list(map(self._numbers.__getitem__, values))

    def known(self, values: pyarrow.Array) -> Numbers:
        """The numbers of values, of which the last is NULL; new ones get theirs in this order."""
        return np.array(list(map(self._numbers.__getitem__, _listed(values))), np.uint32)


class TextNumbering(ValueNumbering):
    """Of texts by their codes; batches that share a dictionary share what is known of it."""

    def __init__(self) -> None:
        super().__init__(pyarrow.string())
        self._know_no_dictionary()

    def _know_no_dictionary(self) -> None:
        self._dictionary = pyarrow.array([], pyarrow.string())  # of the last batch, and the numbers of its texts
        self._of_code = np.full(1, NO_NUMBER, np.uint32)

    def keep(self, kept: Numbers) -> None:
        """Forget all but those of these numbers, which get the numbers from 0 on."""
        super().keep(kept)
        self._know_no_dictionary()

    def number(self, column: pyarrow.Array) -> Numbers:
        """The numbers of a column's texts (n), NO_NUMBER for NULL."""
        codes, values = coded(column)
        if not column.dictionary.equals(self._dictionary):
            self._dictionary = column.dictionary
            self._of_code = np.append(np.full(len(values) - 1, _NOT_ASKED, np.uint32), np.uint32(NO_NUMBER))
        found = columns.looked_up(self._of_code, codes)
        if (found == _NOT_ASKED).any():
            self._ask(codes, values)
            found = columns.looked_up(self._of_code, codes)
        return found

    def _ask(self, codes: npt.NDArray[np.int32], values: pyarrow.Array) -> None:
        """Numbers for all texts that occur, new ones in the order of their first places."""
        used = pyarrow.array(codes).dictionary_encode().dictionary
        texts = pyarrow.concat_arrays([values.take(used), values[-1:]])
        self._of_code[used.to_numpy()] = self.known(texts)[:-1]


def _signed(word: int) -> int:
    """The integer with these 64 bits."""
    return word - (1 << 64) if word >> 63 else word


def _numbers() -> defaultdict[Hashable, int]:
    """Gives what is new the next number from 0, and NULL none; all in C, as there may be many values."""
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    numbers[None] = NO_NUMBER
    return numbers


def _listed(values: pyarrow.Array) -> list[Hashable]:
    """Values in Python, of which the last is NULL; NaN is NULL."""
    if types.is_floating(values.type):
        values = pyarrow.compute.if_else(pyarrow.compute.is_nan(values), None, values)
    if values.null_count > 1:
        found: list[Hashable] = values.to_pylist()
        return found
    return [*values[:-1].to_numpy(zero_copy_only=False).tolist(), None]


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────
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
