"""Casts of columns to the datatypes of XML Schema: what is of the type already stays, each other value is cast once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpm.algebra import XSD
from gpm.native.column_terms import decimal_words, double_words
from gpm.rows import Numbers, Words
from nfa_native.terms.decoding import doubles, integers, kinds
from nfa_native.terms.dictionary import Terms

_INTEGER, _DECIMAL, _DOUBLE = 6, 7, 8  # KINDs of words.pxd
_HALF = 2.0**64
_MOST = 2.0**127  # of a decimal, in units of 10**-18
_KINDS = {
    f"<{XSD}string>": 3, f"<{XSD}integer>": _INTEGER, f"<{XSD}decimal>": _DECIMAL, f"<{XSD}double>": _DOUBLE,
    f"<{XSD}dateTime>": 9, f"<{XSD}boolean>": 10,
}  # fmt: skip


def is_cast(name: str) -> bool:
    """Whether a function, by its name in an expression, is a cast that this module knows."""
    return name in _KINDS


def cast_words(name: str, words: Words, terms: Terms, evaluate: Callable[[Words], Words]) -> Words:
    """The values (n) of a cast of ``words`` (n), 0 where it is an error; ``evaluate`` casts any values."""
    kind, found = kinds(terms, words), words.copy()
    rest = (words != 0) & (kind != _KINDS[name])
    if (made := _FROM_INTEGERS.get(_KINDS[name])) is not None and len(
        whole := np.flatnonzero(rest & (kind == _INTEGER))
    ):
        values, states = integers(terms, words[whole])
        found[whole] = made(terms, values)
        rest[whole] = (states != 1) | (found[whole] == 0)
    if _KINDS[name] == _DECIMAL and (some := rest & (kind == _DOUBLE)).any():
        found[some] = _decimals_of_doubles(terms, words[some])
        rest &= ~some
    if rest.any():
        distinct, codes = np.unique(words[rest], return_inverse=True)
        found[rest] = evaluate(distinct)[codes]
    return found


def _decimals(terms: Terms, values: Numbers) -> Words:
    halves = np.stack([values, np.where(values < 0, -1, 0)], axis=1).astype(np.int64).view(np.uint64)
    return decimal_words(terms, np.ascontiguousarray(halves), 0)


def _decimals_of_doubles(terms: Terms, words: Words) -> Words:
    """As the Store casts them: 18 digits behind the point are cut off what the double is, times 10**18."""
    with np.errstate(over="ignore"):
        shifted = np.trunc(doubles(terms, words)[0] * 1e18)
    size = np.abs(shifted)
    are = size < _MOST  # NaN and infinity are not
    size[~are] = 0
    upper = np.floor(size / _HALF)  # as doubles halves are exact
    low, high = (size - upper * _HALF).astype(np.uint64), upper.astype(np.uint64)
    is_negative = shifted < 0
    high = np.where(is_negative, ~high + (low == 0), high)
    low = np.where(is_negative, ~low + np.uint64(1), low)
    found: Words = decimal_words(terms, np.stack([low, high], axis=1), 18)
    found[~are] = 0
    return found


def _doubles(terms: Terms, values: Numbers) -> Words:
    return double_words(terms, values.astype(np.float64))


_FROM_INTEGERS: dict[int, Callable[[Terms, Numbers], Words]] = {_DECIMAL: _decimals, _DOUBLE: _doubles}
