"""The types of columns: kinds of values, the usual type of each, and values of Python in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.ipc
from pyarrow import types

from spaseq.errors import OptionError, QueryError
from spaseq.streams.timestamps import LEAST, to_microseconds
from spaseq.text import did_you_mean

CODES = pyarrow.int32()
CODED_TEXT = pyarrow.dictionary(CODES, pyarrow.string())
INSTANT = pyarrow.timestamp("us")


def usual_type(type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type that a column of ``type_`` gets."""
    if types.is_run_end_encoded(type_):
        return usual_type(type_.value_type)
    if types.is_dictionary(type_):
        inner = usual_type(type_.value_type)
        return CODED_TEXT if types.is_string(inner) else inner
    for usual, tests in _USUAL:
        if any(test(type_) for test in tests):
            return usual
    return _without_views(type_)


def _without_views(type_: pyarrow.DataType) -> pyarrow.DataType:
    """A type of lists or structs with plain texts for views, which Arrow cannot take rows of."""
    if types.is_string_view(type_):
        return pyarrow.string()
    if types.is_struct(type_):
        return pyarrow.struct([field.with_type(_without_views(field.type)) for field in type_])
    if types.is_dictionary(type_):
        return pyarrow.dictionary(type_.index_type, _without_views(type_.value_type), type_.ordered)
    make = next((make for test, make in _LISTS if test(type_)), None)
    return type_ if make is None else make(type_, type_.value_field.with_type(_without_views(type_.value_type)))


_LISTS: tuple[tuple[Callable[[pyarrow.DataType], bool], Callable[..., pyarrow.DataType]], ...] = (
    (types.is_list, lambda _, field: pyarrow.list_(field)),
    (types.is_large_list, lambda _, field: pyarrow.large_list(field)),
    (types.is_fixed_size_list, lambda type_, field: pyarrow.list_(field, type_.list_size)),
)

_USUAL = (
    (pyarrow.uint64(), (types.is_uint64,)),
    (pyarrow.int64(), (types.is_integer,)),
    (pyarrow.float64(), (types.is_floating, types.is_decimal)),
    (pyarrow.string(), (types.is_string, types.is_large_string, types.is_string_view)),
    (INSTANT, (types.is_timestamp, types.is_date)),
)


def lacks_values(type_: pyarrow.DataType) -> bool:
    """Whether it is the type of a column, or of a member of objects, that had no value when it was inferred."""
    inner = (type_.field(place).type for place in range(type_.num_fields))
    return bool(types.is_null(type_)) or any(map(lacks_values, inner))


def remembered(kinds: Mapping[str, pyarrow.DataType], has_left_out: bool) -> dict[str, pyarrow.DataType]:
    """The types that were inferred, for a run that goes on.

    A column that had no value so far may get one, unless rows were left out (``has_left_out``), maybe for that.
    """
    return {name: type_ for name, type_ in kinds.items() if has_left_out or not lacks_values(type_)}


def types_stored(types_: Mapping[str, pyarrow.DataType]) -> bytes:
    """Types by name, as bytes."""
    stored: bytes = pyarrow.schema(list(types_.items())).serialize().to_pybytes()
    return stored


def types_read(data: bytes) -> pyarrow.Schema:
    """These types; ValueError: the bytes are damaged."""
    try:
        return pyarrow.ipc.read_schema(pyarrow.py_buffer(data))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        raise ValueError(str(error)) from None


def usual_schema(schema: pyarrow.Schema) -> pyarrow.Schema:
    """``schema`` with the types that its columns are read with, without metadata."""
    return pyarrow.schema([(field.name, read_type(field.name, field.type)) for field in schema])


# ── values as they are ───────────────────────────────────────────────────────────────────────────────────
_EXACT = "\nexact"  # ends the name of a column that is asked for as it is: no query can mean it


def exact_name(column: str) -> str:
    """By this name a column is asked for whose values stay as they are: decimals and dates, too."""
    return column + _EXACT


def column_named(name: str) -> str:
    """The column that is asked for by a name."""
    return name.removesuffix(_EXACT)


