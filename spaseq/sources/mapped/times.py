"""The times of events, from the terms that a mapping names."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyoxigraph import Literal

from gpm.algebra import XSD, XSD_DATETIME, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER, XSD_STRING
from gpm.rows import Numbers, Words
from gpm.terms import decode
from nfa_native.terms.decoding import kinds, texts
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.mappings import EventTime
from spaseq.sources.tables.columns import time_by_form, time_by_iso, times_by_iso
from spaseq.streams.timestamps import GREATEST, LEAST, UNITS, to_microseconds

_TAGS, _INTEGER, _DATETIME = np.uint64(15), np.uint64(1), np.uint64(4)
_STRING = 3  # the KIND of words.pxd
_NUMBERS = (XSD_INTEGER, XSD_DECIMAL, XSD_DOUBLE)
_TIMES = (XSD_STRING, XSD_DATETIME, f"{XSD}date")


def times_of(words: Words, how: EventTime, terms: Terms) -> tuple[Numbers, NDArray[np.bool_]]:
    """The microseconds since 1970 (n) of terms, and where these are times."""
    tags, unit = words & _TAGS, UNITS[how.unit or "us"]
    times, are = np.zeros(len(words), np.int64), np.zeros(len(words), np.bool_)
    instants = tags == _DATETIME
    times[instants], are[instants] = words[instants].view(np.int64) >> 5, True
    counts = words.view(np.int64) >> 4
    counted = (tags == _INTEGER) & (np.abs(counts) < GREATEST // unit) & (how.form is None)
    times[counted], are[counted] = counts[counted] * unit, True
    if how.form is None:
        strings = np.flatnonzero(kinds(terms, words) == _STRING)
        times[strings], are[strings] = _of_strings(words[strings], terms)
    rest = np.flatnonzero(~are & (words != 0))
    distinct, places = np.unique(words[rest], return_inverse=True)
    found = [_time(terms, int(word), how) for word in distinct]
    times[rest] = np.array([0 if one is None else one for one in found], np.int64)[places]
    are[rest] = np.array([one is not None for one in found], np.bool_)[places]
    return times, are


def _of_strings(words: Words, terms: Terms) -> tuple[Numbers, NDArray[np.bool_]]:
    """The same of strings, which are of ISO 8601."""
    ends, text = texts(terms, words)
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(text)]
    found = times_by_iso(pyarrow.Array.from_buffers(pyarrow.large_string(), len(words), buffers))
    are = found.is_valid().to_numpy(zero_copy_only=False)
    return found.cast(pyarrow.int64()).fill_null(0).to_numpy(), are


def _time(terms: Terms, word: int, how: EventTime) -> int | None:
    """The microseconds of a term; None: it is no time."""
    term = decode(terms, word)
    if not isinstance(term, Literal):
        return None
    datatype = term.datatype.value
    if datatype in (*_NUMBERS, XSD_STRING) and how.form is not None:
        return _instant(time_by_form(term.value, how.form))
    if datatype in _NUMBERS:
        return _counted(term.value, UNITS[how.unit or "us"])
    return _instant(time_by_iso(term.value)) if datatype in _TIMES else None


def _instant(found: datetime | None) -> int | None:
    return None if found is None else to_microseconds(found)


def _counted(form: str, unit: int) -> int | None:
    number = Decimal(form) * unit
    if not number.is_finite() or not LEAST < number < GREATEST:
        return None
    return int(number.to_integral_value(rounding="ROUND_FLOOR"))
