"""A query for row patterns on a whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import RowPatternScanner, Skip, Stuck
from spaseq.pattern.rows.expressions import Field, Navigated, SqlExpression, everything
from spaseq.pattern.rows.query import PastLastRow, RowPatternQuery, Shown, Skipping, ToNextRow, ToRowOf
from spaseq.plan.rows.automaton import PositionAutomaton
from spaseq.plan.rows.plan import RowPatternPlan, row_pattern_plan
from spaseq.tuples.row_patterns.buffers import only_at
from spaseq.tuples.row_patterns.faults import RowFault, faults_in
from spaseq.tuples.row_patterns.matched import FoundMatches, shown_rows
from spaseq.tuples.row_patterns.measuring import results
from spaseq.tuples.row_patterns.scanning import allowed_positions, graph_of, row_classes
from spaseq.tuples.row_patterns.searching import match_conditions
from spaseq.tuples.row_patterns.sorting import SortedRows, column_of, sorted_rows
from spaseq.tuples.row_patterns.values import RowValues


class StuckError(RowFault):
    """A scan cannot go on: at the match that begins with ``row``."""

    def __init__(self, why: Stuck, skipping: Skipping, row: int) -> None:
        clause, message = "DEFINE", _REASONS[why]
        if isinstance(skipping, ToRowOf) and why in (Stuck.NOT_THERE, Stuck.FIRST_ROW):
            clause = "AFTER MATCH SKIP"
            message = f"SKIP TO {'FIRST' if skipping.first else 'LAST'} {skipping.name}: {message}"
        super().__init__(message, row, clause)


_REASONS = {
    Stuck.NOT_THERE: "the match has no such row",
    Stuck.FIRST_ROW: "that is the first row of the match, where the next one would begin again",
    Stuck.BEYOND: "overflow: a number is beyond 64 bits",
    Stuck.DIVISION: "division by zero",
    Stuck.STEPS: "the search takes more steps than it may (max_steps)",
}


class Recognized(NamedTuple):
    """The results of a query, and the variables whose conditions hold of no row, whatever comes before it."""

    results: pyarrow.Table
    unmatched: tuple[str, ...]


def recognized(query: RowPatternQuery, table: pyarrow.Table, max_steps: int = 0) -> Recognized:
    """The results of a query, whose columns are known, on all rows of a table.

    A search from one row takes ``max_steps`` at most (0: any number).

    QueryError: it asks for what is not supported.  ValueFault: a row has no value; StuckError.
    """
    assert query.columns is not None
    plan = row_pattern_plan(query)
    rows = sorted_rows(table, query.partition, query.order)
    columns = {name: column_of(rows.table, name) for name in rows.table.column_names}
    try:
        neighbours = _Neighbours(columns, rows.begins, rows.table.num_rows)
        truths = neighbours.truths(plan)
        classes, held = row_classes(truths, rows.table.num_rows)
        found = _scan(query, plan, rows, neighbours, classes, held, max_steps)
        shown = shown_rows(found, plan.automaton, query.shown, rows)
        return Recognized(results(query, columns, shown, query.columns), _unmatched(plan, truths))
    except RowFault as fault:
        fault.row = rows.came_at(fault.row)
        raise


# ── matches ──────────────────────────────────────────────────────────────────────────────────────────────
def _scan(
    query: RowPatternQuery, plan: RowPatternPlan, rows: SortedRows, neighbours: _Neighbours,
    classes: NDArray[np.uint32], held: NDArray[np.bool_], max_steps: int,
) -> FoundMatches:  # fmt: skip
    automaton = plan.automaton
    allowed = allowed_positions(plan.conditions.asked, held)
    skip, targets = _skip(query.skipping, automaton)
    last = None if query.within is None else _last(query, neighbours.columns, rows)
    unmatched = query.shown is Shown.WITH_UNMATCHED
    with faults_in("DEFINE", ""):
        searched = match_conditions(automaton, plan.conditions.searched, neighbours.own)
    scanner = RowPatternScanner(
        graph_of(automaton), allowed, classes, skip, targets, unmatched, last, searched, max_steps
    )
    for begin, end in zip(rows.begins[:-1].tolist(), rows.begins[1:].tolist(), strict=True):
        scanner.partition(begin, end)
        if scanner.stuck is not Stuck.NO:
            raise StuckError(scanner.stuck, query.skipping, scanner.stuck_at)
    return FoundMatches(*scanner.take())


def _unmatched(plan: RowPatternPlan, truths: Sequence[NDArray[np.bool_]]) -> tuple[str, ...]:
    """The variables whose conditions on single rows hold of none."""
    some = [bool(truth.any()) for truth in truths]
    asked = zip(plan.automaton.positions, plan.conditions.asked, strict=True)
    holds = [(position.variable, test is None or some[test]) for position, test in asked]
    fit = {variable for variable, one in holds if one}
    return tuple(dict.fromkeys(variable for variable, _ in holds if variable not in fit))


def _skip(skipping: Skipping, automaton: PositionAutomaton) -> tuple[Skip, NDArray[np.uint8]]:
    targets = np.zeros(len(automaton.positions), np.uint8)
    match skipping:
        case PastLastRow():
            return Skip.PAST_LAST_ROW, targets
        case ToNextRow():
            return Skip.TO_NEXT_ROW, targets
        case ToRowOf(variables, first):
            targets[:] = [position.variable in variables for position in automaton.positions]
            return Skip.TO_FIRST if first else Skip.TO_LAST, targets


def _last(query: RowPatternQuery, columns: Mapping[str, pyarrow.Array], rows: SortedRows) -> NDArray[np.int64]:
    """By row: the last one that a match from there may reach."""
    assert query.within is not None
    key = query.order[0]
    column = columns[key.column].cast(pyarrow.timestamp("us")).cast(pyarrow.int64())
    known = column.is_valid().to_numpy(zero_copy_only=False)
    times = column.fill_null(0).to_numpy(zero_copy_only=False) * (-1 if key.descending else 1)
    found = np.arange(-1, len(times) - 1)
    for begin, end in zip(rows.begins[:-1].tolist(), rows.begins[1:].tolist(), strict=True):
        there = begin + np.flatnonzero(known[begin:end])
        if len(there):
            its = times[there]
            found[there] = there[0] + np.searchsorted(its, its + query.within, side="left") - 1
    return found


class _Neighbours:
    """Conditions of rows that read these and their neighbours."""

    def __init__(self, columns: Mapping[str, pyarrow.Array], begins: NDArray[np.int64], count: int) -> None:
        self.columns = columns
        self._begins = begins
        self._near: dict[int, NDArray[np.bool_]] = {}
        self._known: dict[tuple[SqlExpression, int], pyarrow.Array] = {}
        self._own = RowValues(count, self._field)
        self._values = RowValues(count, self._neighbour)

    def own(self, value: SqlExpression) -> pyarrow.Array:
        """A value of each row, and of its neighbours if it reads these."""
        reads = any(isinstance(each, Navigated) for each in everything(value))
        return (self._values if reads else self._own).of(value)

    def truths(self, plan: RowPatternPlan) -> list[NDArray[np.bool_]]:
        """By test of single rows: of which it holds."""
        conditions = plan.conditions
        named = zip(conditions.tests, conditions.named(plan.automaton), strict=True)
        return [self._truth(test, variable) for test, variable in named]

    def _truth(self, test: SqlExpression, variable: str) -> NDArray[np.bool_]:
        with faults_in("DEFINE", variable):
            found: NDArray[np.bool_] = self._values.of(test).fill_null(False).to_numpy(zero_copy_only=False)
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
