"""From the messages of a transport to rows: objects of JSON, lines of CSV, or streams of Arrow IPC.

Rows of a message are whole.  Those of some messages are decoded together; where that fails, those of either half, and
so on, so that the one that is wrong is found, and lost alone.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import accumulate

import numpy as np
import pyarrow
from pyarrow import types

from spaseq.errors import Location, OptionError, StreamError
from spaseq.sources.files import as_stream_errors
from spaseq.sources.tables.json_text import LineError, decoded, lines_of, may_be_deep
from spaseq.sources.tables.json_types import with_declared
from spaseq.sources.tables.source import CsvFormat, LeaveOut, check_values, to_usual, without_times
from spaseq.sources.tables.types import ValueKind, column_named, kind_of_type, usual_schema
from spaseq.sources.transports.transport import Message, MessageBatch, Transport, as_line
from spaseq.streams.batch import Numbers

PAUSE = 0.05  # seconds without a message after which types are inferred from the rows that are there
FORMATS = ("json", "csv", "arrow")
_IPC = b"\xff\xff\xff\xff"  # how a stream of Arrow IPC begins
_JSON = re.compile(rb"\s*\{")
_PRETTY = re.compile(rb"[\r\n]+")


class RowFormat(ABC):
    """Decodes messages of a format; ``schema`` has the columns and types of all rows, once they are known."""

    schema: pyarrow.Schema | None = None

    @abstractmethod
    def table(self, messages: MessageBatch) -> pyarrow.Table:
        """The rows of messages.  ArrowException, OSError: one has none."""

    def counts(self, messages: MessageBatch, rows: int) -> Sequence[int]:
        """How many rows each of messages has, which have so many together."""
        known = [*map(bool, map(bytes.strip, messages.data))]  # or more, of those that are not blank
        if sum(known) == rows:
            return known
        return [self.table(messages[place : place + 1]).num_rows for place in range(len(messages))]

    def fault(self, message: Message, place: str, error: Exception) -> StreamError:
        """Why a message has no rows, where ``error`` was raised."""
        return StreamError(f"the message has no such rows: {_told(error)}", Location(place, data=message.data))


class JsonRows(RowFormat):
    """Each message is an object, on however many lines, or some objects, each on a line."""

    def __init__(self, declared: dict[str, pyarrow.DataType]) -> None:
        self._declared = declared

    def table(self, messages: MessageBatch) -> pyarrow.Table:
        """See ``RowFormat``."""
        from pyarrow import json

        data = _all_lines(messages.data)
        if may_be_deep(data, data.count(b"\n")):
            raise pyarrow.ArrowInvalid("objects or arrays are nested too deep")
        typed = self.schema or pyarrow.schema([one for one in self._declared.items() if "." not in one[0]])
        known = pyarrow.schema([(field.name, _as_written(field.type)) for field in typed])
        if not data:
            return known.empty_table()
        options = json.ParseOptions(
            explicit_schema=known, unexpected_field_behavior="ignore" if self.schema else "infer"
        )
        read = json.ReadOptions(use_threads=False, block_size=len(data) + 1)
        return json.read_json(pyarrow.BufferReader(data), read, options)

    def fault(self, message: Message, place: str, error: Exception) -> StreamError:
        """See ``RowFormat``; where it is no JSON, that is told with its place."""
        for number, line in enumerate(lines_of(_json_lines(message.data)), 1):
            try:
                if line:
                    decoded(line)
            except LineError as found:
                text = line.decode("utf-8", "replace")
                told = Location(place, number, found.column, text, data=message.data)
                return StreamError(found.message, told, hint=found.hint)
        return super().fault(message, place, error)


def _as_written(type_: pyarrow.DataType) -> pyarrow.DataType:
    """What Arrow reads in JSON for a type: it knows no dates there, which are texts first."""
    if types.is_struct(type_):
        return pyarrow.struct([(field.name, _as_written(field.type)) for field in type_])
    if types.is_list(type_):
        return pyarrow.list_(_as_written(type_.value_type))
    return pyarrow.string() if types.is_date(type_) else type_


def _all_lines(data: list[bytes]) -> bytes:
    """The objects of messages, each on a line."""
    found = [*filter(None, map(bytes.strip, data))]
    lines = b"\n".join([*found, b""])
    return lines if lines.count(b"\n") == len(found) else b"".join(map(_json_lines, data))


def _json_lines(data: bytes) -> bytes:
    """The objects of a message, each on a line."""
    data = data.strip()
    first = data.partition(b"\n")[0].rstrip()
    if b"\n" in data and not (first.startswith(b"{") and first.endswith(b"}")):
        data = _PRETTY.sub(b" ", data)  # line ends stand between the words of JSON alone
    return data + b"\n" if data else b""


class CsvRows(RowFormat):
    """Each message is a line, or some; which columns they have is said, for none has a header."""

    def __init__(self, declared: dict[str, pyarrow.DataType], form: CsvFormat) -> None:
        self._declared = declared
        self._form = form
        self._names = form.names or ()

    def table(self, messages: MessageBatch) -> pyarrow.Table:
        """See ``RowFormat``."""
        from pyarrow import csv

        data = b"".join(map(as_line, messages.data))
        known = self.schema or pyarrow.schema([*self._declared.items()])
        if not data:
            return known.empty_table()
        return csv.read_csv(
            pyarrow.BufferReader(data),
            read_options=csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=self._names),
            parse_options=csv.ParseOptions(delimiter=self._form.delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=known, include_columns=known.names if self.schema else None,
                null_values=list(self._form.nulls), strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )  # fmt: skip


class ArrowRows(RowFormat):
    """Each message is a stream of Arrow IPC, with its schema."""

    def table(self, messages: MessageBatch) -> pyarrow.Table:
        """See ``RowFormat``."""
        tables = [pyarrow.ipc.open_stream(one).read_all() for one in messages.data if one]
        if not tables:
            return (self.schema or pyarrow.schema([])).empty_table()
        known = self.schema or tables[0].schema
        return pyarrow.concat_tables([table.select(known.names).cast(known) for table in tables])

    def counts(self, messages: MessageBatch, rows: int) -> Sequence[int]:
        """See ``RowFormat``; a stream may have none."""
        return [pyarrow.ipc.open_stream(one).read_all().num_rows if one else 0 for one in messages.data]


class MessageRows:
    """The rows of a transport, as a table that never waits for more than the next message.

    ``begin`` it first.  A column has the type that is declared, or that of its values in the first messages: those that
    are there when the first row came, and none for a moment.  ``refuse`` is told what is wrong with a message, which
    then has no rows; without it that is raised, after the rows before.
    """

    may_pause = True  # batches may be empty, so that who reads others, too, need not wait

    def __init__(
        self, transport: Transport, declared: dict[str, pyarrow.DataType], form: CsvFormat,
        refuse: LeaveOut | None = None,
    ) -> None:  # fmt: skip
        self._source = transport
        self._arrivals = transport.arrivals
        self._declared = declared
        self._form = form
        self._refuse = refuse
        self._error: StreamError | None = None  # that comes after the rows at hand
        self._rows = 0  # before those of ``_messages``
        self._messages = MessageBatch.of([])  # that are worked on
        self._ends: Sequence[int] = ()  # the row behind each of them
        self._begin = MessageBatch.of([])  # whose rows tell the types
        self._format: RowFormat = JsonRows({})
        self.names: tuple[str, ...] = ()
        self._types = self._schema = pyarrow.schema([])
        self._goes_on = False  # with rows whose types were known before

    def begin(self) -> Iterator[None]:
        """Read up to the first row, or the end; None whenever that has to be waited for.

        StreamError: a message before the first row is wrong.  OptionError: messages are in no format of rows.
        """
        begin: pyarrow.Table | None = None
        while begin is None:
            while self._arrivals.pauses():
                yield
            if not (messages := self._first()):
                break
            begin = self._beginning(messages)
        schema = pyarrow.schema([*self._declared.items()]) if begin is None else begin.schema
        self._name(with_declared(schema, self._declared))

    def begin_as(self, schema: pyarrow.Schema) -> None:
        """Instead of ``begin``, without a look at the rows: they have these columns and types, as others before."""
        self._format = _row_format(self._source, [], self._declared, self._form)
        self._goes_on = True
        self._name(schema)

    def _name(self, schema: pyarrow.Schema) -> None:
        self.names, self._types = tuple(schema.names), schema

    @property
    def types(self) -> pyarrow.Schema:
        """All columns, with their types."""
        return self._types

    @property
    def has_members(self) -> bool:
        """Whether it has objects of JSON, of whose members types may be declared."""
        return isinstance(self._format, JsonRows)

    @property
    def partition(self) -> Transport:
        """What is read."""
        return self._source

    @property
    def are_none(self) -> bool:
        """Whether no row ever came, so that nobody knows which columns there are."""
        return not (self._begin or self._goes_on)

    def _beginning(self, messages: MessageBatch) -> pyarrow.Table | None:
        """The rows of the first messages, which are going to be read again; None: they have none, and are done."""
        self._format = _row_format(self._source, messages, self._declared, self._form)
        refused, refuse = list[StreamError](), self._refuse
        self._refuse = refused.append
        found = self._table(messages)
        self._refuse, self._ends = refuse, ()
        if found is not None and found.num_rows:
            self._begin = messages
            return found
        for error in refused:
            if refuse is None:
                raise error
            refuse(error)
        self._arrivals.done(messages[-1])
        return None

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if kind_of_type(self._types.field(column).type) is ValueKind.TEXT:
            self._declared = without_times(self._declared, column)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``."""
        read = dict.fromkeys(map(column_named, columns)) or self.names[:1]
        self._format.schema = pyarrow.schema([self._types.field(name) for name in read])
        asked = [(name, self._types.field(column_named(name)).type) for name in columns]
        self._schema = usual_schema(pyarrow.schema(asked))
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows, those of some messages together."""
        with closing(self._arrivals):
            yield from self._batches()

    def _batches(self) -> Iterator[pyarrow.RecordBatch]:
        messages: MessageBatch | None = self._begin
        if self._goes_on:
            yield from self._paused()
            messages = self._taken()
            self._format = _row_format(self._source, messages or (), self._declared, self._form)
            self._format.schema = self._types
        while messages:
            self._rows += self._ends[-1] if self._ends else 0
            self._messages, self._ends = messages, ()
            yield from self._in_types(messages)
            self.worked_out(self._rows + (self._ends[-1] if self._ends else 0))
            if self._error is not None:
                raise self._error
            yield from self._paused()
            messages = self._taken()

    def _paused(self) -> Iterator[pyarrow.RecordBatch]:
        """No rows, if there is nothing."""
        if self.may_pause and self._arrivals.pauses():
            yield pyarrow.record_batch([pyarrow.array([], one.type) for one in self._schema], schema=self._schema)

    def _in_types(self, messages: MessageBatch) -> list[pyarrow.RecordBatch]:
        """The rows of messages in the types that were chosen; a message that has others is refused alone."""
        refuse = self._refuse
        refused: list[StreamError] = []
        self._refuse = None if refuse is None else refused.append
        try:
            found = self._usual(self._table(messages))
        except StreamError as unfit:
            self._refuse = refuse
            return self._each_in_types(messages, unfit)
        self._refuse = refuse
        if refuse is not None:
            for error in refused:
                refuse(error)
        return found

    def _each_in_types(self, messages: MessageBatch, error: StreamError) -> list[pyarrow.RecordBatch]:
        if len(messages) == 1:
            self._ends = [0]
            place = Location(self._source.place(messages[0]), data=messages[0].data)
            refused = StreamError(error.message, place, hint=error.hint)
            if self._refuse is None:
                self._error, self._ends = refused, ()
            else:
                self._refuse(refused)
            return []
        found, ends = list[pyarrow.RecordBatch](), list[int]()
        for half in messages.halves():
            found += self._in_types(half)
            before = ends[-1] if ends else 0
            ends += [before + end for end in self._ends]
            if self._error is not None:
                break
        self._ends = ends
        return found

    def _usual(self, table: pyarrow.Table | None) -> list[pyarrow.RecordBatch]:
        """The rows of a table in the types that were chosen.  StreamError: a value is none of its type."""
        if table is None or not table.num_rows:
            return []
        found = []
        for batch in table.combine_chunks().to_batches():
            check_values(batch, self._schema.names, self._rows, self.place)
            found.append(to_usual(batch, self._schema, self._rows, self.place, self._declared))
        return found

    @property
    def ends(self) -> Numbers:
        """The row behind each of the messages whose rows were given last."""
        return self._rows + np.array(self._ends, np.int64)

    def place(self, row: int) -> Location:
        """The message that a row is in, of those that were given last."""
        at = bisect_right(self._ends, row - self._rows)
        if row < self._rows or at >= len(self._messages):
            return Location(self._source.url)
        return Location(self._source.place(self._messages[at]), data=self._messages[at].data)

    def worked_out(self, row: int) -> None:
        """All rows before this one are worked out."""
        if done := bisect_right(self._ends, row - self._rows):
            self._arrivals.done(self._messages[done - 1])

    def _first(self) -> MessageBatch:
        found = self._taken() or MessageBatch.of([])
        while found and not self._arrivals.rests_for(PAUSE) and len(found) < 1000 and (more := self._taken()):
            found = MessageBatch.joined([found, more])
        return found

    def _taken(self) -> MessageBatch | None:
        with as_stream_errors(self._source.url):
            return self._arrivals.take()

    def _table(self, messages: MessageBatch) -> pyarrow.Table | None:
        """The rows of messages, and where those of each end; None: there are none."""
        try:
            table = self._format.table(messages)
        except (pyarrow.ArrowException, OSError) as error:
            return self._one_by_one(messages) if self._format.schema is None else self._by_halves(messages, error)
        self._ends = list(accumulate(self._format.counts(messages, table.num_rows)))
        return table

    def _by_halves(self, messages: MessageBatch, error: Exception) -> pyarrow.Table | None:
        """The same of messages of which some have no rows, in types that are known."""
        tables, ends = list[pyarrow.Table](), list[int]()
        if len(messages) == 1:
            ends = self._without(messages[0], error)
        for half in messages.halves() if len(messages) > 1 else ():
            table, before = self._table(half), ends[-1] if ends else 0
            ends += [before + end for end in self._ends]
            tables += [] if table is None else [table]
            if self._error is not None:
                break
        self._ends = ends
        return pyarrow.concat_tables(tables) if tables else None

    def _without(self, message: Message, error: Exception) -> list[int]:
        """Where the rows of a message end, which has none."""
        refused = self._format.fault(message, self._source.place(message), error)
        if self._refuse is None:
            self._error = refused
            return []
        self._refuse(refused)
        return [0]

    def _one_by_one(self, messages: MessageBatch) -> pyarrow.Table | None:
        """The same where types are inferred, of each message for itself."""
        tables, counts = list[pyarrow.Table](), []
        for one in messages:
            try:
                table = self._format.table(MessageBatch.of([one]))
                tables = [_joined([*tables, table])]
                counts.append(table.num_rows)
            except (pyarrow.ArrowException, OSError) as error:
                counts += self._without(one, error)
                if self._error is not None:
                    break
        self._ends = list(accumulate(counts))
        return tables[0] if tables else None


class ReleasedRows(MessageRows):
    """Rows of which nobody keeps a state: messages that are worked out need not come again."""

    may_pause = False

    def worked_out(self, row: int) -> None:
        """See ``MessageRows``."""
        super().worked_out(row)
        self._source.release(self._arrivals.position)


def _joined(tables: Sequence[pyarrow.Table]) -> pyarrow.Table:
    """The rows of some messages, whose types were inferred for each by itself.  ArrowException: they differ."""
    return pyarrow.concat_tables(tables, promote_options="permissive")


def _told(error: Exception) -> str:
    message = str(error).removeprefix("JSON parse error: ").removeprefix("CSV parse error: ")
    return f"{message[:1].lower()}{message[1:]}"


def _row_format(
    source: Transport, begin: Sequence[Message], declared: dict[str, pyarrow.DataType], form: CsvFormat
) -> RowFormat:
    """How rows are written.  OptionError: not in a format of rows, or lines of CSV whose columns nobody says."""
    first = next((one.data for one in begin if one.data.strip()), b"")
    sniffed = "arrow" if first.startswith(_IPC) else "json" if _JSON.match(first) or not first else "csv"
    kind = source.format or sniffed
    if kind not in FORMATS:
        raise OptionError(f"{source.url}: messages in {kind} have no rows; rows are in {', '.join(FORMATS)}")
    if kind == "csv" and form.names is None:
        hint = "say which columns they have: --columns time,price (CsvFormat(names=…))"
        raise OptionError(f"{source.url}: messages in CSV have no header; {hint}")
    plain = {name: type_ for name, type_ in declared.items() if not types.is_dictionary(type_)}
    return {"json": lambda: JsonRows(plain), "csv": lambda: CsvRows(plain, form), "arrow": ArrowRows}[kind]()


def only_partition(source: Transport, found: Sequence[Transport]) -> Transport:
    """The one of the partitions of a source.  OptionError: it has several, whose rows are in no order."""
    if len(found) != 1:
        several = f"{source.url} has {len(found):,} partitions, and a table is in one order"
        raise OptionError(f"{several}: read one of them, as in ?partition={found[0].name if found else 0}")
    return found[0]


def rows_of_messages(source: Transport, declared: dict[str, pyarrow.DataType], form: CsvFormat) -> MessageRows:
    """A table of what comes in messages.  OptionError, StreamError: see ``MessageRows``."""
    rows = ReleasedRows(only_partition(source, source.partitions()), declared, form)
    for _ in rows.begin():
        pass
    return rows
