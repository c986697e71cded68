"""Values of JSON in the types of columns: one by one, which tells what does not fit, or all that Arrow has read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.sources.tables.json_text import TWICE, LineError, WrittenNumber, described
from spaseq.sources.tables.json_types import INTEGER
from spaseq.sources.tables.source import better_type, is_text
from spaseq.sources.tables.types import shown, times_of

Fit: TypeAlias = Callable[[Any], Any]


class UnfitError(Exception):
    """A value does not become one of a type; ``path`` leads to it, from within."""

    def __init__(self, value: Any, type_: pyarrow.DataType) -> None:
        super().__init__()
        self.value = value
        self.type = type_
        self.path: list[str] = []
        self.is_element = False

    def about(self, column: str, declared: Iterable[str]) -> LineError:
        """The error of a line that has the value in a column; for some columns and members types are ``declared``."""
        name = ".".join([column, *reversed(self.path)])
        if self.value is TWICE:
            return LineError(f"the member {name} is there twice")
        if isinstance(self.value, str) and not is_text(self.value):
            return LineError(f"the column {name} has a text that is no UTF-8: {self.value!r:.80}")
        value = described(self.value)
        if self.is_element:
            return LineError(f"the elements of {name} were {shown(self.type)} so far, but one is {value}")
        if any(f"{name}.".startswith(f"{one}.") for one in declared):
            return LineError(f"the column {name} is declared {shown(self.type)}, but has {value}")
        better = "" if isinstance(self.value, dict | list) or types.is_nested(self.type) else self._better()
        hint = f'declare its type: {{"{name}": "{better}"}}' if better and better != shown(self.type) else ""
        return LineError(f"the column {name} was {shown(self.type)} so far, but has {value}", hint=hint)

    def _better(self) -> str:
        """The type to declare."""
        return better_type(self.type, self.value) if isinstance(self.value, WrittenNumber) else "string"


def fitting(type_: pyarrow.DataType) -> Fit:
    """What makes a value one that Arrow takes for the type; it raises UnfitError."""
    make = _maker(type_)

    def fit(value: Any) -> Any:
        if value is None:
            return None
        try:
            return make(value)
        except (ValueError, OverflowError, TypeError, pyarrow.ArrowException):
            raise UnfitError(value, type_) from None

    return fit


def _maker(type_: pyarrow.DataType) -> Fit:
    if types.is_dictionary(type_):
        return _maker(type_.value_type)
    if types.is_struct(type_):
        return _struct(type_)
    if types.is_list(type_):
        return _list(type_)
    if types.is_string(type_) or types.is_large_string(type_):
        return _text
    if types.is_null(type_):
        return _nothing
    return _scalar(type_)


def _struct(type_: pyarrow.StructType) -> Fit:
    fields = [(field.name, fitting(field.type)) for field in type_]

    def make(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError
        found = {}
        for name, fit in fields:
            try:
                found[name] = fit(value.get(name))
            except UnfitError as error:
                error.path.append(name)
                raise
        return found

    return make


def _list(type_: pyarrow.ListType) -> Fit:
    fit = fitting(type_.value_type)

    def make(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError
        try:
            return [fit(element) for element in value]
        except UnfitError as error:
            error.is_element = not error.path
            raise

    return make


def _text(value: Any) -> str:
    """A text, or what is written: a number, true or false."""
    if isinstance(value, bool):
        return described(value)
    if not isinstance(value, str) or not is_text(value):
        raise ValueError
    return str(value)


def _nothing(value: Any) -> None:
    raise ValueError


def _scalar(type_: pyarrow.DataType) -> Fit:
    """Numbers, truth values, times: a text is read as it is in CSV."""
    by_type = next((make for test, make in _NUMBERS if test(type_)), None)

    def make(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, str):
            if isinstance(value, bool) and types.is_boolean(type_):
                return value
            raise ValueError
        if isinstance(value, WrittenNumber):
            if by_type is None:
                raise ValueError
            return by_type(value, type_)
        (found,) = _cast(pyarrow.array([value], pyarrow.string()), type_)
        return found.value if types.is_temporal(type_) else found.as_py()

    return make


def _integer(text: str, type_: pyarrow.DataType) -> Any:
    if not INTEGER.fullmatch(text):
        raise ValueError
    return pyarrow.scalar(text, pyarrow.string()).cast(type_).as_py()


def _floating(text: str, type_: pyarrow.DataType) -> float:
    found = float(text)
    if math.isinf(found) and not text.endswith("Infinity"):
        raise ValueError
    return found


def _decimal(text: str, type_: pyarrow.DataType) -> Any:
    return pyarrow.scalar(str(text), pyarrow.string()).cast(type_).as_py()


_NUMBERS = ((types.is_integer, _integer), (types.is_floating, _floating), (types.is_decimal, _decimal))


# ── all at once ──────────────────────────────────────────────────────────────────────────────────────────
def has_infinite(column: pyarrow.Array) -> bool:
    """Whether there is an infinite number somewhere within: to Arrow, an integer of very many digits is one."""
    if types.is_floating(column.type):
        return bool(pyarrow.compute.any(pyarrow.compute.is_inf(column)).as_py())
    if types.is_struct(column.type):
        return any(map(has_infinite, column.flatten()))
    return types.is_list(column.type) and has_infinite(column.flatten())


def read_as(column: pyarrow.Array, type_: pyarrow.DataType) -> pyarrow.Array:
    """What Arrow has read (``reading_type``) in its type; ArrowInvalid: a value is none."""
    if column.type == type_:
        return column
    if types.is_struct(type_):
        members = [read_as(member, field.type) for member, field in zip(column.flatten(), type_, strict=True)]
        return pyarrow.StructArray.from_arrays(members, fields=list(type_), mask=column.is_null())
    if types.is_list(type_):
        mask = column.is_null() if column.null_count else None
        return pyarrow.ListArray.from_arrays(column.offsets, read_as(column.values, type_.value_type), type_, mask=mask)
    if types.is_dictionary(type_):
        return read_as(column, type_.value_type).dictionary_encode().cast(type_)
    return _cast(column, type_)


def _cast(texts: pyarrow.Array, type_: pyarrow.DataType) -> pyarrow.Array:
    """Texts as values of a type; times have a zone or none, whatever the type has.  ArrowInvalid: one is none."""
    try:
        return texts.cast(type_)
    except pyarrow.ArrowInvalid:
        if not types.is_timestamp(type_) or not types.is_string(texts.type):
            raise
    return times_of(texts).cast(type_)
