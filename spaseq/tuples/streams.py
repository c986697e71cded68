"""Which streams there are for a query, and the source that has the events of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spaseq.errors import OptionError, QueryError
from spaseq.languages.problem import did_you_mean
from spaseq.pattern.recognition import Query
from spaseq.tuples.csv import CsvSource
from spaseq.tuples.formatted import FormattedTimes
from spaseq.tuples.merge import STREAM, MergedSource
from spaseq.tuples.opening import opened, piped
from spaseq.tuples.sources import CsvFormat, Source, Types, check_declared, check_texts, declared, open_source


@dataclass(frozen=True, slots=True)
class Streams:
    """A source, and what is known of the streams of its events.

    They are all of the stream ``name``, or the column ``column`` has their streams; ``known`` are those that exist for
    the query, empty: all.
    """

    source: Source
    name: str | None = None
    column: str | None = None
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How sources are read; the names are those of ``match``."""

    type: str | None
    relation: str | None
    time: str | None
    unit: str
    types: Types | None
    csv: CsvFormat | None
    skip: bool
    form: str | None = None  # of times that are texts


def open_streams(query: Query, given: Any, column: str | None, reading: Reading) -> Streams:
    """The streams of a query: ``given`` is one source, or a mapping of sources by the names of their streams.

    OptionError: a stream without source or a source without stream.  QueryError: several streams, and nothing that
    tells them apart.
    """
    if isinstance(given, Mapping):
        if column is not None:
            raise OptionError(f"sources with names are streams, so that no column ({column}) says which")
        return _named(query, given, reading)
    source = _with_times(open_source(given, reading.types, reading.csv), reading)
    if column is not None:
        return Streams(source, column=column, known=query.streams)
    if len(query.streams) > 1:
        hint = "give each of them a source, or say which column has the streams of the events (stream)"
        raise QueryError(f"FROM names several streams ({', '.join(query.streams)}), but there is one source", hint=hint)
    return Streams(source, query.streams[0] if query.streams else None, known=query.streams)


def _named(query: Query, given: Mapping[str, Any], reading: Reading) -> Streams:
    names = query.streams or tuple(given)
    _check_names(names, given)
    if len(names) == 1:
        only = open_source(given[names[0]], reading.types, reading.csv)
        return Streams(_with_times(only, reading), names[0], known=names)
    if reading.time is None:
        raise OptionError("several streams are merged by time: say which column has the times (time)")
    given = {name: piped(given[name]) for name in names}
    types, csv = declared(reading.types), reading.csv or CsvFormat()
    sources = {name: _with_times(opened(given[name], types, csv), reading) for name in names}
    for name, source in sources.items():
        _check_columns(name, source.names, reading)
    merged = MergedSource(sources, reading.time, reading.unit, reading.skip)
    check_declared(reading.types, merged.names[:-1])
    return Streams(merged, column=STREAM, known=names)


def _with_times(source: Source, reading: Reading) -> Source:
    """The source with its times read by their form, if they have one."""
    if reading.form is None or reading.time is None or reading.time not in source.names:
        return source
    if isinstance(source, CsvSource):
        source.as_text(reading.time)
    return FormattedTimes(source, reading.time, reading.form, reading.skip)


def _check_names(names: Sequence[str], given: Mapping[str, Any]) -> None:
    if not given:
        raise OptionError("there is no source")
    check_texts(**{f"the stream {name!r:.80}": name for name in given})
    for name in names:
        if name not in given:
            raise OptionError(f"nothing supplies the stream {name}")
    for name in given:
        if name not in names:
            raise OptionError(f"FROM names no stream {name}; {did_you_mean(name, names)}")


def _check_columns(stream: str, names: Sequence[str], reading: Reading) -> None:
    """OptionError if a stream lacks a column that says what its events are."""
    type_ = None if reading.relation is not None else reading.type or "type"
    for role, column in (("types", type_), ("times", reading.time)):
        if column is not None and column not in names:
            raise OptionError(
                f"the stream {stream} has no column {column} for the {role}; {did_you_mean(column, names)}"
            )
