"""What matches tell: measures by shown row, and the columns of results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
import pyarrow.compute as pc

from spaseq.pattern.rows.expressions import (
    Aggregated,
    Field,
    Label,
    MatchNumber,
    Navigated,
    Navigation,
    SqlExpression,
)
from spaseq.pattern.rows.query import RowPatternQuery, ShownColumn
from spaseq.tuples.row_patterns.aggregating import aggregated
from spaseq.tuples.row_patterns.arrow_types import arrow_type
from spaseq.tuples.row_patterns.faults import faults_at, faults_in
from spaseq.tuples.row_patterns.matched import Looked, Places, ShownRows
from spaseq.tuples.row_patterns.values import RowValues


class Measures:
    """The measures of shown rows; ``columns`` are those of the table, in its order."""

    def __init__(self, columns: dict[str, pyarrow.Array], shown: ShownRows) -> None:
        self._columns = columns
        self._shown = shown
        self._looked: dict[Navigation, Looked] = {}
        self._made: dict[str, pyarrow.Array] = {}
        variables = [position.variable for position in shown.automaton.positions]
        self._names = pyarrow.array(variables, pyarrow.string())

    def named(self, name: str, query: RowPatternQuery) -> pyarrow.Array:
        """The measure of that name, made once; ValueFault as of ``of``."""
        if name not in self._made:
            with faults_in("MEASURES", name):
                self._made[name] = self.of(query.measures[name])
        return self._made[name]

    def of(self, expression: SqlExpression) -> pyarrow.Array:
        """A measure; NULL at rows of no match.  ValueFault: a row has no value."""
        matched = self._shown.are_matched
        where = None if matched.all() else pyarrow.array(matched)
        with faults_at(self._shown.rows):
            found = RowValues(len(self._shown.rows), self._read).of(expression, where)
        if where is None or pyarrow.types.is_null(found.type):
            return found
        return pc.if_else(where, found, pyarrow.scalar(None, found.type))

    def _read(self, expression: SqlExpression) -> pyarrow.Array:
        match expression:
            case Navigated(value, at):
                return self._navigated(value, at)
            case Aggregated(_, value):
                return aggregated(expression, self._shown, lambda labels: self._at_labels(value, labels))
            case MatchNumber():
                return pyarrow.array(self._shown.found.numbers[self._shown.matches])
            case _:
                raise AssertionError(expression)

    def _navigated(self, value: SqlExpression, at: Navigation) -> pyarrow.Array:
        if at not in self._looked:
            self._looked[at] = self._shown.look(at)
        looked = self._looked[at]
        there = pyarrow.array(looked.there)
        with faults_at(looked.rows):
            found = self._values(looked.rows, looked.labels, looked.there).of(value, there)
        if looked.there.all() or pyarrow.types.is_null(found.type):
            return found
        return pc.if_else(there, found, pyarrow.scalar(None, found.type))

    def _at_labels(self, value: SqlExpression | None, labels: Places) -> pyarrow.Array:
        assert value is not None
        rows = self._shown.found.rows()[labels]
        with faults_at(rows):
            return self._values(rows, labels, None).of(value)

    def _values(self, rows: Places, labels: Places, there: np.ndarray | None) -> RowValues:
        """Values of single rows, with their labels (-1: none)."""

        def leaf(expression: SqlExpression) -> pyarrow.Array:
            if isinstance(expression, Field):
                mask = None if there is None else ~there
                return self._columns[expression.column].take(pyarrow.array(rows, mask=mask))
            assert isinstance(expression, Label)
            positions = self._shown.found.labels[labels] if len(self._shown.found.labels) else np.zeros(len(labels))
            return self._names.take(pyarrow.array(positions.astype(np.int64), mask=labels < 0))

        return RowValues(len(rows), leaf)


def results(
    query: RowPatternQuery, columns: dict[str, pyarrow.Array], shown: ShownRows, asked: Sequence[ShownColumn]
) -> pyarrow.Table:
    """The columns of results; ValueFault: a measure has no value."""
    measures, places = Measures(columns, shown), pyarrow.array(shown.rows)
    fields = [pyarrow.field(one.name, arrow_type(one.type)) for one in asked]
    arrays = [
        (measures.named(one.source, query) if one.is_measure else columns[one.source].take(places)).cast(field.type)
        for one, field in zip(asked, fields, strict=True)
    ]
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))
