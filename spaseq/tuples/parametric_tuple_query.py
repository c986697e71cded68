"""A query with parameters on tuples at work: its rows, together or by themselves, in one order of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import pyarrow

from spaseq.errors import QueryError, StreamError
from spaseq.pattern.formulas.parameters import ConstantRow, Parameters, RowKey, row_key
from spaseq.plan.formulas.rule_conditions import why_apart
from spaseq.runtime.parametric_query import ParametricQuery
from spaseq.runtime.shed import Shed, all_shed
from spaseq.tuples.parameter_columns import OF_AGGREGATES, OF_SELECTION, ParameterColumns, Placed, in_one_order
from spaseq.tuples.parameter_rows import of_row, written_row
from spaseq.tuples.queries import Prepared
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.rule_query import RuleQuery
from spaseq.tuples.selection.picks import called, in_order
from spaseq.tuples.selection.rule_selection import RuleResults
from spaseq.tuples.table_query import Found
from spaseq.tuples.tuple_query import TupleQuery

_EACH_SEES_ALL = ("events",)  # counters that are those of any row, and not their sum


class ParametricTupleQuery(ParametricQuery[TupleQuery]):
    """``prepared`` is the query with its parameters and rows; the rest is as of ``TupleQuery``."""

    def __init__(
        self,
        name: str,
        prepared: Prepared,
        errors: list[QueryError | StreamError],
        remembers: bool = False,
        extra: tuple[str, ...] = (),
        sharing: bool = True,
        is_bounded: bool = False,
    ) -> None:
        super().__init__(name, None, self._ordered_by_end, None)
        self.is_bounded = is_bounded
        self.prepared = prepared
        self.errors = errors
        self.remembers = remembers
        self.extra = extra
        self.constants: dict[RowKey, ConstantRow] = {}
        self._places: dict[RowKey, int] = {}  # of these, in their order: numbers that are never given again
        self._next_place = 0
        self._alone: dict[TupleQuery, RowKey] = {}  # rows that run by themselves
        self.why_apart = why_apart(prepared.query, prepared.plan) if sharing else "that was asked for"
        for row in prepared.rows or ():
            self.run(row)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    def run(self, row: ConstantRow) -> None:
        """Run a row that is not there yet, with the others if that goes."""
        together = self.together if self.why_apart is None else None
        if self.why_apart is not None or (together is not None and not together.may_run(row)):
            self.run_apart(row)
        else:
            self._run_together([row])

    def run_apart(self, row: ConstantRow) -> TupleQuery:
        """Run a row by itself."""
        prepared = of_row(self.prepared, row)
        called = f"{self.name or 'the query'}, row {written_row(row)}"
        member = TupleQuery(self.name, prepared, self.errors, self.remembers, self.extra, called, self.is_bounded)
        self._know(row)
        self._alone[member] = row_key(row)
        self.add(member, [row_key(row)])
        return member

    def _know(self, row: ConstantRow) -> None:
        """A row, which has its place if it is new."""
        key = row_key(row)
        if key not in self.constants:
            self._places[key], self._next_place = self._next_place, self._next_place + 1
        self.constants[key] = row

    def part(self, rows: Iterable[ConstantRow]) -> None:
        """Run these rows by themselves; nothing came so far."""
        for row in rows:
            together = self.remove(row_key(row))
            if isinstance(together, RuleQuery):
                together.remove_row(row_key(row))
            self.run_apart(row)

    def arrange(self, order: Sequence[RowKey], together: Set[RowKey]) -> None:
        """Let these rows, as far as they are there, run together or by themselves; nothing came so far.

        They come first, in this order; others follow.
        """
        rows = self.constants
        first = [key for key in order if key in rows]
        for key in list(rows):
            self.remove(key)
        self.constants, self._places, self._alone = {}, {}, {}
        if together & rows.keys():
            self._run_together([rows[key] for key in first if key in together])
        for key in first:
            if key not in together:
                self.run_apart(rows[key])
        self.constants = {key: rows[key] for key in first}
        self._places = {key: place for place, key in enumerate(first)}
        self._next_place = len(first)
        for key in rows:
            if key not in self.constants:
                self.run(rows[key])

    def _run_together(self, rows: Iterable[ConstantRow]) -> None:
        together = self.together or RuleQuery(self.name, self.prepared, self.errors, self.remembers, self.extra)
        for row in rows:
            self._know(row)
            self.add(together, [row_key(row)])
            together.add_row(row)

    def forget_row(self, key: RowKey) -> TupleQuery | None:
        """Forget a row; what ran it, if it ran no other."""
        del self.constants[key], self._places[key]
        member = self.remove(key)
        if member is not None:
            self._alone.pop(member, None)
        return member

    def _strike(self, member: TupleQuery, key: RowKey) -> None:
        assert isinstance(member, RuleQuery)
        if key in member.rows:
            member.remove_row(key)

    @property
    def together(self) -> RuleQuery | None:
        """What runs several rows."""
        return next((one for one in self.members if isinstance(one, RuleQuery)), None)

    @property
    def given(self) -> Parameters:
        """Its parameters."""
        assert self.prepared.query.given is not None
        return self.prepared.query.given

    def named(self, name: str) -> ParametricTupleQuery:
        """See ``TupleQuery``."""
        return self

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    def note_fed(self, member: TupleQuery) -> None:
        """See ``ParametricQuery``: events alone decide."""
        self._rest[member] = None

    def at_once(self) -> Sequence[Found]:
        """See ``RunningQuery``."""
        return list(self.tables())

    def tables(self) -> Iterator[Found]:
        """See ``RunningQuery``: batches of results."""
        for batch in super().tables():
            yield self.name, batch

    def counts(self) -> Iterator[Found]:
        """How many there were, part by part, instead of these."""
        for name, number in self.found(lambda member: member.counts()):
            self.results += number
            yield name, number

    def found(self, how: Callable[[TupleQuery], Iterable[Found]]) -> Iterator[Found]:
        """What its members give when they are asked in this way, instead of ``tables``."""
        self._ask()
        for member in self._asked:
            yield from how(member)
        self._note_asked()

    def keys_of(self, member: TupleQuery) -> Sequence[RowKey]:
        """The rows that a member runs, in its order."""
        return member.rules.keys if isinstance(member, RuleQuery) else [self._alone[member]]

    def _ordered_by_end(self, sources: Sequence[tuple[TupleQuery, Iterable[Found]]]) -> Iterator[pyarrow.RecordBatch]:
        """The results of rows by their ends, then by row."""
        end = self._own.index("end")
        for results in in_one_order([self._placed(member, found) for member, found in sources], end):
            known = np.array(list(self._places.values()), np.int64)
            at = np.minimum(np.searchsorted(known, results.places), max(len(known) - 1, 0))
            there = known[at] == results.places if len(known) else np.zeros(len(at), np.bool_)
            left = _chosen(Placed(results.batch, at), there)
            yield self._columns.beside(left.batch, left.places)

    def _placed(self, member: TupleQuery, found: Iterable[Found]) -> Iterator[Placed]:
        """Results with the places of their rows."""
        for _, results in found:
            if isinstance(results, RuleResults):
                known = np.array([self._places.get(key, -1) for key in results.keys], np.int64)[results.rules]
                yield _chosen(Placed(results.batch, known), known >= 0)
            elif member in self._alone:
                yield Placed(results, np.full(results.num_rows, self._places[self._alone[member]]))

    @property
    def _columns(self) -> ParameterColumns:
        return ParameterColumns(self.given, list(self.constants.values()), self._own)

    @property
    def _own(self) -> tuple[str, ...]:
        return OF_AGGREGATES if self.prepared.query.aggregates else OF_SELECTION

    @property
    def result_schema(self) -> pyarrow.Schema:
        """That of its results; without a row that has begun, columns of values have no type."""
        begun = next((member for member in self.members if member.evaluation is not None), None)
        return self._columns.schema(self._without_types if begun is None else begun.result_schema)

    @property
    def _without_types(self) -> pyarrow.Schema:
        query = self.prepared.query
        if query.aggregates:
            groups = [key.name for key in query.group_by if key.name is not None]
            names = [*groups, *(one.name for one in query.aggregates)]
            return pyarrow.schema([("end", pyarrow.int64()), *((name, pyarrow.null()) for name in names)])
        positions = pyarrow.list_(pyarrow.int64())
        variables = query.variables or in_order(called(query, self.prepared.plan))
        shown = [
            (column, positions) if isinstance(column, str) else (column.name, pyarrow.null())
            for column in query.columns or variables
        ]
        return pyarrow.schema([("start", pyarrow.int64()), ("end", pyarrow.int64()), ("positions", positions), *shown])

    @property
    def is_plain(self) -> bool:
        """Whether results have nothing but values."""
        return bool(self.prepared.query.aggregates)

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns that have positions."""
        query = self.prepared.query
        if query.aggregates:
            return ()
        columns = query.columns or query.variables or in_order(called(query, self.prepared.plan))
        return tuple(column for column in columns if isinstance(column, str))

    # ── what it tells ────────────────────────────────────────────────────────────────────────────────────
    @property
    def has_begun(self) -> bool:
        """Whether the columns of the events were known to some row."""
        return any(member.has_begun for member in self.members)

    @property
    def first(self) -> int:
        """The position of the first event that a row has seen."""
        return min((member.first for member in self.members if member.has_begun), default=0)

    @property
    def error(self) -> str:
        """Why the first row that did not go on does not."""
        return next(
            (f"{member.called or self.name or 'the query'}: {member.error}" for member in self.members if member.error),
            "",
        )

    def statistics(self) -> dict[str, int]:
        """The counters of what its rows run on, together."""
        found = Counter[str]()
        for member in self.members:
            found.update(member.statistics())
        seen = {name: member.statistics().get(name, 0) for member in self.members for name in _EACH_SEES_ALL}
        return dict(found) | {name: number for name, number in seen.items() if name in found}

    @property
    def shed(self) -> Shed:
        """What was left out of all rows, to keep work within a bound."""
        return all_shed(member.shed for member in self.members)

    def unmatched_of(self, name: str) -> tuple[str, ...]:
        """See ``TupleQuery``."""
        return self.unmatched

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables and types for which no row had an event so far, whatever came before it."""
        names = in_order(called(self.prepared.query, self.prepared.plan))
        return tuple(name for name in names if all(name in member.unmatched for member in self.members))


def _chosen(results: Placed, chosen: np.ndarray[Any, Any]) -> Placed:
    return results if chosen.all() else Placed(results.batch.filter(pyarrow.array(chosen)), results.places[chosen])


AnyFormulaQuery: TypeAlias = "TupleQuery | ParametricTupleQuery"
AnyTupleQuery: TypeAlias = "AnyFormulaQuery | RunningRowPattern"


def formula_query(query: AnyTupleQuery) -> AnyFormulaQuery:
    """The query, which is in CEQL."""
    assert not isinstance(query, RunningRowPattern)
    return query
