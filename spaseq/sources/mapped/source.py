"""A table as a stream: its rows in order, as events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow

from gpm.native.assembly import Encoder
from spaseq.errors import Location, StreamError
from spaseq.pattern.mappings import Mapping
from spaseq.sources.incoming import Incoming
from spaseq.sources.mapped.elements import rows_without
from spaseq.sources.mapped.graphs import MadeEvents, RowMapper
from spaseq.sources.mapped.needed import needed, needed_places
from spaseq.sources.mapped.opening import TableFormat, mapped_source
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.followed import until_row
from spaseq.sources.tables.message_rows import MessageRows
from spaseq.sources.tables.source import TableSource
from spaseq.sources.tables.types import column_named, exact_name

_ROW = "\nrow"  # a column that no mapping can mean: the number of a row


def events_of(
    iri: str,
    mapping: Mapping,
    source: TableSource,
    encoder: Encoder,
    options: WireOptions,
    report: WireReport,
    worked_out: Callable[[int], None] = lambda _: None,
    is_idle: Callable[[], bool] = lambda: False,
    whole: bool = True,
) -> Iterator[Events]:
    """The events of a table, of the stream ``iri``; ``worked_out`` is told of the row behind those that they are of.

    When it ``is_idle`` its last event is complete.  Unless ``whole`` events may be asked for, columns that no pattern
    of the encoder needs are not read.

    NoValuesError: it lacks a column.  NoTermsError: values are no terms.  StreamError: it cannot be read, or a row is
    no event; with ``options.skip`` such rows are counted.
    """
    reading = MappedReading(mapping, source, encoder, is_idle, whole)
    for made in reading.made():
        bad = made.malformed[0][0] if made.malformed and not options.skip else made.end
        events = _events(iri, made).part(0, int(np.searchsorted(made.row, bad)))
        worked_out(bad)
        report.events += len(events)
        yield events
        for row, what in made.malformed:
            place = reading.place(row) if not options.skip or report.wants_position() else Location()
            error = StreamError(f"the row is no event: {what}", place)
            report.note(error, options.skip)
            if not options.skip:
                raise error


def live_events(
    iri: str,
    mapping: Mapping,
    incoming: Incoming,
    how: TableFormat,
    encoder: Encoder,
    options: WireOptions,
    report: WireReport,
    whole: bool = True,
) -> Iterator[Events]:
    """Events as of ``events_of``, none where more has to be waited for; each file that follows has its own header."""
    nothing = Events.of(iri, [], encoder)
    has_header = how.csv is None or how.csv.names is None
    with incoming:
        while True:
            for _ in until_row(incoming, has_header):
                yield nothing
            source = mapped_source(incoming, mapping, how)
            with how.reading(incoming.name, source):
                yield from events_of(
                    iri, mapping, source, encoder, options, report, is_idle=lambda: incoming.is_idle, whole=whole
                )
            if not incoming.next_file():
                return


def all_events(
    iri: str, mapping: Mapping, source: TableSource, encoder: Encoder
) -> tuple[list[Events], list[tuple[int, str]]]:
    """All events of a table, of the stream ``iri``, and its malformed rows, with what is wrong; errors as above."""
    made = list(MappedReading(mapping, source, encoder).all_made())
    events = [_events(iri, one) for one in made if len(one.row)]
    return events, [bad for one in made for bad in one.malformed]


def _events(iri: str, made: MadeEvents) -> Events:
    nameless = EventIris(b"", np.zeros(len(made.row) + 1, np.int64))
    return Events(iri, made.graphs, nameless if made.names is None else made.names)


class MappedReading:
    """Rows of a table on their way to events; NoValuesError: it lacks a column."""

    def __init__(
        self,
        mapping: Mapping,
        source: TableSource,
        encoder: Encoder,
        is_idle: Callable[[], bool] = lambda: False,
        whole: bool = True,
    ) -> None:
        self._source = source
        self._is_idle = is_idle
        self._encoder = encoder
        self._completed: tuple[str, int] | None = None  # the event that was, as nothing came
        self._is_whole = isinstance(source, MessageRows)  # each batch: no event goes on in the next one
        self._mapping = mapping
        self._version = encoder.version  # with which was told what is needed
        self._needed = mapping if whole else needed(mapping, encoder)
        self._places = needed_places(mapping, self._needed, source.names)
        self._mapper = RowMapper(self._needed, encoder)
        self._rows = 0  # that were read
        self.filtered = 0
        self.place = source.place
        self._columns = self._places.columns(source.names)
        schema = source.choose([exact_name(name) for name in self._columns])
        none = [pyarrow.array([], type_) for type_ in schema.types]
        self._places.values(dict(zip(map(column_named, schema.names), none, strict=True)), np.zeros(0, np.int64))

    def _check_needed(self) -> None:
        """StreamError: by now a pattern needs more than is read."""
        if self._version != self._encoder.version and self._needed != self._mapping:
            self._version = self._encoder.version
            if needed(self._mapping, self._encoder) != self._needed:
                message = "a query was added that uses columns which are not read"
                raise StreamError(message, self.place(self._rows), hint="register it before the stream is read")

    def made(self) -> Iterator[MadeEvents]:
        """All events; the last one of a batch may go on in the next one."""
        kept: pyarrow.RecordBatch | None = None
        for batch in self._source.batches():
            rows = self._numbered(batch)
            if self._is_whole:
                yield self._of(rows)
                continue
            rows = rows if kept is None else _behind(kept, rows)
            is_idle = self._is_idle()
            made = self._of(rows, goes_on=not is_idle)
            yield self._without_completed(made, is_idle)
            kept = rows.slice(made.end - rows.column(_ROW)[0].as_py() if rows.num_rows else 0)
        if kept is not None and kept.num_rows:
            yield self._without_completed(self._of(kept), False)

    def all_made(self) -> Iterator[MadeEvents]:
        """The same of what is there already, so that a batch is known to be the last one."""
        if self._is_whole:
            yield from self.made()
            return
        batches = list(map(self._numbered, self._source.batches()))
        kept: pyarrow.RecordBatch | None = None
        for number, batch in enumerate(batches, 1):
            rows = batch if kept is None else _behind(kept, batch)
            made = self._of(rows, goes_on=number < len(batches))
            yield made
            kept = rows.slice(made.end - rows.column(_ROW)[0].as_py() if rows.num_rows else 0)

    def _without_completed(self, made: MadeEvents, is_idle: bool) -> MadeEvents:
        """Without an event that was complete before, as nothing of it came for long: its rows are malformed."""
        key = self._key(made, 0)
        if made.names is not None and key is not None and key == self._completed:
            fault = int(made.row[0]), f"{key[0]} goes on after it counted as complete: nothing came for long"
            count, malformed = len(made.row), [fault, *made.malformed]
            graphs, names = made.graphs.part(1, count), made.names.part(1, count)
            made = replace(made, row=made.row[1:], graphs=graphs, names=names, malformed=malformed)
        if len(made.row):
            self._completed = self._key(made, -1) if is_idle else None
        return made

    def _key(self, made: MadeEvents, place: int) -> tuple[str, int] | None:
        """What two rows of an event have alike: its name and its time."""
        if made.names is None or not len(made.row):
            return None
        return made.names[range(len(made.row))[place]], int(made.graphs.times[place])

    def _numbered(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        names = self._columns
        numbers = pyarrow.array(np.arange(self._rows, self._rows + batch.num_rows))
        self._rows += batch.num_rows
        return pyarrow.record_batch([*(batch.column(exact_name(name)) for name in names), numbers], [*names, _ROW])

    def _of(self, rows: pyarrow.RecordBatch, goes_on: bool = False) -> MadeEvents:
        self._check_needed()
        values = {name: rows.column(name) for name in self._columns}
        columns, row = self._places.values(values, rows.column(_ROW).to_numpy())
        end = int(rows.column(_ROW)[-1].as_py()) + 1 if rows.num_rows else 0
        apart = self._source.ends if isinstance(self._source, MessageRows) else None
        made = self._mapper.made(columns, row, end, goes_on, apart)
        self.filtered += rows_without(made.solved, made.end - end + rows.num_rows)
        return made


def _behind(one: pyarrow.RecordBatch, other: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    if not one.num_rows:
        return other
    return pyarrow.Table.from_batches([one, other]).combine_chunks().to_batches()[0]
