"""Which tables are mapped: what stands in a file as text has the types that the mapping casts it to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow

from gpm.algebra import XSD
from spaseq.errors import StreamError
from spaseq.pattern.mappings import Mapping
from spaseq.sources.files import check_followed, check_path, live_source, shown, tables_at
from spaseq.sources.incoming import Incoming
from spaseq.sources.tables.opening import is_parquet, is_text, opened
from spaseq.sources.tables.source import CsvFormat, TableSource, Types, check_csv, check_declared, declared

_CAST_TO = {
    f"<{XSD}decimal>": pyarrow.decimal128(38, 18),  # as decimals of RDF are kept
    f"<{XSD}integer>": pyarrow.int64(),
    f"<{XSD}double>": pyarrow.float64(),
    f"<{XSD}boolean>": pyarrow.bool_(),
    f"<{XSD}string>": pyarrow.string(),
}


def cast_types(mapping: Mapping) -> dict[str, pyarrow.DataType]:
    """The types by column that values in text have, as a mapping casts them to these and does nothing else."""
    return {column: _CAST_TO[name] for column, name in mapping.casts(_CAST_TO).items()}


def mapped_source(data: Any, mapping: Mapping, types: Types | None = None, csv: CsvFormat | None = None) -> TableSource:
    """A table for a mapping; ``data``, ``types`` and errors are as of ``open_source``.

    A column of text whose values a mapping only casts is read as of that type, unless another one is declared: so
    decimals are exact, and a value of another form is an error in its place.
    """
    check_csv(csv)
    known = declared(types)
    if is_text(data):
        known = cast_types(mapping) | known
    source = opened(data, known, csv or CsvFormat(), tells_pauses=True)
    check_declared(types, source.names)
    return source


def tables_of(path: str | os.PathLike[str], follow: bool) -> Iterator[tuple[str, Incoming | None]]:
    """The files that a path means, in order of their names; with what comes, of those that may fall silent.

    ``follow``: the path is one of a file, which is read as it grows.  StreamError: there is none, or it cannot be read.
    """
    name = os.fspath(path)
    check_path(name)
    if follow:
        check_followed(name)
    for file in tables_at(name):
        if follow and is_parquet(file):
            raise StreamError(f"{shown(file)} cannot be followed as it grows: it is no text")
        yield file, None if is_parquet(file) else live_source(file, follow)
