"""Tables as streams: what is read, and the mapping that says what a row means."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from spaseq.errors import QueryError, RowError, StreamError, require
from spaseq.languages.mappings import ParsedMapping, parse
from spaseq.languages.query_text import source_of
from spaseq.runtime.live import OpenSource
from spaseq.sources.incoming import Incoming
from spaseq.sources.source import Source, opened_url
from spaseq.sources.transports.transport import Transport
from spaseq.streams.losses import Skipped

if TYPE_CHECKING:
    from gpm.native.assembly import Encoder
    from gpm.native.row_lines import RowLines
    from spaseq.graphs.kind import GraphKind
    from spaseq.sources.mapped.known_types import KnownTypes
    from spaseq.sources.rdf.events import Events
    from spaseq.sources.rdf.wire import WireOptions, WireReport
    from spaseq.sources.tables.source import CsvFormat, Types


AnyMapping: TypeAlias = "str | os.PathLike[str] | ParsedMapping"


@dataclass(frozen=True)
class Mapped:
    """A table that a query reads as a stream; ``mapping`` says what a row means (a text, or the path of a file).

    ``source`` is a path of CSV, JSON lines, Parquet or Arrow IPC, a folder or a pattern of these, a table of Arrow, a
    data frame of pandas or polars, or rows as dictionaries;
    ``types`` declares types of columns, ``csv`` says how CSV is written.  QuerySyntaxError, QueryError: the mapping is
    none.  What is wrong with the table is told when it is read.  OptionError: pyarrow is not installed.
    """

    source: Any
    mapping: AnyMapping
    types: Types | None = None
    csv: CsvFormat | None = None

    def __post_init__(self) -> None:
        require("pyarrow")
        self.parsed  # noqa: B018 - what is wrong with it is told now

    @cached_property
    def parsed(self) -> ParsedMapping:
        """The mapping."""
        return parsed_mapping(self.mapping)

    def connected(self) -> Mapped:
        """The same, with what its URL leads to, if it has one.  OptionError: that makes no sense."""
        found = opened_url(os.fspath(self.source)) if self.is_path else None
        return self if found is None else replace(self, source=found, mapping=self.parsed)

    @property
    def transport(self) -> Transport | None:
        """What its rows come by, if it is ``connected`` and they come in messages."""
        return self.source if isinstance(self.source, Transport) and self.source.comes_in_messages else None

    def arriving(
        self, transport: Transport, iri: str, encoder: Encoder, options: WireOptions, report: WireReport, whole: bool,
        known: KnownTypes | None = None,
    ) -> Iterator[Events]:  # fmt: skip
        """The events of messages as they come, of the stream ``iri``; a message has whole events.

        ``whole``, ``known`` and errors are as below.
        """
        import pyarrow

        from spaseq.sources.mapped.opening import message_types
        from spaseq.sources.mapped.source import events_of
        from spaseq.sources.rdf.events import Events
        from spaseq.sources.tables.message_rows import MessageRows
        from spaseq.sources.tables.opening import declared_members
        from spaseq.sources.tables.source import CsvFormat, check_csv, check_declared, declared

        def refuse(error: StreamError) -> None:
            report.note(error, skipped=True)

        check_csv(self.csv)
        parsed, form = self.parsed, self.csv or CsvFormat()
        types = message_types(parsed.mapping, declared(self.types), form.names is not None)
        rows = MessageRows(transport, types, form, refuse if options.skip else None)
        if known is not None and (before := known.of(transport.name)):
            rows.begin_as(pyarrow.schema(list(before.items())))
        else:
            for _ in rows.begin():
                yield Events.of(iri, [], encoder)
        if rows.are_none:
            return
        if known is not None:
            known.keep(transport.name, {field.name: field.type for field in rows.types})
        check_declared(self.types, (*rows.names, *declared_members(rows, self.types)))
        dropped = 0
        with located(parsed):
            found = events_of(iri, parsed.mapping, rows, encoder, options, report, rows.worked_out, whole=whole)
            for events in found:
                yield events
                report.dropped += transport.dropped - dropped
                dropped = transport.dropped

    @property
    def is_path(self) -> bool:
        """Whether files are read, or what comes under a name of theirs."""
        return isinstance(self.source, str | os.PathLike)

    def opened(
        self,
        iri: str,
        encoder: Callable[[], Encoder],
        options: WireOptions,
        report: WireReport,
        follow: bool,
        whole: bool = True,
        known: KnownTypes | None = None,
    ) -> list[OpenSource[Events]]:
        """Its files, or what else it is, to be read as the stream ``iri``, each with an ``encoder`` of its own.

        ``follow``: a file is read as it grows.  Unless ``whole`` events may be asked for, columns that no query uses
        are not read; all queries are there when reading begins.  ``known`` are the types of columns of texts, which
        another run may have inferred.  StreamError: a file cannot be read.
        """
        from spaseq.sources.mapped.opening import tables_of

        tables: list[tuple[Any, Incoming | None]] = [(self.source, None)]
        if isinstance(self.source, Source):
            tables = [(self.source, Incoming(self.source, self.source.url))]
        elif self.is_path:
            tables = list(tables_of(self.source, follow))
        return [
            OpenSource(self._events(iri, data, incoming, encoder(), options, report, whole, known), incoming)
            for data, incoming in tables
        ]

    def _events(
        self,
        iri: str,
        data: Any,
        incoming: Incoming | None,
        encoder: Encoder,
        options: WireOptions,
        report: WireReport,
        whole: bool,
        known: KnownTypes | None,
    ) -> Iterator[Events]:
        """The events of one table.

        QueryError: it lacks a column, or values are no terms.  StreamError: it cannot be read, or a row is no event;
        with ``options.skip`` such rows are counted.
        """
        from spaseq.sources.mapped.opening import TableFormat, mapped_source
        from spaseq.sources.mapped.source import events_of, live_events

        def leave_out(error: StreamError) -> None:
            report.note(error, skipped=True)
            if known is not None:
                known.has_left_out = True

        parsed = self.parsed
        how = TableFormat(self.types, self.csv, leave_out if options.skip else None, known)
        with located(parsed):
            if incoming is None:
                source = mapped_source(data, parsed.mapping, how)
                with how.reading(str(data), source) if self.is_path else nullcontext():
                    yield from events_of(iri, parsed.mapping, source, encoder, options, report, whole=whole)
            else:
                yield from live_events(iri, parsed.mapping, incoming, how, encoder, options, report, whole)


@contextmanager
def located(parsed: ParsedMapping) -> Iterator[None]:
    """Within, what is not there for a mapping is an error in its text."""
    from spaseq.sources.mapped.columns import NoTermsError
    from spaseq.sources.mapped.elements import NoValuesError

    try:
        yield
    except NoTermsError as error:
        raise QueryError(str(error)) from None
    except NoValuesError as error:
        raise parsed.error(parsed.mapping.variable_of(error.path), str(error), error.hint) from None


def single_row(rows: Any, mapping: AnyMapping) -> tuple[bytes, int, str | None] | None:
    """The event of the only row, if it is one that needs no columns, as ``RowLines.event`` gives it."""
    if type(rows) is not list or len(rows) != 1 or type(rows[0]) is not dict:
        return None
    lines = _row_lines(parsed_mapping(mapping))
    return None if lines is None else lines.event(rows[0])


def parsed_mapping(mapping: AnyMapping) -> ParsedMapping:
    """The mapping that is given.  QuerySyntaxError, QueryError: it is none; OptionError: it cannot be read."""
    if isinstance(mapping, ParsedMapping):
        return mapping
    source = source_of(mapping, "")
    return _parsed_text(source.text, source.path)


@lru_cache(maxsize=64)  # rows are pushed one by one with the same
def _parsed_text(text: str, path: str) -> ParsedMapping:
    return parse(text, path)


@lru_cache(maxsize=64)
def _row_lines(parsed: ParsedMapping) -> RowLines | None:
    from spaseq.sources.mapped.single_rows import NotKnownError, row_lines

    try:
        return row_lines(parsed.mapping)
    except NotKnownError:
        return None


def mapped_rows(kind: GraphKind, iri: str, rows: Any, mapping: AnyMapping, skip: bool) -> list[Events]:
    """Rows as events of a stream, see ``Engine.push_rows``."""
    mapped, encoder = Mapped(rows, mapping), kind.encoders[iri]
    from spaseq.sources.mapped.source import all_events
    from spaseq.sources.tables.opening import open_source

    scope, parsed = encoder.next_scope, mapped.parsed
    try:
        with located(parsed):
            events, malformed = all_events(iri, parsed.mapping, open_source(rows), encoder)
        if malformed and not skip:
            row, what = malformed[0]
            raise RowError(row, f"the row is no event: {what}")
    except BaseException:
        encoder.next_scope = scope
        raise
    for row, what in malformed:
        kind.skipped[iri] = kind.skipped.get(iri, Skipped()) + Skipped(1, f"<batch>, row {row}: {what}")
    return events
