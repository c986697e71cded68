"""Types of the columns of frames: by name, and those that fit the terms of a column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow
from numpy.typing import NDArray

from gpm.algebra import XSD
from nfa_native.core.arrays import distinct
from nfa_native.terms.decoding import kinds
from nfa_native.terms.words import Terms
from spaseq.errors import OptionError
from spaseq.results.terms import from_bytes
from spaseq.suggestion import did_you_mean

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
}  # KINDs of nfa_native.terms.words; others are texts
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
