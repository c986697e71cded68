"""Tables of rows for the parameters of a query: files, frames, Arrow, dictionaries.

A table gives each row with its place and a value for each parameter; what terms these are, the language says.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyoxigraph

from spaseq.errors import Location, OptionError, StreamError, require
from spaseq.sources.files import as_stream_errors, check_path, open_bytes, shown
from spaseq.text import did_you_mean

RowSource: TypeAlias = "str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Any"
_SPARQL = {
    ".srj": pyoxigraph.QueryResultsFormat.JSON,
    ".json": pyoxigraph.QueryResultsFormat.JSON,
    ".srx": pyoxigraph.QueryResultsFormat.XML,
    ".xml": pyoxigraph.QueryResultsFormat.XML,
}
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_JSON_LINES = (".jsonl", ".ndjson")
_BLOCK = 1 << 20  # bytes read at once


class ParameterRow(NamedTuple):
    """A row of a table: where it stands, and a value for each parameter; None: there is none."""

    place: Location
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ParameterTable:
    """The rows of a table; ``is_text``: its values are texts without types."""

    rows: Iterator[ParameterRow]
    is_text: bool = False


def open_given(source: RowSource, parameters: Sequence[str]) -> ParameterTable:
    """The rows of a table, its columns or keys those of ``parameters``, with or without ``?`` or ``$`` before a name.

    Parameters are told as their query writes them.

    A path of a file in CSV, TSV or JSON lines (``.gz`` too), Parquet or SPARQL results (JSON, XML); a data frame of
    pandas or polars, or what has Arrow's C stream; an iterable of dictionaries.  Other columns are left alone.
    OptionError: it is nothing of these.  StreamError: a file cannot be read, or a column is missing.
    """
    if isinstance(source, str | os.PathLike):
        return _of_file(os.fspath(source), parameters)
    return _of_data(source, parameters)


def _of_data(source: Any, parameters: Sequence[str]) -> ParameterTable:
    package = type(source).__module__.partition(".")[0]
    if package == "pandas" and hasattr(source, "itertuples"):
        rows = source.itertuples(index=False, name=None)
        return ParameterTable(_picked("<frame>", list(map(str, source.columns)), rows, parameters))
    if package == "polars" and hasattr(source, "collect"):
        source = source.collect()
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        require("pyarrow")
        import pyarrow

        return _of_arrow("<table>", pyarrow.table(source), parameters)
    if isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        return ParameterTable(_of_mappings(_placed(source), parameters))
    raise OptionError(f"rows are given as a path, a frame, a table or dictionaries, not {source!r:.80}")


def _of_file(path: str, parameters: Sequence[str]) -> ParameterTable:
    check_path(path)
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _PARQUET:
        require("pyarrow")
        import pyarrow
        from pyarrow import parquet

        with as_stream_errors(path):
            try:
                table = parquet.read_table(path)
            except pyarrow.ArrowException as error:
                raise StreamError(f"this is no Parquet: {error}", Location(path)) from None
            return _of_arrow(path, table, parameters)
    if ending in _DELIMITERS or path == "-":
        return ParameterTable(_of_csv(path, _DELIMITERS.get(ending, ","), parameters), is_text=True)
    if ending in _JSON_LINES:
        return ParameterTable(_of_mappings(_of_json_lines(path), parameters))
    if ending in _SPARQL:
        return ParameterTable(_of_results(path, _SPARQL[ending], parameters))
    known = ", ".join([*_DELIMITERS, *_JSON_LINES, *_PARQUET, *_SPARQL])
    raise StreamError("a table of rows is told by the ending of its name", Location(path), expected=(known,))


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
def _of_csv(path: str, delimiter: str, parameters: Sequence[str]) -> Iterator[ParameterRow]:
    """Rows of texts; one that is empty is none."""
    try:
        text = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StreamError(f"this is no UTF-8 text: {error.reason}", Location(shown(path))) from None
    rows = io.StringIO(text, newline="")
    if delimiter == "\t":  # quotes are the term's own
        lines = csv.reader(rows, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    else:
        lines = csv.reader(rows, delimiter=delimiter, strict=True)
    try:
        names = next(lines, [])
        columns = _columns(path, names, parameters)
        for values in lines:
            place = Location(shown(path), lines.line_num)
            if values and len(values) != len(names):
                raise StreamError(f"a row of {len(values)} values for {len(names)} columns", place)
            if values:
                yield ParameterRow(place, tuple(values[column] or None for column in columns))
    except csv.Error as error:
        raise StreamError(f"this is no CSV: {error}", Location(shown(path), lines.line_num)) from None


def _content(path: str) -> bytes:
    with as_stream_errors(path), open_bytes(path) as data:
        return b"".join(iter(lambda: data.read1(_BLOCK), b""))


def _of_results(path: str, form: pyoxigraph.QueryResultsFormat, parameters: Sequence[str]) -> Iterator[ParameterRow]:
    try:
        results = pyoxigraph.parse_query_results(_content(path), format=form)
        if isinstance(results, pyoxigraph.QueryBoolean):
            raise StreamError("these are the results of ASK, which has no rows", Location(path))
        names = [variable.value for variable in results.variables]
        rows = ([solution[name] for name in names] for solution in results)
        yield from _picked(path, names, rows, parameters)
    except (SyntaxError, ValueError) as error:
        raise StreamError(f"these are no results of SPARQL: {error}", Location(path)) from None


def _of_arrow(path: str, table: Any, parameters: Sequence[str]) -> ParameterTable:
    columns = _columns(path, table.column_names, parameters)
    values = [table.column(column).to_pylist() for column in columns]
    rows = zip(*values, strict=True) if values else iter(())
    return ParameterTable(ParameterRow(_of_row(path, number), row) for number, row in enumerate(rows))


def _of_json_lines(path: str) -> Iterator[tuple[Location, Any]]:
    """The objects of lines; numbers with a point or an exponent are decimals, as they are written."""
    for number, line in enumerate(_content(path).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        place = Location(shown(path), number, 0, line.decode("utf-8", "replace").rstrip("\r"))
        try:
            if line.strip():
                yield place, json.loads(line, parse_float=Decimal)
        except (ValueError, RecursionError) as error:
            raise StreamError(f"this is no line of JSON: {error}", place) from None


def _placed(rows: Iterable[Any]) -> Iterator[tuple[Location, Any]]:
    return ((_of_row("<rows>", number), row) for number, row in enumerate(rows))


def _of_mappings(rows: Iterable[tuple[Location, Any]], parameters: Sequence[str]) -> Iterator[ParameterRow]:
    for place, row in rows:
        if not isinstance(row, Mapping):
            raise StreamError(f"a row is a dictionary, not {type(row).__name__}", place)
        known = {_bare(str(name)): value for name, value in row.items()}
        if missing := [name for name in parameters if _bare(name) not in known]:
            raise _missing(place, missing[0], list(known))
        yield ParameterRow(place, tuple(known[_bare(name)] for name in parameters))


def _picked(
    path: str, names: Sequence[str], rows: Iterable[Sequence[Any]], parameters: Sequence[str]
) -> Iterator[ParameterRow]:
    columns = _columns(path, names, parameters)
    for number, row in enumerate(rows):
        yield ParameterRow(_of_row(path, number), tuple(row[column] for column in columns))


def _of_row(path: str, number: int) -> Location:
    """A row by its number from 0, as in a frame."""
    return Location(f"{path}, row {number}")


def _columns(path: str, names: Sequence[str], parameters: Sequence[str]) -> list[int]:
    """The columns of the parameters.  StreamError: one is missing, or there twice."""
    known = [_bare(name) for name in names]
    for parameter in parameters:
        name = _bare(parameter)
        if known.count(name) > 1:
            raise StreamError(f"the column {name} is there twice", Location(shown(path)))
        if name not in known:
            raise _missing(Location(shown(path)), parameter, known)
    return [known.index(_bare(name)) for name in parameters]


def _bare(name: str) -> str:
    return name.strip().removeprefix("?").removeprefix("$")


def _missing(place: Location, parameter: str, known: Sequence[str]) -> StreamError:
    name = _bare(parameter)
    message = f"there is no column {name}, for the parameter {parameter}"
    return StreamError(message, place, hint=did_you_mean(name, known))
