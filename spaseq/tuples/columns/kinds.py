"""Kinds of values, and whether a predicate makes sense for the columns that there are."""

from __future__ import annotations

from enum import Enum

import pyarrow
from pyarrow import types

from spaseq.errors import QueryError
from spaseq.pattern.formulas.predicates import (
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    In,
    IsNull,
    Like,
    Negative,
    Not,
    Or,
    Predicate,
    Value,
)
from spaseq.suggestion import did_you_mean
from spaseq.tuples.columns.instants import instant


class Kind(Enum):
    """Values of one kind compare with each other, those of different kinds never do."""

    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "truth value"
    TIME = "time"
    NULL = "NULL"  # of columns without any value: compares with all kinds


def kind_of_type(type_: pyarrow.DataType) -> Kind | None:
    """The kind of a column's values; None for lists, binary and whatever else no query can compare."""
    if types.is_dictionary(type_):
        return kind_of_type(type_.value_type)
    for kind, tests in _TESTS.items():
        if any(test(type_) for test in tests):
            return kind
    return None


_TESTS = {
    Kind.NUMBER: (types.is_integer, types.is_floating, types.is_decimal),
    Kind.TEXT: (types.is_string, types.is_large_string, types.is_string_view),
    Kind.BOOLEAN: (types.is_boolean,),
    Kind.TIME: (types.is_timestamp, types.is_date),
    Kind.NULL: (types.is_null,),
}


def check_attribute(name: str, schema: pyarrow.Schema) -> Kind:
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


def check(predicate: Predicate, schema: pyarrow.Schema) -> None:
    """QueryError for an unknown attribute, and for values of two kinds that are compared or calculated with."""
    match predicate:
        case Comparison(operator, left, right):
            _check_pair(operator, left, right, schema)
        case In(value, constants):
            for constant in constants:
                _check_pair("=", value, constant, schema)
        case Like(value, _):
            _expect(value, Kind.TEXT, "LIKE", schema)
        case IsNull(value):
            _kind(value, schema)
        case Not(inner):
            check(inner, schema)
        case And(parts) | Or(parts):
            for part in parts:
                check(part, schema)


def calculated_type(value: Value, schema: pyarrow.Schema) -> pyarrow.DataType:
    """The type of what is calculated, int64 or double; QueryError as of ``check``."""
    _kind(value, schema)
    return pyarrow.float64() if _is_double(value, schema) else pyarrow.int64()


def _is_double(value: Value, schema: pyarrow.Schema) -> bool:
    match value:
        case Attribute(name):
            return bool(types.is_floating(schema.field(name).type))
        case Constant(inner):
            return isinstance(inner, float)
        case Negative(inner):
            return _is_double(inner, schema)
        case Arithmetic(operator, left, right):
            return operator == "/" or _is_double(left, schema) or _is_double(right, schema)


def _check_pair(operator: str, left: Value, right: Value, schema: pyarrow.Schema) -> None:
    first, second = _kind(left, schema), _kind(right, schema)
    if first is second or Kind.NULL in (first, second):
        return
    for time, other in ((left, right), (right, left)):
        if _kind(time, schema) is Kind.TIME and isinstance(other, Constant) and isinstance(other.value, str):
            _check_instant(time, other.value, schema)
            return
    message = f"{_described(left, schema)} does not compare ({operator}) with {_described(right, schema)}"
    raise QueryError(message, hint=_hint(first, second))


def _check_instant(time: Value, text: str, schema: pyarrow.Schema) -> None:
    try:
        instant(text)
    except ValueError:
        message = f"{_described(time, schema)} does not compare with '{text}', which is no time"
        raise QueryError(message, hint="write a time as in '2025-01-31T12:00:00'") from None


def _hint(first: Kind, second: Kind) -> str:
    if {first, second} == {Kind.NUMBER, Kind.TEXT}:
        return "a text is written with quotes, a number without; a column's type can be declared"
    return "a column's type can be declared"


def _kind(value: Value, schema: pyarrow.Schema) -> Kind:
    match value:
        case Attribute(name):
            return check_attribute(name, schema)
        case Constant(inner):
            return _kind_of_constant(inner)
        case Arithmetic(operator, left, right):
            _expect(left, Kind.NUMBER, operator, schema)
            _expect(right, Kind.NUMBER, operator, schema)
        case Negative(inner):
            _expect(inner, Kind.NUMBER, "-", schema)
    return Kind.NUMBER


def _kind_of_constant(value: float | str | bool) -> Kind:
    if isinstance(value, bool):
        return Kind.BOOLEAN
    return Kind.TEXT if isinstance(value, str) else Kind.NUMBER


def _expect(value: Value, kind: Kind, operator: str, schema: pyarrow.Schema) -> None:
    if _kind(value, schema) not in (kind, Kind.NULL):
        raise QueryError(f"{operator} needs a {kind.value}, not {_described(value, schema)}")


def _described(value: Value, schema: pyarrow.Schema) -> str:
    match value:
        case Attribute(name):
            return f"the attribute {name} of type {shown(schema.field(name).type)}"
        case Constant(inner):
            text = f"'{inner}'" if isinstance(inner, str) else str(inner).upper()
            return f"the {_kind_of_constant(inner).value} {text}"
    return "a calculated number"


def shown(type_: pyarrow.DataType) -> str:
    """The name of a type; how its values are encoded does not matter."""
    return str(type_.value_type if types.is_dictionary(type_) else type_)
