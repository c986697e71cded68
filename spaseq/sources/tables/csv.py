"""CSV: files, and what comes through a pipe row by row."""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.errors import Location, StreamError
from spaseq.sources.tables.csv_faults import joined, sorted_out, suspects
from spaseq.sources.tables.raw import BOM, MOST, TableBytes, copied, ensure_room
from spaseq.sources.tables.row_places import RowPlaces, line_ends
from spaseq.sources.tables.source import CsvFormat, LeaveOut, better_type, cannot_read, to_usual
from spaseq.sources.tables.types import CODED_TEXT, column_named, read_type, shown, times_of

_LINE_END = (b"\n", b"\r")


def end_of_rows(data: bytes, delimiter: str = ",") -> int:
    """The end of the last line of ``data``, which begins a row, that is outside of quotes; 0: there is none."""
    line_end = _LINE_END[0] if b"\n" in data else _LINE_END[1]
    if b'"' not in data:
        return data.rfind(line_end) + 1
    quotes = np.flatnonzero(np.frombuffer(data, np.uint8) == ord('"'))
    if _are_pairs(data, quotes, delimiter):
        return _last_outside(data, quotes, line_end)
    return _last_between(data, delimiter, line_end)


def _are_pairs(data: bytes, quotes: npt.NDArray[np.int64], delimiter: str) -> bool:
    """Whether each second quote is where a value begins, or behind another quote: all others close a value then."""
    opening = quotes[::2]
    before = np.frombuffer(data, np.uint8)[np.maximum(opening, 1) - 1]
    return bool((np.isin(before, list(f'{delimiter}\r\n"'.encode())) | (opening == 0)).all())


def _last_outside(data: bytes, quotes: npt.NDArray[np.int64], line_end: bytes) -> int:
    """The end of the last line with an even number of quotes before it."""
    end = data.rfind(line_end) + 1
    while end and (number := int(np.searchsorted(quotes, end))) % 2:
        end = data.rfind(line_end, 0, int(quotes[number - 1])) + 1
    return end


def _last_between(data: bytes, delimiter: str, line_end: bytes) -> int:
    """The same, value by value: there are quotes within values."""
    found = begin = 0
    for value in _quoted(delimiter).finditer(data):
        found = max(found, data.rfind(line_end, begin, value.start()) + 1)
        begin = value.end()
        if not value[1]:
            return found
    return max(found, data.rfind(line_end, begin) + 1)


@lru_cache(maxsize=16)
def _quoted(delimiter: str) -> re.Pattern[bytes]:
    """A value in quotes; its group is empty if it is not closed."""
    before = re.escape(delimiter).encode()
    return re.compile(rb"(?:(?<=[\r\n" + before + rb'])|\A)"(?:[^"]++|"")*+("|\Z)')


def row_ends(data: bytes, delimiter: str) -> list[int]:
    """Where each row of some CSV ends."""
    lines = data.splitlines(keepends=True)
    ends = list(accumulate(map(len, lines)))
    if b'"' not in data:
        return ends
    reader = csv.reader((line.decode("utf-8", "replace") for line in lines), delimiter=delimiter)
    with suppress(csv.Error):  # a value is too long for Python: it is a part of the last row
        return [*dict.fromkeys(ends[reader.line_num - 1] for _ in reader)]
    return [len(data)]


def rows_in(data: bytes, delimiter: str) -> list[tuple[int, bytes]]:
    """The rows of some CSV that have something: of each the lines before it, and its bytes without a line end."""
    found, begin, lines = list[tuple[int, bytes]](), 0, 0
    for end in row_ends(data, delimiter):
        row = data[begin:end]
        if text := row.strip(b"\r\n"):
            found.append((lines, text))
        begin, lines = end, lines + line_ends(row)
    return found


ROOM = 10  # times its bytes is what CSV may need in memory: "1" is a place, a number, and copies of these
_BAD_VALUE = re.compile(r"In CSV column #(\d+): Row #(\d+): (?:CSV conversion error to [^:]*: )?(.*)", re.DOTALL)
_BAD_ROW = re.compile(r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+)", re.DOTALL)


_JSON = re.compile(rb'\s*(\{\s*("|\}|$)|\[\s*([\[{]|$))')


def is_json(beginning: bytes) -> bool:
    """Whether what begins so is JSON, and no CSV."""
    return _JSON.match(beginning) is not None


