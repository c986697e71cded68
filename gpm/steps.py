"""What follows a pattern's core: matches with materialised knowledge, assignments and filters on tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gpm.algebra import Bind, Element, Filter, Minus, Optional
from gpm.decomposition import asked_knowledge, optional_parts
from gpm.expressions import evaluate_columns, truth_columns
from gpm.external import Times
from gpm.knowledge import Indices, Knowledge, KnowledgeTable
from gpm.scope import Names, in_scope
from gpm.tables import Table
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows

LARGEST_JOIN = 1_000_000  # pairs of rows that are held at once when nothing joins them


@dataclass(frozen=True, slots=True)
class Context:
    """The run of events that tables belong to; ``stamps`` are their times."""

    terms: Terms
    stamps: Times

    def times(self, table: Table) -> Times:
        """The timestamp of each row's event."""
        times: Times = self.stamps[table.events]
        return times

    def where(self, test: Filter, table: Table) -> Indices:
        """The numbers of the rows on which a filter is true."""
        status = truth_columns(test.expression, table.names, table.columns, self.times(table), self.terms)
        return np.flatnonzero(status == 1)


class Step(Protocol):
    """An operation on tables."""

    def apply(self, table: Table, context: Context) -> Table:
        """The table after the operation."""


@dataclass(frozen=True, slots=True)
class Join:
    """A join with knowledge."""

    knowledge: KnowledgeTable

    def apply(self, table: Table, context: Context) -> Table:
        """Each row with each of its partners."""
        return self.knowledge.combined(table, *self.knowledge.pairs(table))


@dataclass(frozen=True, slots=True)
class LeftJoin:
    """OPTIONAL with knowledge: rows without a partner for which all ``conditions`` hold stay as they are."""

    knowledge: KnowledgeTable
    conditions: tuple[Filter, ...]

    def apply(self, table: Table, context: Context) -> Table:
        """Each row with its partners, or alone."""
        first, second = self.knowledge.pairs(table)
        for condition in self.conditions:
            holds = context.where(condition, self.knowledge.combined(table, first, second))
            first, second = first[holds], second[holds]
        matched = np.zeros(len(table.events), dtype=bool)
        matched[first] = True
        alone = np.flatnonzero(~matched)
        second = np.concatenate([second, np.full(len(alone), -1)])
        return self.knowledge.combined(table, np.concatenate([first, alone]), second)


@dataclass(frozen=True, slots=True)
class Keep:
    """Rows that have a partner in the knowledge, or that have none (``negated``).

    MINUS wants partners that bind a variable of the row (``need_common``), EXISTS any.
    """

    knowledge: KnowledgeTable
    negated: bool
    need_common: bool

    def apply(self, table: Table, context: Context) -> Table:
        """The rows that stay."""
        first, _ = self.knowledge.pairs(table, self.need_common)
        found = np.zeros(len(table.events), dtype=bool)
        found[first] = True
        return table.where(~found if self.negated else found)


@dataclass(frozen=True, slots=True)
class Assign:
    """BIND."""

    bind: Bind

    def apply(self, table: Table, context: Context) -> Table:
        """The rows with one more column."""
        times = context.times(table)
        words = evaluate_columns(self.bind.expression, table.names, table.columns, times, context.terms)
        return Table((*table.names, self.bind.variable.name), table.events, np.vstack([table.columns, words]))


@dataclass(frozen=True, slots=True)
class Test:
    """FILTER."""

    filter: Filter

    def apply(self, table: Table, context: Context) -> Table:
        """The rows for which the filter is true."""
        return table.where(context.where(self.filter, table))


def make_step(element: Element, needed: Names, knowledge: Knowledge) -> Step | None:
    """The step for an element that ``split`` put behind the core; None if its knowledge is too much to hold.

    ``needed`` are the variables that the pattern's slots and other elements mention.
    """

    def held(part: Element) -> KnowledgeTable | None:
        return knowledge.table(part, tuple(sorted(in_scope(part) & needed)))

    match element:
        case Bind():
            return Assign(element)
        case Filter():
            asked = asked_knowledge(element)
            if asked is None:
                return Test(element)
            table = held(asked.pattern)
            return None if table is None else Keep(table, asked.negated, need_common=False)
        case Optional():
            pattern, conditions = optional_parts(element)
            table = held(pattern)
            return None if table is None else LeftJoin(table, conditions)
        case Minus(group):
            table = held(group)
            return None if table is None else Keep(table, negated=True, need_common=True)
        case _:
            table = held(element)
            return None if table is None else Join(table)


def run_single(
    steps: tuple[Step, ...], names: tuple[str, ...], rows: EventRows, time: int, terms: Terms
) -> tuple[tuple[str, ...], EventRows]:
    """``run`` on the rows of one event at that time, with columns of these names; names and rows afterwards."""
    for number, step in enumerate(steps):
        joined = step.knowledge.joined(names, rows) if isinstance(step, Join) else None
        if joined is None:
            table = Table(names, rows.row_event, rows.columns)
            table = run(steps[number:], table, Context(terms, np.array([time], np.int64)))
            return table.names, EventRows(table.columns)
        names, rows = joined
    return names, rows


def run(steps: tuple[Step, ...], table: Table, context: Context) -> Table:
    """All steps, one after the other, in pieces where a join multiplies each row with all of the knowledge."""
    for n, step in enumerate(steps):
        if _fanout(step, table) * len(table.events) > LARGEST_JOIN and len(table.events) > 1:
            halves = [run(steps[n:], half, context) for half in _halves(table)]
            return Table.join(halves, halves[0].names)
        table = step.apply(table, context)
    return table


def _halves(table: Table) -> Iterator[Table]:
    for rows in np.array_split(np.arange(len(table.events)), 2):
        yield table.where(rows)


def _fanout(step: Step, table: Table) -> int:
    if not isinstance(step, Join | LeftJoin | Keep) or step.knowledge.shares_with(table.names):
        return 1
    return int(step.knowledge.columns.shape[1])
