"""Which tables are mapped: what stands in a file as text has the types that the mapping casts it to."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping as Mappings
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import pyarrow

from gpm.algebra import XSD
from spaseq.errors import StreamError
from spaseq.pattern.mappings import Mapping
from spaseq.sources.files import check_followed, check_path, live_source, shown, table_files
from spaseq.sources.incoming import Incoming
from spaseq.sources.mapped.known_types import KnownTypes
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
    lists, casts = {one.path for one in mapping.each}, mapping.casts(_CAST_TO)
    to = {column: _CAST_TO[name] for column, name in casts.items()}
    types = {column: pyarrow.list_(type_) if column in lists else type_ for column, type_ in to.items()}
    path = mapping.asked.get(mapping.time.variable)
    return types if mapping.time.form is None or path is None else types | {path: pyarrow.string()}


def message_types(
    mapping: Mapping, types: Mappings[str, pyarrow.DataType], is_csv: bool
) -> dict[str, pyarrow.DataType]:
    """The types by column of rows in messages: those that are declared, and those that the mapping casts them to.

    In CSV values are texts, which have these types.  Elsewhere decimals have them, which are exact in numbers and in
    texts, however a row is written.
    """
    casts = cast_types(mapping)
    return {name: type_ for name, type_ in casts.items() if is_csv or pyarrow.types.is_decimal(_of_each(type_))} | {
        **types
    }


def _of_each(type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type of the elements of a list, else the type itself."""
    return type_.value_type if pyarrow.types.is_list(type_) else type_


def nested_types(types: Mappings[str, pyarrow.DataType], mapping: Mapping) -> dict[str, pyarrow.DataType]:
    """Types of whole columns, of those of their members by path; what the mapping has elements of are lists."""
    lists = {one.path for one in mapping.each}
    found = dict[str, pyarrow.DataType]()
    for name in dict.fromkeys(path.partition(".")[0] for path in types):
        found[name] = types.get(name) or _object_type(name, types, lists)
    return found


def _object_type(path: str, types: Mappings[str, pyarrow.DataType], lists: Collection[str]) -> pyarrow.DataType:
    begin = f"{path}."
    names = dict.fromkeys(one[len(begin) :].partition(".")[0] for one in types if one.startswith(begin))
    members = [(name, types.get(begin + name) or _object_type(begin + name, types, lists)) for name in names]
    return pyarrow.list_(pyarrow.struct(members)) if path in lists else pyarrow.struct(members)


class TableFormat(NamedTuple):
    """How a table is read: declared ``types``, how CSV is written, who is told of lines that are left out.

    ``known`` are the types of its stream, which an earlier run may have inferred.
    """

    types: Types | None = None
    csv: CsvFormat | None = None
    leave_out: LeaveOut | None = None
    known: KnownTypes | None = None

    def reading(self, name: str, source: TableSource) -> AbstractContextManager[None]:
        """Within, a table of this name is read."""
        return nullcontext() if self.known is None else self.known.reading(name, source)


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
