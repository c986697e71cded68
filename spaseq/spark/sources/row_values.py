"""Values that are rows of a table: a mapping says what each means, as of the messages of ``spaseq run --map``.

A task sees some of the values, and a row has to mean the same wherever it is read.  So the types of columns are known
before: they are declared, or those of the first values, which the driver looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow

from spaseq.errors import OptionError, StreamError
from spaseq.graphs.mapped import AnyMapping, located, parsed_mapping
from spaseq.sources.mapped.elements import ColumnPlaces
from spaseq.sources.mapped.opening import message_types, nested_types
from spaseq.sources.mapped.source import MappedReading, events_of
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.message_rows import FORMATS, MessageRows
from spaseq.sources.tables.opening import declared_members
from spaseq.sources.tables.source import CsvFormat, Types, check_csv, check_declared, declared
from spaseq.sources.transports.transport import Message, Transport
from spaseq.spark.cluster import task_name
from spaseq.spark.sources.tables import whole_encoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spaseq.languages.mappings import ParsedMapping

SAMPLE = 1000  # values from which types are inferred
KAFKA = ("topic", "partition", "offset")  # columns that say where a value was


@dataclass(frozen=True, slots=True)
class RowOptions:
    """How values are rows: what a row means, in which of ``FORMATS`` it is, and which types are declared.

    ``schema`` has the columns that are read, with their types; None: each value says its own.
    """

    parsed: ParsedMapping
    kind: str
    types: dict[str, pyarrow.DataType]
    csv: CsvFormat
    skip: bool
    schema: pyarrow.Schema | None = None


def row_options(
    values: DataFrame, mapping: AnyMapping, kind: str | None, types: Types | None, csv: CsvFormat | None, skip: bool
) -> RowOptions:
    """How the values of the only column of a data frame are rows.

    QuerySyntaxError, QueryError: the mapping is none, or there is no such column; OptionError: something else is wrong,
    or a stream's columns have no types.
    """
    check_csv(csv)
    parsed, form = parsed_mapping(mapping), csv or CsvFormat()
    kind = kind or ("json" if csv is None else "csv")
    if kind not in FORMATS:
        raise OptionError(f"the format of rows is {' or '.join(FORMATS)}, not {kind!r:.80}")
    if kind == "csv" and form.names is None:
        raise OptionError("values in CSV have no header: say which columns they have, csv=CsvFormat(names=…)")
    known = declared(types) if kind == "arrow" else message_types(parsed.mapping, declared(types), kind == "csv")
    options = RowOptions(parsed, kind, known, form, skip)
    if form.names is not None:
        check_declared(types, form.names)
        with located(parsed):
            ColumnPlaces(parsed.mapping.asked, parsed.mapping.each).columns(form.names)
    return _with_schema(options, values, types)


def _with_schema(options: RowOptions, values: DataFrame, types: Types | None) -> RowOptions:
    """The same, with the columns that are read: as declared, or as of the first values."""
    mapping = options.parsed.mapping
    unknown = [path for path in mapping.asked.values() if not _has_type(path, options.types)]
    if options.kind != "arrow" and not unknown:
        schema = pyarrow.schema([*nested_types(options.types, mapping).items()])
    elif not values.isStreaming:
        schema = _inferred(options, values, types)
    elif options.kind == "arrow":
        return options
    else:
        example = f'types={{"{unknown[0]}": "double"}}'
        raise OptionError(f"a stream has no first values to tell the type of the column {unknown[0]}: {example}")
    return RowOptions(options.parsed, options.kind, options.types, options.csv, options.skip, schema)


def _has_type(path: str, types: dict[str, pyarrow.DataType]) -> bool:
    """Whether a column has one, or a value that it lies in."""
    return any(path == name or path.startswith(f"{name}.") for name in types)


def _inferred(options: RowOptions, values: DataFrame, types: Types | None) -> pyarrow.Schema:
    """The columns of the first values.  QueryError: one that is asked for is not there."""
    first = values.limit(SAMPLE).toArrow().combine_chunks().to_batches()
    rows = _opened(options, first[0] if first else pyarrow.record_batch([pyarrow.array([], "binary")], ["value"]))
    for _ in rows.begin():
        pass
    if not rows.are_none:
        check_declared(types, (*rows.names, *declared_members(rows, types)))
        with located(options.parsed):
            MappedReading(options.parsed.mapping, rows, whole_encoder())
        return rows.types
    if first and len(first[0]) == SAMPLE and options.skip:
        raise OptionError(f"none of the first {SAMPLE:,} values is a row that tells types: declare all with types")
    return _of_nothing(options)


def _of_nothing(options: RowOptions) -> pyarrow.Schema:
    """The columns where no row is, or the first one ends the job."""
    paths = (*(one.path for one in options.parsed.mapping.each), *options.parsed.mapping.asked.values())
    found = nested_types(options.types, options.parsed.mapping)
    return pyarrow.schema([*({path.partition(".")[0]: pyarrow.null() for path in paths} | found).items()])


class ValueMessages(Transport):
    """The values of a batch of rows as messages; the first of them is that row of its partition."""

    def __init__(self, rows: pyarrow.RecordBatch, kind: str, before: int) -> None:
        super().__init__(task_name())
        self.format = kind
        self._rows = rows
        self._before = before
        self._is_taken = False

    def take(self) -> Sequence[Message] | None:
        """See ``Transport``."""
        if self._is_taken:
            return None
        self._is_taken = True
        return [Message(value or b"", number) for number, value in enumerate(self._rows["value"].to_pylist())]

    def place(self, message: Message) -> str:
        """See ``Transport``; where columns say it, it is that of Kafka."""
        assert isinstance(message.position, int)
        if set(KAFKA) <= set(self._rows.schema.names):
            topic, partition, offset = (self._rows[name][message.position].as_py() for name in KAFKA)
            return f"{topic}[{partition}]@{offset}"
        return f"{self.url}, row {self._before + message.position}"


def row_events(
    options: RowOptions, stream: str, rows: pyarrow.RecordBatch, before: int, report: WireReport
) -> Iterator[Events]:
    """The events of values, which came after so many others.  StreamError: one has no rows, or a row is no event."""
    reading = _opened(options, rows, before, report)
    if options.schema is not None:
        reading.begin_as(options.schema)
    else:
        for _ in reading.begin():
            pass
    if reading.are_none:
        return
    with located(options.parsed):
        wire = WireOptions(skip=options.skip)
        yield from events_of(stream, options.parsed.mapping, reading, whole_encoder(), wire, report)


def _opened(
    options: RowOptions, rows: pyarrow.RecordBatch, before: int = 0, report: WireReport | None = None
) -> MessageRows:
    """The rows in values; without ``report`` values without rows are passed over."""

    def refuse(error: StreamError) -> None:
        if report is not None:
            report.note(error, skipped=True)

    passes = report is None or options.skip
    return MessageRows(
        ValueMessages(rows, options.kind, before), options.types, options.csv, refuse if passes else None
    )
