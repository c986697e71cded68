"""The rows that results pick, with the number of the result and the variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.errors import OptionError
from spaseq.tuples.columns.merge import STREAM
from spaseq.tuples.encoding.past import Past
from spaseq.tuples.selection.names import free


def picked_rows(results: Iterable[pyarrow.RecordBatch], variables: Sequence[str], past: Past) -> pyarrow.Table:
    """A row for each event that a variable holds, by result, variable and position.

    ``results`` have start, end, positions, and the positions of each of the ``variables``; ``past`` has their rows.
    """
    schema = _schema(past.schema)
    return pyarrow.Table.from_batches(_picked(results, variables, past, schema), schema)


def _picked(
    results: Iterable[pyarrow.RecordBatch], variables: Sequence[str], past: Past, schema: pyarrow.Schema
) -> Iterator[pyarrow.RecordBatch]:
    before = 0
    for batch in results:
        lists = batch.columns[3:]
        numbers = np.concatenate([pyarrow.compute.list_parent_indices(each).to_numpy() for each in lists])
        held = np.repeat(np.arange(len(variables), dtype=np.int32), [len(each.flatten()) for each in lists])
        positions = np.concatenate([each.flatten().to_numpy() for each in lists])
        order = np.argsort(numbers, kind="stable")
        names = pyarrow.DictionaryArray.from_arrays(held[order], pyarrow.array(variables, pyarrow.string()))
        where = pyarrow.array(positions[order])
        values = [past.values(name, where) for name in past.schema.names]
        columns = [pyarrow.array(before + numbers[order]), names.dictionary_decode(), where, *values]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)
        before += batch.num_rows


def _schema(source: pyarrow.Schema) -> pyarrow.Schema:
    """The schema of the rows; the streams that were merged are a column with that name."""
    names = [free("stream", source.names) if name == STREAM else name for name in source.names]
    own = {"result": pyarrow.int64(), "variable": pyarrow.string(), "position": pyarrow.int64()}
    fields = [pyarrow.field(name, field.type) for name, field in zip(names, source, strict=True)]
    return pyarrow.schema([*((free(name, names), type_) for name, type_ in own.items()), *fields])


def check_readable_again(source: Any) -> None:
    """OptionError if a source, or one of several, is used up when it has been read."""
    for data in source.values() if isinstance(source, Mapping) else [source]:
        is_file = isinstance(data, str | Path)
        if is_file and Path(data).is_file():
            continue
        if is_file or isinstance(data, Iterator) or hasattr(data, "read") or hasattr(data, "read_next_batch"):
            hint = "give a file, a table, a frame or a list of rows"
            raise OptionError(
                f"rows() reads the source once more, but {_described(data)} can be read only once; {hint}"
            )


def _described(data: Any) -> str:
    return str(data) if isinstance(data, str | Path) else f"a {type(data).__name__}"
