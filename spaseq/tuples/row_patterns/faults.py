"""Values that there are not: which rows they are of, found without looking at each of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow

Made = Callable[..., pyarrow.Array]


class ValueFault(Exception):  # noqa: N818 - it becomes an error of the language where the row has a place
    """A row has no value: ``row`` counts from the first one that was evaluated."""

    def __init__(self, reason: str, row: int, function: str = "") -> None:
        super().__init__(f"{function}: {reason}" if function else reason)
        self.reason = reason
        self.row = row
        self.function = function


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
