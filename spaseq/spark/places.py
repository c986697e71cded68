"""What errors of a task call a row: where it is, and what it says of itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow

from spaseq.errors import shortened

SHOWN = 4  # columns of a row that is no event


def task_name() -> str:
    """The part of the input that this task has: its number in Spark, where there is one."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return "<rows>" if context is None else f"<partition {context.partitionId()}>"


def event_place(batch: pyarrow.RecordBatch, row: int, before: int) -> str:
    """The place of a row of a batch of events, which came after so many others: with its stream, time and event."""
    names = batch.schema.names
    own = {name: batch[name][row] for name in ("stream", "time", "event") if name in names}
    told = [shortened(str(_shown(value))) for value in own.values() if value.is_valid]
    return _place(row + before, told)


def row_place(batch: pyarrow.RecordBatch, row: int, before: int) -> str:
    """The same of a row of any table: with the values of its first columns."""
    own = [(name, batch[name][row]) for name in batch.schema.names]
    told = [f"{name} {shortened(str(_shown(value)))}" for name, value in own if value.is_valid]
    return _place(row + before, told[:SHOWN])


def _place(row: int, told: list[str]) -> str:
    values = f" ({', '.join(told)})" if told else ""
    return f"{task_name()}, row {row}{values}"


def _shown(value: pyarrow.Scalar) -> Any:
    if pyarrow.types.is_timestamp(value.type) and value.type.unit == "us":
        return _instant(value.value)
    return value.as_py()


def _instant(microseconds: int) -> str:
    """A time as text; one beyond the years of datetime as its number."""
    try:
        found = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    except OverflowError:
        return f"{microseconds} µs"
    return found.isoformat().replace("+00:00", "Z")