class CsvSource:
    """A CSV file, or a binary stream of CSV.

    A column has the type that is declared, or that all of its values in the first megabyte have.  Columns of few texts
    are dictionary-encoded.  A row with too many or too few values, or with one of another type, is malformed:
    ``leave_out`` is told of it (None: StreamError), and the others go on.  StreamError if there is no header.
    """

    def __init__(
        self, raw: TableBytes, declared: dict[str, pyarrow.DataType], form: CsvFormat,
        leave_out: LeaveOut | None = None,
    ) -> None:  # fmt: skip
        self._raw = raw
        self._leave_out = leave_out
        self._name = raw.name
        self._declared = declared
        self._form = form
        begin, self._all_there = raw.first_block(self._has_row)
        self._begin = begin.removeprefix(BOM)
        self._header = 0
        self._refuse_json()
        self.names = form.names or self._read_header()
        self._places = RowPlaces(
            raw, lambda data: end_of_rows(data, form.delimiter), lambda data: rows_in(data, form.delimiter)
        )
        self._places.begin_behind(self._begin[: self._header])
        self._places.add(0, self._first_line, self._begin[self._header :])
        self._kinds: dict[str, pyarrow.DataType] = {}
        self._before: Mapping[str, pyarrow.DataType] = {}
        self._schema = pyarrow.schema([])
        self._times = ""  # a column that may come as texts

    def as_text(self, column: str) -> None:
        """Infer no type of a column: unless another is declared, it has texts."""
        self._declared = {column: pyarrow.string(), **self._declared}

    def has_times(self, column: str) -> None:
        """A column has times: where one is none, they come as texts."""
        self._times = column

    def begin_as(self, kinds: Mapping[str, pyarrow.DataType]) -> None:
        """Columns that are not declared have the types that they had before, by name: the ``kinds`` of then."""
        self._before = {name: type_ for name, type_ in kinds.items() if name not in self._declared}

    @property
    def kinds(self) -> dict[str, pyarrow.DataType]:
        """The types in which chosen columns are read that have none by declaration."""
        return {name: type_ for name, type_ in self._kinds.items() if name not in self._declared}

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``, declared or inferred; StreamError if a value is not of the declared type."""
        read = list(dict.fromkeys(map(column_named, columns)))
        known = {name: type_ for name, type_ in self._before.items() if name in read}
        unknown = [name for name in read if name not in known]
        sample = self._sample(unknown) if unknown or not read else pyarrow.record_batch({})
        found = {name: self._kind(sample.column(name), self._declared.get(name)) for name in unknown}
        self._kinds = known | found
        self._schema = pyarrow.schema([(name, self._type(name)) for name in columns])
        return self._schema

    def choose_as(self, first: CsvSource) -> pyarrow.Schema:
        """Read what another source, with columns of the same names, has read, in its types."""
        self._kinds, self._schema, self._times = first._kinds, first._schema, first._times
        return self._schema

    def _type(self, name: str) -> pyarrow.DataType:
        """The type of what is asked for by a name."""
        column = column_named(name)
        kind = self._kinds[column]
        return kind if kind == CODED_TEXT else read_type(name, self._declared.get(column, kind))

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows, a megabyte of the file at a time."""
        first, rest, more = 0, self._begin[self._header :], not self._all_there
        line = self._first_line
        self._begin = b""
        while True:
            stop = self._end_of_rows(rest, first) if more else len(rest)
            data = rest[:stop]
            self._places.add(first, line, data)
            for batch in self._good(data, first, line) if data else ():
                yield to_usual(batch, self._schema_of(batch), first, self.place, self._declared)
                first += batch.num_rows
            line += line_ends(data)
            if not more:
                self._raw.close()
                return
            while self._raw.pauses():
                yield pyarrow.RecordBatch.from_pylist([], self._schema)
            data = self._raw.read()
            more, rest = bool(data), rest[stop:] + data

    def _schema_of(self, batch: pyarrow.RecordBatch) -> pyarrow.Schema:
        """The types of a batch: its times are texts where they could not be read."""
        if self._times not in self._kinds or not types.is_string(batch.column(self._times).type):
            return self._schema
        text = pyarrow.string()
        typed = ((name, text if column_named(name) == self._times else type_) for name, type_ in _fields(self._schema))
        return pyarrow.schema(list(typed))

    @property
    def _first_line(self) -> int:
        """The line behind the header."""
        return 1 + line_ends(self._begin[: self._header])

    def place(self, row: int) -> Location:
        """File and line of the data row ``row`` (from 0)."""
        return self._places.place(row)

    def _end_of_rows(self, data: bytes, row: int) -> int:
        """The end of the rows that are complete; StreamError if the first one, ``row``, is too long."""
        end = end_of_rows(data, self._form.delimiter)
        if not end and len(data) > MOST:
            hint = "a value that begins with a quote goes on to the next quote, over all lines"
            raise StreamError(f"a row has more than {MOST:,} bytes", self.place(row), hint=hint)
        return end

    def _has_row(self, data: bytes) -> bool:
        """Whether a row, and the header before it, is whole."""
        lines = 2 if self._form.names is None else 1
        return data[: end_of_rows(data, self._form.delimiter)].count(b"\n") >= lines

    def _refuse_json(self) -> None:
        """StreamError if this is JSON, whose first line would name strange columns."""
        if is_json(self._begin):
            hint = "JSON lines are read from files whose names end in .jsonl"
            raise StreamError("this is JSON, and no table in CSV", Location(self._name), hint=hint)

    def _read_header(self) -> tuple[str, ...]:
        lines = self._begin.splitlines(keepends=True)
        reader = csv.reader((line.decode("utf-8", "replace") for line in lines), delimiter=self._form.delimiter)
        try:
            names: Sequence[str] = next((values for values in reader if values), ())
        except csv.Error as error:
            raise StreamError(
                f"the line that names the columns cannot be read: {error}", Location(self._name)
            ) from None
        if not names:
            raise StreamError("the file is empty: its first line names the columns", Location(self._name))
        self._header = sum(map(len, lines[: reader.line_num]))
        return tuple(names)

    def _sample(self, columns: Sequence[str]) -> pyarrow.RecordBatch:
        """The first rows, with declared or inferred types."""
        data = self._begin[self._header :]
        if not self._all_there:
            while not (end := self._end_of_rows(data, 0)) and not self._all_there:
                more = self._raw.read()
                self._begin, data, self._all_there = self._begin + more, data + more, not more
            data = data[: end or len(data)]
        known = {name: type_ for name, type_ in self._declared.items() if name in columns and not _is_time(type_)}
        known |= {name: pyarrow.string() for name, type_ in known.items() if types.is_dictionary(type_)}
        kinds = {**dict.fromkeys(columns), **known}
        for batch in self._first_rows(data, kinds) if data else ():
            return batch
        return pyarrow.record_batch({name: pyarrow.array([], known.get(name, pyarrow.null())) for name in columns})

    def _first_rows(self, data: bytes, kinds: dict[str, Any]) -> list[pyarrow.RecordBatch]:
        """Some rows, without malformed ones, which are left out, or told, where they are read."""
        try:
            return self._by_arrow(data, kinds)
        except pyarrow.ArrowInvalid:
            rows = [text for _, text in rows_in(data, self._form.delimiter)]
        good = sorted(set(range(len(rows))) - self._suspects(rows, kinds))
        return sorted_out([rows[at] for at in good], set(), partial(self._by_arrow, kinds=kinds))[0]

    def _kind(self, column: pyarrow.Array, declared: pyarrow.DataType | None) -> pyarrow.DataType:
        """The type to read a column with, which in its first rows has the type of ``column``."""
        if declared is not None and _is_time(declared) and not types.is_timestamp(column.type):
            return declared
        if types.is_string(column.type) or types.is_binary(column.type):  # which has a text that is no UTF-8
            distinct = pyarrow.compute.count_distinct(column).as_py()
            return CODED_TEXT if distinct <= max(64, len(column) // 4) else pyarrow.string()
        if types.is_timestamp(column.type):
            return pyarrow.timestamp("ns" if column.type.unit == "ns" else "us", column.type.tz)
        return column.type

    def _good(self, data: bytes, before: int, line: int) -> Iterator[pyarrow.RecordBatch]:
        """The rows of some CSV, which begins with that row and in that line, without those that are left out.

        StreamError, behind the rows before it: a row is malformed.
        """
        try:
            yield from self._by_arrow(data, self._kinds)
            return
        except pyarrow.ArrowInvalid:
            rows = rows_in(data, self._form.delimiter)
        if self._leave_out is None:
            yield from self._before_fault([text for _, text in rows], before)
            return
        texts = [text for _, text in rows]
        good, faults = sorted_out(texts, self._suspects(texts, self._kinds), partial(self._by_arrow, kinds=self._kinds))
        for left_out, at in enumerate(sorted(faults)):
            lines, text = rows[at]
            place = Location(self._name, line + lines, 0, text.decode("utf-8", "replace"), data=text)
            self._places.leave_out(before + at - left_out)
            self._leave_out(self._explained(str(faults[at]), before, place))
        yield from good

    def _before_fault(self, rows: Sequence[bytes], before: int) -> Iterator[pyarrow.RecordBatch]:
        """The rows before the first malformed one, and its StreamError."""
        read = partial(self._by_arrow, kinds=self._kinds)
        good = bisect_left(range(len(rows)), True, key=lambda count: not _are_read(rows[: count + 1], read))
        yield from read(joined(rows, range(good)))
        try:
            read(joined(rows, range(good, len(rows))[:1]))
        except pyarrow.ArrowInvalid as error:
            raise self._explained(str(error), before + good) from None

    def _suspects(self, rows: Sequence[bytes], kinds: dict[str, Any]) -> set[int]:
        """Rows that are most likely malformed; a time that is none may come as a text."""
        typed = {name: kind for name, kind in kinds.items() if name != self._times}
        return suspects(rows, self.names, typed, self._declared, self._form.delimiter, self._form.nulls)

    def _by_arrow(self, data: bytes, kinds: dict[str, Any]) -> list[pyarrow.RecordBatch]:
        """The rows of some CSV without header.  ArrowInvalid: one is malformed.

        Arrow reads in threads of its own, which may go on when all is over.  What they read is memory of Arrow's: a
        thread that wants to call Python while it shuts down ends the process.  So does one that finds no memory: there
        is some before it begins, and it is done before anything is made of the rows.
        """
        from pyarrow import csv as arrow_csv

        ensure_room(ROOM * len(data))
        try:
            with arrow_csv.open_csv(
                pyarrow.BufferReader(copied(data)),
                read_options=arrow_csv.ReadOptions(
                    use_threads=False, block_size=len(data) + 1, column_names=self.names
                ),
                parse_options=arrow_csv.ParseOptions(delimiter=self._form.delimiter, newlines_in_values=True),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=list(kinds) or list(self.names[:1]),
                    column_types={name: type_ for name, type_ in kinds.items() if type_ is not None},
                    null_values=list(self._form.nulls),
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            ) as reader:
                return list(reader)
        except pyarrow.ArrowInvalid as error:
            if str(error) == "Empty CSV file":
                return []
            found = _BAD_VALUE.match(str(error))
            name = self.names[int(found[1])] if found else ""
            if name and name == self._times and kinds[name] != pyarrow.string():
                return self._by_arrow(data, {**kinds, name: pyarrow.string()})
            if name in self._declared and types.is_timestamp(kinds[name]):
                return self._with_times(data, kinds, name)
            raise
        except (OSError, pyarrow.ArrowException) as error:
            raise cannot_read(self._name, error) from None

    def _with_times(self, data: bytes, kinds: dict[str, Any], name: str) -> list[pyarrow.RecordBatch]:
        """The same, of a column whose times have a zone or none, and are cut to microseconds."""
        batches, rows = self._by_arrow(data, {**kinds, name: pyarrow.string()}), 0
        for number, batch in enumerate(batches):
            texts = pyarrow.compute.utf8_trim_whitespace(batch.column(name))
            try:
                times = times_of(texts, cut=True)
            except pyarrow.ArrowInvalid:
                bad = bisect_left(range(1, len(texts)), True, key=lambda size: not _are_times(texts[:size]))
                place = f"In CSV column #{self.names.index(name)}: Row #{rows + bad + 1}"
                raise pyarrow.ArrowInvalid(f"{place}: invalid value '{texts[bad]}'") from None
            batches[number] = batch.set_column(batch.schema.get_field_index(name), name, times)
            rows += batch.num_rows
        return batches

    def _explained(self, message: str, before: int, place: Location | None = None) -> StreamError:
        """What Arrow says of the rows behind those ``before``; ``place``: of the only one."""
        if found := _BAD_VALUE.match(message):
            name, at = self.names[int(found[1])], place or self.place(before + int(found[2]) - 1)
            return self._bad_value(name, at, found[3].replace("\n", "\\n"))
        if found := _BAD_ROW.match(message):
            message = f"the number of values is {found[3]}, that of columns {found[2]}"
            return StreamError(message, place or self.place(before + int(found[1]) - 1))
        return StreamError(message, place or Location(self._name))

    def _bad_value(self, name: str, place: Location, reason: str) -> StreamError:
        """``reason`` is ``invalid value 'x'``, or another one in Arrow's words."""
        type_ = self._kinds.get(name, self._declared.get(name))
        value = reason.removeprefix("invalid value ")
        but = f", but has {value}" if value != reason else f": {reason.partition('. ')[0]}"
        if name in self._declared:
            return StreamError(f"the column {name} is declared {shown(type_)}{but}", place)
        better = better_type(type_, value.strip("'"))
        hint = "" if better == shown(type_) else f'declare its type: {{"{name}": "{better}"}}'
        return StreamError(f"the column {name} was {shown(type_)} so far{but}", place, hint=hint)


def _fields(schema: pyarrow.Schema) -> Iterator[tuple[str, pyarrow.DataType]]:
    return ((field.name, field.type) for field in schema)


def _is_time(type_: pyarrow.DataType) -> bool:
    return bool(types.is_timestamp(type_) or types.is_date(type_))


def _are_times(texts: pyarrow.StringArray) -> bool:
    try:
        return times_of(texts, cut=True) is not None
    except pyarrow.ArrowInvalid:
        return False


def _are_read(rows: Sequence[bytes], read: Callable[[bytes], object]) -> bool:
    try:
        return read(joined(rows, range(len(rows)))) is not None
    except pyarrow.ArrowInvalid:
        return False
