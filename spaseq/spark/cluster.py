"""Where jobs run: Java and the session of the driver, and stages on executors, whose errors name their rows."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow

from spaseq.errors import OptionError, shortened
from spaseq.memory import keep_freed_blocks

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
PARTITIONS = "spark.sql.shuffle.partitions"
PARTITIONS_EACH = 2  # shuffle partitions for each core
STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_INSTALL = f"install it (as with: apt install openjdk-{LEAST_JAVA}-jre-headless), or set JAVA_HOME"
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def check_java() -> str:
    """The program ``java``, of JAVA_HOME or on the PATH.  OptionError: there is none, or it is too old for Spark."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME ({home})" if home else "on the PATH"
        raise OptionError(f"Spark needs Java {LEAST_JAVA} or later, and there is none {where}: {_INSTALL}")
    version = _java_version(java)
    if version is None:
        raise OptionError(f"{java} does not say its version; Spark needs Java {LEAST_JAVA} or later: {_INSTALL}")
    if version < LEAST_JAVA:
        raise OptionError(f"{java} is Java {version}, and Spark needs {LEAST_JAVA} or later: {_INSTALL}")
    return java


def _java_version(java: str) -> int | None:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(told.stderr + told.stdout)
    return int(found[1]) if found else None


def shuffle_partitions(spark: SparkSession) -> int:
    """How many partitions rows are shuffled into."""
    return int(spark.conf.get(PARTITIONS) or 200)


def start_session(master: str, name: str, settings: Mapping[str, str]) -> SparkSession:
    """A session with SETTINGS and others, whose Python is this one; a new one has twice as many partitions as cores.

    OptionError: there is no Java that Spark can use.
    """
    check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    is_new = SparkSession.getActiveSession() is None
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in {**SETTINGS, **settings}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    if is_new and PARTITIONS not in settings:
        cores = session.sparkContext.defaultParallelism
        session.conf.set(PARTITIONS, PARTITIONS_EACH * cores)
    return session


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
    return _place(row + before, _told(batch, row))


def input_place(batch: pyarrow.RecordBatch, partition: int, row: int) -> str:
    """The same of the one row of a batch, which had that number in a partition of the input."""
    return _place(row, _told(batch, 0), f"<partition {partition}>")


def _told(batch: pyarrow.RecordBatch, row: int) -> list[str]:
    own = [(name, batch[name][row]) for name in batch.schema.names]
    return [f"{name} {shortened(str(_shown(value)))}" for name, value in own if value.is_valid][:SHOWN]


def _place(row: int, told: list[str], task: str = "") -> str:
    values = f" ({', '.join(told)})" if told else ""
    return f"{task or task_name()}, row {row}{values}"


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
