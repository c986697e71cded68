"""The rows of past events, as long as a match may need them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import pyarrow
import pyarrow.compute

from spaseq.tuples.encoding import EncodedBatch
from spaseq.tuples.times import Times


class Past:
    """Some columns of events by position; if ``forgets``, without those that no later window reaches.

    ``schema`` is that of the columns that are kept, without dictionaries.
    """

    def __init__(self, names: Sequence[str], schema: pyarrow.Schema, forgets: bool) -> None:
        """``schema`` is that of the events."""
        self._names = list(dict.fromkeys(names))
        self.schema = pyarrow.schema([(name, _plain_type(schema.field(name).type)) for name in self._names])
        self._forgets = forgets
        self._kept: deque[tuple[int, Times, pyarrow.RecordBatch]] = deque()
        self._table: pyarrow.Table | None = None

    def keep(self, batch: EncodedBatch, starts: Times, least: Times) -> None:
        """Know a batch, and forget events before its windows: of their ``starts``, windows begin at ``least``."""
        if not self._names or not len(batch):
            return
        while self._forgets and self._kept and self._kept[0][1][-1] < least[0]:
            self._kept.popleft()
        columns = [_plain(batch.batch.column(name)) for name in self._names]
        self._kept.append((batch.first_position, starts, pyarrow.record_batch(columns, schema=self.schema)))
        self._table = None

    def values(self, name: str, positions: pyarrow.Array) -> pyarrow.Array:
        """The values of a column at these positions (int64)."""
        if self._table is None:
            self._table = pyarrow.Table.from_batches([batch for _, _, batch in self._kept]).combine_chunks()
        places = pyarrow.compute.subtract(positions, self._kept[0][0])
        return self._table.column(name).take(places).combine_chunks()


def _plain(column: pyarrow.Array) -> pyarrow.Array:
    return column.dictionary_decode() if isinstance(column, pyarrow.DictionaryArray) else column


def _plain_type(type_: pyarrow.DataType) -> pyarrow.DataType:
    return type_.value_type if pyarrow.types.is_dictionary(type_) else type_
