"""Expressions of SELECT over columns of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Expression, Variable
from gpm.expressions import evaluate_columns
from nfa_native.words import Terms

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
    table = np.stack(columns) if columns else np.zeros((0, len(now)), np.uint64)
    return evaluate_columns(expression, names, np.ascontiguousarray(table), now, terms)
