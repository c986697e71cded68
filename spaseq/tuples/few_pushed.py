"""Dictionaries that are pushed by a few, as rows without arrays of Arrow, where their values are of the usual kinds.

Those are int, float, str, bool, datetime and None in columns whose types are known.  Whatever else comes (and whatever
is wrong) is left to ``pushing``, which takes the same values to the same rows, and has the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import ne
from types import NoneType
from typing import Any, cast

import numpy as np
import pyarrow

from spaseq.sources.tables.source import declared, is_text
from spaseq.sources.tables.types import CODED_TEXT, INSTANT, Kind, kind_of_type
from spaseq.streams.timestamps import GREATEST, LEAST, UNITS, to_microseconds
from spaseq.tuples.columns.rows import MOST_FEW, FewRows
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.columns.vectors import EXACT
from spaseq.tuples.core import TupleCore
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.streams import ReadingOptions

_MOST_LAYOUTS = 1 << 10
Values = Sequence[Any]
Taken = Callable[[list[Any]], Values | None]  # the values of a column; None: they are left to others
Reader = tuple[str, Taken, bool]  # of a column; the last one says that there may be no NULL
FewPushed = tuple[Times | None, FewRows]


class FewReader:
    """Reads lists of a few dictionaries for an engine, whose columns have the types of ``columns``."""

    def __init__(self, reading: ReadingOptions, columns: ColumnTypes) -> None:
        self._reading = reading
        self._columns = columns
        self._declared = declared(reading.types)
        self._form: FewForm | None = None
        self._layouts: set[tuple[str, ...]] = set()  # keys that rows had so far

    def read(self, data: object, core: TupleCore) -> FewPushed | None:
        """The columns of rows that the core needs, and their times; None: they are left to ``pushing``.

        Those that say what an event is have a value in each row.
        """
        if type(data) is not list or not 0 < len(data) <= MOST_FEW or self._reading.form is not None:
            return None
        form, wanted = self._form, core.needed
        if form is None or form.wanted is not wanted or form.version != self._columns.version:
            self._form = form = self._formed(wanted, core.named_columns)
        if form.readers is None or not self._knows(data):
            return None
        lists = _lists(data, form.readers)
        if lists is None or form.worth is None:
            return None if lists is None else (None, FewRows(form.schema, lists, len(data)))
        times = _times(lists[cast(str, self._reading.time)], form.worth)
        return None if times is None else (times, FewRows(form.schema, lists, len(data)))

    def _knows(self, rows: list[Any]) -> bool:
        """Whether all are dictionaries whose keys are texts; the engine has heard of these then."""
        for row in rows:
            if type(row) is not dict:
                return False
            names = tuple(row)
            if names not in self._layouts:
                if not all(map(is_text, names)):
                    return False
                self._learn(names)
        return True

    def _learn(self, names: tuple[str, ...]) -> None:
        if len(self._layouts) >= _MOST_LAYOUTS:
            self._layouts.clear()
        self._layouts.add(names)
        self._columns.hear_of(names)

    def _formed(self, wanted: tuple[str, ...], named: Sequence[str]) -> FewForm:
        """How the wanted columns are read, as their types are now."""
        time, columns = self._reading.time, self._columns
        worth = None if time is None else 1 if columns.type(time) == INSTANT else UNITS[self._reading.unit]
        types = {name: self._type(name, named) for name in wanted}
        some = {*named, *(name for name in wanted if "." in name)}  # which may be fields of structs
        readers = [(name, _READERS[type_], name in some) for name, type_ in types.items() if type_ is not None]
        is_whole = len(readers) == len(wanted) and (time is None or types.get(time) in (pyarrow.int64(), INSTANT))
        return FewForm(wanted, columns.version, tuple(readers) if is_whole else None, columns.few_schema(False), worth)

    def _type(self, name: str, named: Sequence[str]) -> pyarrow.DataType | None:
        """The type of a column, if its values can be read here."""
        type_ = self._columns.type(name)
        if type_ not in _READERS or self._declared.get(name, type_) != type_:
            return None
        is_named = name in named and name != self._reading.time
        return None if is_named and kind_of_type(type_) is not Kind.TEXT else type_


@dataclass(frozen=True, slots=True, eq=False)
class FewForm:
    """How the ``wanted`` columns are read, each by a function (None: not here), as long as their types are these.

    Some may have no NULL.  Integers that are times are ``worth`` so many microseconds (None: there are none).
    """

    wanted: tuple[str, ...]
    version: int
    readers: tuple[Reader, ...] | None
    schema: pyarrow.Schema
    worth: int | None


def _lists(rows: Sequence[dict[str, Any]], readers: Iterable[Reader]) -> dict[str, Values] | None:
    """The columns of rows; None: some are left to others."""
    lists, first = {}, rows[0] if len(rows) == 1 else None
    for name, take, has_values in readers:
        found = take([row.get(name) for row in rows] if first is None else [first.get(name)])
        if found is None or (has_values and None in found):
            return None
        lists[name] = found
    return lists


def _times(values: Values, worth: int) -> Times | None:
    """Microseconds; None: one is out of their range."""
    if min(values) <= LEAST // worth or max(values) > GREATEST // worth:
        return None
    return np.array(values, np.int64) if worth == 1 else np.array([value * worth for value in values], np.int64)


def _texts(values: list[Any]) -> Values | None:
    if len(values) == 1 and type(values[0]) is str and values[0].isascii():
        return values
    kinds = set(map(type, values))
    if not kinds <= {str, NoneType}:
        return None
    return values if all(value is None or value.isascii() or is_text(value) for value in values) else None


def _integers(values: list[Any]) -> Values | None:
    if len(values) == 1 and type(values[0]) is int and LEAST <= values[0] <= GREATEST:
        return values
    kinds = set(map(type, values))
    if not kinds <= {int, NoneType}:
        return None
    whole = values if NoneType not in kinds else [value for value in values if value is not None]
    return values if not whole or LEAST <= min(whole) <= max(whole) <= GREATEST else None


def _reals(values: list[Any]) -> Values | None:
    if len(values) == 1 and type(values[0]) is float and values[0] == values[0]:
        return values
    kinds = set(map(type, values))
    if kinds != {float}:
        if not kinds <= {float, int, NoneType}:
            return None
        if int in kinds and any(type(value) is int and not -EXACT <= value <= EXACT for value in values):
            return None
        values = [None if value is None else float(value) for value in values]
    return [None if value != value else value for value in values] if any(map(ne, values, values)) else values


def _truths(values: list[Any]) -> Values | None:
    return values if set(map(type, values)) <= {bool, NoneType} else None


def _instants(values: list[Any]) -> Values | None:
    for value in values:
        if value is not None and (type(value) is not datetime or value.tzinfo not in (None, UTC)):
            return None
    return [None if value is None else to_microseconds(value) for value in values]


def _nulls(values: list[Any]) -> Values | None:
    return values if set(values) == {None} else None


_READERS: dict[pyarrow.DataType, Taken] = {
    pyarrow.int64(): _integers, pyarrow.float64(): _reals, pyarrow.string(): _texts, CODED_TEXT: _texts,
    pyarrow.bool_(): _truths, INSTANT: _instants, pyarrow.null(): _nulls,
}  # fmt: skip
