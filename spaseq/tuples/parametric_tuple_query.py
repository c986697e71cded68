"""A query with parameters on tuples at work: a ``TupleQuery`` for each row, and their results in one order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import pyarrow

from spaseq.errors import QueryError, StreamError
from spaseq.pattern.formulas.parameters import ConstantRow, Parameters, row_key
from spaseq.runtime.parametric_query import ParametricQuery
from spaseq.tuples.parameter_columns import OF_AGGREGATES, OF_SELECTION, ParameterColumns, in_one_order
from spaseq.tuples.parameter_rows import of_row, written_row
from spaseq.tuples.queries import Prepared
from spaseq.tuples.selection.picks import called, in_order
from spaseq.tuples.tuple_query import Found, TupleQuery

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
    ) -> None:
        super().__init__(name, None, self._ordered_by_end, None)
        self.prepared = prepared
        self.errors = errors
        self.remembers = remembers
        self.extra = extra
        self.constants: dict[TupleQuery, ConstantRow] = {}
        for row in prepared.rows or ():
            self.run(row)

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    def run(self, row: ConstantRow) -> TupleQuery:
        """Run a row that is not there yet: whoever decides which rows run together does so here."""
        prepared = of_row(self.prepared, row)
        called = f"{self.name or 'the query'}, row {written_row(row)}"
        member = TupleQuery(self.name, prepared, self.errors, self.remembers, self.extra, called)
        self.constants[member] = row
        self.add(member, [row_key(row)])
        return member

    def forget_row(self, row: ConstantRow) -> TupleQuery:
        """What ran a row, which is forgotten."""
        member = self.remove(row_key(row))
        assert member is not None  # it ran no other
        del self.constants[member]
        return member

    @property
    def given(self) -> Parameters:
        """Its parameters."""
        assert self.prepared.query.given is not None
        return self.prepared.query.given

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
        self._ask()
        for member in self._asked:
            for name, number in member.counts():
                self.results += number
                yield name, number
        self._note_asked()

    def _ordered_by_end(self, sources: Sequence[tuple[TupleQuery, Iterable[Found]]]) -> Iterator[pyarrow.RecordBatch]:
        """The results of rows by their ends, then by row."""
        places = {member: place for place, member in enumerate(self.constants)}
        members = list(self.constants)
        batches = {places[member]: (batch for _, batch in found) for member, found in sources}
        columns = self._columns
        end = columns.own.index("end")
        for batch, its in in_one_order(batches, end, lambda place: members[place] in self.constants):
            yield columns.beside(batch, its)

    @property
    def _columns(self) -> ParameterColumns:
        own = OF_AGGREGATES if self.prepared.query.aggregates else OF_SELECTION
        return ParameterColumns(self.given, list(self.constants.values()), own)

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
        return next((f"{member.called}: {member.error}" for member in self.members if member.error), "")

    def statistics(self) -> dict[str, int]:
        """The counters of what its rows run on, together."""
        found = Counter[str]()
        for member in self.members:
            found.update(member.statistics())
        seen = {name: member.statistics().get(name, 0) for member in self.members for name in _EACH_SEES_ALL}
        return dict(found) | {name: number for name, number in seen.items() if name in found}

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables and types for which no row had an event so far, whatever came before it."""
        names = in_order(called(self.prepared.query, self.prepared.plan))
        return tuple(name for name in names if all(name in member.unmatched for member in self.members))


AnyTupleQuery: TypeAlias = "TupleQuery | ParametricTupleQuery"
