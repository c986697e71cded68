"""Whether the values that a predicate compares and calculates with are of kinds that fit."""

from __future__ import annotations

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
from spaseq.sources.tables.types import ValueKind, check_attribute, instant, shown


def check(predicate: Predicate, schema: pyarrow.Schema) -> None:
    """QueryError for an unknown attribute, and for values of two kinds that are compared or calculated with."""
    match predicate:
        case Comparison(operator, left, right):
            _check_pair(operator, left, right, schema)
        case In(value, constants):
            for constant in constants:
                _check_pair("=", value, constant, schema)
        case Like(value, _):
            _expect(value, ValueKind.TEXT, "LIKE", schema)
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
    if first is second or ValueKind.NULL in (first, second):
        return
    for time, other in ((left, right), (right, left)):
        if _kind(time, schema) is ValueKind.TIME and isinstance(other, Constant) and isinstance(other.value, str):
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


def _hint(first: ValueKind, second: ValueKind) -> str:
    if {first, second} == {ValueKind.NUMBER, ValueKind.TEXT}:
        return "a text is written with quotes, a number without; a column's type can be declared"
    return "a column's type can be declared"


def _kind(value: Value, schema: pyarrow.Schema) -> ValueKind:
    match value:
        case Attribute(name):
            return check_attribute(name, schema)
        case Constant(inner):
            return _kind_of_constant(inner)
        case Arithmetic(operator, left, right):
            _expect(left, ValueKind.NUMBER, operator, schema)
            _expect(right, ValueKind.NUMBER, operator, schema)
        case Negative(inner):
            _expect(inner, ValueKind.NUMBER, "-", schema)
    return ValueKind.NUMBER


def _kind_of_constant(value: float | str | bool) -> ValueKind:
    if isinstance(value, bool):
        return ValueKind.BOOLEAN
    return ValueKind.TEXT if isinstance(value, str) else ValueKind.NUMBER


def _expect(value: Value, kind: ValueKind, operator: str, schema: pyarrow.Schema) -> None:
    if _kind(value, schema) not in (kind, ValueKind.NULL):
        raise QueryError(f"{operator} needs a {kind.value}, not {_described(value, schema)}")


def _described(value: Value, schema: pyarrow.Schema) -> str:
    match value:
        case Attribute(name):
            return f"the attribute {name} of type {shown(schema.field(name).type)}"
        case Constant(inner):
            text = f"'{inner}'" if isinstance(inner, str) else str(inner).upper()
            return f"the {_kind_of_constant(inner).value} {text}"
    return "a calculated number"
