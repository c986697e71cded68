"""Results of queries in CEQL, in all formats."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence, Sized
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TextIO

from spaseq.errors import OptionError
from spaseq.results.times import iso

if TYPE_CHECKING:
    import pyarrow

    from spaseq.tuples import ManyMatches
    from spaseq.tuples.several import ResultForm

Row = dict[str, Any]
_FIRST_ROWS, _WIDEST = 1000, 40  # of a table


def limited(matches: ManyMatches, limit: int | None) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
    """The results, at most so many."""
    left = limit
    while left != 0 and (found := next(matches, None)) is not None:
        name, batch = found
        some = batch if left is None else batch.slice(0, left)
        yield name, some
        left = None if left is None else left - some.num_rows


def _write_lines(output: TextIO, matches: ManyMatches, limit: int | None, live: bool) -> None:
    several = len(matches.forms) > 1
    for name, row in _rows(output, matches, limit):
        begin: Row = {"query": name} if several else {}
        output.write(json.dumps(begin | _object(row, matches.forms[name]), ensure_ascii=False, default=str) + "\n")
        output.flush()


def _write_csv(output: TextIO, matches: ManyMatches, limit: int | None, live: bool) -> None:
    form = _only_form("csv", matches)
    writer = csv.writer(output)
    writer.writerow(_heads(form))
    writer.writerows(_cells(row, form, _json) for _, row in _rows(output, matches, limit))


def _write_table(output: TextIO, matches: ManyMatches, limit: int | None, live: bool) -> None:
    """A table for each query whose results follow each other, under its name if there are several."""
    from rich.console import Console

    width = Console(file=output).width if output.isatty() else None
    is_first = True
    for name, rows in groupby(_rows(output, matches, limit), key=itemgetter(0)):
        if len(matches.forms) > 1:
            output.write(("" if is_first else "\n") + f"{name}\n")
        _write_rows(output, (row for _, row in rows), matches.forms[name], width, live)
        is_first = False


def _write_rows(output: TextIO, rows: Iterator[list[Any]], form: ResultForm, width: int | None, live: bool) -> None:
    """Columns as wide as the first rows want; later ones follow under the same head, on a terminal on one line each."""
    from spaseq.results.formats.columns import GAP, ColumnLayout, TextCell

    heads = [TextCell(head) for head in _heads(form)]
    lines = ([TextCell(text) for text in _cells(row, form, _listed)] for row in rows)
    begin = list(islice(lines, 1 if live else _FIRST_ROWS))
    columns = ColumnLayout.wanted([heads, *begin], GAP).at_most(_WIDEST).narrowed(width)
    output.write(columns.line(heads, width) + columns.rule(width) + "\n")
    columns = columns.widened(width)
    output.writelines(columns.line(line, width) for line in chain(begin, lines))


def _write_parquet(output: TextIO, matches: ManyMatches, limit: int | None, live: bool) -> None:
    """The batches as they are; OptionError for a terminal."""
    import pyarrow

    from spaseq.results.parquet import RowGroups

    form = _only_form("parquet", matches)
    if output.isatty():
        raise OptionError("parquet is nothing for a terminal: say where it goes (--output FILE)")
    file = RowGroups(output.buffer, form.schema)
    try:
        for _, batch in limited(matches, limit):
            file.add(pyarrow.Table.from_batches([batch]))
    finally:
        file.close()


WRITERS: dict[str, Callable[[TextIO, ManyMatches, int | None, bool], None]] = {  # live: events may pause
    "table": _write_table,
    "jsonl": _write_lines,
    "csv": _write_csv,
    "parquet": _write_parquet,
}


def _only_form(format: str, matches: ManyMatches) -> ResultForm:
    """That of the one query; OptionError if there are several."""
    if len(matches.forms) > 1:
        raise OptionError(
            f"{format} holds the results of one query, here are {', '.join(matches.forms)}; use jsonl or table"
        )
    (form,) = matches.forms.values()
    return form


def _rows(output: TextIO, matches: ManyMatches, limit: int | None) -> Iterator[tuple[str, list[Any]]]:
    """The values of one result after the other, without its positions, and its query; what is written gets out before
    more is read."""
    for name, batch in limited(matches, limit):
        shown = batch.columns if matches.forms[name].aggregates else [*batch.columns[:2], *batch.columns[3:]]
        for row in zip(*map(_values, shown), strict=True):
            yield name, list(row)
        output.flush()


def _values(column: pyarrow.Array) -> list[Any]:
    """The values of a column; times that are none of Python's are texts."""
    try:
        values: list[Any] = column.to_pylist()
        return [None if value is None else int(value) for value in values] if _is_whole(column.type) else values
    except OverflowError:
        return [_value(scalar) for scalar in column]


def _is_whole(type_: pyarrow.DataType) -> bool:
    """Whether it is one of decimals without digits after the point."""
    from pyarrow import types

    return bool(types.is_decimal(type_)) and type_.scale == 0


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except OverflowError:
        return [_value(one) for one in scalar] if isinstance(scalar.value, Sized) else iso(scalar.value)


def _heads(form: ResultForm) -> Sequence[str]:
    return list(form.schema.names) if form.aggregates else ["start", "end", *form.schema.names[3:]]


def _object(row: list[Any], form: ResultForm) -> Row:
    """A result as it is written in JSON: the events of variables, and the values of attributes."""
    if form.aggregates:
        return dict(zip(form.schema.names, row, strict=True))
    start, end, *shown = row
    named = dict(zip(form.schema.names[3:], shown, strict=True))
    picked = {name: named.pop(name) for name in form.variables}
    found: Row = {"start": start, "end": end}
    if picked:
        found["picked"] = {name: held for name, held in picked.items() if held}
    return found | ({"values": named} if named else {})


def _cells(row: list[Any], form: ResultForm, listed: Callable[[list[Any]], str]) -> list[str]:
    """The texts of a result; ``listed`` is that of a list of values."""
    named = zip(_heads(form), row, strict=True)
    return [" ".join(map(str, value)) if name in form.variables else _cell(value, listed) for name, value in named]


def _cell(value: Any, listed: Callable[[list[Any]], str]) -> str:
    if value is None:
        return ""
    return listed(value) if isinstance(value, list) else str(value)


def _json(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values))
