"""Classes of rows of a stream, as a scanner takes them: what is known of a row when some others came behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.stream_scanner import RowPatternStreamScanner
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.tuples.row_patterns.neighbours import Neighbours
from spaseq.tuples.row_patterns.row_tests import asked_of_rows
from spaseq.tuples.row_patterns.scanning import allowed_positions, row_classes


class StreamClasses:
    """The classes that a scanner knows; ``held`` says which tests held of some row about which all was known."""

    def __init__(self, plan: RowPatternPlan, ahead: int, scanner: RowPatternStreamScanner) -> None:
        self.held = np.zeros(len(plan.conditions.tests), np.bool_)
        self._scanner = scanner
        self._known = [asked_of_rows(plan, behind) for behind in range(ahead + 1)]
        self._numbers: list[dict[bytes, int]] = [{} for _ in self._known]

    def of(self, rows: Neighbours, known: int, where: NDArray[np.bool_] | None) -> NDArray[np.uint32]:
        """The classes of rows, behind each of which so many came; of those that are not ``where``, any.

        ValueFault: a row that counts has no value.
        """
        asked, mask = self._known[known], None if where is None else pyarrow.array(where)
        truths = [rows.truth(test, variable, mask) for test, variable in asked.tests.items()]
        classes, held = row_classes(truths, rows.count)
        there = np.flatnonzero(np.bincount(classes if where is None else classes[where], minlength=len(held)))
        numbers = np.zeros(len(held), np.uint32)
        numbers[there] = self._numbered(known, held[there])
        if known == len(self._known) - 1:
            self.held |= held[there].any(axis=0)
        return numbers[classes]

    def _numbered(self, known: int, held: NDArray[np.bool_]) -> Sequence[int]:
        """The scanner's numbers of classes of which these tests hold."""
        numbers, keys = self._numbers[known], [each.tobytes() for each in held]
        if any(key not in numbers for key in keys):
            asked = self._known[known]
            sides = (allowed_positions(side, held) for side in (asked.possible, asked.certain))
            for key, possible, certain in zip(keys, *sides, strict=True):
                if key not in numbers:
                    numbers[key] = self._scanner.add_class(possible, certain)
        return [numbers[key] for key in keys]
