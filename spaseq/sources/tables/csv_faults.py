"""Which rows of some CSV are malformed, where Arrow refuses all of them because of one.

Arrow judges.  A look at the values comes before, so that it need not be asked about all parts of parts of the rows.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.sources.tables.types import times_of

Faults: TypeAlias = dict[int, pyarrow.ArrowInvalid]  # what is wrong with rows, by their places
Read: TypeAlias = Callable[[bytes], list[pyarrow.RecordBatch]]  # raises ArrowInvalid: a row is malformed
Cast: TypeAlias = Callable[[pyarrow.StringArray], pyarrow.Array]  # raises ArrowInvalid: a text is no value


def sorted_out(rows: Sequence[bytes], suspects: set[int], read: Read) -> tuple[list[pyarrow.RecordBatch], Faults]:
    """What the rows are that are well-formed, and what is wrong with the others; ``suspects`` most likely are."""
    faults: Faults = {}
    for at in sorted(suspects):
        faults |= _faults_between(rows, at, at + 1, read)
    good = [at for at in range(len(rows)) if at not in faults]
    try:
        return read(joined(rows, good)), faults
    except pyarrow.ArrowInvalid:
        found = _faults_between([rows[at] for at in good], 0, len(good), read)
        faults |= {good[at]: error for at, error in found.items()}
    return read(joined(rows, [at for at in good if at not in faults])), faults


def joined(rows: Sequence[bytes], chosen: Sequence[int]) -> bytes:
    """Some of the rows as CSV."""
    return b"".join(rows[at] + b"\n" for at in chosen)


def _faults_between(rows: Sequence[bytes], first: int, last: int, read: Read) -> Faults:
    """What is wrong with rows."""
    return dict(_refused(first, last, lambda begin, end: read(joined(rows, range(begin, end)))))


def _refused(first: int, last: int, look: Callable[[int, int], object]) -> Iterator[tuple[int, pyarrow.ArrowInvalid]]:
    """What Arrow refuses, one by one: those that it does together are halved, until it does not, or they are one."""
    open_ = [(first, last)]
    while open_:
        first, last = open_.pop()
        try:
            look(first, last)
        except pyarrow.ArrowInvalid as error:
            if last - first == 1:
                yield first, error
            else:
                middle = (first + last) // 2
                open_ += [(first, middle), (middle, last)]


def suspects(
    rows: Sequence[bytes], names: Sequence[str], kinds: Mapping[str, pyarrow.DataType | None],
    declared: Container[str], delimiter: str, nulls: Sequence[str],
) -> set[int]:  # fmt: skip
    """Rows that do not have a value for each column, or one that does not look like one of its type.

    Times whose type is ``declared`` have a zone or none.
    """
    values = [_values(row, delimiter) for row in rows]
    found = {at for at, row in enumerate(values) if len(row) != len(names)}
    fitting = [at for at in range(len(rows)) if at not in found]
    for name, kind in kinds.items():
        if kind is None or types.is_string(kind) or types.is_dictionary(kind):
            continue
        column = names.index(name)
        texts = [None if values[at][column] in nulls else values[at][column].strip() for at in fitting]
        is_free = name in declared and types.is_timestamp(kind)
        cast: Cast = partial(times_of, cut=True) if is_free else partial(pyarrow.compute.cast, target_type=kind)
        found |= {fitting[at] for at in _unlike(pyarrow.array(texts, pyarrow.string()), cast)}
    return found


def _values(row: bytes, delimiter: str) -> list[str]:
    """The values of a row; none if they cannot be told."""
    try:
        return next(csv.reader([row.decode()], delimiter=delimiter), [])
    except (csv.Error, UnicodeDecodeError):
        return []


def _unlike(texts: pyarrow.StringArray, cast: Cast) -> list[int]:
    """Where texts are no values of a type; each distinct one is looked at once."""
    coded = texts.dictionary_encode()
    unlike = np.zeros(len(coded.dictionary) + 1, np.bool_)  # the last one: NULL
    unlike[list(_distinct_unlike(coded.dictionary, cast))] = True
    places: list[int] = np.flatnonzero(unlike[coded.indices.fill_null(len(coded.dictionary)).to_numpy()]).tolist()
    return places


def _distinct_unlike(texts: pyarrow.StringArray, cast: Cast) -> Iterator[int]:
    """The same, text by text."""
    with suppress(pyarrow.ArrowNotImplementedError):
        for at, _ in _refused(0, len(texts), lambda begin, end: cast(texts.slice(begin, end - begin))):
            yield at
