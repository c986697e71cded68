"""Columns that are made of others: times of texts, and fields of structs."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.errors import Location, OptionError, QueryError
from spaseq.sources.tables.csv import CsvSource
from spaseq.sources.tables.frames import DictionarySource, PandasSource
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.message_rows import MessageRows
from spaseq.sources.tables.several import FilesInTurn, FileSource
from spaseq.sources.tables.source import TableSource, to_usual
from spaseq.sources.tables.types import INSTANT, ValueKind, column_named, kind_of_type, shown, usual_schema
from spaseq.text import did_you_mean

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MOST_REMEMBERED = 1000  # of the texts that are no times, beside those of a batch
_ISO = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d(:\d\d(:\d\d(\.\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,19}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+\.\d*", re.ASCII)
_DAYS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%Y-%d-%m")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f")
_SKIPPED = 'events without a proper time can be skipped (on_error="skip")'


class TextTimes:
    """A source whose column ``name`` has times; where they are texts, these are read, each distinct one once.

    ``form`` is that of Python's ``strptime``; None: that of ISO 8601.  Times without a zone are in UTC, and digits
    beyond microseconds are cut.  A text that is no time is NULL; ``told`` says what it was.  OptionError: the form is
    none.
    """

    def __init__(self, source: TableSource, name: str, form: str | None) -> None:
        self._source = source
        self._name = name
        self._form = form
        self._type = INSTANT
        self._schema = pyarrow.schema([])
        self._has_proper = False  # one of the texts was a time
        self._malformed: dict[int, str] = {}  # those of the batches that were read last, by their rows
        if form is not None:
            _check(form)

    @property
    def names(self) -> Sequence[str]:
        """Those of the source."""
        return self._source.names

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; QueryError if the times have a form, and are no texts."""
        schema = self._source.choose(columns)
        places = self._places(schema)
        if not places:
            return schema
        self._type = schema.field(places[0]).type
        kind = kind_of_type(self._type)
        if kind is ValueKind.TEXT or (kind is ValueKind.NULL and self._form is not None):
            self._type = INSTANT
        elif self._form is not None:
            what = f"the time {self._name} is of type {shown(self._type)}"
            hint = f'leave time_format="{self._form}" out'
            raise QueryError(f"the form {self._form} is for texts, but {what}", hint=hint)
        for place in places:
            its = INSTANT if self._type is INSTANT else schema.field(place).type
            schema = schema.set(place, schema.field(place).with_type(its))
        self._schema = schema
        return schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first = 0
        for batch in self._source.batches():
            if len(self._malformed) > _MOST_REMEMBERED:
                self._malformed = {}
            for place in self._places(batch.schema):
                field = self._schema.field(batch.schema.names[place])
                if batch.schema.field(place).type != field.type:
                    batch = batch.set_column(place, field, self._read(batch.column(place), first).cast(field.type))
            yield batch
            first += batch.num_rows

    def _places(self, schema: pyarrow.Schema) -> list[int]:
        """Where the times are, as usual and as they are."""
        return [place for place, name in enumerate(schema.names) if column_named(name) == self._name]

    def place(self, row: int) -> Location:
        """Where the row is."""
        return self._source.place(row)

    def told(self, row: int) -> tuple[str, str] | None:
        """What is wrong with the time of a row that was read last, and a hint; None: it was no text."""
        text = self._malformed.get(row)
        if text is None:
            return None
        what = f"the time {self._name} is '{text[:80]}', which is"
        if self._form is not None:
            return f"{what} not of the form {self._form}", _SKIPPED
        if types.is_timestamp(self._type):
            return f"{what} no time", _SKIPPED if self._has_proper else _hint(self._name, text)
        kind = "integer" if types.is_integer(self._type) else "number"
        return f"{what} no {kind}, as others are", _SKIPPED

    def _read(self, texts: pyarrow.Array, first: int) -> pyarrow.Array:
        """The times of texts, the first of which is in this row."""
        coded = (
            texts if isinstance(texts, pyarrow.DictionaryArray) else texts.cast(pyarrow.string()).dictionary_encode()
        )
        found = self._times(coded.dictionary).take(coded.indices)
        if found.null_count > texts.null_count:
            wrong = np.flatnonzero(found.is_null().to_numpy(False) & texts.is_valid().to_numpy(False))
            self._malformed |= {first + int(row): texts[int(row)].as_py() for row in wrong}
            before = int(wrong[0]) if len(wrong) else 0  # none: a dictionary may have NULL
            self._has_proper = self._has_proper or found.slice(0, before).null_count < before
        self._has_proper = self._has_proper or (found.null_count == texts.null_count < len(texts))
        return found

    def _times(self, texts: pyarrow.StringArray) -> pyarrow.Array:
        if self._form is not None:
            return _instants([time_by_form(text, self._form) for text in texts.to_pylist()])
        if types.is_timestamp(self._type):
            return times_by_iso(texts)
        number = _integer if types.is_integer(self._type) else _double
        return pyarrow.array([None if text is None else number(text) for text in texts.to_pylist()], self._type)


def texts_as_times(source: TableSource, name: str, form: str | None) -> TableSource:
    """The source with the column ``name``, if there is one, read as times where it has texts.

    OptionError: there are several.
    """
    if name not in source.names:
        return source
    if source.names.count(name) > 1:
        raise OptionError(f"the events have several attributes {name}")
    if isinstance(source, CsvSource | JsonSource | FilesInTurn) and form is not None:
        source.as_text(name)
    elif isinstance(source, FilesInTurn | FileSource | PandasSource | DictionarySource | MessageRows):
        source.has_times(name)
    return TextTimes(source, name, form)


