"""The oracle's events as tables, and what ``match`` finds in them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pyarrow

from spaseq.tuples import match
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import ATTRIBUTES, Pair
from tests.oracle.ceql.text import to_text


def table_of(pair: Pair, rows: int | None = None, integers: Collection[str] = ()) -> pyarrow.Table:
    """The events of a pair as a table in parts of so many rows; numbers are doubles but in the columns ``integers``."""
    arrays = {
        "type": pyarrow.array([event.type for event in pair.events], pyarrow.string()),
        "time": pyarrow.array([event.time for event in pair.events], pyarrow.int64()),
    }
    for name in (*ATTRIBUTES, "value"):
        values = [event.attributes.get(name) for event in pair.events]
        number = pyarrow.int64() if name in integers else pyarrow.float64()
        arrays[name] = pyarrow.array(values, pyarrow.string() if name == "name" else number)
    table = pyarrow.table(arrays)
    return pyarrow.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)


def answers(pair: Pair, rows: int | None = None, integers: Collection[str] = ()) -> Iterator[ComplexEvent]:
    """The results of the pair's query in that table."""
    for batch in match(to_text(pair.query), table_of(pair, rows, integers), time="time"):
        for row in batch.to_pylist():
            yield ComplexEvent(row["start"], row["end"], frozenset(row["positions"]))
