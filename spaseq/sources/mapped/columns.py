"""Columns of a table as words of terms: which term of RDF a value is.

| values | terms |
| --- | --- |
| integers | xsd:integer |
| floating-point numbers | xsd:double |
| decimals | xsd:decimal |
| truth values | xsd:boolean |
| texts | xsd:string |
| timestamps, without a zone UTC | xsd:dateTime |
| dates | xsd:date |
| durations | xsd:dayTimeDuration |

NULL is unbound.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pyarrow
import pyarrow.compute as pc
from pyarrow import types

from gpm.algebra import XSD, XSD_DECIMAL, XSD_INTEGER
from gpm.native.column_terms import decimal_words, double_words, integer_words, string_words, time_words
from gpm.rows import Words
from nfa_native.terms.dictionary import Terms
from spaseq.sources.tables.types import usual

_BOOLEAN = 5  # the tag of words of truth values
_MANY = 1 << 10  # texts that tell whether they are few
_DIGITS = 18  # behind the point, of decimals that are words


class NoTermsError(Exception):
    """Values of a column are no terms."""


def column_words(column: pyarrow.Array, terms: Terms) -> Words:
    """uint64[n]: the terms of a column, 0 where it is NULL.  NoTermsError: its values have none."""
    if types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    if types.is_dictionary(column.type):
        return _coded(column, terms)
    made = next((make for test, make in _KINDS if test(column.type)), None)
    if made is None:
        raise NoTermsError(f"values of type {column.type} are no terms of RDF")
    words = made(column, terms)
    if column.null_count:
        words[column.is_null().to_numpy(zero_copy_only=False)] = 0
    return words


def _coded(column: pyarrow.DictionaryArray, terms: Terms) -> Words:
    distinct = column.dictionary
    words = _each_text(distinct, terms) if types.is_string(distinct.type) else column_words(distinct, terms)
    values = np.append(words, np.uint64(0))
    codes = column.indices.cast(pyarrow.int64()).fill_null(len(values) - 1)
    found: Words = values[codes.to_numpy()]
    return found


# ── by type ──────────────────────────────────────────────────────────────────────────────────────────────
def _nulls(column: pyarrow.Array, terms: Terms) -> Words:
    return np.zeros(len(column), np.uint64)


def _integers(column: pyarrow.Array, terms: Terms) -> Words:
    if types.is_uint64(column.type) and (pc.max(column).as_py() or 0) >= 1 << 63:
        return _literals(column.cast(pyarrow.string()), XSD_INTEGER, terms)
    return integer_words(terms, column.cast(pyarrow.int64()).fill_null(0).to_numpy())


def _doubles(column: pyarrow.Array, terms: Terms) -> Words:
    return double_words(terms, usual(column, pyarrow.float64()).fill_null(0).to_numpy())


def _decimals(column: pyarrow.Array, terms: Terms) -> Words:
    if not types.is_decimal128(column.type) or not 0 <= column.type.scale <= _DIGITS:
        return _literals(_plain(column), XSD_DECIMAL, terms)
    data = np.frombuffer(column.buffers()[1], np.uint64).reshape(-1, 2)
    words = decimal_words(terms, data[column.offset : column.offset + len(column)], column.type.scale)
    too_large = np.flatnonzero((words == 0) & column.is_valid().to_numpy(zero_copy_only=False))
    if len(too_large):
        words[too_large] = _literals(_plain(column.take(pyarrow.array(too_large))), XSD_DECIMAL, terms)
    return words


def _plain(column: pyarrow.Array) -> pyarrow.Array:
    """Decimals as texts without an exponent, and without zeros at the end."""
    return pyarrow.array([None if one is None else _form(one) for one in column.to_pylist()], pyarrow.string())


def _form(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _booleans(column: pyarrow.Array, terms: Terms) -> Words:
    values = column.fill_null(False).to_numpy(zero_copy_only=False)
    found: Words = values.astype(np.uint64) << np.uint64(4) | np.uint64(_BOOLEAN)
    return found


def _texts(column: pyarrow.Array, terms: Terms) -> Words:
    if types.is_string_view(column.type):
        column = column.cast(pyarrow.large_string())
    if len(column) > _MANY and len(column.slice(0, _MANY).dictionary_encode().dictionary) < _MANY // 4:
        return _coded(column.dictionary_encode(), terms)  # each text is looked for once
    return _each_text(column, terms)


def _each_text(column: pyarrow.Array, terms: Terms) -> Words:
    column = column.cast(pyarrow.large_string())
    if not len(column):
        return np.zeros(0, np.uint64)
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    return string_words(terms, starts, np.frombuffer(b"" if data is None else data, np.uint8))


def _times(column: pyarrow.Array, terms: Terms) -> Words:
    instants = usual(column, pyarrow.timestamp("us")).cast(pyarrow.int64()).fill_null(0)
    return time_words(terms, instants.to_numpy())


def _dates(column: pyarrow.Array, terms: Terms) -> Words:
    return _literals(column.cast(pyarrow.date32()).cast(pyarrow.string()), f"{XSD}date", terms)


def _durations(column: pyarrow.Array, terms: Terms) -> Words:
    lengths = column.cast(pyarrow.duration("us")).cast(pyarrow.int64())
    texts = [None if one is None else _duration(one) for one in lengths.to_pylist()]
    return _literals(pyarrow.array(texts, pyarrow.string()), f"{XSD}dayTimeDuration", terms)


def _duration(microseconds: int) -> str:
    """A length as xsd:dayTimeDuration, of which the term's form is canonical."""
    seconds, rest = divmod(abs(microseconds), 1_000_000)
    return f"{'-' if microseconds < 0 else ''}PT{seconds}.{rest:06}S"


def _literals(texts: pyarrow.Array, datatype: str, terms: Terms) -> Words:
    """Literals of a datatype, each text once; NULL is as it comes."""
    coded = texts.fill_null("").dictionary_encode()
    words = terms.intern_many_transient([f"T{datatype}\0{text}".encode() for text in coded.dictionary.to_pylist()])
    found: Words = words[coded.indices.to_numpy()]
    return found


_KINDS: tuple[tuple[Callable[[pyarrow.DataType], bool], Callable[[pyarrow.Array, Terms], Words]], ...] = (
    (types.is_null, _nulls),
    (types.is_boolean, _booleans),
    (types.is_integer, _integers),
    (types.is_floating, _doubles),
    (types.is_decimal, _decimals),
    (lambda type_: types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_), _texts),
    (types.is_timestamp, _times),
    (types.is_date, _dates),
    (types.is_duration, _durations),
)
