"""Columns of words as Arrow arrays: numbers by native code, texts once for each distinct term."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute
from numpy.typing import NDArray

from gpm.algebra import XSD, XSD_DECIMAL, XSD_INTEGER
from gpm.native.delimited import ntriples
from gpm.native.narrow import taken_columns
from gpm.rows import TextColumn
from nfa_native.core.coding import coded
from nfa_native.terms import decoding
from nfa_native.terms.words import Terms
from spaseq.errors import StreamError
from spaseq.results.frame_types import CODED_TEXT, DATE, DOUBLE, INSTANT, INTEGER, NOTHING, TEXT, TRUTH
from spaseq.results.terms import Value, from_bytes

Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]
_FITS, _MISFITS = 1, 2  # states of rows in nfa_native.terms.decoding


class MisfitError(Exception):
    """The term in a row (from 0) is no value of the column's type."""

    def __init__(self, row: int, value: Value) -> None:
        super().__init__(row, value)
        self.row = row
        self.value = value


def column(terms: Terms, words: Words, type_: pyarrow.DataType) -> pyarrow.Array:
    """The terms of a column as values of a type, NULL where it is unbound; MisfitError if one is no such value."""
    array, misfits = fitting_column(terms, words, type_)
    if misfits.any():
        row = int(np.argmax(misfits))
        raise MisfitError(row, from_bytes(terms.bytes(int(words[row]))))
    return array


def fitting_column(terms: Terms, words: Words, type_: pyarrow.DataType) -> tuple[pyarrow.Array, Flags]:
    """As ``column``, but a term that is no value of the type is NULL, too; and which rows have such terms."""
    if type_ == NOTHING:
        return pyarrow.nulls(len(words)), np.zeros(len(words), np.bool_)
    if type_ == CODED_TEXT:
        return _coded(terms, words), np.zeros(len(words), np.bool_)
    if type_ == TEXT:
        return _columns(terms, words[:, None], decoding.texts)[0], np.zeros(len(words), np.bool_)
    values, states = _read(terms, words, type_)
    array = pyarrow.Array.from_buffers(type_, len(words), [bits(states == _FITS), pyarrow.py_buffer(values)])
    misfits = states == _MISFITS
    return _mended(array, terms, words, misfits) if misfits.any() else (array, misfits)


def _read(terms: Terms, words: Words, type_: pyarrow.DataType) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """The values of a type with fixed width, as Arrow has them in memory, and the states of the rows."""
    if pyarrow.types.is_decimal(type_):
        return decoding.decimals(terms, words, type_.precision, type_.scale)
    if type_ == TRUTH:
        values, states = decoding.truths(terms, words)
        return np.packbits(values, bitorder="little"), states
    if type_ == DATE:
        states = (words != 0).astype(np.uint8) * _MISFITS  # no word holds a date
        return np.zeros(len(words), np.int32), states
    readers: dict[pyarrow.DataType, Callable[[Terms, Words], tuple[NDArray[Any], NDArray[np.uint8]]]] = {
        INTEGER: decoding.integers,
        DOUBLE: decoding.doubles,
        INSTANT: decoding.instants,
    }
    return readers[type_](terms, words)


def bits(mask: NDArray[np.bool_]) -> pyarrow.Buffer | None:
    """Which rows are not NULL, as Arrow has it; None: all."""
    return None if mask.all() else pyarrow.py_buffer(np.packbits(mask, bitorder="little"))


def _coded(terms: Terms, words: Words) -> pyarrow.DictionaryArray:
    """The texts of a column: those of the distinct words, and which of them each row has."""
    used, codes = coded(words)
    unbound = words == 0
    indices = pyarrow.array(codes, mask=unbound if unbound.any() else None)
    return pyarrow.DictionaryArray.from_arrays(indices, _columns(terms, used[:, None], decoding.texts)[0])


def term_columns(terms: Terms, words: Words) -> list[pyarrow.StringArray]:
    """The columns of ``words``, ``uint64[n, k]``, as terms of N-Triples; NULL: unbound.  StreamError: too much text."""
    return _columns(terms, words, ntriples)


def _columns(terms: Terms, words: Words, written: Callable[[Terms, Words], TextColumn]) -> list[pyarrow.StringArray]:
    """The columns of ``words`` as texts; each distinct word is ``written`` once."""
    used, codes = coded(words.reshape(-1))
    texts = written(terms, used)
    with of_2_gib():
        columns = taken_columns(texts, codes.reshape(words.shape))
    if used.all():
        return [strings(*column) for column in columns]
    return [strings(*column, bits(of != 0)) for column, of in zip(columns, words.T, strict=True)]


def strings(offsets: NDArray[np.int32], text: bytes, valid: pyarrow.Buffer | None = None) -> pyarrow.StringArray:
    """A column of texts; ``valid`` has a bit for each, 0 where it is NULL."""
    buffers = pyarrow.py_buffer(offsets), pyarrow.py_buffer(text), valid
    return pyarrow.StringArray.from_buffers(len(offsets) - 1, *buffers)


@contextmanager
def of_2_gib() -> Iterator[None]:
    """StreamError: a column of texts is longer than Arrow's may be."""
    try:
        yield
    except OverflowError as error:
        raise StreamError(str(error), hint="take fewer matches at once, as in table[:1000]") from None


def _mended(array: pyarrow.Array, terms: Terms, words: Words, misfits: Flags) -> tuple[pyarrow.Array, Flags]:
    """The array with the values of terms that native code does not read, and which rows are misfits after all."""
    used, codes = coded(words[misfits])
    values = [_python(from_bytes(terms.bytes(word)), array.type) for word in used.tolist()]
    found = pyarrow.array(values, array.type).take(pyarrow.array(codes))
    wrong = misfits.copy()
    wrong[misfits] = found.is_null().to_numpy(zero_copy_only=False)
    return pyarrow.compute.replace_with_mask(array, pyarrow.array(misfits), found), wrong


def _python(value: Value, type_: pyarrow.DataType) -> Any:
    """The value of a rare term: a huge number, an xsd:float or xsd:date; None if it is none of the type."""
    try:
        if type_ == DOUBLE and value.datatype in (XSD + "float", XSD_INTEGER, XSD_DECIMAL):
            return float(value.text)
        if type_ == DATE and value.datatype == XSD + "date":
            return date.fromisoformat(value.text)
        if pyarrow.types.is_decimal(type_) and value.datatype in (XSD_INTEGER, XSD_DECIMAL):
            return pyarrow.scalar(Decimal(value.text), type_).as_py()
    except MemoryError:
        raise
    except (ValueError, OverflowError, InvalidOperation, pyarrow.ArrowException):
        pass
    return None
