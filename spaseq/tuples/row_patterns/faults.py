"""Values that there are not: which rows they are of, found without looking at each of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow
from numpy.typing import NDArray

Made = Callable[..., pyarrow.Array]


class RowFault(Exception):  # noqa: N818 - it becomes an error of the language where the row has a place
    """It cannot go on at ``row``, in a ``clause``, about the variable or measure ``name``."""

    def __init__(self, message: str, row: int, clause: str = "", name: str = "") -> None:
        super().__init__(message)
        self.row = row
        self.clause = clause
        self.name = name


class ValueFault(RowFault):
    """A row has no value: ``row`` counts from the first one that was evaluated, until it ``is_placed``."""

    def __init__(self, reason: str, row: int, function: str = "") -> None:
        super().__init__(f"{function}: {reason}" if function else reason, row)
        self.reason = reason
        self.is_placed = False


@contextmanager
def faults_at(rows: NDArray[np.int64]) -> Iterator[None]:
    """Within, values are of these rows of a table."""
    try:
        yield
    except ValueFault as fault:
        if not fault.is_placed:
            fault.row = int(rows[fault.row])
            fault.is_placed = True
        raise


@contextmanager
def faults_in(clause: str, name: str) -> Iterator[None]:
    """Within, what is evaluated is of this clause."""
    try:
        yield
    except RowFault as fault:
        fault.clause, fault.name = fault.clause or clause, fault.name or name
        raise


def located(function: str, make: Made, operands: Sequence[pyarrow.Array]) -> pyarrow.Array:
    """What ``make`` makes of columns, row by row; ValueFault for the first row of which it makes nothing."""
    try:
        return make(*operands)
    except (pyarrow.ArrowInvalid, ArithmeticError, ValueError) as error:
        row = _first_bad(make, operands)
        reason = _reason(make, [operand.slice(row, 1) for operand in operands]) or str(error)
        raise ValueFault(reason, row, function) from None


def _first_bad(make: Made, operands: Sequence[pyarrow.Array]) -> int:
    """By halves: the rows before the one that is looked for are good."""
    good, end = 0, len(operands[0])
    while end - good > 1:
        middle = (good + end) // 2
        is_bad = _reason(make, [operand.slice(good, middle - good) for operand in operands]) is not None
        good, end = (good, middle) if is_bad else (middle, end)
    return good


def _reason(make: Made, operands: Sequence[pyarrow.Array]) -> str | None:
    """Why there is nothing; None: there is something."""
    try:
        make(*operands)
    except (pyarrow.ArrowInvalid, ArithmeticError, ValueError) as error:
        return _REASONS.get(str(error), str(error))
    return None


_REASONS = {"divide by zero": "division by zero", "overflow": "overflow: the number is beyond BIGINT"}
