"""Rows that are pushed: as columns in the types that are known so far, few of them without Arrow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import ne
from types import NoneType
from typing import Any, cast

import numpy as np
import pyarrow

from spaseq.errors import Location, OptionError, QueryError, StreamError
from spaseq.sources.tables.columns import with_fields
from spaseq.sources.tables.opening import opened
from spaseq.sources.tables.source import CsvFormat, TableSource, declared, first_unfit, is_text
from spaseq.sources.tables.types import (
    CODED_TEXT,
    INSTANT,
    ValueKind,
    column_named,
    kind_of_type,
    read_type,
    shown,
    usual,
)
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import GREATEST, LEAST, UNITS, to_microseconds
from spaseq.text import did_you_mean
from spaseq.tuples.columns.rows import MOST_FEW, FewRows, Rows
from spaseq.tuples.columns.schema import ColumnTypes, changed
from spaseq.tuples.columns.vectors import EXACT
from spaseq.tuples.encoding.batches import Roles, check_text_column, existing, type_column_of
from spaseq.tuples.encoding.times import Times, clock_of, told
from spaseq.tuples.kind import TableKind
from spaseq.tuples.queries import ReadingOptions, with_times

NO_CSV = CsvFormat()
Places = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(slots=True, eq=False)  # not frozen, as one is made for each row that is pushed
class PushedPart:
    """Rows of a pushed batch: their numbers there, their times (None: they have none), and their columns."""

    rows: Places
    times: Times | None
    batch: Rows


class Pushed:
    """The rows of ``data``, what ``open_source`` takes but no file; ``place`` is what errors call them.

    OptionError: it is nothing of the kind, or lacks the columns that say what its events are.
    """

    def __init__(self, data: Any, reading: ReadingOptions, place: str) -> None:
        self._data = _kept(data)
        self._reading = reading
        self._place = place
        with self._located():
            self._source = self._opened()

    @property
    def names(self) -> Sequence[str]:
        """All of its columns."""
        return self._source.names

    def first_types(self, columns: ColumnTypes) -> dict[str, pyarrow.DataType]:
        """The types of columns that have values here, and had none so far, though queries read them."""
        nulls = [name for name in columns.nulls if column_named(name) in self.names]
        if not nulls:
            return {}
        with self._located():
            batches, schema = self._batches(self._opened(), nulls)
        known = [field for field in schema if kind_of_type(field.type) not in (None, ValueKind.NULL)]
        return {
            one.name: one.type for one in known if any(map(_has_values, (batch.column(one.name) for batch in batches)))
        }

    def read(self, wanted: Sequence[str], columns: ColumnTypes) -> tuple[list[PushedPart], Skipped]:
        """The wanted columns that it has, in the types of ``columns`` that are fixed, which get to know the others.

        StreamError, and nothing is changed: a value is none, or not of its column's type, or a time is missing.
        """
        with self._located():
            known = [name for name in wanted if columns.type(name) is not None]
            batches, schema = self._batches(with_fields(self._source, wanted, known), wanted)
            if batches:
                self._check_columns(schema)
            batches = list(self._typed(batches, columns))
            parts, skipped = self._timed(batches)
            columns.learn(_unfixed(schema, columns))
        columns.hear_of(self.names)
        return parts, skipped

    def rows(self, numbers: Places) -> pyarrow.Table:
        """Some of the rows, with all of its columns in the usual types."""
        source = self._opened()
        schema = source.choose(tuple(dict.fromkeys(source.names)))
        return pyarrow.Table.from_batches(list(source.batches()), schema).take(pyarrow.array(numbers))

    def _opened(self) -> TableSource:
        types = declared(self._reading.types)
        return with_times(opened(self._data, types, NO_CSV), self._reading)

    def _batches(self, source: TableSource, wanted: Sequence[str]) -> tuple[list[pyarrow.RecordBatch], pyarrow.Schema]:
        names = source.names
        plain = existing([name for name in wanted if name in names], names)
        exact = [name for name in wanted if name != column_named(name) and column_named(name) in names]
        existing(map(column_named, exact), names)
        schema = source.choose((*plain, *exact))
        return [batch for batch in source.batches() if batch.num_rows], schema

    def _check_columns(self, schema: pyarrow.Schema) -> None:
        """OptionError, QueryError if no column says what the events are, or one has something else than it ought to."""
        reading = self._reading
        roles = Roles(reading.type, reading.relation)
        type_column = type_column_of(roles, self.names)
        for role, name in (("types", type_column), ("streams", reading.stream), ("times", reading.time)):
            if name is not None and name not in self.names:
                raise OptionError(f"there is no column {name} for the {role}; {did_you_mean(name, self.names)}")
            if name is not None and role != "times":
                check_text_column(name, role, schema)

    def _typed(self, batches: Iterable[pyarrow.RecordBatch], columns: ColumnTypes) -> Iterator[pyarrow.RecordBatch]:
        """The batches with the types that are fixed."""
        first = 0
        for batch in batches:
            for number, field in enumerate(batch.schema):
                type_ = columns.type(field.name)
                if type_ is not None and type_ != field.type:
                    column = _converted(field.name, batch.column(number), type_, first)
                    batch = batch.set_column(number, pyarrow.field(field.name, type_), column)
            first += batch.num_rows
            yield batch

    def _timed(self, batches: Iterable[pyarrow.RecordBatch]) -> tuple[list[PushedPart], Skipped]:
        reading, parts, skipped, first = self._reading, [], Skipped(), 0
        for batch in batches:
            count = batch.num_rows
            rows, times = np.arange(first, first + count), None
            if reading.time is not None:
                clock = clock_of(reading.time, reading.unit, batch.schema, [batch], Location(f"{self._place}, row 0"))
                times, found = clock.read_unordered(batch)
                if found is not None:
                    good, fault = found.good, found.first
                    at = Location(f"{self._place}, row {first + fault.row}")
                    message, hint = told(self._source, first + fault.row) or (fault.message, fault.hint)
                    if not reading.skip:
                        raise StreamError(message, at, hint=hint)
                    skipped = Skipped(skipped.count + int((~good).sum()), skipped.first or f"at {at}: {message}")
                    rows, times, batch = rows[good], times[good], batch.filter(pyarrow.array(good))
            parts.append(PushedPart(rows, times, batch))
            first += count
        return [part for part in parts if len(part.rows)], skipped

    @contextmanager
    def _located(self) -> Iterator[None]:
        """Within, errors are StreamErrors of this batch."""
        try:
            yield
        except QueryError as error:
            at = error.location if error.location.path.startswith(self._place) else Location(self._place)
            raise StreamError(error.message, at, hint=error.hint) from None
        except StreamError as error:
            if not error.location.path.startswith(self._place):
                _, bracket, row = error.location.path.partition(">")
                error.location = Location(self._place + (row if bracket else ""))
            raise


def _unfixed(schema: pyarrow.Schema, columns: ColumnTypes) -> pyarrow.Schema:
    return pyarrow.schema([field for field in schema if columns.type(field.name) is None])


def _converted(name: str, column: pyarrow.Array, type_: pyarrow.DataType, first: int) -> pyarrow.Array:
    """A column in the type that it had so far; ``first`` is the number of its first row.

    StreamError: it is of another kind, or a number has no equal there.
    """
    kinds = {kind_of_type(column.type), kind_of_type(type_)}
    if len(kinds - {ValueKind.NULL}) > 1 or (pyarrow.types.is_null(type_) and _has_values(column)):
        raise changed(name, type_, column.type, _row(first + _first_value(column)))
    try:
        return usual(column, type_) if not pyarrow.types.is_null(type_) else pyarrow.nulls(len(column))
    except pyarrow.ArrowException as error:
        hint = f'declare its type: {{"{column_named(name)}": "double"}}'
        at = _row(first + first_unfit(column, type_))
        raise StreamError(
            f"the column {column_named(name)} was {shown(type_)} so far: {error}", at, hint=hint
        ) from None


def _row(number: int) -> Location:
    return Location(f"<rows>, row {number}")


def _has_values(column: pyarrow.Array) -> bool:
    return bool(column.null_count < len(column))


def _first_value(column: pyarrow.Array) -> int:
    return int(np.argmax(column.is_valid().to_numpy(zero_copy_only=False))) if len(column) else 0


def _kept(data: Any) -> Any:
    """The data as what can be read twice; OptionError for what is no rows."""
    if isinstance(data, str | os.PathLike | bytes) or hasattr(data, "read"):
        raise OptionError(f"a batch is a table, a frame or a list of rows, not {data!r:.80}: match reads files")
    if isinstance(data, Mapping):
        raise OptionError("a batch is a table, a frame or a list of rows: write [row] for a single one")
    if isinstance(data, pyarrow.RecordBatchReader):
        return data.read_all()
    is_rows = isinstance(data, Iterable) and not hasattr(data, "__arrow_c_stream__")
    return list(data) if is_rows and not hasattr(data, "columns") else data


_MOST_LAYOUTS = 1 << 10
Values = Sequence[Any]
Taken = Callable[[list[Any]], Values | None]  # the values of a column; None: they are left to others
# Of a column, and the key that it has in a row; the last one says that there may be no NULL.
Reader = tuple[str, str, Taken, bool]
FewPushed = tuple[Times | None, FewRows]


class FewReader:
    """Reads lists of a few dictionaries for an engine, whose columns have the types of ``columns``."""

    def __init__(self, reading: ReadingOptions, columns: ColumnTypes) -> None:
        self._reading = reading
        self._columns = columns
        self._declared = declared(reading.types)
        self._form: FewForm | None = None
        self._layouts: set[tuple[str, ...]] = set()  # keys that rows had so far

    def read(self, data: object, kind: TableKind) -> FewPushed | None:
        """The columns of rows that the queries need, and their times; None: they are left to ``pushing``.

        Those that say what an event is have a value in each row.
        """
        if type(data) is not list or not 0 < len(data) <= MOST_FEW or self._reading.form is not None:
            return None
        form, wanted = self._form, kind.needed
        if form is None or form.wanted is not wanted or form.version != self._columns.version:
            self._form = form = self._formed(wanted, kind.named_columns)
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
        readers = [
            (name, column_named(name), _READERS[type_], name in some)
            for name, type_ in types.items()
            if type_ is not None
        ]
        is_whole = len(readers) == len(wanted) and (time is None or types.get(time) in (pyarrow.int64(), INSTANT))
        return FewForm(wanted, columns.version, tuple(readers) if is_whole else None, columns.few_schema(False), worth)

    def _type(self, name: str, named: Sequence[str]) -> pyarrow.DataType | None:
        """The type of a column, if its values can be read here."""
        type_ = self._columns.type(name)
        declared = self._declared.get(column_named(name))
        if type_ not in _READERS or (declared is not None and read_type(name, declared) != type_):
            return None
        is_named = name in named and name != self._reading.time
        return None if is_named and kind_of_type(type_) is not ValueKind.TEXT else type_


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
    for name, key, take, has_values in readers:
        found = take([row.get(key) for row in rows] if first is None else [first.get(key)])
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