def read_type(name: str, type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type that a column of ``type_`` gets where it is asked for by this name."""
    return exact_type(type_) if name.endswith(_EXACT) else usual_type(type_)


def exact_type(type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type in which values stay as they are: the usual one, but for decimals, dates and intervals."""
    if types.is_run_end_encoded(type_):
        return exact_type(type_.value_type)
    if types.is_decimal(type_):
        return type_
    if types.is_date(type_):
        return pyarrow.date32()
    if types.is_duration(type_):
        return pyarrow.duration("us")
    return pyarrow.int64() if types.is_uint64(type_) else usual_type(type_)


def usual(column: pyarrow.Array, type_: pyarrow.DataType, cut: bool = False) -> pyarrow.Array:
    """``column`` as ``type_``, usual or exact; ArrowInvalid if a value cannot be one.

    Times finer than microseconds are cut if that is asked for, else they are none; those with a zone are in UTC, those
    without are taken to be.
    """
    if column.type == type_:
        return column
    if types.is_run_end_encoded(column.type):
        column = pyarrow.compute.run_end_decode(column)
    if types.is_dictionary(column.type) and not types.is_dictionary(type_):
        column = column.dictionary_decode()
    if types.is_dictionary(type_) and not types.is_dictionary(column.type):
        return usual(column, type_.value_type).dictionary_encode().cast(type_)
    if types.is_timestamp(type_) and types.is_timestamp(column.type):
        finer = column.type.unit == "ns"
        return column.cast(pyarrow.timestamp(type_.unit, column.type.tz), safe=not (cut and finer)).cast(type_)
    if types.is_float16(column.type):
        column = column.cast(pyarrow.float32())
    found = column.cast(type_)
    if types.is_date(type_) and types.is_timestamp(column.type) and not found.cast(column.type).equals(column):
        raise pyarrow.ArrowInvalid("the time of day would be lost")
    return found


def times_of(texts: pyarrow.StringArray, cut: bool = False) -> pyarrow.Array:
    """Texts of ISO 8601 as times, each with a zone or without; ArrowInvalid: one is none, or finer and not ``cut``."""
    if cut:
        texts = pyarrow.compute.replace_substring_regex(texts, r"(\.\d{6})\d{1,3}", r"\1")
    has_zone, none = pyarrow.compute.match_substring_regex(texts, _ZONE), pyarrow.scalar(None, texts.type)
    local = pyarrow.compute.if_else(has_zone, none, texts).cast(INSTANT)
    zoned = pyarrow.compute.if_else(has_zone, texts, none).cast(pyarrow.timestamp("us", "UTC"))
    return pyarrow.compute.coalesce(local, zoned.cast(INSTANT))


_ZONE = r"[ T].*(Z|[+-]\d\d(:?\d\d)?)$"


def fault(column: pyarrow.Array) -> tuple[int, str] | None:
    """The first row whose value is none, as a text that is no UTF-8, and what is wrong with it; None: there is none."""
    try:
        column.validate(full=True)
    except pyarrow.ArrowException as error:
        if types.is_dictionary(column.type) and not _is_bad(column.indices, column.dictionary):
            return _first_bad_code(column), "a text that is no UTF-8"
        row = bisect_left(range(1, len(column)), True, key=lambda size: not _is_valid(column.slice(0, size)))
        return row, _said(column, row, error)
    return None


def _is_bad(codes: pyarrow.Array, dictionary: pyarrow.Array) -> bool:
    """Whether there is a code out of the dictionary."""
    extremes = pyarrow.compute.min_max(codes).as_py()
    return extremes["min"] is not None and not 0 <= extremes["min"] <= extremes["max"] < len(dictionary)


def _first_bad_code(column: pyarrow.DictionaryArray) -> int:
    """The first row with a value of the dictionary that is none."""
    values = column.dictionary
    bad = [number for number in range(len(values)) if not _is_valid(values.slice(number, 1))]
    rows = pyarrow.compute.is_in(column.indices, pyarrow.array(bad, column.indices.type)).to_pylist()
    return rows.index(True) if True in rows else 0


def _said(column: pyarrow.Array, row: int, error: Exception) -> str:
    """What is wrong with a value."""
    if types.is_dictionary(column.type):
        return f"the code {column.indices[row]}, but its dictionary {len(column.dictionary)} values"
    return "a text that is no UTF-8" if "UTF8" in str(error) else f"something broken: {error}"


def _is_valid(column: pyarrow.Array) -> bool:
    try:
        column.validate(full=True)
    except pyarrow.ArrowException:
        return False
    return True


def instant(text: str) -> int:
    """Microseconds since 1970 of an ISO 8601 date or time, without a zone UTC; ValueError if it is none."""
    found = to_microseconds(datetime.fromisoformat(text))
    assert found > LEAST
    return found


# ── of which type numbers of matches are ─────────────────────────────────────────────────────────────────
class Integers(Enum):
    """How COUNT, and SUM of integers, are given: exact in 64 bits, exact in 38 digits, or as doubles."""

    INT64 = "int64"
    DECIMAL = "decimal"
    DOUBLE = "double"

    @property
    def type(self) -> pyarrow.DataType:
        """That of their columns."""
        return {"int64": pyarrow.int64(), "decimal": pyarrow.decimal128(38, 0)}.get(self.value, pyarrow.float64())

    @property
    def room(self) -> str:
        """What too large a number does not fit in."""
        return {"int64": "64 bits", "decimal": "38 digits"}.get(self.value, "a double")


def integers_of(name: str) -> Integers:
    """The one of that name; OptionError: there is none."""
    names = [one.value for one in Integers]
    if name not in names:
        raise OptionError(f"totals are {', '.join(names[:-1])} or {names[-1]}, not {name!r:.80}")
    return Integers(name)


class ValueKind(Enum):
    """Values of one kind compare with each other, those of different kinds never do."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "truth value"
    TIME = "time"
    NULL = "NULL"  # of columns without any value: compares with all kinds


def kind_of_type(type_: pyarrow.DataType) -> ValueKind | None:
    """The kind of a column's values; None for lists, binary and whatever else no query can compare."""
    if types.is_dictionary(type_):
        return kind_of_type(type_.value_type)
    for kind, tests in _TESTS.items():
        if any(test(type_) for test in tests):
            return kind
    return None


_TESTS = {
    ValueKind.NUMBER: (types.is_integer, types.is_floating, types.is_decimal),
    ValueKind.TEXT: (types.is_string, types.is_large_string, types.is_string_view),
    ValueKind.BOOLEAN: (types.is_boolean,),
    ValueKind.TIME: (types.is_timestamp, types.is_date),
    ValueKind.NULL: (types.is_null,),
}


def check_attribute(name: str, schema: pyarrow.Schema) -> ValueKind:
    """The kind of the column ``name``; QueryError if there is none, or if nothing compares with its values."""
    if schema.get_field_index(name) < 0:
        raise QueryError(f"the events have no attribute {name}", hint=did_you_mean(name, schema.names))
    type_ = schema.field(name).type
    kind = kind_of_type(type_)
    if kind is None:
        hint = f"its fields can be used, as in x.{name}.{type_.field(0).name}" if _has_fields(type_) else ""
        raise QueryError(f"the attribute {name} is of type {type_}: a query cannot use it", hint=hint)
    return kind


def _has_fields(type_: pyarrow.DataType) -> bool:
    return bool(types.is_struct(type_)) and type_.num_fields > 0


def shown(type_: pyarrow.DataType) -> str:
    """The name of a type; how its values are encoded does not matter."""
    return str(type_.value_type if types.is_dictionary(type_) else type_)


# ── values of Python ─────────────────────────────────────────────────────────────────────────────────────
def converted(values: list[Any], type_: pyarrow.DataType | None, declared: bool = False) -> Any:
    """The values as an array of the type (None: of any one type), None if they are not of it.

    Numbers of another type are taken if they are the same by value.  If the type is ``declared``, texts are taken for
    numbers and anything for a text.
    """
    try:
        if type_ is not None and (types.is_integer(type_) or types.is_floating(type_)):
            return _numbers(values, type_, declared)
        if declared and type_ is not None and kind_of_type(type_) is ValueKind.TEXT:
            values = [_text(value) for value in values]
        if declared and type_ is not None and types.is_decimal(type_):
            values = [_decimal(value) for value in values]
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
    allowed = (ValueKind.NUMBER, ValueKind.NULL, ValueKind.TEXT) if declared else (ValueKind.NUMBER, ValueKind.NULL)
    return found.cast(type_) if kind_of_type(found.type) in allowed else None


def _decimal(value: Any) -> Any:
    """The number that a value writes."""
    if isinstance(value, float):
        return None if value != value else Decimal(repr(value))
    try:
        return Decimal(value) if isinstance(value, str | int) and not isinstance(value, bool) else value
    except ArithmeticError:
        return value  # which is refused


def _text(value: Any) -> str | None:
    missing = value is None or (isinstance(value, float) and value != value)
    return None if missing else str(value)
