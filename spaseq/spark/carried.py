"""What goes to executors: before anything of this package is unpickled there, a worker looks whether it has it.

Without that a worker without SPAseq, or with another version, fails somewhere in pickle or pyarrow.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.metadata import version
from types import FunctionType
from typing import TypeAlias

import pyarrow

from spaseq.allocator import keep_freed_blocks

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