def _integer(text: str) -> int | None:
    number = int(text) if _INTEGER.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


def _double(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def times_by_iso(texts: pyarrow.StringArray | pyarrow.LargeStringArray) -> pyarrow.Array:
    """Texts of ISO 8601 as times, NULL for others: all at once if all are proper, and all or none have a zone."""
    for type_ in (INSTANT, pyarrow.timestamp("us", "UTC")):
        try:
            return texts.cast(type_).cast(INSTANT)
        except pyarrow.ArrowInvalid:
            continue
    return _instants([time_by_iso(text) for text in texts.to_pylist()])


def _instants(times: Sequence[datetime | None]) -> pyarrow.Array:
    microseconds = [
        None if time is None else ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
        for time in times
    ]
    return pyarrow.array(microseconds, pyarrow.int64()).cast(INSTANT)


def time_by_iso(text: str | None) -> datetime | None:
    """The time that a text of ISO 8601 is; None: it is none."""
    if text is None or not _ISO.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def time_by_form(text: str | None, form: str) -> datetime | None:
    """The time that a text is by a form of ``strptime``; None: it is none."""
    try:
        return None if text is None else datetime.strptime(text, form)
    except ValueError:
        return None


def _hint(name: str, text: str) -> str:
    """How a text that is no time of ISO 8601 could be read."""
    if _INTEGER.fullmatch(text):
        return f'declare its type: {{"{name}": "int64"}}'
    if _NUMBER.fullmatch(text):
        return f'declare its type: {{"{name}": "double"}}, and say what it counts: unit="s"'
    forms = (*(day + time for day in _DAYS for time in _TIMES), "%H:%M:%S", "%H:%M")
    form = next((form for form in forms if time_by_form(text, form) is not None), "%d.%m.%Y %H:%M")
    return f'say its form, as in time_format="{form}"; or {_SKIPPED}'


def _check(form: str) -> None:
    """OptionError for what no text can have: Python says so before it looks at the text."""
    try:
        datetime.strptime("", form)
    except ValueError as error:
        if "does not match" not in str(error):
            raise OptionError(f"{form} is no form of times: {error}") from None
    except re.error:
        raise OptionError(f"{form} is no form of times: a part of it comes twice") from None


Path = tuple[str, ...]  # a column, and the names of fields in each other


def path_of(name: str, columns: Iterable[str]) -> Path | None:
    """The column that begins a name with dots, and the fields behind it; None: there is no such column."""
    known, parts = set(columns), name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        if (column := ".".join(parts[:length])) in known:
            return column, *parts[length:]
    return None


def with_fields(source: TableSource, wanted: Iterable[str], known: Container[str] = ()) -> TableSource:
    """The source with those of the ``wanted`` columns that are fields of structs, as columns of their own.

    Those that are ``known`` may be missing, and are NULL then.
    """
    names = source.names
    paths = {name: path_of(name, names) for name in wanted if name not in names}
    fields = {name: path for name, path in paths.items() if path is not None}
    return StructFields(source, fields, known) if fields else source


class StructFields:
    """A source with more columns: each is a field of a struct, by the path to it.

    Of a struct that is NULL it is NULL.
    """

    def __init__(self, source: TableSource, fields: Mapping[str, Path], known: Container[str] = ()) -> None:
        self._source = source
        self._fields = fields
        self._known = known
        self._schema = pyarrow.schema([])

    @property
    def names(self) -> Sequence[str]:
        """Those of the source, and the fields."""
        return (*self._source.names, *self._fields)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; QueryError for a field that is not there."""
        own = [self._fields[name][0] if name in self._fields else name for name in columns]
        schema = self._source.choose(tuple(dict.fromkeys(own)))
        found = [pyarrow.field(name, self._type(name, schema)) for name in columns]
        self._schema = usual_schema(pyarrow.schema(found))
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first = 0
        for batch in self._source.batches():
            columns = [self._column(name, batch) for name in self._schema.names]
            whole = pyarrow.RecordBatch.from_arrays(columns, names=self._schema.names)
            yield to_usual(whole, self._schema, first, self.place)
            first += batch.num_rows

    def place(self, row: int) -> Location:
        """Where the row is."""
        return self._source.place(row)

    def told(self, row: int) -> tuple[str, str] | None:
        """As of ``TextTimes``."""
        return self._source.told(row) if isinstance(self._source, TextTimes) else None

    def _type(self, name: str, schema: pyarrow.Schema) -> pyarrow.DataType:
        """The type of a column; null where there is nothing of it."""
        column, *path = self._fields.get(name, (name,))
        type_ = schema.field(column).type
        for number, part in enumerate(path):
            if types.is_null(type_):
                return type_
            names = [field.name for field in type_] if types.is_struct(type_) else []
            if names.count(part) != 1:
                if name in self._known:
                    return pyarrow.null()
                hint = did_you_mean(part, names) or f"{'.'.join((column, *path[:number]))} is of type {type_}"
                raise QueryError(f"the events have no attribute {name}", hint=hint)
            type_ = type_.field(part).type
        return type_

    def _column(self, name: str, batch: pyarrow.RecordBatch) -> pyarrow.Array:
        column, *path = self._fields.get(name, (name,))
        if path and types.is_null(self._schema.field(name).type):
            return pyarrow.nulls(batch.num_rows)
        found = batch.column(column)
        return pyarrow.compute.struct_field(found, path) if path else found
