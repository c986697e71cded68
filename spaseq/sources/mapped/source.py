"""A table as a stream: its rows in order, as events."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow

from gpm.native.assembly import Encoder
from nfa_native.terms.decoding import texts
from spaseq.errors import QueryError, StreamError
from spaseq.languages.mappings import ParsedMapping
from spaseq.sources.mapped.columns import NoTermsError
from spaseq.sources.mapped.graphs import MadeEvents, RowMapper
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.tables.columns import with_fields
from spaseq.sources.tables.source import TableSource
from spaseq.sources.tables.types import exact_name
from spaseq.text import did_you_mean

_ROW = "\nrow"  # a column that no mapping can mean: the number of a row


def events_of(
    iri: str, parsed: ParsedMapping, source: TableSource, encoder: Encoder, options: WireOptions, report: WireReport
) -> Iterator[Events]:
    """The events of a table, see ``Mapped.events``."""
    reading = TableReading(parsed, source, encoder)
    for made in reading.made():
        yield Events(iri, made.graphs, _names(made, encoder))
        report.events += len(made.row)
        for row, what in made.malformed:
            error = StreamError(f"the row is no event: {what}", reading.place(row))
            report.note(error, options.on_error == "skip")
            if options.on_error != "skip":
                raise error


def _names(made: MadeEvents, encoder: Encoder) -> EventIris:
    if made.names is None:
        return EventIris(b"", np.zeros(len(made.row) + 1, np.int64))
    ends, text = texts(encoder.terms, made.names)
    return EventIris(text, ends)


class TableReading:
    """Rows of a table on their way to events; QueryError: it lacks a column."""

    def __init__(self, parsed: ParsedMapping, source: TableSource, encoder: Encoder) -> None:
        self._mapping = parsed.mapping
        self._parsed = parsed
        asked = self._mapping.asked
        self._source = with_fields(source, asked.values())
        for variable, path in asked.items():
            if path not in self._source.names:
                hint = did_you_mean(path, list(self._source.names))
                raise parsed.error(variable, f"the table has no column {path}", hint)
        self._source.choose([exact_name(path) for path in dict.fromkeys(asked.values())])
        self._asked = asked
        self._mapper = RowMapper(self._mapping, encoder)
        self._rows = 0  # that were read
        self.place = self._source.place

    def made(self) -> Iterator[MadeEvents]:
        """All events; the last one of a batch may go on in the next one."""
        kept: pyarrow.RecordBatch | None = None
        for batch in self._source.batches():
            rows = self._numbered(batch)
            rows = rows if kept is None else _behind(kept, rows)
            made = self._of(rows, goes_on=True)
            yield made
            kept = rows.slice(int(np.searchsorted(rows.column(_ROW).to_numpy(), made.end)))
        if kept is not None and kept.num_rows:
            yield self._of(kept)

    def _numbered(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        names = list(dict.fromkeys(self._asked.values()))
        numbers = pyarrow.array(np.arange(self._rows, self._rows + batch.num_rows))
        self._rows += batch.num_rows
        return pyarrow.record_batch([*(batch.column(exact_name(name)) for name in names), numbers], [*names, _ROW])

    def _of(self, rows: pyarrow.RecordBatch, goes_on: bool = False) -> MadeEvents:
        try:
            columns = {variable: rows.column(path) for variable, path in self._asked.items()}
            return self._mapper.made(columns, rows.column(_ROW).to_numpy(), goes_on)
        except NoTermsError as error:
            raise QueryError(str(error)) from None


def _behind(one: pyarrow.RecordBatch, other: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    if not one.num_rows:
        return other
    return pyarrow.Table.from_batches([one, other]).combine_chunks().to_batches()[0]
