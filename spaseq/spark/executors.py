"""What runs on executors: stages that are sent to them, and how errors of a task name its rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version
from types import FunctionType
from typing import Any, TypeAlias

import pyarrow

from spaseq.errors import shortened
from spaseq.memory import keep_freed_blocks

Stage: TypeAlias = "Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]"


def carried(stage: Stage) -> Stage:
    """The same stage for ``mapInArrow``.  RuntimeError, in the worker: it has no SPAseq of this version."""
    return partial(_by_value(_checked), version("spaseq"), pickle.dumps(at_work(stage)))


def at_work(stage: Stage) -> Stage:
    """The same stage, in a worker that uses its memory again from batch to batch."""
    return partial(_at_work, stage)


def _at_work(stage: Stage, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    keep_freed_blocks()
    return stage(batches)


def _checked(wanted: str, stage: bytes, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Runs where this module may be missing, so it has all that it needs in itself."""
    import pickle
    import sys
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = f"SPAseq {version('spaseq')}"
    except PackageNotFoundError:
        found = "no SPAseq"
    if found != f"SPAseq {wanted}":
        raise RuntimeError(f"a worker of Spark ({sys.executable}) has {found}, the driver has {wanted}: install that")
    result: Iterator[pyarrow.RecordBatch] = pickle.loads(stage)(batches)
    return result


def _by_value(function: Callable[..., object]) -> FunctionType:
    """A copy that pickles with its code: of functions of ``__main__`` nobody expects workers to know them."""
    assert isinstance(function, FunctionType)
    copy = FunctionType(function.__code__, {"__builtins__": __builtins__}, function.__name__)
    copy.__module__ = "__main__"
    return copy


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
