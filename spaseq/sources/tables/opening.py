"""Which kind of source something is."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow

from spaseq.errors import OptionError
from spaseq.sources.files import check_path, live_source
from spaseq.sources.incoming import Incoming
from spaseq.sources.tables.csv import CsvSource, LiveCsvSource
from spaseq.sources.tables.frames import ArrowSource, DictionarySource, PandasSource, arrow_source
from spaseq.sources.tables.message_rows import rows_of_messages
from spaseq.sources.tables.parquet import ParquetSource
from spaseq.sources.tables.source import CsvFormat, TableSource, Types, check_csv, check_declared, declared
from spaseq.sources.transports.transport import Transport


def open_source(data: Any, types: Types | None = None, csv: CsvFormat | None = None) -> TableSource:
    """A source of what ``data`` is.

    A path of a CSV file (``.gz`` too) or Parquet file, a binary stream of CSV, Arrow tables, batches and readers, data
    frames of pandas and polars and whatever has Arrow's C stream, and iterables of dictionaries.  ``types`` declares
    types of columns.  OptionError for anything else, StreamError for a file that cannot be read.
    """
    check_csv(csv)
    source = opened(data, declared(types), csv or CsvFormat())
    check_declared(types, source.names)
    return source


def opened(data: Any, types: dict[str, pyarrow.DataType], csv: CsvFormat) -> TableSource:
    """The source of ``data``; OptionError if it is nothing that has tuples."""
    if isinstance(data, str | Path):
        data = piped(data)
    if isinstance(data, Transport):
        data = Incoming(data, data.url)
    if isinstance(data, Incoming) and isinstance(data.source, Transport) and data.source.comes_in_messages:
        return rows_of_messages(data.source, types, csv)
    if isinstance(data, Incoming):
        return LiveCsvSource(data, types, csv)
    if isinstance(data, str | Path):
        return ParquetSource(data, types) if _is_parquet(data) else CsvSource(data, types, csv)
    if hasattr(data, "read"):
        return CsvSource(data, types, csv)
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


def piped(data: Any) -> Any:
    """The opened pipe, where ``data`` is the path of one: others need not wait until it is read; else ``data``."""
    if not isinstance(data, str | Path):
        return data
    check_path(str(data))
    if _is_parquet(data):
        return data
    return live_source(str(data), follow=False) or data


def _is_parquet(path: str | Path) -> bool:
    return Path(path).suffix.lower() in (".parquet", ".pq")


def _from_iterable(data: Iterable[Any], types: dict[str, pyarrow.DataType]) -> TableSource:
    """Record batches or dictionaries: the first one tells."""
    items = iter(data)
    begin = list(islice(items, 1))
    if begin and isinstance(begin[0], pyarrow.RecordBatch):
        return ArrowSource(begin[0].schema, chain(begin, items), types)
    return DictionarySource(chain(begin, items), types)


def _has_c_stream(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__")
