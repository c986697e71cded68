"""Which streams there are for queries, and the sources that have their events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from spaseq.errors import OptionError
from spaseq.pattern.formulas.query import FormulaQuery
from spaseq.sources.tables.columns import texts_as_times
from spaseq.sources.tables.opening import open_source, opened, piped
from spaseq.sources.tables.source import CsvFormat, TableSource, Types, check_declared, check_texts, declared
from spaseq.sources.tables.types import integers_of
from spaseq.text import did_you_mean
from spaseq.tuples.encoding.symbol_groups import Naming, Setting


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How sources are read; the names are those of ``match``."""

    type: str | None = None
    relation: str | None = None
    time: str | None = None
    unit: str = "us"
    types: Types | None = None
    csv: CsvFormat | None = None
    skip: bool = False
    form: str | None = None  # of times that are texts
    stream: str | None = None  # the column with the streams
    totals: str = "int64"

    def setting(self, has_names: bool, own: str | None = None, known: tuple[str, ...] | None = None) -> Setting:
        """What is known of the events; ``has_names``, ``own`` and ``known`` are about their streams."""
        column = None if self.relation is not None else self.type or "type"
        naming = Naming(column, self.relation, self.stream)
        return Setting(naming, self.time, has_names, own, known, integers_of(self.totals))


@dataclass(frozen=True, slots=True)
class Streams:
    """Sources by the names of their streams; the one that has none is that of ""."""

    sources: Mapping[str, TableSource]
    reading: ReadingOptions
    setting: Setting

    @property
    def names(self) -> Sequence[str]:
        """All columns that there are; twice, if a source has one twice."""
        counts = reduce(or_, (Counter(source.names) for source in self.sources.values()))
        return tuple(counts.elements())


def open_streams(queries: Sequence[FormulaQuery], given: Any, reading: ReadingOptions) -> Streams:
    """The streams of queries: ``given`` is one source, or a mapping of sources by the names of their streams.

    OptionError: a stream without source or a source without stream.
    """
    if isinstance(given, Mapping):
        if reading.stream is not None:
            raise OptionError(f"sources with names are streams, so that no column ({reading.stream}) says which")
        return _named(queries, given, reading)
    source = with_times(open_source(given, reading.types, reading.csv), reading)
    return Streams({"": source}, reading, reading.setting(has_names=False))


def _named(queries: Sequence[FormulaQuery], given: Mapping[str, Any], reading: ReadingOptions) -> Streams:
    is_open = not all(query.streams for query in queries)
    asked = dict.fromkeys(name for query in queries for name in query.streams)
    names = tuple(dict.fromkeys([*asked, *given]) if is_open else asked)
    _check_names(names, given)
    if len(names) == 1:
        only = with_times(open_source(given[names[0]], reading.types, reading.csv), reading)
        return Streams({"": only}, reading, reading.setting(False, names[0], names))
    if reading.time is None:
        raise OptionError("several streams are merged by time: say which column has the times (time)")
    given = {name: piped(given[name]) for name in names}
    types, csv = declared(reading.types), reading.csv or CsvFormat()
    sources = {name: with_times(opened(given[name], types, csv), reading) for name in names}
    for name, source in sources.items():
        _check_columns(name, source.names, reading)
    streams = Streams(sources, reading, reading.setting(True, None, names))
    check_declared(reading.types, streams.names)
    return streams


def with_times(source: TableSource, reading: ReadingOptions) -> TableSource:
    """The source with times that are texts read as times."""
    return source if reading.time is None else texts_as_times(source, reading.time, reading.form)


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


def _check_columns(stream: str, names: Sequence[str], reading: ReadingOptions) -> None:
    """OptionError if a stream lacks a column that says what its events are."""
    type_ = None if reading.relation is not None else reading.type or "type"
    for role, column in (("types", type_), ("times", reading.time)):
        if column is not None and column not in names:
            raise OptionError(
                f"the stream {stream} has no column {column} for the {role}; {did_you_mean(column, names)}"
            )
