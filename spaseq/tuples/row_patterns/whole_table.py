"""A query for row patterns on a table that is read to its end: its rows are kept until then, and sorted."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow

from spaseq.errors import StreamError
from spaseq.languages.sql import ParsedRowPatternQuery
from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.sources.tables.types import column_named
from spaseq.tuples.row_patterns.buffers import joined
from spaseq.tuples.row_patterns.faults import RowFault
from spaseq.tuples.row_patterns.fed import MOST_SHOWN, EndOfRows, Fed, RowPatternEvaluation, RowsFed, batch_of
from spaseq.tuples.row_patterns.recognition import recognized

_ROWS = "rows\n"  # a column that no query can mean: there are as many rows where none is read


class WholeTable(RowPatternEvaluation):
    """See ``RowPatternEvaluation``.  ``columns`` are those of the table as they are asked for."""

    def __init__(
        self, parsed: ParsedRowPatternQuery, query: RowPatternQuery, columns: pyarrow.Schema, max_steps: int = 0
    ) -> None:
        super().__init__(query)
        self.unmatched: tuple[str, ...] = ()
        self._parsed = parsed
        self._query = query
        self._columns = columns
        self._max_steps = max_steps
        self._first: int | None = None
        self._kept: list[pyarrow.RecordBatch] = []

    def statistics(self) -> dict[str, int]:
        """See ``TableEvaluation``: how many rows are kept."""
        return {"rows": sum(batch.num_rows for batch in self._kept)}

    def results(self, batch: Fed) -> Iterator[pyarrow.RecordBatch]:
        """See ``RowPatternEvaluation``: all results, at the end."""
        if isinstance(batch, EndOfRows):
            yield from self._recognized().to_batches(max_chunksize=MOST_SHOWN)
            self._kept.clear()
            return
        if isinstance(batch, RowsFed):
            self._first = batch.first if self._first is None else self._first
            self._kept.append(batch_of(batch, self._columns))

    def _recognized(self) -> pyarrow.Table:
        names = [column_named(name) for name in self._columns.names]
        parts = ([batch.column(place) for batch in self._kept] for place in range(len(names)))
        arrays = [joined(part, type_) for part, type_ in zip(parts, self._columns.types, strict=True)]
        count = sum(batch.num_rows for batch in self._kept)
        table = pyarrow.Table.from_arrays([*arrays, pyarrow.nulls(count)], names=[*names, _ROWS])
        try:
            found, self.unmatched = recognized(self._query, table, self._max_steps)
            return found
        except RowFault as fault:
            position = (self._first or 0) + fault.row
            where = self._parsed.place(fault.clause, fault.name)
            raise StreamError(f"{fault} (at position {position})", where) from None
