"""Times of events, microseconds that never fall; the attribute that measures a window; batches with their times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow
from pyarrow import types

from spaseq.errors import Location, OptionError, QueryError, StreamError
from spaseq.runtime.snapshot.validation import COUNT, TIME, Shape
from spaseq.sources.tables.columns import StructFields, TextTimes
from spaseq.sources.tables.source import LeaveOut, LeftOut, TableSource
from spaseq.sources.tables.types import ValueKind, check_attribute, shown
from spaseq.streams.timestamps import GREATEST, LEAST, UNITS, iso
from spaseq.tuples.columns.predicates import vector
from spaseq.tuples.columns.rows import Rows
from spaseq.tuples.columns.vectors import Column, Mask, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """Values of an attribute, int64 or float64 (n); ``valid`` is False where it is NULL, None if it nowhere is."""

    values: Column
    valid: Mask | None = None

    @property
    def missing(self) -> Mask:
        """Which events have no value: NULL or NaN."""
        absent = np.zeros(len(self.values), np.bool_) if self.valid is None else ~self.valid
        return absent | np.isnan(self.values) if self.values.dtype == np.float64 else absent


def check_measure(name: str, schema: pyarrow.Schema) -> None:
    """QueryError if the attribute is unknown, or neither a number nor a time."""
    kind = check_attribute(name, schema)
    if kind not in (ValueKind.NUMBER, ValueKind.TIME, ValueKind.NULL):
        raise QueryError(
            f"the window's attribute {name} is of type {shown(schema.field(name).type)}: it needs a number"
        )


def measure(name: str, batch: Rows) -> Measure:
    """The attribute of a batch's events; times in microseconds, integers beyond 64 bits as doubles."""
    found = vector(batch.column(name))
    values = found.values if found.values.dtype != object else found.values.astype(np.float64)
    return Measure(values, found.valid)


