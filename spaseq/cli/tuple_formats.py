"""Results of queries in CEQL, in all formats."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence, Sized
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TextIO

from spaseq.errors import OptionError
from spaseq.results.times import iso

if TYPE_CHECKING:
    import pyarrow

    from spaseq.tuples import Aggregates, Matches

Row = dict[str, Any]
_FIRST_ROWS, _WIDEST = 1000, 40  # of a table


def limited(matches: Matches | Aggregates, limit: int | None) -> Iterator[pyarrow.RecordBatch]:
    """The results, at most so many."""
    left = limit
    while left != 0 and (batch := next(matches, None)) is not None:
        some = batch if left is None else batch.slice(0, left)
        yield some
        left = None if left is None else left - some.num_rows


def _write_lines(output: TextIO, matches: Matches | Aggregates, limit: int | None, live: bool) -> None:
    for row in _rows(output, matches, limit):
        output.write(json.dumps(_object(row, matches), ensure_ascii=False, default=str) + "\n")
        output.flush()


def _write_csv(output: TextIO, matches: Matches | Aggregates, limit: int | None, live: bool) -> None:
    writer = csv.writer(output)
    writer.writerow(_heads(matches))
    writer.writerows(_cells(row, matches, _json) for row in _rows(output, matches, limit))


def _write_table(output: TextIO, matches: Matches | Aggregates, limit: int | None, live: bool) -> None:
    """Columns as wide as the first rows want; later ones follow under the same head, on a terminal on one line each."""
    from rich.console import Console

    from spaseq.results.formats.columns import GAP, Cell, Columns

    width = Console(file=output).width if output.isatty() else None
    heads = [Cell(head) for head in _heads(matches)]
    lines = ([Cell(text) for text in _cells(row, matches, _listed)] for row in _rows(output, matches, limit))
    begin = list(islice(lines, 1 if live else _FIRST_ROWS))
    if not begin:
        return
    columns = Columns.wanted([heads, *begin], GAP).at_most(_WIDEST).narrowed(width)
    output.write(columns.line(heads, width) + columns.rule(width) + "\n")
    columns = columns.widened(width)
    output.writelines(columns.line(line, width) for line in chain(begin, lines))


def _write_parquet(output: TextIO, matches: Matches | Aggregates, limit: int | None, live: bool) -> None:
    """The batches as they are; OptionError for a terminal."""
    import pyarrow

    from spaseq.results.parquet import RowGroups

    if output.isatty():
        raise OptionError("parquet is nothing for a terminal: say where it goes (--output FILE)")
    file = RowGroups(output.buffer, matches.schema)
    try:
        for batch in limited(matches, limit):
            file.add(pyarrow.Table.from_batches([batch]))
    finally:
        file.close()


WRITERS: dict[str, Callable[[TextIO, Matches | Aggregates, int | None, bool], None]] = {  # live: events may pause
    "table": _write_table,
    "jsonl": _write_lines,
    "csv": _write_csv,
    "parquet": _write_parquet,
}


def _rows(output: TextIO, matches: Matches | Aggregates, limit: int | None) -> Iterator[list[Any]]:
    """The values of one result after the other, without its positions; what is written gets out before more is read."""
    aggregates = _are_aggregates(matches)
    for batch in limited(matches, limit):
        shown = batch.columns if aggregates else [*batch.columns[:2], *batch.columns[3:]]
        yield from map(list, zip(*map(_values, shown), strict=True))
        output.flush()


def _values(column: pyarrow.Array) -> list[Any]:
    """The values of a column; times that are none of Python's are texts."""
    try:
        values: list[Any] = column.to_pylist()
        return values
    except OverflowError:
        return [_value(scalar) for scalar in column]


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except OverflowError:
        return [_value(one) for one in scalar] if isinstance(scalar.value, Sized) else iso(scalar.value)


def _are_aggregates(matches: Matches | Aggregates) -> bool:
    from spaseq.tuples import Aggregates

    return isinstance(matches, Aggregates)


def _heads(matches: Matches | Aggregates) -> Sequence[str]:
    if _are_aggregates(matches):
        return list(matches.schema.names)
    return ["start", "end", *matches.schema.names[3:]]


def _object(row: list[Any], matches: Matches | Aggregates) -> Row:
    """A result as it is written in JSON: the events of variables, and the values of attributes."""
    if _are_aggregates(matches):
        return dict(zip(matches.schema.names, row, strict=True))
    start, end, *shown = row
    named = dict(zip(matches.schema.names[3:], shown, strict=True))
    picked = {name: named.pop(name) for name in matches.variables}
    found: Row = {"start": start, "end": end}
    if picked:
        found["picked"] = {name: held for name, held in picked.items() if held}
    return found | ({"values": named} if named else {})


def _cells(row: list[Any], matches: Matches | Aggregates, listed: Callable[[list[Any]], str]) -> list[str]:
    """The texts of a result; ``listed`` is that of a list of values."""
    variables = matches.variables
    named = zip(_heads(matches), row, strict=True)
    return [" ".join(map(str, value)) if name in variables else _cell(value, listed) for name, value in named]


def _cell(value: Any, listed: Callable[[list[Any]], str]) -> str:
    if value is None:
        return ""
    return listed(value) if isinstance(value, list) else str(value)


def _json(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values))
