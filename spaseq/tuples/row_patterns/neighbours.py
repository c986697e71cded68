"""Values of rows that read these and their neighbours in their partitions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow
from numpy.typing import NDArray

from spaseq.pattern.rows.expressions import Field, Navigated, SqlExpression, everything
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.tuples.row_patterns.buffers import only_at
from spaseq.tuples.row_patterns.faults import faults_in
from spaseq.tuples.row_patterns.values import RowValues


class Neighbours:
    """Conditions of rows that read these and their neighbours."""

    def __init__(self, columns: Mapping[str, pyarrow.Array], begins: NDArray[np.int64], count: int) -> None:
        self.columns = columns
        self.count = count
        self._begins = begins
        self._near: dict[int, NDArray[np.bool_]] = {}
        self._known: dict[tuple[SqlExpression, int], pyarrow.Array] = {}
        self._own = RowValues(count, self._field)
        self._values = RowValues(count, self._neighbour)

    def own(self, value: SqlExpression, where: pyarrow.Array | None = None) -> pyarrow.Array:
        """A value of each row, and of its neighbours if it reads these; of those that are not ``where``, any."""
        reads = any(isinstance(each, Navigated) for each in everything(value))
        return (self._values if reads else self._own).of(value, where)

    def truths(self, plan: RowPatternPlan) -> list[NDArray[np.bool_]]:
        """By test of single rows: of which it holds."""
        conditions = plan.conditions
        named = zip(conditions.tests, conditions.named(plan.automaton), strict=True)
        return [self.truth(test, variable) for test, variable in named]

    def truth(self, test: SqlExpression, variable: str, where: pyarrow.Array | None = None) -> NDArray[np.bool_]:
        """Of which rows the condition of a variable holds; those that are not ``where`` are of no account."""
        with faults_in("DEFINE", variable):
            found: NDArray[np.bool_] = self._values.of(test, where).fill_null(False).to_numpy(zero_copy_only=False)
        return found

    def _field(self, expression: SqlExpression) -> pyarrow.Array:
        assert isinstance(expression, Field)
        return self.columns[expression.column]

    def _neighbour(self, expression: SqlExpression) -> pyarrow.Array:
        assert isinstance(expression, Navigated)
        value, shift = expression.value, expression.at.shift
        if (value, shift) not in self._known:
            values = self._own.of(value)
            is_own = shift == 0 or pyarrow.types.is_null(values.type)
            self._known[value, shift] = values if is_own else self._shifted(values, shift)
        return self._known[value, shift]

    def _shifted(self, values: pyarrow.Array, shift: int) -> pyarrow.Array:
        """The values so many rows on; NULL out of the partition."""
        far = min(abs(shift), len(values))
        near, none = len(values) - far, pyarrow.nulls(far, values.type)
        moved = [none, values.slice(0, near)] if shift < 0 else [values.slice(far), none]
        found, there = pyarrow.concat_arrays(moved), self._is_near(shift)
        return found if there.all() else only_at(found, there)

    def _is_near(self, shift: int) -> NDArray[np.bool_]:
        """By row: whether the one so many rows on is in its partition."""
        if shift not in self._near:
            there = np.ones(int(self._begins[-1]), np.bool_)
            lengths = np.minimum(np.diff(self._begins), abs(shift))
            firsts = self._begins[:-1] if shift < 0 else self._begins[1:] - lengths
            offsets = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            there[np.repeat(firsts, lengths) + offsets] = False
            self._near[shift] = there
        return self._near[shift]
