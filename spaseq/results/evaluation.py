"""Expressions of SELECT over columns of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Expression, Variable
from gpm.expressions import evaluate_columns, truth_columns
from nfa_native.terms.words import Terms

Words = NDArray[np.uint64]


def evaluate(
    expression: Expression, names: Sequence[str], columns: Sequence[Words], now: NDArray[np.int64], terms: Terms
) -> Words:
    """``uint64[n]``: the value on each row, 0 where it is unbound or an error.

    ``columns[i]`` has the n values of ``names[i]``; ``now`` is NOW() in microseconds.
    """
    if isinstance(expression, Variable):
        known = expression.name in names
        return columns[names.index(expression.name)] if known else np.zeros(len(now), np.uint64)
    return evaluate_columns(expression, names, _table(columns, len(now)), now, terms)


def holds(
    condition: Expression, names: Sequence[str], columns: Sequence[Words], now: NDArray[np.int64], terms: Terms
) -> NDArray[np.bool_]:
    """``bool[n]``: whether a condition is true on each row; arguments as of ``evaluate``."""
    found: NDArray[np.bool_] = truth_columns(condition, names, _table(columns, len(now)), now, terms) == 1
    return found


def _table(columns: Sequence[Words], rows: int) -> Words:
    return np.ascontiguousarray(np.stack(columns) if columns else np.zeros((0, rows), np.uint64))
