"""Results of a query in CEQL, as formats of any results need them: Arrow columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from spaseq.results.formats.writer import Shortening
from spaseq.streams.timestamps import iso
from spaseq.text import json_text

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.formats.writer import TextCell
    from spaseq.tuples.results import ResultForm

_WIDEST = 40  # characters of a column: positions and lists are as long as they like


@dataclass(frozen=True)
class TupleBlock:
    """A batch of results of the query, in the form that they have."""

    query: str
    batch: pyarrow.RecordBatch
    form: ResultForm

    @property
    def heads(self) -> Sequence[str]:
        """All columns but that of all positions."""
        return heads_of(self.form)

    @property
    def shortenings(self) -> Sequence[Shortening]:
        """There is one way to show them."""
        return (Shortening(),)

    @property
    def widest(self) -> int | None:
        """A column has 40 characters at most; on a terminal later ones are cut."""
        return _WIDEST

    def __len__(self) -> int:
        rows: int = self.batch.num_rows
        return rows

    def __getitem__(self, some: slice) -> TupleBlock:
        start, end, _ = some.indices(len(self))
        return TupleBlock(self.query, self.batch.slice(start, end - start), self.form)

    def cells(self, index: int, shortening: Shortening) -> list[TextCell]:
        """A result as it is shown in a table."""
        from spaseq.results.formats.writer import TextCell

        return [TextCell(text) for text in self._texts(self._rows[index], _listed)]

    def csv_lines(self) -> Iterator[bytes]:
        """One line after the other."""
        writer = csv.writer(_Given())
        for row in self._rows:
            yield writer.writerow(self._texts(row, _json))

    def json_lines(self, start: str) -> Iterator[bytes]:
        """One line after the other: the events of variables, and the values of attributes."""
        for row in self._rows:
            yield f"{start}{_json(_object(row, self.form))[1:]}\n".encode()

    def framer(self, types: Mapping[str, str]) -> Callable[[Sequence[TupleBlock]], pyarrow.Table]:
        """All columns of the batches, which have their types."""
        from pyarrow import Table

        return lambda blocks: Table.from_batches([block.batch for block in blocks])

    @cached_property
    def _rows(self) -> list[tuple[Any, ...]]:
        """The values of one result after the other, without its positions."""
        columns = self.batch.columns
        shown = columns if self.form.plain else [*columns[:2], *columns[3:]]
        return list(zip(*map(_values, shown), strict=True))

    def _texts(self, row: Sequence[Any], listed: Callable[[list[Any]], str]) -> list[str]:
        """The texts of a result; ``listed`` is that of a list of values."""
        named = zip(self._holds_positions, row, strict=True)
        return [" ".join(map(str, value)) if positions else _text(value, listed) for positions, value in named]

    @cached_property
    def _holds_positions(self) -> list[bool]:
        """Of each column that is shown whether it has the positions of a variable."""
        return [head in self.form.variables for head in self.heads]


class _Given:
    """What a writer of CSV writes to: ``writerow`` gives the line."""

    def write(self, line: str) -> bytes:
        return line.encode()


def empty_block(query: str, form: ResultForm) -> TupleBlock:
    """No results in this form."""
    from pyarrow import RecordBatch

    return TupleBlock(query, RecordBatch.from_pylist([], form.schema), form)


def heads_of(form: ResultForm) -> list[str]:
    """The columns that are shown: all but that of all positions."""
    return list(form.schema.names) if form.plain else ["start", "end", *form.schema.names[3:]]


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


def _object(row: Sequence[Any], form: ResultForm) -> dict[str, Any]:
    """A result as it is written in JSON."""
    if form.plain:
        return dict(zip(form.schema.names, row, strict=True))
    start, end, *shown = row
    named = dict(zip(form.schema.names[3:], shown, strict=True))
    picked = {name: named.pop(name) for name in form.variables}
    found: dict[str, Any] = {"start": start, "end": end}
    if picked:
        found["picked"] = {name: held for name, held in picked.items() if held}
    return found | ({"values": named} if named else {})


def _text(value: Any, listed: Callable[[list[Any]], str]) -> str:
    if value is None:
        return ""
    return listed(value) if isinstance(value, list) else str(value)


def _json(value: Any) -> str:
    return json_text(value, default=str)


def _listed(values: list[Any]) -> str:
    return ", ".join("NULL" if value is None else str(value) for value in values)
