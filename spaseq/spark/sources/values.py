"""``from_wire``: messages in a column, such as those of Kafka, as rows of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import pyarrow

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import ENDINGS
from spaseq.sources.rdf.values import ValueReader
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions, WireReport
from spaseq.spark.data_frames import check_losses, data_frame, tell_losses
from spaseq.spark.packing import EVENT, EVENT_DDL, INSTANT
from spaseq.spark.sources.row_values import KAFKA, row_events, row_options
from spaseq.streams.timestamps import UNITS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from spaseq.graphs.mapped import AnyMapping
    from spaseq.sources.tables.source import CsvFormat, Types
    from spaseq.spark.map_stage import Losses

FORMATS = tuple(dict.fromkeys(ENDINGS.values()))
# Gives the events of values of a stream, which came after so many other rows of their partition.
Reading: TypeAlias = Callable[[str, pyarrow.RecordBatch, int, WireReport], Iterator[Events]]


@dataclass(frozen=True, slots=True)
class ValueOptions:
    """How values are read: in a ``kind`` of ``FORMATS``, None: by how each begins."""

    wire: WireOptions
    kind: str | None


def from_wire(
    df: DataFrame,
    column: str | Column,
    stream: str | Column,
    time: str | Column | None = None,
    format: str | None = None,
    time_properties: Sequence[str] = TIME_PROPERTIES,
    time_unit: str = "us",
    on_error: str = "stop",
    losses: Losses | None = None,
    mapping: AnyMapping | None = None,
    types: Types | None = None,
    csv: CsvFormat | None = None,
) -> DataFrame:
    """The events in a column of messages (binary or string), as rows for ``match``; bounded or streaming.

    A value is a message of ``docs/wire.md`` (``format``: ``nquads``, ``trig``, ``ntriples``, ``turtle``, ``jsonld`` or
    ``jelly``; None: by how it begins), or several named graphs with their times in N-Quads or TriG.  ``stream`` is the
    name or IRI of all of them, or a column that says it.  ``time`` is a column of timestamps, such as Kafka's: then a
    value is one graph that needs no time of its own.

    With a ``mapping`` a value is a row of a table, or some (``format``: ``json``, ``csv``, which it is with ``csv``, or
    ``arrow``), and it says what each means; ``types`` declares types of columns.  Those of others are seen from the
    first values, which takes a small job; a stream has no others, but in Arrow.

    OptionError: the arguments are wrong.  QuerySyntaxError, QueryError: the mapping is none, or asks for a column that
    is not there.  StreamError, while Spark works: a value cannot be read, or a row is no event (``on_error="skip"``: it
    is left out, and the worker's log says how many were; ``losses`` counts them, of a bounded input).
    """
    from pyspark.sql import functions

    df = data_frame(df)
    check_losses(losses, df.isStreaming)
    options = value_options(None if mapping is not None else format, time_properties, time_unit, on_error)
    streams = functions.lit(stream) if isinstance(stream, str) else stream
    values = functions.col(column) if isinstance(column, str) else column
    columns = [streams.cast("string").alias("stream"), values.cast("binary").alias("value")]
    if mapping is not None:
        _check_no_graphs(options, time)
        rows = row_options(df.select(columns[1]), mapping, format, types, csv, options.wire.skip)
        return _events_of(df.select(*columns, *_places(df)), partial(row_events, rows), losses)
    if types is not None or csv is not None:
        raise OptionError("types and csv are about rows of tables: mapping says what they mean")
    if time is not None:
        times = functions.col(time) if isinstance(time, str) else time
        columns.append(times.cast("timestamp").alias("time"))
    return _events_of(df.select(*columns), partial(graph_events, options), losses)


def _check_no_graphs(options: ValueOptions, time: str | Column | None) -> None:
    """OptionError: what is given is about graphs."""
    wire = options.wire
    if time is not None or wire.time_properties != TIME_PROPERTIES or wire.time_unit != UNITS["us"]:
        raise OptionError(
            "time, time_properties and time_unit are about graphs: AT in the mapping has the time of a row"
        )


def _places(df: DataFrame) -> list[str]:
    """The columns that say where in Kafka each value was, if they do."""
    kinds = {field.name: field.dataType.simpleString() for field in df.schema}
    return list(KAFKA) if [kinds.get(name) for name in KAFKA] == ["string", "int", "bigint"] else []


def _events_of(df: DataFrame, reading: Reading, losses: Losses | None) -> DataFrame:
    return df.mapInArrow(partial(read_values, reading, losses=losses), EVENT_DDL)


def value_options(format: str | None, time_properties: Sequence[str], time_unit: str, on_error: str) -> ValueOptions:
    """The options of these arguments; errors as of ``from_wire``."""
    for name, value, known in (
        ("format", format or FORMATS[0], FORMATS),
        ("time_unit", time_unit, tuple(UNITS)),
        ("on_error", on_error, ("stop", "skip")),
    ):
        if value not in known:
            raise OptionError(f"{name} is {' or '.join(known)}, not {value!r:.80}")
    properties = time_properties if isinstance(time_properties, str) else tuple(time_properties)
    return ValueOptions(WireOptions(properties, UNITS[time_unit], on_error == "skip"), format)  # type: ignore[arg-type]


def read_values(
    reading: Reading, batches: Iterable[pyarrow.RecordBatch], losses: Losses | None = None
) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``EVENT`` for rows of a stream, a value and maybe more; errors as of ``from_wire``."""
    reports, before = dict[str, WireReport](), 0
    try:
        for batch in batches:
            for stream, rows in _by_stream(batch):
                for events in reading(stream, rows, before, reports.setdefault(stream, WireReport())):
                    if len(events):
                        yield events.to_arrow(pruned=False).cast(EVENT)
                before += rows.num_rows
    finally:
        for stream, report in reports.items():
            tell_losses(stream, report)
            if losses is not None:
                losses.add(skipped=report.skipped)


def _by_stream(batch: pyarrow.RecordBatch) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
    """The rows of each stream, as far as they stand together."""
    start = 0
    for stream, rows in groupby(batch["stream"].to_pylist()):
        stop = start + len(list(rows))
        yield stream or "", batch[start:stop]
        start = stop


def graph_events(
    options: ValueOptions, stream: str, rows: pyarrow.RecordBatch, before: int, report: WireReport
) -> Iterator[Events]:
    """The events of values that are graphs: of a stream, a value and maybe a time."""
    reader = ValueReader(stream, options.wire, report, Encoder(Terms()), options.kind)
    values = rows["value"].to_pylist()
    if "time" not in rows.schema.names:
        return reader.read(values)
    return reader.at(values, rows["time"].cast(INSTANT).cast(pyarrow.int64()).to_pylist())
