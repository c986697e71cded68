"""JSON lines: an object a line, of a file or as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.tables.json_sample import ArrowLines, DecodedLines, JsonSample, rows_by_arrow, sampled_by_arrow
from spaseq.sources.tables.json_text import (
    BLANK,
    LineError,
    decoded,
    line_ends,
    lines_of,
    numbers_of,
    objects_of,
    quoted,
)
from spaseq.sources.tables.json_types import ValueShape, coded, reading_type, with_declared
from spaseq.sources.tables.json_values import Fit, UnfitError, fitting, has_infinite, read_as
from spaseq.sources.tables.raw import BOM, MOST, TableBytes
from spaseq.sources.tables.row_places import RowPlaces
from spaseq.sources.tables.source import LeaveOut, to_usual
from spaseq.sources.tables.types import CODED_TEXT, ValueKind, column_named, kind_of_type, read_type


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """A column that is read: its type, that in which Arrow reads it, and what makes single values ones of it."""

    name: str
    type: pyarrow.DataType
    read: pyarrow.DataType
    fit: Fit
    declared: tuple[str, ...]  # of all columns and members

    def value(self, members: Mapping[str, Any]) -> Any:
        """Its value in a line.  LineError: there is none of its type."""
        try:
            return self.fit(members.get(self.name))
        except UnfitError as error:
            raise error.about(self.name, self.declared) from None


class JsonSource:
    """JSON lines, or a binary stream of them; a member that a line does not have is NULL, as null is.

    Columns are the members of the objects in the first megabyte, or up to a pause, and all that are declared.  They
    have the type that is declared, or that of their values there.  A line that has no object, or a value of another
    type, is malformed: ``leave_out`` is told of it (None: StreamError), and the others go on.  What has the columns of
    another source is read as ``like`` that one.  StreamError: no line has an object.
    """

    def __init__(
        self, raw: TableBytes, declared: dict[str, pyarrow.DataType], leave_out: LeaveOut | None = None,
        like: JsonSource | None = None,
    ) -> None:  # fmt: skip
        self._raw = raw
        self._declared = declared
        self._leave_out = leave_out
        self._columns: list[JsonColumn] = []
        self._before: Mapping[str, pyarrow.DataType] = {}
        self._schema = pyarrow.schema([])
        self._numbers: re.Pattern[bytes] | None = None  # that are texts of a column
        self._times = ""  # a column of which texts stay texts
        self._begin, self._all_there = (raw.read().removeprefix(BOM), False) if like else self._first_lines()
        self._places = RowPlaces(raw, lambda data: data.rfind(b"\n") + 1, _rows_in)
        self._places.add(0, 1, self._begin)
        self._sample: JsonSample = DecodedLines([]) if like else self._sampled()
        self.names: tuple[str, ...] = like.names if like else self._names()

    def as_text(self, column: str) -> None:
        """Infer no type of a column: unless another is declared, it has texts."""
        self._declared = {column: pyarrow.string(), **self._declared}

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        self._times = column

    def begin_as(self, kinds: Mapping[str, pyarrow.DataType]) -> None:
        """As of ``CsvSource``; these columns are there."""
        self._before = kinds
        self.names = tuple(dict.fromkeys((*self.names, *kinds)))

    @property
    def kinds(self) -> dict[str, pyarrow.DataType]:
        """As of ``CsvSource``."""
        return {column.name: column.type for column in self._columns if column.name not in self._declared}

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``, declared or inferred; OptionError: there are no such values in JSON."""
        read = dict.fromkeys(map(column_named, columns))
        self._columns = [self._column(name) for name in read]
        self._numbers = numbers_of(filter(self._has_numbers_for_texts, read))
        known = {column.name: column.type for column in self._columns}
        self._schema = pyarrow.schema([(name, self._type(name, known)) for name in columns])
        return self._schema

    def choose_as(self, first: JsonSource) -> pyarrow.Schema:
        """Read what another source has read, in its types."""
        self._columns, self._schema, self._numbers = first._columns, first._schema, first._numbers
        return self._schema

    def _type(self, name: str, known: Mapping[str, pyarrow.DataType]) -> pyarrow.DataType:
        """The type of what is asked for by a name."""
        column = column_named(name)
        kind = known[column]
        if kind == CODED_TEXT or column == self._times:
            return kind if kind == CODED_TEXT else read_type(name, kind)
        return read_type(name, self._declared.get(column, kind))

    def _has_numbers_for_texts(self, name: str) -> bool:
        type_ = self._declared.get(name, pyarrow.null())
        return kind_of_type(type_) is ValueKind.TEXT and self._sample.has_numbers(name)

    def _column(self, name: str) -> JsonColumn:
        shape = self._sample.shape(name)
        type_ = self._before_for(name) or coded(
            self._found(name, shape), partial(self._sample.distinct, name), self._sample.count
        )
        try:
            read = reading_type(type_, shape.kind == "text")
        except ValueError as error:
            raise OptionError(f"the type of the column {name}: {error}") from None
        return JsonColumn(name, type_, read, fitting(type_), tuple(self._declared))

    def _before_for(self, name: str) -> pyarrow.DataType | None:
        """The type that an undeclared column had before."""
        if name in self._declared or name not in self._before:
            return None
        return with_declared(pyarrow.schema([(name, self._before[name])]), self._declared).field(name).type

    def _found(self, name: str, shape: ValueShape) -> pyarrow.DataType:
        """The type to read a column with, whose first values have a shape."""
        found = shape.type(self._declared, name)
        is_text = name == self._times and shape.kind == "text"
        return pyarrow.string() if is_text and kind_of_type(found) is ValueKind.TIME else found

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────
    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows, a megabyte of the file at a time."""
        first, line = 0, 1
        for block in self._blocks():
            if not block:
                yield pyarrow.RecordBatch.from_pylist([], self._schema)
                continue
            self._places.add(first, line, block)
            for batch in self._parsed(block, first, line):
                if batch.num_rows:
                    yield to_usual(batch, self._schema, first, self.place, self._declared)
                first += batch.num_rows
            line += line_ends(block)

    def place(self, row: int) -> Location:
        """File and line of the row ``row`` (from 0)."""
        return self._places.place(row)

    def _malformed(self, number: int, line: bytes, error: LineError) -> StreamError:
        data = line.rstrip(b"\r")
        place = Location(self._raw.name, number, error.column, data.decode("utf-8", "replace").rstrip(), data=data)
        return StreamError(error.message, place, hint=error.hint)

    def _blocks(self) -> Iterator[bytes]:
        """Whole lines, of which the last one may have no end; empty before more has to be waited for."""
        rest, more = self._begin, not self._all_there
        self._begin = b""
        while more:
            stop = rest.rfind(b"\n") + 1
            if stop:
                yield rest[:stop]
            while self._raw.pauses():
                yield b""
            rest = rest[stop:] + (data := self._raw.read())
            self._check_length(rest)
            more = bool(data)
        self._raw.close()
        if rest:
            yield rest

    def _check_length(self, rest: bytes) -> None:
        if len(rest) > MOST and b"\n" not in rest:
            raise StreamError(f"a line has more than {MOST:,} bytes", Location(self._raw.name))

    def _parsed(self, block: bytes, first: int, line: int) -> Iterator[pyarrow.RecordBatch]:
        """The rows of some lines, the first of which would be the row ``first`` and is in the line ``line``.

        StreamError, behind the rows before it: a line is malformed.
        """
        found = self._quick(block)
        if found is not None:
            yield found
            return
        rows, error = self._one_by_one(block, first, line)
        arrays = [
            pyarrow.array([row[at] for row in rows], _plain(column.type)) for at, column in enumerate(self._columns)
        ]
        columns = zip(arrays, self._columns, strict=True)
        yield self._batch([read_as(array, column.type) for array, column in columns], len(rows))
        if error is not None:
            raise error

    def _batch(self, arrays: Sequence[pyarrow.Array], count: int) -> pyarrow.RecordBatch:
        if not arrays:
            return pyarrow.record_batch({"": pyarrow.nulls(count)}).select([])
        return pyarrow.RecordBatch.from_arrays(arrays, names=[column.name for column in self._columns])

    def _quick(self, block: bytes) -> pyarrow.RecordBatch | None:
        """The rows of some lines as Arrow reads them; None: a line may be malformed.

        It reads as CSV is read, see there.
        """
        try:
            batch = self._read(block)
            if batch is None:
                return None
            batch.validate(full=True)
            if any(map(has_infinite, batch.columns)):
                return None
            arrays = [read_as(array, each.type) for array, each in zip(batch.columns, self._columns, strict=True)]
        except MemoryError:
            raise
        except pyarrow.ArrowException:  # as of lists that have NULL alone, which Arrow makes wrong
            return None
        return self._batch(arrays, batch.num_rows)

    def _read(self, block: bytes) -> pyarrow.RecordBatch | pyarrow.Table | None:
        """The rows of some lines in the types in which Arrow reads; None: there are not as many as lines."""
        schema = pyarrow.schema([(column.name, column.read) for column in self._columns])
        sample, self._sample = self._sample, DecodedLines([])  # the first lines were read once
        known = sample.rows(block, schema) if isinstance(sample, ArrowLines) else None
        if known is not None or (objects := objects_of(block)) is None:
            return known
        lines = objects[0] if self._numbers is None else quoted(objects[0], self._numbers)
        table = rows_by_arrow(lines, schema)
        if table.num_rows != objects[1]:
            return None
        return table.to_batches()[0] if table.num_columns else table

    def _one_by_one(self, block: bytes, first: int, line: int) -> tuple[list[list[Any]], StreamError | None]:
        """The values of rows, and what is wrong with the line behind them if it is not left out."""
        rows: list[list[Any]] = []
        for number, one in enumerate(block.split(b"\n"), line):
            if not (text := one.rstrip(BLANK)):
                continue
            try:
                members = decoded(text)
                rows.append([column.value(members) for column in self._columns])
            except LineError as error:
                malformed = self._malformed(number, one, error)
                if self._leave_out is None:
                    return rows, malformed
                self._leave_out(malformed)
                self._places.leave_out(first + len(rows))
        return rows, None

    # ── the first lines ──────────────────────────────────────────────────────────────────────────────────────
    def _first_lines(self) -> tuple[bytes, bool]:
        """About a megabyte with a whole line, and whether that is all."""
        begin, all_there = self._raw.first_block(self._has_row)
        while not all_there and b"\n" not in begin:
            begin += (data := self._raw.read())
            self._check_length(begin)
            all_there = not data
        return begin.removeprefix(BOM), all_there

    def _has_row(self, data: bytes) -> bool:
        """Whether an object is whole, where others may be left out."""
        lines = lines_of(data)[:-1]
        return bool(lines) and (self._leave_out is None or any(map(_has_object, lines)))

    def _sampled(self) -> JsonSample:
        """The first objects.  StreamError: lines have none."""
        data = self._begin if self._all_there else self._begin[: self._begin.rfind(b"\n") + 1]
        return sampled_by_arrow(data, self._declared) or self._decoded(data)

    def _decoded(self, data: bytes) -> DecodedLines:
        """The objects of some lines.  StreamError: they have none."""
        found, first = [], None
        for number, text in enumerate(lines_of(data), 1):
            try:
                found += [decoded(text)] if text else []
            except LineError as error:
                first = first or self._malformed(number, text, error)
        if first is not None and not found:
            raise first
        return DecodedLines(found)

    def _names(self) -> tuple[str, ...]:
        seen = self._sample.names
        declared = [name for name in self._declared if name not in seen and name.partition(".")[0] not in seen]
        if not (seen or declared or self._sample.count):
            raise StreamError("the file is empty: no line has an object", Location(self._raw.name))
        return (*seen, *declared)


def _has_object(line: bytes) -> bool:
    try:
        return bool(line) and decoded(line) is not None
    except LineError:
        return False


def _plain(type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type in which values of Python become an array."""
    return type_.value_type if pyarrow.types.is_dictionary(type_) else type_


def _rows_in(block: bytes) -> list[tuple[int, bytes]]:
    """The lines that have something, each with the lines before it."""
    lines = (line.rstrip(b"\r") for line in block.split(b"\n"))
    return [(number, line) for number, line in enumerate(lines) if line.rstrip(BLANK)]
