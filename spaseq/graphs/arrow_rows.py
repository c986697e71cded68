"""Rows of Arrow that are pushed: all of them are read before anything is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gpm.encoder import add_graph, add_texts, event_batch, text_column
from gpm.errors import PatternError
from gpm.native.assembly import Assembler
from gpm.rows import Numbers, TextColumn
from spaseq.errors import LocatedError, Location, OptionError, RowError, StreamError, require
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.queries import resolve_stream
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.sources.rdf.graphs import read_graph
from spaseq.streams.losses import OF_NO_STREAM, Skipped

if TYPE_CHECKING:
    from spaseq.sources.rdf.arrow import EventColumns


Place: TypeAlias = "Callable[[int], str]"  # what errors call a row of a table, by its number


def _in_batch(row: int) -> str:
    return f"<batch>, row {row}"


def read_rows(kind: GraphKind, data: Any, skip: bool) -> list[Events]:
    """The events of a table's rows, by stream, for ``EngineCore.push``; what is skipped is counted.

    Errors as of ``Engine.push_arrow``, after which the engine is as it was.
    """
    return [events for events, _ in _read(kind, data, skip, keep_lines=False)]


def read_lines(kind: GraphKind, data: Any, skip: bool, place: Place = _in_batch) -> list[tuple[Events, TextColumn]]:
    """As ``read_rows``, with the lines of each event that a pattern can use, one at least.

    ``place`` gives what errors call a row, by its number.
    """
    found = _read(kind, data, skip, keep_lines=True, place=place)
    return [(events, lines or text_column(events.graphs, True)) for events, lines in found]


def _read(
    kind: GraphKind, data: Any, skip: bool, keep_lines: bool, place: Place = _in_batch
) -> list[tuple[Events, TextColumn | None]]:
    require("pyarrow")
    from spaseq.sources.rdf.arrow import EventColumns, read_table

    if not isinstance(skip, bool):
        raise OptionError(f"skip is True or False, not {skip!r:.80}")
    scopes = {iri: encoder.next_scope for iri, encoder in kind.encoders.items()}
    reader, first = _RowReader(kind, skip, keep_lines, place), 0
    try:
        for batch in read_table(data).to_batches():
            if batch.num_rows:
                reader.read(EventColumns(batch), first)
            first += batch.num_rows
        found = reader.events()
    except BaseException:
        for iri, scope in scopes.items():
            kind.encoders[iri].next_scope = scope
        raise
    for stream, skipped in reader.skipped():
        kind.skipped[stream] = kind.skipped.get(stream, Skipped()) + skipped
    return found


@dataclass(slots=True)
class _BadRows:
    """So many rows, and what is wrong with the first of them."""

    count: int
    first: RowError


class _RowReader:
    """Reads rows as events of the streams of an engine.  ``skip``: those that are none are counted, else a RowError."""

    def __init__(self, kind: GraphKind, skip: bool, keep_lines: bool, place: Place) -> None:
        self._kind = kind
        self._place = place
        self._skip = skip
        self._keep_lines = keep_lines
        self._bad: dict[str, _BadRows] = {}  # by stream
        self._assemblers: dict[str, Assembler] = {}

    def events(self) -> list[tuple[Events, TextColumn | None]]:
        """All events that were read, with their lines, if those are kept and all were read from lines."""
        found = []
        for iri, assembler in self._assemblers.items():
            columns = assembler.take()
            names = EventIris.ending(columns["names"], columns["name_ends"])
            events = Events(iri, event_batch(assembler, columns), names)
            found.append((events, _lines(columns) if self._keep_lines else None))
        return found

    def skipped(self) -> Iterator[tuple[str, Skipped]]:
        """The streams of which rows were skipped."""
        for stream, bad in self._bad.items():
            yield stream, Skipped(bad.count, f"{bad.first.location}: {bad.first.message}")

    def read(self, columns: EventColumns, first: int) -> None:
        """Read a batch, whose first row has that number."""
        streams = self._streams(columns, first)
        for flags, message in columns.problems():
            for iri, rows in streams.items() if flags.any() else ():
                bad = flags[rows]
                self._note(iri, rows[bad] + first, message)
                streams[iri] = rows[~bad]
        for iri, rows in streams.items():
            self._read_stream(iri, rows, columns, first)
        if self._bad and not self._skip:
            raise min((bad.first for bad in self._bad.values()), key=lambda error: error.row)

    def _streams(self, columns: EventColumns, first: int) -> dict[str, Numbers]:
        """The rows of each stream, in order."""
        found: dict[str, Numbers] = {}
        for code, rows in grouped(columns.streams):
            iri = self._stream(columns.stream_names[code] if code >= 0 else None, rows + first)
            if iri is not None:
                found[iri] = np.sort(np.concatenate([found[iri], rows])) if iri in found else rows
        return found

    def _stream(self, name: str | None, rows: Numbers) -> str | None:
        """The IRI of a stream, of which rows came; None: there is none of the name.  OptionError: it is not open."""
        if name is None:
            self._note(OF_NO_STREAM, rows, "the stream is missing")
            return None
        try:
            return self._kind.core.open_stream(name)
        except OptionError as error:
            try:
                resolve_stream(name, self._kind.known())
            except OptionError:
                self._note(OF_NO_STREAM, rows, str(error))
                return None
            raise

    def _read_stream(self, iri: str, rows: Numbers, columns: EventColumns, first: int) -> None:
        """Read rows of one stream, up to a bad one that is not to be skipped."""
        if iri not in self._assemblers:
            self._assemblers[iri] = Assembler(self._kind.encoders[iri], (), keep_lines=self._keep_lines)
        assembler, events = self._assemblers[iri], columns.events

        def read_closely(row: int) -> bool:
            try:
                triples, name = read_graph(events.graph(row), columns.name(row))
                add_graph(assembler, triples, int(events.times[row]), name.encode())
            except (OptionError, StreamError, PatternError) as error:
                place = error.location if isinstance(error, LocatedError) else Location()
                self._note(iri, np.array([row + first]), str(error.args[0]), place)
                return self._skip
            return True

        add_texts(assembler, rows, events, read_closely)

    def _note(self, stream: str, rows: Numbers, message: str, place: Location = Location()) -> None:
        """These rows, which are in order, are no events, the first of them because of ``message``."""
        if not len(rows):
            return
        first, known = int(rows[0]), self._bad.get(stream)
        if known is None or first < known.first.row:
            error = RowError(first, message, place, path=self._place(first))
            known = self._bad[stream] = _BadRows(known.count if known else 0, error)
        known.count += len(rows)


def _lines(columns: dict[str, Any]) -> TextColumn | None:
    """The lines that an assembler kept; None: an event was not read from lines."""
    offsets = np.zeros(len(columns["line_ends"]) + 1, np.int64)
    offsets[1:] = columns["line_ends"]
    return (offsets, columns["lines"]) if (offsets[1:] > offsets[:-1]).all() else None


def grouped(codes: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The distinct ones (there is one at least), and where each is, in order."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
    return zip(ordered[starts].tolist(), np.split(order, starts[1:]), strict=True)
