"""Whether an event satisfies a column predicate: True, False, or None where SQL says unknown."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from math import fmod

from spaseq.pattern.formulas import predicates as columns

Scalar = int | float | str | bool | None
OPERATORS: dict[str, Callable[[object, object], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def truth(predicate: columns.Predicate, event: Mapping[str, Scalar]) -> bool | None:
    match predicate:
        case columns.And(parts):
            return _all([truth(part, event) for part in parts])
        case columns.Or(parts):
            return _not(_all([_not(truth(part, event)) for part in parts]))
        case columns.Not(inner):
            return _not(truth(inner, event))
        case columns.IsNull(value):
            return value_of(value, event) is None
        case columns.Like(value, pattern):
            text = value_of(value, event)
            return None if text is None else re.fullmatch(_regex(pattern), str(text), re.DOTALL) is not None
        case columns.In(value, constants):
            found = value_of(value, event)
            return None if found is None else any(_compare("=", found, one.value) for one in constants)
        case columns.Comparison(sign, left, right):
            return _compare(sign, value_of(left, event), value_of(right, event))


def _compare(sign: str, left: Scalar, right: Scalar) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, str) != isinstance(right, str):
        return sign == "!="
    return OPERATORS[sign](left, right)


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _all(values: list[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def _regex(pattern: str) -> str:
    pieces = re.findall(r"\\.|.", pattern, re.DOTALL)
    return "".join(".*" if p == "%" else "." if p == "_" else re.escape(p[-1]) for p in pieces)


def value_of(value: columns.Value, event: Mapping[str, Scalar]) -> Scalar:
    match value:
        case columns.Attribute(name, _):
            return event.get(name)
        case columns.Constant(constant):
            return constant
        case columns.Negative(inner):
            found = value_of(inner, event)
            return None if found is None else -found  # type: ignore[operator]
        case columns.Arithmetic(sign, left, right):
            return _arithmetic(sign, value_of(left, event), value_of(right, event))


def _arithmetic(sign: str, left: Scalar, right: Scalar) -> Scalar:
    if left is None or right is None or isinstance(left, str) or isinstance(right, str):
        return None
    if sign in "/%" and right == 0:
        return None
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    return left / right if sign == "/" else fmod(left, right)
