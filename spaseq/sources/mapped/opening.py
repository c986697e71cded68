"""Which tables are mapped: what stands in a file as text has the types that the mapping casts it to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow

from gpm.algebra import XSD
from spaseq.errors import StreamError
from spaseq.pattern.mappings import Mapping
from spaseq.sources.files import check_followed, check_path, live_source, shown, table_files
from spaseq.sources.incoming import Incoming
from spaseq.sources.tables.opening import FileReading, declared_members, is_text, opened_as
from spaseq.sources.tables.source import CsvFormat, LeaveOut, TableSource, Types, check_csv, check_declared, declared

_CAST_TO = {
    f"<{XSD}decimal>": pyarrow.decimal128(38, 18),  # as decimals of RDF are kept
    f"<{XSD}integer>": pyarrow.int64(),
    f"<{XSD}double>": pyarrow.float64(),
    f"<{XSD}boolean>": pyarrow.bool_(),
    f"<{XSD}string>": pyarrow.string(),
}


def cast_types(mapping: Mapping) -> dict[str, pyarrow.DataType]:
    """The types by column that values in text have: a mapping casts them to these, or reads their text as a time."""
    types = {column: _CAST_TO[name] for column, name in mapping.casts(_CAST_TO).items()}
    path = mapping.asked.get(mapping.time.variable)
    return types if mapping.time.form is None or path is None else types | {path: pyarrow.string()}


def decimal_casts(mapping: Mapping) -> dict[str, pyarrow.DataType]:
    """Those that are decimals, which are exact in numbers and in texts, however a row is written."""
    return {column: type_ for column, type_ in cast_types(mapping).items() if pyarrow.types.is_decimal(type_)}


class TableFormat(NamedTuple):
    """How a table is read: declared ``types``, how CSV is written, who is told of lines that are left out."""

    types: Types | None = None
    csv: CsvFormat | None = None
    leave_out: LeaveOut | None = None


def mapped_source(data: Any, mapping: Mapping, how: TableFormat = TableFormat()) -> TableSource:
    """A table for a mapping; ``data``, what is said of it and errors are as of ``open_source``.

    A column of text whose values a mapping only casts is read as of that type, unless another one is declared: so
    decimals are exact, and a value of another form is an error in its place.
    """
    check_csv(how.csv)
    known = declared(how.types)
    if is_text(data):
        known = cast_types(mapping) | known
    source = opened_as(data, FileReading(known, how.csv or CsvFormat(), how.leave_out, tells_pauses=True))
    check_declared(how.types, (*source.names, *declared_members(source, how.types)))
    return source


def tables_of(path: str | os.PathLike[str], follow: bool) -> Iterator[tuple[str, Incoming | None]]:
    """The files that a path means, in order of their names; with what comes, of those that may fall silent.

    ``follow``: the path is one of a file, which is read as it grows.  StreamError: there is none, or it cannot be read.
    """
    name = os.fspath(path)
    check_path(name)
    if follow:
        check_followed(name)
    for file in table_files(name):
        is_live = is_text(file)
        if follow and not is_live:
            raise StreamError(f"{shown(file)} cannot be followed as it grows: it is no text")
        yield file, live_source(file, follow) if is_live else None
