"""Where tuples come from: files, Arrow data, data frames and rows of dictionaries, all as record batches.

A source has one schema (of the usual types, ``usual.py``) and gives batches of the columns that are asked for alone.
Columns have the types that are declared for them, or those that their first rows have.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import pyarrow
from pyarrow import types

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.tables.types import INSTANT, column_named, fault, usual
from spaseq.text import did_you_mean

Types = Mapping[str, "str | pyarrow.DataType"]
LeaveOut: TypeAlias = Callable[[StreamError], object]  # is told why something is left out, and of which bytes

BATCH_ROWS = 1 << 16
_NAMES = {
    "timestamp": INSTANT, "text": pyarrow.string(), "integer": pyarrow.int64(), "boolean": pyarrow.bool_(),
    "date": pyarrow.date32(),
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,3})\s*(?:,\s*(\d{1,3})\s*)?\)")
MOST_DIGITS = 38


class TableSource(Protocol):
    """Tuples with one schema, to be read once."""

    @property
    def names(self) -> Sequence[str]:
        """The names of all columns that there are."""

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """Say once, before reading, which of the columns are needed; gives the schema of the batches.

        A column may also be asked for by its ``exact_name``.
        """

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All tuples; StreamError where they cannot be read."""

    def place(self, row: int) -> Location:
        """Where the tuple ``row`` (from 0) is, for errors."""


@dataclass(slots=True)
class LeftOut:
    """How many lines or messages of a source were left out because they have no rows, and what is wrong with the first.

    ``keep`` is told of them, and of rows that are left out later.
    """

    keep: LeaveOut | None = None
    count: int = 0
    first: str = ""

    def note(self, error: StreamError) -> None:
        """One more."""
        self.count += 1
        self.first = self.first or f"at {error.location}: {error.message}"
        if self.keep is not None:
            self.keep(error)


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How a CSV file is written: its ``names`` if it has no header, and the unquoted values that are NULL."""

    delimiter: str = ","
    names: tuple[str, ...] | None = None
    nulls: tuple[str, ...] = ("",)

    def __post_init__(self) -> None:
        """OptionError: there can be no such file."""
        given = self.delimiter
        if not isinstance(given, str) or len(given) != 1 or not given.isascii() or given in '"\r\n\0':
            raise OptionError(
                f"the delimiter of CSV is one ASCII character, no quote and no line end, not {given!r:.80}"
            )
        for what, texts in (("names", () if self.names is None else self.names), ("nulls", self.nulls)):
            if isinstance(texts, str) or not isinstance(texts, Sequence) or not all(map(is_text, texts)):
                raise OptionError(f"{what} of CSV are texts, as in ('a', 'b'), not {texts!r:.80}")
        if self.names is not None and not self.names:
            raise OptionError("a CSV file has columns: names has none")


def declared(given: Types | None) -> dict[str, pyarrow.DataType]:
    """Declared types as Arrow's; OptionError for unknown names of types."""
    if not (given is None or (isinstance(given, Mapping) and all(map(is_text, given)))):
        raise OptionError(f'types are given by column, as in {{"price": "double"}}, not {given!r:.80}')
    return {name: _type(name, type_) for name, type_ in (given or {}).items()}


def _type(column: str, type_: str | pyarrow.DataType) -> pyarrow.DataType:
    if isinstance(type_, pyarrow.DataType):
        return type_
    if not isinstance(type_, str):
        raise OptionError(f"the type of the column {column} is a text, as in int64, not {type_!r:.80}")
    if found := _DECIMAL.fullmatch(type_):
        return _decimal(column, int(found[1]), int(found[2] or 0))
    try:
        return _NAMES[type_] if type_ in _NAMES else pyarrow.type_for_alias(type_)
    except ValueError:
        known = "int64, double, decimal(10,2), string, bool, date or timestamp"
        raise OptionError(f"unknown type {type_} of the column {column}; write {known}") from None


def _decimal(column: str, digits: int, scale: int) -> pyarrow.DataType:
    if not 0 < digits <= MOST_DIGITS or scale > digits:
        most = f"a decimal has up to {MOST_DIGITS} digits, no more of them behind the point"
        raise OptionError(f"the type decimal({digits},{scale}) of the column {column}: {most}")
    return pyarrow.decimal128(digits, scale)


