"""Tables as streams: what is read, and the mapping that says what a row means."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from spaseq.errors import QueryError, RowError, StreamError, require
from spaseq.languages.mappings import ParsedMapping, parse
from spaseq.sources.source import opened_url
from spaseq.sources.transports.transport import Transport
from spaseq.streams.losses import Skipped

if TYPE_CHECKING:
    from gpm.native.assembly import Encoder
    from spaseq.graphs.kind import GraphKind
    from spaseq.sources.rdf.events import Events
    from spaseq.sources.rdf.wire import WireOptions, WireReport
    from spaseq.sources.tables.source import CsvFormat, Types


AnyMapping: TypeAlias = "str | os.PathLike[str] | ParsedMapping"


@dataclass(frozen=True)
class Mapped:
    """A table that a query reads as a stream; ``mapping`` says what a row means (a text, or the path of a file).

    ``source`` is a path of CSV or Parquet, a table of Arrow, a data frame of pandas or polars, or rows as dictionaries;
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
        return self.mapping if isinstance(self.mapping, ParsedMapping) else parse(self.mapping)

    @property
    def transport(self) -> Transport | None:
        """What its rows come by, if they come in messages.  OptionError: a URL makes no sense."""
        named = opened_url(os.fspath(self.source)) if isinstance(self.source, str | os.PathLike) else None
        found = named or self.source
        if isinstance(found, Transport) and found.comes_in_messages:
            return found
        if named is not None:
            named.close()  # it is opened again as a table of bytes
        return None

    def arriving(
        self, transport: Transport, iri: str, encoder: Encoder, options: WireOptions, report: WireReport
    ) -> Iterator[Events]:
        """The events of messages as they come, of the stream ``iri``; a message has whole events.  Errors as below."""
        from spaseq.sources.mapped.source import events_of
        from spaseq.sources.tables.message_rows import MessageRows
        from spaseq.sources.tables.source import CsvFormat, check_csv, check_declared, declared

        def refuse(error: StreamError) -> None:
            report.note(error, skipped=True)

        check_csv(self.csv)
        parsed = self.parsed
        rows = MessageRows(transport, declared(self.types), self.csv or CsvFormat(), refuse if options.skip else None)
        check_declared(self.types, rows.names)
        dropped = 0
        with _located(parsed):
            for events in events_of(iri, parsed.mapping, rows, encoder, options, report, rows.worked_out):
                yield events
                report.dropped += transport.dropped - dropped
                dropped = transport.dropped

    def events(self, iri: str, encoder: Encoder, options: WireOptions, report: WireReport) -> Iterator[Events]:
        """Its events, of the stream ``iri``.

        QueryError: it lacks a column, or values are no terms.  StreamError: it cannot be read, or a row is no event;
        with ``options.skip`` such rows are counted.
        """
        from spaseq.sources.mapped.source import events_of
        from spaseq.sources.tables.opening import open_source

        parsed, source = self.parsed, open_source(self.source, self.types, self.csv)
        with _located(parsed):
            yield from events_of(iri, parsed.mapping, source, encoder, options, report)


@contextmanager
def _located(parsed: ParsedMapping) -> Iterator[None]:
    """Within, what is not there for a mapping is an error in its text."""
    from spaseq.sources.mapped.columns import NoTermsError
    from spaseq.sources.mapped.elements import NoValuesError

    try:
        yield
    except NoTermsError as error:
        raise QueryError(str(error)) from None
    except NoValuesError as error:
        raise parsed.error(parsed.mapping.variable_of(error.path), str(error), error.hint) from None


def mapped_rows(kind: GraphKind, iri: str, rows: Any, mapping: AnyMapping, skip: bool) -> list[Events]:
    """Rows as events of a stream, see ``Engine.push_rows``."""
    mapped, encoder = Mapped(rows, mapping), kind.encoders[iri]
    from spaseq.sources.mapped.source import all_events
    from spaseq.sources.tables.opening import open_source

    scope, parsed = encoder.next_scope, mapped.parsed
    try:
        with _located(parsed):
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
