"""Data frames of pandas as record batches; pandas itself is not imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.tuples.columns.kinds import converted, first_bad
from spaseq.tuples.sources.arrow import ArrowSource
from spaseq.tuples.sources.source import BATCH_ROWS, without_times

_SEEN = 1 << 12  # values that tell whether times are texts


class PandasSource:
    """The columns of a frame; what pandas takes as missing is NULL."""

    def __init__(self, frame: Any, declared: dict[str, pyarrow.DataType]) -> None:
        self.names = tuple(map(str, frame.columns))
        self._frame = frame
        self._declared = declared
        self._source = ArrowSource(pyarrow.schema([]), iter(()), {})

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if any(isinstance(value, str) for value in self._frame.iloc[:, self.names.index(column)].head(_SEEN)):
            self._declared = without_times(self._declared, column)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``, which are converted now; StreamError if one has values of several types."""
        table = pyarrow.table({name: self._converted(name) for name in columns or self.names[:1]})
        self._source = ArrowSource(table.schema, iter(table.to_batches(BATCH_ROWS)), self._declared)
        return self._source.choose(columns)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        return self._source.batches()

    def place(self, row: int) -> Location:
        """The number of the row from 0, as for ``iloc``."""
        return Location(f"<frame>, row {row}")

    def _converted(self, name: str) -> pyarrow.Array | pyarrow.ChunkedArray:
        series = self._frame.iloc[:, self.names.index(name)]
        if name in self._declared and series.dtype == object:
            return self._mixed(name, series.tolist(), self._declared[name])
        try:
            return pyarrow.array(series, from_pandas=True)
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OverflowError, UnicodeError) as error:
            message = f"the column {name} has values of several types: {error}"
            hint = f'declare its type: {{"{name}": "string"}}'
            raise StreamError(message, Location("<frame>"), hint=hint) from None

    def _mixed(self, name: str, values: list[Any], type_: pyarrow.DataType) -> pyarrow.Array:
        found = converted(values, type_, declared=True)
        if found is None:
            row = first_bad(values, type_, declared=True)
            raise StreamError(f"the column {name} is declared {type_}, but has {values[row]!r:.80}", self.place(row))
        return found
