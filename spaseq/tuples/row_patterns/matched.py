"""The matches of a scan, and the rows that are shown of them: from which of these a measure reads what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nfa_native.row_patterns.sweeps import navigated
from spaseq.pattern.rows.expressions import Navigation, Variables
from spaseq.pattern.rows.query import Shown
from spaseq.plan.rows.automaton import PositionAutomaton

Places = NDArray[np.int64]
Truths = NDArray[np.bool_]


class Partitioned(Protocol):
    """Rows whose partitions lie one behind the other."""

    @property
    def begins(self) -> Places:
        """The first row of each; one more at the end."""

    def partition_of(self, rows: Places) -> Places:
        """The partitions of some rows."""


@dataclass(frozen=True)
class FoundMatches:
    """Matches, and rows of none, in the order of their first rows: what a scanner gives.

    ``labels`` are the positions of all rows of matches, one match behind the other.
    """

    firsts: Places
    counts: Places
    numbers: Places
    labels: NDArray[np.uint16]

    @cached_property
    def begins(self) -> Places:
        """By match: where its labels begin; one more at the end."""
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)

    def rows(self) -> Places:
        """By label: its row."""
        return np.repeat(self.firsts - self.begins[:-1], self.counts) + np.arange(len(self.labels))


class Looked(NamedTuple):
    """The rows that measures read, by shown row: where there is one, and which label it has (-1: none)."""

    rows: Places
    there: Truths
    labels: Places


@dataclass(frozen=True)
class ShownRows:
    """Rows of results: of each its match, its own row, and the label up to which its measures look.

    ``ends`` is the label that a match ends with; where a match has none, both are before its first one.
    """

    found: FoundMatches
    automaton: PositionAutomaton
    matches: Places
    rows: Places
    labels: Places
    partition_begins: Places  # by shown row
    partition_ends: Places

    @property
    def are_matched(self) -> Truths:
        """Which are not rows of no match."""
        return self.found.numbers[self.matches] > 0

    @cached_property
    def begins(self) -> Places:
        """The first label of each one's match."""
        return self.found.begins[:-1][self.matches]

    def until(self, final: bool) -> Places:
        """The last label that counts: up to the row, or of the whole match."""
        return self.found.begins[1:][self.matches] - 1 if final else self.labels

    def members(self, variables: Variables | None) -> NDArray[np.uint8]:
        """By position: whether it is of variables."""
        of = [variables is None or position.variable in variables for position in self.automaton.positions]
        return np.array(of, np.uint8)

    def hits(self, variables: Variables | None, final: bool) -> tuple[Places, Places, Places]:
        """The labels of variables, and which of these count: from ``low`` to before ``high``, by shown row."""
        begins, until = self.begins, self.until(final)
        if variables is None:
            return np.arange(len(self.found.labels)), begins, until + 1
        of = self.members(variables).astype(np.bool_)[self.found.labels]
        before = np.zeros(len(of) + 1, np.int32 if len(of) < 2**31 else np.int64)
        np.cumsum(of, out=before[1:])
        return np.flatnonzero(of), before[begins].astype(np.int64), before[until + 1].astype(np.int64)

    def look(self, at: Navigation) -> Looked:
        """Where a navigation leads."""
        members = self.members(at.variables)
        begins, until = self.begins, self.until(at.final)
        labels = navigated(self.found.labels, members, begins, until, min(at.offset, 2**62), at.first)
        there = labels >= 0
        rows = self.found.firsts[self.matches] + (labels - begins + at.shift)
        there = there & (rows >= self.partition_begins) & (rows < self.partition_ends)
        further = labels + at.shift
        has_label = there & (further >= begins) & (further <= until)
        return Looked(np.where(there, rows, 0), there, np.where(has_label, further, -1))


def shown_rows(found: FoundMatches, automaton: PositionAutomaton, shown: Shown, partitions: Partitioned) -> ShownRows:
    """The rows that a query shows."""
    matches, labels = _one_row(found) if shown is Shown.ONE_ROW else _all_rows(found, automaton, shown)
    is_own = (shown is not Shown.ONE_ROW) & (labels >= found.begins[:-1][matches])
    rows = found.firsts[matches]
    if is_own.any():
        rows = np.where(is_own, found.rows()[labels], rows)
    its = partitions.partition_of(rows)
    return ShownRows(found, automaton, matches, rows, labels, partitions.begins[its], partitions.begins[its + 1])


def _one_row(found: FoundMatches) -> tuple[Places, Places]:
    matches = np.flatnonzero(found.numbers)
    return matches, found.begins[1:][matches] - 1


def _all_rows(found: FoundMatches, automaton: PositionAutomaton, shown: Shown) -> tuple[Places, Places]:
    excluded = np.array([position.excluded for position in automaton.positions], np.bool_)
    of_label = np.repeat(np.arange(len(found.counts)), found.counts)
    kept = np.flatnonzero(~excluded[found.labels]) if len(excluded) else np.zeros(0, np.int64)
    is_alone = (found.counts == 0) & ((found.numbers == 0) | (shown is not Shown.WITHOUT_EMPTY))
    alone = np.flatnonzero(is_alone)
    matches = np.concatenate([of_label[kept], alone])
    labels = np.concatenate([kept, found.begins[:-1][alone] - 1])
    order = np.argsort(matches, kind="stable")
    return matches[order], labels[order]
