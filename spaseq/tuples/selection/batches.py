"""Results of the recognizer as record batches, whose columns share its memory where they can."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.events.recognizer import ComplexEvents

Integers = npt.NDArray[np.int64]
TOGETHER = 1 << 14  # lists for which offsets are made in advance


def record_batch(
    found: ComplexEvents, variables: Sequence[str], shown: Sequence[frozenset[str]], schema: pyarrow.Schema
) -> pyarrow.RecordBatch:
    """A row for each result: its start, its end, all its positions, and those that each of the variables holds.

    ``shown`` are the variables that hold what is picked in a state, for each state.
    """
    if found.columns is not None:
        columns = _of_chain(found, found.columns, _held_states(tuple(variables), tuple(shown)))
    else:
        whole = pyarrow.ListArray.from_arrays(_offsets(found.offsets), found.positions)
        columns = [found.starts, found.ends, whole, *(_held(found, name, shown) for name in variables)]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


@lru_cache(maxsize=64)
def _held_states(variables: tuple[str, ...], shown: tuple[frozenset[str], ...]) -> tuple[tuple[int, ...], ...]:
    """For each of the variables the states whose picks it holds."""
    return tuple(tuple(number for number, names in enumerate(shown) if name in names) for name in variables)


def _of_chain(found: ComplexEvents, columns: Integers, held: Sequence[tuple[int, ...]]) -> list[pyarrow.Array]:
    """The columns of results that have one pick of each state, in this order."""
    states, apart = columns.shape
    count = len(found.starts)
    everything = _integers(columns.reshape(-1))
    single = _lists(1, states * apart, everything)  # parts of one array cost less than arrays
    variables = (
        single.slice(some[0] * apart, count)
        if len(some) == 1
        else _lists(len(some), count, _integers(columns[list(some), :count].T.ravel()))
        for some in held
    )
    starts, ends = everything.slice(0, count), everything.slice((states - 1) * apart, count)
    return [starts, ends, _lists(states, count, _integers(found.positions)), *variables]


def _lists(each: int, count: int, values: pyarrow.Array) -> pyarrow.ListArray:
    """So many lists with so many values each."""
    return pyarrow.ListArray.from_arrays(_even_offsets(each, count), values)


def _held(found: ComplexEvents, variable: str, shown: Sequence[frozenset[str]]) -> pyarrow.ListArray:
    """The positions of each result that a variable holds."""
    holds = np.array([variable in names for names in shown], np.bool_)[found.states]
    before = np.concatenate([[0], np.cumsum(holds)])
    return pyarrow.ListArray.from_arrays(_offsets(before[found.offsets]), found.positions[holds])


def _integers(values: Integers) -> pyarrow.Array:
    """An array of the same memory; ``pyarrow.array`` would take its time to look at the values' kind."""
    return pyarrow.Array.from_buffers(pyarrow.int64(), values.size, [None, pyarrow.py_buffer(values)])


def _offsets(values: Integers) -> pyarrow.Array:
    return pyarrow.array(values.astype(np.int32))


@lru_cache(maxsize=64)
def _even_offsets(each: int, count: int) -> pyarrow.Array:
    """Offsets of so many lists with so many values each."""
    return _many_offsets(each, max(TOGETHER, 1 << count.bit_length()))[: count + 1]


@lru_cache(maxsize=64)
def _many_offsets(each: int, count: int) -> pyarrow.Array:
    return _offsets(np.arange(count + 1) * each)
