"""Texts as numbers: equal ones for equal texts."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt
import pyarrow

from spaseq.pattern.formulas.predicates import Attribute, Value
from spaseq.tuples.columns.predicates import coded
from spaseq.tuples.columns.vectors import Mask


def numbered(
    value: Value, batch: pyarrow.RecordBatch, known: defaultdict[str | None, int]
) -> tuple[npt.NDArray[np.int64], Mask]:
    """The numbers of an attribute's texts (n), from 1 on; and where it has some.  New ones become ``known``."""
    assert isinstance(value, Attribute)
    column = batch.column(value.name)
    if not isinstance(column, pyarrow.DictionaryArray):
        column = column.cast(pyarrow.string()).dictionary_encode()
    codes, values = coded(column)
    found = np.array([0 if text is None else known[text] for text in values.to_pylist()], np.int64)[codes]
    return found, found > 0
