"""Which engine of a job a row goes to, and which rows matter to none."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute

from spaseq.pattern.formulas.query import EventWindow, FormulaQuery, SelectionStrategy
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.spark.tuples.reading import TableReading
from spaseq.tuples.columns.vectors import Mask
from spaseq.tuples.encoding.symbols import Symbols
from spaseq.tuples.prepared import atoms_of

Buckets = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class RowRouter:
    """Routes rows in the types in which engines read them; ``keys``: they are cut by these into ``buckets``."""

    def __init__(self, reading: TableReading, keys: tuple[str, ...], buckets: int) -> None:
        query, options = reading.query.query, reading.options
        plan = reading.query.plan_for(reading.usual)
        own = query.streams[0] if options.stream is None and query.streams else None
        type_column = None if options.relation is not None else options.type or "type"
        self._streams = query.streams if options.stream is not None else ()
        self._stream_column = options.stream
        self._counts = counts_rows(query, plan)
        self._keys, self._buckets = keys, buckets
        self._symbols = Symbols(
            atoms_of(plan, own), reading.usual, type_column=type_column, relation=options.relation,
            stream_column=options.stream,
        )  # fmt: skip

    def route(self, rows: pyarrow.RecordBatch) -> Iterator[tuple[int, Places]]:
        """The numbers of the engines that rows go to, each with the places of its rows, rising."""
        used = self._used(rows)
        if not self._keys:
            if used.any():
                yield 0, np.flatnonzero(used)
            return
        used &= np.logical_and.reduce([rows[key].is_valid().to_numpy(zero_copy_only=False) for key in self._keys])
        places = np.flatnonzero(used)
        buckets = buckets_of([rows[key].take(pyarrow.array(places)) for key in self._keys], self._buckets)
        order = np.argsort(buckets, kind="stable")
        found, begins = np.unique(buckets[order], return_index=True)
        for bucket, begin, end in zip(found.tolist(), begins, np.append(begins, len(order))[1:], strict=True):
            yield bucket, places[order[begin:end]]

    def _used(self, rows: pyarrow.RecordBatch) -> Mask:
        """The rows of the streams that there are which an atom matches, or that count."""
        used = np.ones(len(rows), np.bool_)
        if self._streams:
            chosen = pyarrow.compute.is_in(rows[self._stream_column], pyarrow.array(self._streams))
            used &= chosen.to_numpy(zero_copy_only=False)
        if not self._counts:
            symbols = self._symbols.number(rows)
            used &= np.array(self._symbols.masks, object).astype(np.bool_)[symbols]
        return used


def counts_rows(query: FormulaQuery, plan: RecognitionPlan) -> bool:
    """Whether rows matter that no atom matches: what follows directly on what, and how many are in a window."""
    if isinstance(query.window, EventWindow) or query.strategy is SelectionStrategy.STRICT:
        return True
    return any(state.directly_after for state in plan.automaton.states)


def buckets_of(keys: list[pyarrow.Array], buckets: int) -> Buckets:
    """The bucket of each key (n), whose parts are columns of usual types without NULL."""
    mixed: Buckets = np.zeros(len(keys[0]), np.uint64)
    for column in keys:
        mixed = (mixed ^ _hashes(column)) * _FACTORS[0]
        mixed ^= mixed >> np.uint64(32)
    return mixed % np.uint64(buckets)


def _hashes(column: pyarrow.Array) -> Buckets:
    """A number for each value (n), equal wherever values are."""
    if pyarrow.types.is_string(column.type):
        column = column.dictionary_encode()
    if pyarrow.types.is_dictionary(column.type):
        known = [crc32((text or "").encode()) for text in column.dictionary.to_pylist()]
        values: Buckets = np.array([*known, 0], np.uint64)[column.indices.to_numpy()]
    elif pyarrow.types.is_floating(column.type):
        values = (column.to_numpy() + 0.0).view(np.uint64)
    else:
        values = column.cast(pyarrow.int64()).to_numpy().view(np.uint64)
    mixed: Buckets = (values ^ (values >> np.uint64(31))) * _FACTORS[1]
    mixed ^= mixed >> np.uint64(29)
    return mixed
