"""Columns of words as Arrow arrays, and their types: by name, and those that fit the terms of a column.

Numbers are made by native code, texts once for each distinct term.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from nfa_native.core.arrays import distinct
from nfa_native.core.coding import coded
from nfa_native.terms import decoding
from nfa_native.terms.decoding import kinds
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, StreamError
from spaseq.results.terms import Value, from_bytes
from spaseq.text import did_you_mean

Types = Mapping[str, "str | pyarrow.DataType"]
Words = NDArray[np.uint64]

TEXT = pyarrow.string()
NOTHING = pyarrow.null()
INSTANT = pyarrow.timestamp("us", tz="UTC")
DECIMAL = pyarrow.decimal128(38, 18)
INTEGER, DOUBLE, TRUTH, DATE = pyarrow.int64(), pyarrow.float64(), pyarrow.bool_(), pyarrow.date32()
CODED_TEXT = pyarrow.dictionary(pyarrow.int32(), TEXT)

_NAMED = {
    "string": TEXT,
    "int64": INTEGER,
    "double": DOUBLE,
    "boolean": TRUTH,
    "timestamp": INSTANT,
    "date": DATE,
    "decimal": DECIMAL,
    "dictionary": CODED_TEXT,
}
_DECIMAL = re.compile(r"decimal(?:128)?\((\d+), *(\d+)\)")
_OF_KIND = {
    6: INTEGER,
    7: DECIMAL,
    8: DOUBLE,
    9: INSTANT,
    10: TRUTH,
}  # KINDs of nfa_native.terms.dictionary; others are texts
_TYPED = 5
_OF_DATATYPE = {XSD + "float": DOUBLE, XSD + "date": DATE}


def chosen(types: Types | None, columns: Iterable[str]) -> dict[str, pyarrow.DataType]:
    """Types of columns that a user gave, as Arrow's; OptionError for an unknown column or type."""
    known = tuple(columns)
    if not (types is None or (isinstance(types, Mapping) and all(isinstance(name, str) for name in types))):
        raise OptionError(f'types are given by column, as in {{"price": "double"}}, not {types!r:.80}')
    for name in types or {}:
        if name not in known:
            advice = did_you_mean(name, known) if known else "the results have no variables"
            raise OptionError(f"there is no column {name} to give a type to; {advice}")
    return {name: _type(name, type_) for name, type_ in (types or {}).items()}


def _type(column: str, type_: str | pyarrow.DataType) -> pyarrow.DataType:
    found = _named(type_) if isinstance(type_, str) else type_
    if found in _NAMED.values() or (isinstance(found, pyarrow.DataType) and pyarrow.types.is_decimal128(found)):
        return found
    known = "string, dictionary, int64, double, decimal(p, s), boolean, timestamp or date"
    raise OptionError(f"unknown type {type_} of the column {column}; write {known}")


def _named(name: str) -> pyarrow.DataType | None:
    digits = _DECIMAL.fullmatch(name)
    if digits is None:
        return _NAMED.get(name)
    precision, scale = map(int, digits.groups())
    return pyarrow.decimal128(precision, scale) if 0 <= scale <= precision <= 38 and precision else None


def type_name(type_: pyarrow.DataType) -> str:
    """The name by which a user can give the type."""
    named = (name for name, known in _NAMED.items() if known == type_)
    return next(named, f"decimal({type_.precision}, {type_.scale})" if pyarrow.types.is_decimal(type_) else str(type_))


def types_in(terms: Terms, words: Words) -> set[pyarrow.DataType]:
    """The types of the terms of a column, each by itself; unbound has none."""
    found = kinds(terms, words)
    counts = np.bincount(found, minlength=11)
    types = {_OF_KIND.get(kind, TEXT) for kind in np.flatnonzero(counts).tolist() if kind not in (0, _TYPED)}
    if counts[_TYPED]:
        typed = distinct(words[found == _TYPED]).tolist()
        types |= {_OF_DATATYPE.get(from_bytes(terms.bytes(word)).datatype or "", TEXT) for word in typed}
    return types


def common_type(types: Iterable[pyarrow.DataType]) -> pyarrow.DataType:
    """The type of a column with terms of these types: numbers become what SPARQL adds them up to, others texts."""
    distinct = set(types)
    if len(distinct) <= 1:
        return distinct.pop() if distinct else NOTHING
    if distinct == {INTEGER, DECIMAL}:
        return DECIMAL
    return DOUBLE if distinct <= {INTEGER, DECIMAL, DOUBLE} else TEXT


# ── arrays ───────────────────────────────────────────────────────────────────────────────────────────────
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
