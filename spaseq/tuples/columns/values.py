"""Values of Python as Arrow arrays, without losing digits on the way."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import pyarrow
from pyarrow import types

from spaseq.tuples.columns.kinds import Kind, kind_of_type


def converted(values: list[Any], type_: pyarrow.DataType | None, declared: bool = False) -> Any:
    """The values as an array of the type (None: of any one type), None if they are not of it.

    Numbers of another type are taken if they are the same by value.  If the type is ``declared``, texts are taken for
    numbers and anything for a text.
    """
    try:
        if type_ is not None and (types.is_integer(type_) or types.is_floating(type_)):
            return _numbers(values, type_, declared)
        if declared and type_ is not None and kind_of_type(type_) is Kind.TEXT:
            values = [_text(value) for value in values]
        return pyarrow.array(values, type_, from_pandas=True)
    except MemoryError:  # of Arrow, too
        raise
    except (pyarrow.ArrowException, OverflowError, TypeError, UnicodeError):
        return None


def first_bad(values: list[Any], type_: pyarrow.DataType | None, declared: bool = False) -> int:
    """The place of the first value with which the conversion fails."""
    return bisect_left(range(1, len(values)), True, key=lambda size: converted(values[:size], type_, declared) is None)


def _numbers(values: list[Any], type_: pyarrow.DataType, declared: bool) -> Any:
    """A conversion in two steps: in a single one, Arrow would cut 1.5 to the integer 1."""
    found = pyarrow.array(values, from_pandas=True)
    allowed = (Kind.NUMBER, Kind.NULL, Kind.TEXT) if declared else (Kind.NUMBER, Kind.NULL)
    return found.cast(type_) if kind_of_type(found.type) in allowed else None


def _text(value: Any) -> str | None:
    missing = value is None or (isinstance(value, float) and value != value)
    return None if missing else str(value)
