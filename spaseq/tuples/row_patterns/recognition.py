"""A query for row patterns on a whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import RowPatternScanner, Skip, Stuck
from spaseq.pattern.rows.query import PastLastRow, RowPatternQuery, Shown, Skipping, ToNextRow, ToRowOf
from spaseq.plan.rows.automaton import PositionAutomaton
from spaseq.plan.rows.plan import RowPatternPlan, row_pattern_plan
from spaseq.tuples.row_patterns.faults import RowFault, faults_in
from spaseq.tuples.row_patterns.matched import FoundMatches, shown_rows
from spaseq.tuples.row_patterns.measuring import results
from spaseq.tuples.row_patterns.neighbours import Neighbours
from spaseq.tuples.row_patterns.scanning import allowed_positions, graph_of, row_classes
from spaseq.tuples.row_patterns.searching import match_conditions
from spaseq.tuples.row_patterns.sorting import SortedRows, column_of, sorted_rows, times_of


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
        neighbours = Neighbours(columns, rows.begins, rows.table.num_rows)
        truths = neighbours.truths(plan)
        classes, held = row_classes(truths, rows.table.num_rows)
        found = _scan(query, plan, rows, neighbours, classes, held, max_steps)
        shown = shown_rows(found, plan.automaton, query.shown, rows)
        return Recognized(
            results(query, columns, shown, query.columns), unmatched_of(plan, [bool(truth.any()) for truth in truths])
        )
    except RowFault as fault:
        fault.row = rows.came_at(fault.row)
        raise


# ── matches ──────────────────────────────────────────────────────────────────────────────────────────────
def _scan(
    query: RowPatternQuery, plan: RowPatternPlan, rows: SortedRows, neighbours: Neighbours,
    classes: NDArray[np.uint32], held: NDArray[np.bool_], max_steps: int,
) -> FoundMatches:  # fmt: skip
    automaton = plan.automaton
    allowed = allowed_positions(plan.conditions.asked, held)
    skip, targets = skip_of(query.skipping, automaton)
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


def unmatched_of(plan: RowPatternPlan, some: Sequence[bool]) -> tuple[str, ...]:
    """The variables whose conditions on single rows hold of none; ``some``: by test, whether it holds of a row."""
    asked = zip(plan.automaton.positions, plan.conditions.asked, strict=True)
    holds = [(position.variable, test is None or some[test]) for position, test in asked]
    fit = {variable for variable, one in holds if one}
    return tuple(dict.fromkeys(variable for variable, _ in holds if variable not in fit))


def skip_of(skipping: Skipping, automaton: PositionAutomaton) -> tuple[Skip, NDArray[np.uint8]]:
    """Where the next match begins, and of which positions a row is where it does."""
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
    known = columns[key.column].is_valid().to_numpy(zero_copy_only=False)
    times = times_of(columns[key.column]) * (-1 if key.descending else 1)
    found = np.arange(-1, len(times) - 1)
    for begin, end in zip(rows.begins[:-1].tolist(), rows.begins[1:].tolist(), strict=True):
        there = begin + np.flatnonzero(known[begin:end])
        if len(there):
            its = times[there]
            found[there] = there[0] + np.searchsorted(its, its + query.within, side="left") - 1
    return found