# ── the clock ────────────────────────────────────────────────────────────────────────────────────────────
Times = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the time of the row ``row`` of a batch."""

    row: int
    message: str
    hint: str = 'events without a proper time can be skipped (on_error="skip")'


@dataclass(frozen=True, slots=True)
class SortedOut:
    """Which rows have a good time (n), and what is wrong with each of the others."""

    good: Mask
    fault: Callable[[int], Fault]

    @property
    def first(self) -> Fault:
        """What is wrong with the first bad one."""
        return self.fault(int(np.argmin(self.good)))


class Clock:
    """Reads the column ``name`` as times, and watches that they do not fall from batch to batch.

    Integers count ``unit`` (us, ms or s) since 1970, and so do doubles, of ms or s: to the nearest microsecond.
    OptionError for an unknown unit, QueryError if the column has nothing of the kind.
    """

    def __init__(self, name: str, unit: str, schema: pyarrow.Schema) -> None:
        if unit not in UNITS:
            raise OptionError(f"the unit of time is us, ms or s, not {unit}")
        if schema.get_field_index(name) < 0:
            check_attribute(name, schema)
        type_ = schema.field(name).type
        self._is_double = bool(types.is_floating(type_)) and unit != "us"
        if not (self._is_double or types.is_integer(type_) or types.is_timestamp(type_) or types.is_null(type_)):
            wanted = "not of timestamps, integers or texts"
            raise QueryError(f"the time {name} is of type {shown(type_)}, {wanted}", hint=_hint(name, type_))
        self.name = name
        self._is_date = types.is_timestamp(type_)
        self._unit = UNITS[unit]
        self._worth = 1 if self._is_date or self._is_double else UNITS[unit]
        self._least, self._greatest = LEAST // self._worth + 1, GREATEST // self._worth  # in the column
        self._latest = LEAST

    @property
    def latest(self) -> int:
        """The latest good time."""
        return self._latest

    def go_on(self, latest: int) -> None:
        """No time before this one is good."""
        self._latest = max(self._latest, latest)

    def read(self, batch: pyarrow.RecordBatch) -> tuple[Times, SortedOut | None]:
        """The times of a batch's events (n), and which of them are good (None: all).

        Bad is the time that is NULL, out of the range of 64-bit microseconds, or before a good one.
        """
        found = self._vector(batch)
        if (found.valid is None or found.valid.all()) and self._goes_on(found.values):
            times = found.values if self._worth == 1 else found.values * self._worth
            self._latest = int(times[-1]) if len(times) else self._latest
            return times, None
        present = np.ones(len(batch), np.bool_) if found.valid is None else found.valid
        fits = np.asarray((found.values >= self._least) & (found.values <= self._greatest), bool)
        return self._sorted_out(np.where(present & fits, found.values, 0).astype(np.int64) * self._worth, present, fits)

    def read_unordered(self, batch: pyarrow.RecordBatch) -> tuple[Times, SortedOut | None]:
        """``read`` of events that come in any order: a time may be before others."""
        found = self._vector(batch)
        present = np.ones(len(batch), np.bool_) if found.valid is None else found.valid
        fits = np.asarray((found.values >= self._least) & (found.values <= self._greatest), bool)
        good = present & fits
        times = np.where(good, found.values, 0).astype(np.int64) * self._worth
        if good.all():
            return times, None
        return times, SortedOut(good, lambda row: self._unusable(row, bool(present[row])))

    def _vector(self, batch: pyarrow.RecordBatch) -> Vector:
        """The times as integers that are worth ``_worth``; LEAST is outside of the range."""
        found = vector(batch.column(self.name))
        if not self._is_double:
            return found
        with np.errstate(over="ignore"):
            whole = np.rint(found.values * self._unit)
        fits = np.abs(whole) < -float(LEAST)
        return Vector(np.where(fits, np.where(fits, whole, 0).astype(np.int64), LEAST), found.valid)

    def _unusable(self, row: int, is_present: bool) -> Fault:
        """What is wrong with a time that is not there, or ``is_present``."""
        wrong = "is outside the range of 64-bit microseconds" if is_present else "is NULL"
        return Fault(row, f"the time {self.name} {wrong}")

    def _goes_on(self, values: Column) -> bool:
        """Whether the values rise from the latest time on, and are in its range."""
        if values.dtype != np.int64 or not (values[1:] >= values[:-1]).all():
            return False
        if not len(values):
            return True
        first, last = int(values[0]), int(values[-1])
        return self._least <= first and last <= self._greatest and self._latest <= first * self._worth

    def _sorted_out(self, times: Times, present: Mask, fits: Mask) -> tuple[Times, SortedOut]:
        usable = present & fits
        reached = np.maximum.accumulate(np.where(usable, times, LEAST)) if len(times) else times
        reached = np.maximum(reached, self._latest)
        before = np.concatenate([[self._latest], reached[:-1]])
        good = usable & (times >= before)
        self._latest = int(reached[-1])

        def fault(row: int) -> Fault:
            if not usable[row]:
                return self._unusable(row, bool(present[row]))
            fallen = f"{self._shown(times[row])} after {self._shown(before[row])}"
            hint = "sort the events by time, or skip those that come late"
            return Fault(row, f"the time {self.name} falls: {fallen}", hint)

        return times, SortedOut(good, fault)

    def _shown(self, time: np.int64) -> str:
        """A time as it stands in the column."""
        return iso(int(time)) if self._is_date or self._is_double else str(time // self._worth)


def _hint(name: str, type_: pyarrow.DataType) -> str:
    """What to do about a column that has no times."""
    if types.is_floating(type_):
        integers = f'{{"{name}": "int64"}}'
        return f'say what they count since 1970: unit="s" or unit="ms"; of microseconds declare the type: {integers}'
    if types.is_time(type_):
        return "these have no day: make one column of the day and the time"
    return "times are timestamps, integers that count since 1970, or texts: is another column meant?"


# ── batches with their times ─────────────────────────────────────────────────────────────────────────────
TIMED: dict[str, Shape] = {"rows": COUNT, "skipped": COUNT, "first": [(COUNT, str)], "latest": TIME}


def told(source: TableSource, row: int) -> tuple[str, str] | None:
    """What is wrong with a text of a source that is no time, and a hint; None: nothing is known about it."""
    return source.told(row) if isinstance(source, TextTimes | StructFields) else None


def clock_of(
    name: str, unit: str, schema: pyarrow.Schema, batches: Iterable[pyarrow.RecordBatch], place: Location
) -> Clock:
    """The clock of rows whose column ``name`` has times, the first of which is at a place.

    QueryError, with the first value: these are no times.
    """
    try:
        return Clock(name, unit, schema)
    except QueryError as error:
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None or name not in first.schema.names:
            raise
        message = f"{error.message}, as {str(first.column(name)[0])[:80]}"
        raise QueryError(message, place, hint=error.hint) from None


class Timed:
    """Batches and times (int64[n], microseconds); without a clock the times are positions.

    An event whose time is wrong raises StreamError at its place, or is left out with what else is of the source, and
    counted in ``skipped``.
    """

    def __init__(self, source: TableSource, clock: Clock | None, left_out: LeftOut | None = None) -> None:
        self._source = source
        self._clock = clock
        self._left_out = left_out
        self.skipped = 0
        self.rows = 0  # that were read
        self.first = ""  # the place of the first event that was left out, and what is wrong with its time
        self._first_row = 0
        self._before = 0  # rows that were read before
        self._comes_again = True  # with them, from the beginning

    def __iter__(self) -> Iterator[tuple[Times, pyarrow.RecordBatch]]:
        """All batches; one may be empty: more has to be waited for."""
        for batch in self._new():
            found = self._timed(batch, self.rows)
            self.rows += batch.num_rows
            yield found

    def state(self) -> dict[str, Any]:
        """How far it has read, as TIMED."""
        first = [[self._first_row, self.first]] if self.first else []
        latest = LEAST if self._clock is None else self._clock.latest
        rows = max(self.rows, self._before) if self._comes_again else self.rows + self._before
        return {"rows": rows, "skipped": self.skipped, "first": first, "latest": latest}

    def go_on(self, state: dict[str, Any], latest: int, comes_again: bool = True) -> None:
        """Go on behind ``state``, to pass over the rows that were read then if they come again.

        No time before ``latest`` is good any more.
        """
        self._before, self.skipped, self._comes_again = state["rows"], state["skipped"], comes_again
        self._first_row, self.first = next(((row, message) for row, message in state["first"]), (0, ""))
        if self._clock is not None:
            self._clock.go_on(latest)

    def _new(self) -> Iterator[pyarrow.RecordBatch]:
        """The batches with the rows that were not read before; StreamError: there are fewer than those."""
        again = self._before if self._comes_again else 0
        for batch in self._source.batches():
            passed = min(max(0, again - self.rows), batch.num_rows)
            self.rows += passed
            if passed < batch.num_rows or not batch.num_rows:
                yield batch.slice(passed)
        if self.rows < again:
            raise StreamError(f"the events are {self.rows:,} now, and were {again:,}: their source has changed")

    def _timed(self, batch: pyarrow.RecordBatch, row: int) -> tuple[Times, pyarrow.RecordBatch]:
        if self._clock is None:
            return np.arange(row, row + batch.num_rows, dtype=np.int64), batch
        times, found = self._clock.read(batch)
        if found is None:
            return times, batch
        if self._left_out is None:
            raise self._error(found.first, row)
        self._leave_out(found, row, self._left_out.keep)
        return times[found.good], batch.filter(pyarrow.array(found.good))

    def _leave_out(self, found: SortedOut, row: int, keep: LeaveOut | None) -> None:
        """Some rows of the batch that begins with ``row``."""
        bad = np.flatnonzero(~found.good)
        self.skipped += len(bad)
        if not self.first:
            error = self._error(found.first, row)
            self._first_row, self.first = row + int(bad[0]), f"at {error.location}: {error.message}"
        if keep is not None:
            for one in bad:
                keep(self._error(found.fault(int(one)), row))

    def _error(self, fault: Fault, row: int) -> StreamError:
        """What is wrong with a row of the batch that begins with ``row``."""
        message, hint = told(self._source, row + fault.row) or (fault.message, fault.hint)
        return StreamError(message, self._source.place(row + fault.row), hint=hint)
