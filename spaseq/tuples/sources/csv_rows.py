"""Where rows of CSV end, as Arrow understands it: a quote opens a value only where the value begins."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

_LINE_END = (b"\n", b"\r")


def end_of_rows(data: bytes, delimiter: str = ",") -> int:
    """The end of the last line of ``data``, which begins a row, that is outside of quotes; 0: there is none."""
    line_end = _LINE_END[0] if b"\n" in data else _LINE_END[1]
    if b'"' not in data:
        return data.rfind(line_end) + 1
    quotes = np.flatnonzero(np.frombuffer(data, np.uint8) == ord('"'))
    if _are_pairs(data, quotes, delimiter):
        return _last_outside(data, quotes, line_end)
    return _last_between(data, delimiter, line_end)


def _are_pairs(data: bytes, quotes: npt.NDArray[np.int64], delimiter: str) -> bool:
    """Whether each second quote is where a value begins, or behind another quote: all others close a value then."""
    opening = quotes[::2]
    before = np.frombuffer(data, np.uint8)[np.maximum(opening, 1) - 1]
    return bool((np.isin(before, list(f'{delimiter}\r\n"'.encode())) | (opening == 0)).all())


def _last_outside(data: bytes, quotes: npt.NDArray[np.int64], line_end: bytes) -> int:
    """The end of the last line with an even number of quotes before it."""
    end = data.rfind(line_end) + 1
    while end and (number := int(np.searchsorted(quotes, end))) % 2:
        end = data.rfind(line_end, 0, int(quotes[number - 1])) + 1
    return end


def _last_between(data: bytes, delimiter: str, line_end: bytes) -> int:
    """The same, value by value: there are quotes within values."""
    found = begin = 0
    for value in _quoted(delimiter).finditer(data):
        found = max(found, data.rfind(line_end, begin, value.start()) + 1)
        begin = value.end()
        if not value[1]:
            return found
    return max(found, data.rfind(line_end, begin) + 1)


@lru_cache(maxsize=16)
def _quoted(delimiter: str) -> re.Pattern[bytes]:
    """A value in quotes; its group is empty if it is not closed."""
    before = re.escape(delimiter).encode()
    return re.compile(rb"(?:(?<=[\r\n" + before + rb'])|\A)"(?:[^"]++|"")*+("|\Z)')
