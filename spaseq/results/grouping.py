"""Aggregates over matches: one row for each decision time and group, once nothing more can be decided then.

The matcher gives rows of matches to aggregate, or totals of all matches of a time and key, which are final.  What
waits goes into snapshots as named arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Aggregate, Expression, Projection, Variable
from gpm.expressions import evaluate_columns, truth_columns
from gpm.rewrite import rewrite
from nfa_native.automata.kinds import MatchQuantity
from nfa_native.core import archive
from nfa_native.core.arrays import read_store
from nfa_native.terms.dictionary import Terms
from spaseq.errors import SnapshotError
from spaseq.results.aggregates import AnyReading, Total, aggregate, aggregate_total, grouped, integers
from spaseq.results.match_rows import MatchRows, counts_of, pick_digests, totals_of, without_totals

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


# ── snapshots ────────────────────────────────────────────────────────────────────────────────────────────
VERSION = 1  # of the store of what results remember


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The arrays as bytes."""
    return archive.pack({"results": (VERSION, arrays)})


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of ``pack``; SnapshotError if the data are damaged."""
    try:
        return read_store(data, "results", VERSION)
    except ValueError as error:
        raise SnapshotError("the results in the snapshot are damaged") from error


def check(arrays: Mapping[str, NDArray[Any]], widths: Mapping[str, int | None]) -> None:
    """SnapshotError unless there are these arrays, and all have as many rows.

    One of a width is ``uint64[n, width]``, the others are ``int64[n]``.
    """
    if arrays.keys() != widths.keys() or len({len(array) if array.ndim else -1 for array in arrays.values()}) > 1:
        raise SnapshotError("the results in the snapshot do not fit each other")
    for name, width in widths.items():
        shape, dtype = ((), np.int64) if width is None else ((width,), np.uint64)
        if arrays[name].dtype != dtype or arrays[name].shape[1:] != shape:
            raise SnapshotError(f"the results in the snapshot have other {name} than they should")


# ── groups ───────────────────────────────────────────────────────────────────────────────────────────────
Times = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WaitingRows:
    """Rows that wait for their decision time to pass: times ``int64[n]``, ``words uint64[n, k]`` of the raw columns.

    ``picks uint64[n, 2]`` tells matches apart.  Row ``i`` stands for ``counts[i]`` equal ones, or if that is negative
    for ``-counts[i]`` matches that no other row is of.
    """

    first: Times
    last: Times
    decided: Times
    words: Words
    picks: Words
    counts: Times

    def select(self, chosen: NDArray[Any]) -> WaitingRows:
        """The rows at these positions, or those where a mask is true."""
        return WaitingRows(*(getattr(self, name)[chosen] for name in self.__slots__))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class GroupedRows:
    """Result rows: times ``int64[n]`` (those of the first and the last event of all matches), a word per projection."""

    first: Times
    last: Times
    decided: Times
    words: Words

    def select(self, chosen: NDArray[Any]) -> GroupedRows:
        """The rows at these positions, or those where a mask is true."""
        return GroupedRows(*(getattr(self, name)[chosen] for name in self.__slots__))

    def distinct(self) -> GroupedRows:
        """The first of all rows that are equal at one decision time."""
        _, first = np.unique(np.column_stack([self.decided.view(np.uint64), self.words]), axis=0, return_index=True)
        return self.select(np.sort(first))


class Grouping:
    """Collects matches and gives one row for each (decision time, values of ``group_by``).

    ``readings`` says what totals are of, if the matcher gives some; ``having`` are conditions on groups.
    """

    def __init__(
        self,
        projections: tuple[Projection, ...],
        group_by: tuple[str, ...],
        columns: tuple[str, ...],
        terms: Terms,
        readings: Sequence[AnyReading] = (),
        having: Sequence[Expression] = (),
    ) -> None:
        self._columns = columns
        self._group_by = tuple(name for name in group_by if name in columns)  # what nothing binds tells nothing apart
        self._keys = [columns.index(name) for name in self._group_by]
        self._terms = terms
        self._aggregates: list[Aggregate] = []
        self._projections = rewrite(projections, self._hide)
        self._having = rewrite(tuple(having), self._hide)
        count_only = all(function.argument is None for function in self._aggregates)
        self.is_compact = count_only and set(columns) <= set(group_by)
        self._need_picks = any(function.argument is None for function in self._aggregates) and not self.is_compact
        self._rows = _no_rows(len(columns))
        self._readings = tuple(readings)
        self._totalled = _no_results(len(projections))  # results of totals

    @property
    def counts_only(self) -> bool:
        """Whether nothing is asked of matches but how many there are at a time."""
        return not self._group_by and all(one.argument is None and not one.distinct for one in self._aggregates)

    def add(self, raw: MatchRows) -> None:
        """Collect rows of matches, and totals."""
        totals = totals_of(raw)
        if totals:
            self._totalled = _joined(self._totalled, self._results_of_totals(raw, totals))
            raw = without_totals(raw)
        number = len(raw.first)
        picks = pick_digests(raw) if self._need_picks else np.zeros((number, 2), np.uint64)
        tallied = counts_of(raw)
        counts = np.where(tallied == 0, 1, tallied if self.is_compact else -tallied)
        rows = WaitingRows(raw.first, raw.last, raw.decided, raw.words, picks, counts)
        rows = _concatenate(self._rows, rows)
        self._rows = _compacted(rows) if self.is_compact else rows

    def take(self, before: int | None = None) -> GroupedRows:
        """The results of all decision times below ``before`` (None: of all)."""
        rows = self._rows
        final = np.ones(len(rows.first), np.bool_) if before is None else rows.decided < before
        self._rows = rows.select(~final)
        totalled, self._totalled = self._totalled, _no_results(len(self._projections))
        return _joined(totalled, self._results(rows.select(final)))

    @property
    def waits(self) -> bool:
        """Whether something was collected and not taken."""
        return len(self._rows.first) > 0 or len(self._totalled.first) > 0

    def newest(self) -> int | None:
        """The latest decision time collected; None without rows."""
        return int(self._rows.decided.max()) if len(self._rows.decided) else None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rows collected, for a snapshot; ``words`` has the words."""
        return self._rows.arrays()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take the rows of ``arrays`` instead of those collected now.  SnapshotError: they are something else."""
        times = dict.fromkeys(("first", "last", "decided", "counts"))
        check(arrays, {**times, "words": len(self._columns), "picks": 2})
        self._rows = WaitingRows(**{name: arrays[name] for name in WaitingRows.__slots__})

    def _hide(self, node: object) -> object | None:
        """An aggregate becomes a variable that no query can name."""
        if not isinstance(node, Aggregate):
            return None
        if node not in self._aggregates:
            self._aggregates.append(node)
        return Variable(f"aggregate@{self._aggregates.index(node)}")

    def _results(self, rows: WaitingRows) -> GroupedRows:
        order, groups = _groups(rows, self._keys)
        number = len(order)
        first, last = np.full(number, np.iinfo(np.int64).max), np.full(number, np.iinfo(np.int64).min)
        np.minimum.at(first, groups, rows.first)
        np.maximum.at(last, groups, rows.last)
        decided = rows.decided[order]
        values = [rows.words[order, key] for key in self._keys]
        values += [self._aggregate(function, rows, groups, number) for function in self._aggregates]
        return self._chosen(GroupedRows(first, last, decided, self._project(values, decided)), values)

    def _results_of_totals(self, raw: MatchRows, totals: Sequence[Total]) -> GroupedRows:
        decided, keys = raw.decided[: len(totals)].tolist(), raw.words[: len(totals), self._keys].tolist()
        groups = list(grouped(decided, keys, totals, self._readings))
        starts = 1 + next(number for number, one in enumerate(self._readings) if one.kind is MatchQuantity.STARTS)
        first = np.array([one.total[starts] for one in groups], np.int64)
        times = np.array([one.decided for one in groups], np.int64)
        values = [np.array([one.key[key] for one in groups], np.uint64) for key in range(len(self._keys))]
        for function in self._aggregates:
            words = [aggregate_total(function, one, self._readings, self._terms) for one in groups]
            values.append(np.array(words, np.uint64))
        return self._chosen(GroupedRows(first, times, times, self._project(values, times)), values)

    def _aggregate(self, function: Aggregate, rows: WaitingRows, groups: Times, number: int) -> Words:
        if function.argument is None:
            return integers(self._matches(rows, groups, number), self._terms)
        values = evaluate(function.argument, self._columns, list(rows.words.T), rows.last, self._terms)
        _, order = np.unique(np.stack([rows.last, rows.first], axis=1), axis=0, return_inverse=True)
        return aggregate(function, values, groups, order.reshape(-1), number, self._terms)

    def _matches(self, rows: WaitingRows, groups: Times, number: int) -> Times:
        """How many matches, not rows, each group has."""
        result = np.zeros(number, np.int64)
        if self._need_picks:
            single = rows.counts > 0
            keys = np.column_stack([groups[single].astype(np.uint64), rows.picks[single]])
            np.add.at(result, np.unique(keys, axis=0)[:, 0].astype(np.int64), 1)
            np.subtract.at(result, groups[~single], rows.counts[~single])
            return result
        np.add.at(result, groups, rows.counts)
        return result

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self._group_by, *(f"aggregate@{index}" for index in range(len(self._aggregates))))

    def _project(self, values: list[Words], decided: Times) -> Words:
        names = self._names
        columns = [evaluate(item.expression, names, values, decided, self._terms) for item in self._projections]
        return np.stack(columns, axis=1) if columns else np.zeros((len(decided), 0), np.uint64)

    def _chosen(self, rows: GroupedRows, values: list[Words]) -> GroupedRows:
        """The rows of the groups that HAVING leaves."""
        chosen = np.ones(len(rows.decided), np.bool_)
        for condition in self._having:
            chosen &= holds(condition, self._names, values, rows.decided, self._terms)
        return rows if chosen.all() else rows.select(chosen)


def _no_results(columns: int) -> GroupedRows:
    none = np.zeros(0, np.int64)
    return GroupedRows(none, none, none, np.zeros((0, columns), np.uint64))


def _joined(one: GroupedRows, other: GroupedRows) -> GroupedRows:
    names = GroupedRows.__slots__
    return GroupedRows(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in names))


def _no_rows(columns: int) -> WaitingRows:
    none = np.zeros(0, np.int64)
    return WaitingRows(none, none, none, np.zeros((0, columns), np.uint64), np.zeros((0, 2), np.uint64), none)


def _concatenate(left: WaitingRows, right: WaitingRows) -> WaitingRows:
    return WaitingRows(*(np.concatenate([getattr(left, name), getattr(right, name)]) for name in WaitingRows.__slots__))


def _groups(rows: WaitingRows, keys: list[int]) -> tuple[Times, Times]:
    """Positions of one row of each (decision time, key), in order of time, and the group of every row."""
    sortable = rows.decided.view(np.uint64) ^ np.uint64(1 << 63)  # negative times first, as unsigned numbers
    table = np.column_stack([sortable, rows.words[:, keys]])
    _, order, groups = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return order, groups.reshape(-1)


def _compacted(rows: WaitingRows) -> WaitingRows:
    """Equal rows of one decision time counted; the earliest ``first`` and the latest ``last`` remain."""
    order, groups = _groups(rows, list(range(rows.words.shape[1])))
    result = rows.select(order)
    for name, combine in (("first", np.minimum), ("last", np.maximum)):
        combine.at(getattr(result, name), groups, getattr(rows, name))
    counts = np.zeros(len(order), np.int64)
    np.add.at(counts, groups, rows.counts)
    return WaitingRows(result.first, result.last, result.decided, result.words, result.picks, counts)
