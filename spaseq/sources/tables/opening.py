"""Which kind of source something is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.files import (
    CSV,
    GRAPHS,
    IPC,
    JSON_LINES,
    PARQUET,
    check_followed,
    check_path,
    ending_of,
    is_several,
    live_source,
    shown,
    table_files,
)
from spaseq.sources.incoming import Incoming
from spaseq.sources.source import is_url
from spaseq.sources.tables.csv import CsvSource, is_json
from spaseq.sources.tables.followed import FollowedFile
from spaseq.sources.tables.frames import ArrowSource, DictionarySource, PandasSource, arrow_source
from spaseq.sources.tables.ipc import IpcSource
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.json_text import AS_LINES
from spaseq.sources.tables.message_rows import MessageRows, rows_of_messages
from spaseq.sources.tables.parquet import ParquetSource
from spaseq.sources.tables.raw import TableBytes
from spaseq.sources.tables.several import FilesInTurn, FileSource
from spaseq.sources.tables.source import CsvFormat, LeaveOut, TableSource, Types, check_csv, check_declared, declared
from spaseq.sources.transports.transport import Transport


class FileReading(NamedTuple):
    """How tables are read: declared types, how CSV is written, and who is told of lines that are left out.

    ``tells_pauses``: what comes as it is written gives a batch without rows when nothing is there.
    """

    types: dict[str, pyarrow.DataType]
    csv: CsvFormat
    leave_out: LeaveOut | None = None
    tells_pauses: bool = False


def open_source(
    data: Any, types: Types | None = None, csv: CsvFormat | None = None, leave_out: LeaveOut | None = None
) -> TableSource:
    """A source of what ``data`` is.

    A path of a CSV file, of JSON lines (both with ``.gz`` or ``.zst``, too), of Parquet or of Arrow IPC, by its ending,
    else CSV or JSON lines, by its content; a folder or a pattern of such files, in order of their names; a binary
    stream of CSV or JSON lines; Arrow tables, batches and readers, data frames of pandas and polars and whatever has
    Arrow's C stream, and iterables of dictionaries.  ``types`` declares types of columns, ``leave_out`` is told of
    malformed lines of JSON (None: they are errors).  OptionError for anything else, StreamError for a file that cannot
    be read.
    """
    check_csv(csv)
    source = opened(data, declared(types), csv or CsvFormat(), leave_out)
    check_declared(types, (*source.names, *declared_members(source, types)))
    return source


def declared_members(source: TableSource, types: Types | None) -> list[str]:
    """Those of the declared names that are members of objects in JSON, by the paths to them."""
    has_members = isinstance(source, FilesInTurn | MessageRows) and source.has_members
    if not (has_members or isinstance(source, JsonSource)):
        return []
    return [name for name in types or () if name.partition(".")[0] in source.names]


def opened(
    data: Any, types: dict[str, pyarrow.DataType], csv: CsvFormat, leave_out: LeaveOut | None = None
) -> TableSource:
    """The source of ``data``; OptionError if it is nothing that has tuples."""
    return opened_as(data, FileReading(types, csv, leave_out))


def opened_as(data: Any, reading: FileReading) -> TableSource:
    """The same, read as is said."""
    types = reading.types
    data = piped(data)
    if (transport := messages_of(data)) is not None:
        return rows_of_messages(transport, types, reading.csv)
    if isinstance(data, str | Path):
        return _of_path(data, reading)
    if isinstance(data, Incoming) or hasattr(data, "read"):
        return _of_bytes(TableBytes(data, reading.tells_pauses), reading, None)
    package = type(data).__module__.partition(".")[0]
    if package == "pandas":
        return PandasSource(data, types)
    if package == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if isinstance(data, pyarrow.Table | pyarrow.RecordBatch | pyarrow.RecordBatchReader) or _has_c_stream(data):
        return arrow_source(data, types)
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        return _from_iterable(data, types)
    raise OptionError(f"tuples come from files, tables, frames or dictionaries, not from {type(data).__name__}")


def piped(data: Any, follow: bool = False) -> Any:
    """What comes through a pipe, a URL or a transport, where ``data`` is that: others need not wait until it is read.

    ``follow``: so does what stands in a file.  Anything else is ``data``.  OptionError, StreamError: it cannot be
    followed.
    """
    if isinstance(data, Transport):
        return Incoming(data, data.url)
    if not isinstance(data, str | Path):
        return data
    check_path(str(data))
    if follow:
        check_followed(data)
    if is_several(data) or (not is_url(str(data)) and Path(data).suffix.lower() in (*PARQUET, *IPC)):
        if follow:
            raise StreamError(f"{shown(str(data))} cannot be followed as it grows: it is no text")
        return data
    return live_source(str(data), follow) or data


def messages_of(data: Any) -> Transport | None:
    """What comes in messages, of what is ``piped``; None: it does not."""
    source = data.source if isinstance(data, Incoming) else None
    return source if isinstance(source, Transport) and source.comes_in_messages else None


def followed(incoming: Incoming, reading: FileReading) -> FollowedFile:
    """A table that stands in a file that grows, and in those that replace it.  Errors as of ``open_source``."""

    def open_one(path: str, like: FileSource | None) -> FileSource:
        return _of_bytes(TableBytes(incoming, tells_pauses=True), reading, like)

    return FollowedFile(incoming, open_one, reading.csv.names is None)


def is_text(data: Any) -> bool:
    """Whether values are written as texts, so that what is declared says which type they have."""
    if isinstance(data, str | Path):
        return ending_of(data) not in (*PARQUET, *IPC)
    return isinstance(data, Incoming) or hasattr(data, "read")


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────
def _of_path(path: str | Path, reading: FileReading) -> TableSource:
    files = table_files(path)
    open_one = partial(_of_file, reading=reading)
    return open_one(files[0], None) if len(files) == 1 else FilesInTurn(files, open_one)


def _of_file(path: str, like: FileSource | None, reading: FileReading) -> FileSource:
    if Path(path).suffix.lower() in PARQUET:
        return ParquetSource(path, reading.types)
    if Path(path).suffix.lower() in IPC:
        return IpcSource(path, reading.types)
    if ending_of(path) in GRAPHS:
        raise StreamError("this is RDF, whose events are graphs and no rows of a table", Location(path))
    if ending_of(path) == ".json":
        hint = f"if it has such lines, its name should end in .jsonl; else {AS_LINES.format(path)} makes such a file"
        raise StreamError("of JSON one object a line is read (.jsonl), and this is .json", Location(path), hint=hint)
    return _of_bytes(TableBytes(path), reading, like)


def _of_bytes(raw: TableBytes, reading: FileReading, like: FileSource | None) -> CsvSource | JsonSource:
    """JSON lines or CSV: the name of a file says which of them, or how they begin."""
    beginning, ending = raw.beginning(), ending_of(raw.url)
    if ending in JSON_LINES or (ending not in CSV and is_json(beginning)):
        return JsonSource(raw, reading.types, reading.leave_out, like if isinstance(like, JsonSource) else None)
    return CsvSource(raw, reading.types, reading.csv, reading.leave_out)


# ── what is in memory ────────────────────────────────────────────────────────────────────────────────────
def _from_iterable(data: Iterable[Any], types: dict[str, pyarrow.DataType]) -> TableSource:
    """Record batches or dictionaries: the first one tells."""
    items = iter(data)
    begin = list(islice(items, 1))
    if begin and isinstance(begin[0], pyarrow.RecordBatch):
        return ArrowSource(begin[0].schema, chain(begin, items), types)
    return DictionarySource(chain(begin, items), types)


def _has_c_stream(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__")
