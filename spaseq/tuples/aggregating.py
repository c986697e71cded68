"""Aggregates over the matches of each end: COUNT, SUM, AVG, MIN and MAX, maybe by groups, as record batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow

from spaseq.exclusive import Tables
from spaseq.pattern.recognition import Aggregate, AttributeWindow, GroupKey, Query
from spaseq.plan.aggregation import check_groups, way, why_enumerated
from spaseq.plan.complex_events import Recognition
from spaseq.tuples.encoding import Encoding
from spaseq.tuples.enumerated import Enumeration, Finder
from spaseq.tuples.operands import Operand
from spaseq.tuples.results import Results, free
from spaseq.tuples.rising import Rising, Source
from spaseq.tuples.totals import Ends, Rows, Totals
from spaseq.tuples.vectors import Mask


class Aggregates(Results):
    """A row for each end of matches, and for each group if there is a GROUP BY, in batches; to be read once.

    Columns: ``end`` (a position in the whole stream, from 0), what SELECT shows of GROUP BY, and the aggregates, by
    their names; ``end`` gets an underscore where one of these has its name.  ``way`` says how they are found.
    StreamError comes with a number that does not fit in 64 bits.
    """

    def __init__(self, query: Query, plan: Recognition, events: Encoding, find: Finder) -> None:
        """``find`` enumerates the matches of a query, where that is needed; QueryError: something has no meaning."""
        super().__init__(query, plan, events)
        check_groups(query, plan)
        operands = {name: Operand(name, events.schema) for name in needed(query)}
        for aggregate in query.aggregates:
            if aggregate.attribute is not None and aggregate.function in ("SUM", "AVG"):
                operands[aggregate.attribute.name].check_number(aggregate.function)
        unordered = [name for name, operand in operands.items() if not operand.is_ordered]
        self.way = way(query, plan, unordered)
        self._operands = operands
        self._shown = [number for number, key in enumerate(query.group_by) if key.name is not None]
        self.schema = _schema(query, operands)
        self._rows = Tables(self._use, "Aggregates", self._source(unordered, find)(events))

    def _source(self, unordered: Sequence[str], find: Finder) -> Source:
        """What gives the rows."""
        query, plan, operands = self._query, self._plan, self._operands
        enumeration = Enumeration(query, plan, operands, find).rows
        if why_enumerated(query, plan, unordered) is not None:
            return enumeration
        totals = Totals(query, plan, operands).rows
        if isinstance(query.window, AttributeWindow):
            return Rising(query, needed(query), totals, enumeration).rows
        return totals

    def _next(self) -> pyarrow.RecordBatch:
        rows = next(self._rows)
        shown = [self._values(self._query.group_by[number], rows, number) for number in self._shown]
        batch = pyarrow.record_batch([pyarrow.array(rows.ends), *shown, *rows.columns], schema=self.schema)
        if self._query.limit is not None and self._query.group_by:
            batch = batch.filter(pyarrow.array(_first_of_each_end(rows.ends, self._query.limit)))
        self.found += batch.num_rows
        return batch

    def _values(self, key: GroupKey, rows: Rows, number: int) -> pyarrow.Array:
        return self._operands[key.attribute.name].numbered(rows.keys[number])


def needed(query: Query) -> tuple[str, ...]:
    """The attributes that aggregates and GROUP BY read."""
    aggregated = (each.attribute.name for each in query.aggregates if each.attribute is not None)
    return tuple(dict.fromkeys([*aggregated, *(key.attribute.name for key in query.group_by)]))


def _schema(query: Query, operands: dict[str, Operand]) -> pyarrow.Schema:
    shown = [(key.name, operands[key.attribute.name].type) for key in query.group_by if key.name is not None]
    columns = shown + [(each.name, _type(each, operands)) for each in query.aggregates]
    return pyarrow.schema([(free("end", [name for name, _ in columns]), pyarrow.int64()), *columns])


def _type(aggregate: Aggregate, operands: dict[str, Operand]) -> pyarrow.DataType:
    """The type of an aggregate's column."""
    if aggregate.attribute is None or aggregate.function == "COUNT":
        return pyarrow.int64()
    operand = operands[aggregate.attribute.name]
    if aggregate.function in ("MIN", "MAX"):
        return operand.type
    return pyarrow.float64() if aggregate.function == "AVG" or operand.is_double else pyarrow.int64()


def _first_of_each_end(ends: Ends, most: int) -> Mask:
    """The first rows of each end, at most so many (m)."""
    begins = np.searchsorted(ends, ends)
    return np.arange(len(ends)) - begins < most
