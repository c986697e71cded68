"""The rows of a query: groups, their order, the scan for matches, and what each match gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import TypeAlias

from .arithmetic import MICROSECOND
from .faults import MatchFault, PlanFault, SearchFault
from .matching import Labels, Search, preferred
from .model import OrderKey, RowMode, SkipMode, SqlKind, SqlQuery, SqlRow, SqlTable, SqlType, SqlValue
from .moments import Moment
from .plan import SqlPlan, plan
from .values import is_nan, order_key

GroupKey: TypeAlias = tuple[SqlValue, ...]
"""The PARTITION BY values of a group, with "NaN" for NaN, so that two keys of one group are equal."""
Tick: TypeAlias = Callable[[], None]
"""What is called at each step of a search."""


@dataclass(frozen=True, slots=True)
class SqlOutput:
    """Names and types of the columns, and the rows in order."""

    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    rows: tuple[SqlRow, ...]


@dataclass(frozen=True, slots=True)
class GroupOutput:
    """The rows of a group, and the fault of SKIP TO that ends them, if any."""

    key: GroupKey
    rows: tuple[SqlRow, ...]
    fault: MatchFault | None = None


@dataclass(frozen=True, slots=True)
class RowMatch:
    """A match: its first row, its labels (none if it is empty), and its number in the group."""

    start: int
    labels: Labels
    number: int


def evaluate(query: SqlQuery, table: SqlTable, most_steps: int | None = None) -> SqlOutput:
    """The answer; raises PlanFault, ValueFault or MatchFault if there is none, SearchFault after too many steps."""
    ready = plan(query, table)
    rows: list[SqlRow] = []
    for group in evaluate_groups(query, table, most_steps):
        if group.fault:
            raise group.fault
        rows += group.rows
    return SqlOutput(ready.names, ready.types, tuple(rows))


def evaluate_groups(query: SqlQuery, table: SqlTable, most_steps: int | None = None) -> list[GroupOutput]:
    """The answer of each group, in the order of their first rows."""
    ready = plan(query, table)
    groups: dict[GroupKey, list[SqlRow]] = {}
    for row in table.rows:
        groups.setdefault(group_key(query, table, row), []).append(row)
    tick = _ticker(most_steps)
    return [_group_output(ready, key, in_order(query, table, rows), tick) for key, rows in groups.items()]


def _ticker(most_steps: int | None) -> Tick:
    """What counts a step, and refuses the first that is too many."""
    steps = count() if most_steps is None else iter(range(most_steps))

    def tick() -> None:
        if next(steps, None) is None:
            raise SearchFault(f"more than {most_steps} steps")

    return tick


def group_key(query: SqlQuery, table: SqlTable, row: SqlRow) -> GroupKey:
    """The group of a row."""
    values = (row[table.place(name)] for name in query.partition)
    return tuple("NaN" if is_nan(value) else value for value in values)


def in_order(query: SqlQuery, table: SqlTable, rows: list[SqlRow]) -> tuple[SqlRow, ...]:
    """The rows of a group as ORDER BY has them, ties in the order of the input."""
    for key in reversed(query.order):
        rows = _sorted_by(key, table.place(key.column), rows)
    return tuple(rows)


def _sorted_by(key: OrderKey, place: int, rows: list[SqlRow]) -> list[SqlRow]:
    nulls = [row for row in rows if row[place] is None]
    others = [row for row in rows if row[place] is not None]
    others.sort(key=lambda row: order_key(row[place]), reverse=key.descending)
    return nulls + others if key.nulls_first else others + nulls


def _group_output(ready: SqlPlan, key: GroupKey, rows: tuple[SqlRow, ...], tick: Tick) -> GroupOutput:
    """The scan of a group from its first row on."""
    out: list[SqlRow] = []
    start, reached, number = 0, -1, 0
    while start < len(rows):
        labels = find_match(ready, rows, start, number + 1, tick)
        if labels is None:
            if ready.query.mode is RowMode.UNMATCHED and start > reached:
                out.append(_unmatched_row(ready, rows[start]))
            start += 1
            continue
        number += 1
        match = RowMatch(start, labels, number)
        try:
            start = next_start(ready, match)
        except MatchFault as fault:
            return GroupOutput(key, tuple(out), fault)
        out += _match_rows(ready, rows, match)
        reached = max(reached, match.start + len(labels) - 1)
    return GroupOutput(key, tuple(out))


def find_match(ready: SqlPlan, rows: tuple[SqlRow, ...], start: int, number: int, tick: Tick) -> Labels | None:
    """The labels of the match that begins at a row, if there is one."""

    def holds(labels: Labels) -> bool:
        tick()
        condition = ready.conditions.get(labels[-1].variable)
        return condition is None or condition.read(Moment(rows, start, labels, labels, number)) is True

    def within(labels: Labels) -> bool:
        tick()
        return not labels or _is_within(ready, rows[start], rows[start + len(labels) - 1])

    return preferred(ready.query.pattern, Search(start, len(rows), holds), within)


def _is_within(ready: SqlPlan, first: SqlRow, last: SqlRow) -> bool:
    """Whether the first ORDER BY column goes less than WITHIN from one row to the other."""
    if ready.query.within is None:
        return True
    key = ready.query.order[0]
    place, type_ = ready.scope.column(key.column)
    if type_.kind not in (SqlKind.DATE, SqlKind.TIMESTAMP):
        raise PlanFault("WITHIN asks for a time in ORDER BY")
    low, high = (last[place], first[place]) if key.descending else (first[place], last[place])
    if not isinstance(low, date) or not isinstance(high, date):
        return False  # NULL
    return (high - low) // MICROSECOND < ready.query.within


def next_start(ready: SqlPlan, match: RowMatch) -> int:
    """The row where the search goes on after a match."""
    skip = ready.query.skip
    if not match.labels or skip.mode is SkipMode.NEXT_ROW:
        return match.start + 1
    if skip.variable is None:
        return match.start + len(match.labels)
    fitting = ready.scope.variables[skip.variable]
    rows = [match.start + place for place, label in enumerate(match.labels) if label.variable in fitting]
    if not rows:
        raise MatchFault(f"no row is labelled {skip.variable}")
    row = rows[0] if skip.mode is SkipMode.FIRST else rows[-1]
    if row == match.start:
        raise MatchFault("the next match would begin again at the first row of this one")
    return row


def _match_rows(ready: SqlPlan, rows: tuple[SqlRow, ...], match: RowMatch) -> Iterator[SqlRow]:
    """The rows that a match gives."""
    labels = match.labels
    if not ready.query.mode.is_all or not labels:
        if labels or ready.query.mode is not RowMode.OMIT:
            yield _output_row(ready, rows[match.start], Moment(rows, match.start, labels, labels, match.number))
        return
    for place, label in enumerate(labels):
        if not label.excluded:
            moment = Moment(rows, match.start, labels[: place + 1], labels, match.number)
            yield _output_row(ready, rows[match.start + place], moment)


def _output_row(ready: SqlPlan, row: SqlRow, moment: Moment) -> SqlRow:
    return _laid_out(ready, row, tuple(measure.read(moment) for measure in ready.measures))


def _unmatched_row(ready: SqlPlan, row: SqlRow) -> SqlRow:
    return _laid_out(ready, row, (None,) * len(ready.measures))


def _laid_out(ready: SqlPlan, row: SqlRow, measures: SqlRow) -> SqlRow:
    whole = (*(row[place] for place in ready.before), *measures, *(row[place] for place in ready.behind))
    return tuple(whole[place] for place in ready.selected)
