"""The oracle's events as tables, and what ``match`` finds in them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow

from spaseq.tuples import match
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import ATTRIBUTES, Pair
from tests.oracle.ceql.text import to_text


def table_of(pair: Pair, rows: int | None = None) -> pyarrow.Table:
    """The events of a pair as a table in parts of so many rows; a column that is NULL throughout is one of numbers."""
    arrays = {
        "type": pyarrow.array([event.type for event in pair.events], pyarrow.string()),
        "time": pyarrow.array([event.time for event in pair.events], pyarrow.int64()),
    }
    for name in (*ATTRIBUTES, "value"):
        values = [event.attributes.get(name) for event in pair.events]
        arrays[name] = pyarrow.array(values, pyarrow.string() if name == "name" else pyarrow.float64())
    table = pyarrow.table(arrays)
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)


def answers(pair: Pair, rows: int | None = None) -> Iterator[ComplexEvent]:
    """The results of the pair's query in that table."""
    for batch in match(to_text(pair.query), table_of(pair, rows), time="time"):
        for row in batch.to_pylist():
            yield ComplexEvent(row["start"], row["end"], frozenset(row["positions"]))
