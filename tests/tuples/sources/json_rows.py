"""JSON lines as tests read them."""

from __future__ import annotations

import io
from typing import Any, NamedTuple
from unittest.mock import patch

from spaseq.errors import SpaseqError, StreamError
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.opening import open_source
from spaseq.sources.tables.source import Types
from spaseq.sources.tables.types import column_named, exact_name


class Read(NamedTuple):
    """What a source has: types by column, rows as dictionaries, and what was said."""

    types: dict[str, str]
    rows: list[dict[str, Any]]
    said: list[str]


def read(data: Any, types: Types | None = None, columns: list[str] | None = None, skip: bool = False) -> Read:
    """All that a source has, its values as they are; bytes are those of a file.  It ends with an error."""
    rows: list[dict[str, Any]] = []
    left_out: list[StreamError] = []
    known: dict[str, str] = {}
    said = []
    try:
        stream = io.BytesIO(data) if isinstance(data, bytes) else data
        source = open_source(stream, types, None, left_out.append if skip else None)
        schema = source.choose([exact_name(name) for name in columns or source.names])
        known = {column_named(field.name): str(field.type).replace(_CODED, "string") for field in schema}
        for batch in source.batches():
            values = batch.rename_columns(list(known)).to_pylist()
            assert len(values) == batch.num_rows
            rows += values
    except SpaseqError as error:
        said = [str(error)]
    return Read(known, rows, [str(error) for error in left_out] + said)


def one_by_one(data: Any, *arguments: Any, **options: Any) -> Read:
    """The same, of which Arrow reads nothing."""
    decoded = patch("spaseq.sources.tables.json_lines.sampled_by_arrow", return_value=None)
    with decoded, patch.object(JsonSource, "_quick", return_value=None):
        return read(data, *arguments, **options)


_CODED = "dictionary<values=string, indices=int32, ordered=0>"
