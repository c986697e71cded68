"""Columns of numbers with NULLs: arithmetic and comparison, exact as Python's.

Integers never wrap and never lose digits against doubles.  Machine numbers are used where the values are small enough
for that to be true, Python's integers where not; so only streams with huge numbers pay for them.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Column = npt.NDArray[Any]

_LEAST, _GREATEST = -(2**63), 2**63 - 1
EXACT = 2**53  # all integers up to it are doubles
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operators.eq, "!=": operators.ne, "<": operators.lt, "<=": operators.le, ">": operators.gt, ">=": operators.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """Numbers of type int64, float64 or object (Python's integers), n of them or one for all (no dimension).

    ``valid`` is False where the value is NULL (the number there means nothing, but is no NaN); None: nowhere.
    """

    values: Column
    valid: Mask | None = None

    @property
    def is_float(self) -> bool:
        """Whether these are doubles."""
        return self.values.dtype == np.float64

    def bounds(self) -> tuple[int, int]:
        """The least and the greatest of the integers, those under NULLs too; 0 if there are none."""
        return (int(self.values.min()), int(self.values.max())) if self.values.size else (0, 0)

    def fits(self, least: int, greatest: int) -> bool:
        """Whether all of the integers are from ``least`` to ``greatest``."""
        low, high = self.bounds()
        return least <= low and high <= greatest


def constant(value: float) -> Vector:
    """One number for all rows."""
    if isinstance(value, float):
        return _without_nan(np.asarray(value, np.float64), None)
    return Vector(np.asarray(value, np.int64 if _LEAST <= value <= _GREATEST else object))


def integers(values: Column, valid: Mask | None = None) -> Vector:
    """Integers of any type."""
    if values.dtype == np.uint64:
        fits = not values.size or int(values.max()) <= _GREATEST
        return Vector(values.astype(np.int64 if fits else object), valid)
    return Vector(values.astype(np.int64, copy=False), valid)


def floats(values: Column, valid: Mask | None = None) -> Vector:
    """Doubles; NaN is NULL."""
    return _without_nan(values.astype(np.float64, copy=False), valid)


def compare(operator: str, left: Vector, right: Vector) -> Mask:
    """Where ``left operator right`` is true, so neither is NULL; of the longer one's length."""
    if left.is_float != right.is_float:
        left, right = _alike(left, right)
    truth = np.asarray(COMPARISONS[operator](left.values, right.values), np.bool_)
    valid = _both(left.valid, right.valid)
    return truth if valid is None else truth & valid


def calculate(operator: str, left: Vector, right: Vector) -> Vector:
    """``left operator right`` with one of ``+ - * / %``.

    ``/`` does not round, ``%`` has the sign of the left one; division by zero and what is no number is NULL.
    """
    if operator in "/%":
        right = _without_zero(right)
    if left.is_float or right.is_float:
        return _calculate_floats(operator, as_floats(left), as_floats(right))
    if operator == "/":
        return _divide_integers(left, right)
    return _calculate_integers(operator, left, right)


def _calculate_floats(operator: str, left: Vector, right: Vector) -> Vector:
    with np.errstate(all="ignore"):
        return _without_nan(_FLOATS[operator](left.values, right.values), _both(left.valid, right.valid))


def _divide_integers(left: Vector, right: Vector) -> Vector:
    if left.fits(-EXACT, EXACT) and right.fits(-EXACT, EXACT):
        return _calculate_floats("/", as_floats(left), as_floats(right))
    found = _each(quotient)(_as_objects(left).values, _as_objects(right).values)
    return _without_nan(np.asarray(found, np.float64), _both(left.valid, right.valid))


def _calculate_integers(operator: str, left: Vector, right: Vector) -> Vector:
    if not _stays_small(operator, left, right):
        left, right = _as_objects(left), _as_objects(right)
    huge = object in (left.values.dtype, right.values.dtype)
    calculated = (_OBJECTS if huge else _INTEGERS)[operator](left.values, right.values)
    return Vector(np.asarray(calculated, object if huge else np.int64), _both(left.valid, right.valid))


def _stays_small(operator: str, left: Vector, right: Vector) -> bool:
    """Whether int64 is enough for all results."""
    if object in (left.values.dtype, right.values.dtype):
        return False
    if operator == "%":
        return right.bounds()[0] > 0 or left.bounds()[0] > _LEAST
    corners = [_CORNERS[operator](a, b) for a in left.bounds() for b in right.bounds()]
    return min(corners) >= _LEAST and max(corners) <= _GREATEST


def _alike(left: Vector, right: Vector) -> tuple[Vector, Vector]:
    """One of doubles and one of integers, changed to compare by value."""
    exact = right if left.is_float else left
    if exact.values.dtype != object and exact.fits(-EXACT, EXACT):
        return as_floats(left), as_floats(right)
    return _as_objects(left), _as_objects(right)


def _as_objects(vector: Vector) -> Vector:
    return Vector(vector.values.astype(object), vector.valid)


def as_floats(vector: Vector) -> Vector:
    """The nearest doubles; infinite if there are none."""
    if vector.is_float:
        return vector
    if vector.values.dtype == object:
        return Vector(np.asarray(_each(nearest)(vector.values), np.float64), vector.valid)
    return Vector(vector.values.astype(np.float64), vector.valid)


def _without_nan(values: Column, valid: Mask | None) -> Vector:
    wrong = np.isnan(values)
    if not wrong.any():
        return Vector(values, valid)
    return Vector(np.where(wrong, 0.0, values), _both(valid, ~wrong))


def _without_zero(vector: Vector) -> Vector:
    zero = np.asarray(vector.values == 0, np.bool_)
    if not zero.any():
        return vector
    values = np.where(zero, np.ones((), vector.values.dtype), vector.values)
    return Vector(values, _both(vector.valid, ~zero))


def _both(left: Mask | None, right: Mask | None) -> Mask | None:
    if left is None or right is None:
        return left if right is None else right
    return left & right


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on arrays, element by element."""
    found: Callable[..., Any] = np.frompyfunc(function, function.__code__.co_argcount, 1)
    return found


def nearest(value: float) -> float:
    """The nearest double; infinite if there is none."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def quotient(left: int, right: int) -> float:
    """The double nearest to the quotient; infinite if there is none.  ZeroDivisionError."""
    try:
        return left / right
    except OverflowError:
        return float("inf") if (left > 0) == (right > 0) else float("-inf")


def remainder(left: int, right: int) -> int:
    """That of division towards zero: it has the sign of the left one."""
    rest = abs(left) % abs(right)
    return rest if left >= 0 else -rest


_CORNERS: dict[str, Callable[[int, int], int]] = {"+": operators.add, "-": operators.sub, "*": operators.mul}
_SHARED = {"+": np.add, "-": np.subtract, "*": np.multiply}
_INTEGERS: dict[str, Callable[..., Any]] = {**_SHARED, "%": np.fmod}
_FLOATS: dict[str, Callable[..., Any]] = {**_SHARED, "%": np.fmod, "/": np.true_divide}
_OBJECTS: dict[str, Callable[..., Any]] = {**_SHARED, "%": _each(remainder)}