def without_times(declared: Mapping[str, pyarrow.DataType], column: str) -> dict[str, pyarrow.DataType]:
    """Declared types without that of a column if it is one of times."""
    return {name: type_ for name, type_ in declared.items() if name != column or not types.is_timestamp(type_)}


def to_usual(
    batch: pyarrow.RecordBatch,
    schema: pyarrow.Schema,
    first_row: int,
    place: Callable[[int], Location],
    cut: Container[str] = (),
) -> pyarrow.RecordBatch:
    """The schema's columns of a batch in its types; StreamError if a value does not fit, at the place of its row.

    Of the columns ``cut``, whose type is declared, times may lose what is finer than microseconds.
    """
    columns = []
    for field in schema:
        column = _asked(batch, field.name)
        try:
            columns.append(usual(column, field.type, column_named(field.name) in cut))
        except pyarrow.ArrowException as error:
            name = column_named(field.name)
            message = f"the column {name} of type {column.type} does not become {field.type}: {error}"
            bad = first_unfit(column, field.type)
            raise StreamError(message, place(first_row + bad), hint=_hint(field, column)) from None
    return pyarrow.record_batch(columns, schema=schema) if columns else batch.select([])


def _asked(batch: pyarrow.RecordBatch, name: str) -> pyarrow.Array:
    """What is asked for by a name, which may have been made of the column already."""
    return batch.column(name if name in batch.schema.names else column_named(name))


def check_values(
    batch: pyarrow.RecordBatch, names: Sequence[str], first_row: int, place: Callable[[int], Location]
) -> None:
    """StreamError if a column has what is no value: bytes that are no text, or a code out of its dictionary."""
    for name in dict.fromkeys(map(column_named, names)):
        if (found := fault(batch.column(name))) is not None:
            row, what = found
            raise StreamError(f"the column {name} has {what}", place(first_row + row))


def _hint(field: pyarrow.Field, column: pyarrow.Array) -> str:
    """How times could be taken that are too fine."""
    if types.is_timestamp(field.type) and types.is_timestamp(column.type) and column.type.unit == "ns":
        name = column_named(field.name)
        return f'times have microseconds; to cut what is finer, declare its type: {{"{name}": "timestamp"}}'
    return ""


def first_unfit(column: pyarrow.Array, type_: pyarrow.DataType) -> int:
    """The place of the first value that does not become one of the type."""
    return bisect_left(range(1, len(column)), True, key=lambda size: not fits(column.slice(0, size), type_))


def fits(column: pyarrow.Array, type_: pyarrow.DataType) -> bool:
    """Whether all values become ones of the type."""
    try:
        usual(column, type_)
    except pyarrow.ArrowException:
        return False
    return True


def better_type(before: pyarrow.DataType | None, value: Any) -> str:
    """The type to declare for a column whose values seemed to be of the type ``before``, but has this one, too."""
    numeric = before is not None and (types.is_null(before) or types.is_integer(before) or types.is_floating(before))
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return "string"
    if not numeric or isinstance(value, bool):
        return "string"
    return "int64" if types.is_null(before) and number.is_integer() and abs(number) < 2**63 else "double"


def is_text(value: object) -> bool:
    """Whether it is a text that has an encoding: no lone surrogates."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def check_texts(**named: object) -> None:
    """OptionError if one of the arguments, by name, is neither a text nor None."""
    for name, value in named.items():
        if value is not None and not is_text(value):
            raise OptionError(f"{name} is a text, not {value!r:.80}")


def cannot_read(name: str, error: Exception) -> StreamError:
    """The error of a file that is not there, or cannot be read to its end."""
    number = getattr(error, "errno", None)
    message = os.strerror(number) if number else str(error)
    return StreamError(f"cannot read: {message[:1].lower()}{message[1:]}", Location(name))


def check_csv(csv: CsvFormat | None) -> None:
    """OptionError if it says something else than how CSV is written."""
    if csv is not None and not isinstance(csv, CsvFormat):
        raise OptionError(f"csv is a CsvFormat, not {csv!r:.80}")


def check_declared(types: Types | None, names: Sequence[str]) -> None:
    """OptionError if a type is declared for a column that is not there."""
    for name in types or ():
        if name not in names:
            hint = did_you_mean(name, names)
            raise OptionError(f"there is no column {name} to declare" + (f"; {hint}" if hint else ""))
