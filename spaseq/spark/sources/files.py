# ruff: noqa: N802  (names of methods are Spark's interface)
"""Bounded reading: all files, in pieces that tasks read side by side, as rows of events."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import compute
from pyspark.sql import datasource
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.sources.files import as_stream_errors, may_fall_silent
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.files import check_readable, is_plain_nquads, read_source
from spaseq.sources.rdf.nquads import event_start, read_part
from spaseq.sources.rdf.wire import WireReport
from spaseq.sources.source import is_url
from spaseq.spark.data_frames import tell_losses
from spaseq.spark.packing import EVENT, INSTANT
from spaseq.spark.sources.options import ReadOptions
from spaseq.spark.sources.tables import table_events

TOGETHER = 4 << 20  # bytes of small files that one task reads


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or the bytes ``start:stop`` of one of N-Quads, where events begin; ``size`` is how much there is to read.

    ``torn``: what belongs to its events may stand in another piece.
    """

    path: str
    size: int
    start: int = 0
    stop: int | None = None
    torn: bool = False


def pieces(path: str, options: ReadOptions) -> Iterator[Piece]:
    """The pieces of a file, in their order; a source is one.  StreamError: it cannot be read, OptionError: a pipe."""
    if is_url(path):
        yield Piece(path, 0)
        return
    check_is_file(path)
    if options.mapping is not None:
        with as_stream_errors(path):
            yield Piece(path, Path(path).stat().st_size)
        return
    size = Path(path).stat().st_size if Path(path).exists() else 0
    if options.cut and size > options.partition_bytes and is_plain_nquads(path):
        yield from ranges(path, 0, size, options, torn=True)
    else:
        check_readable(path)
        yield Piece(path, size)


def ranges(path: str, start: int, stop: int, options: ReadOptions, torn: bool = False) -> Iterator[Piece]:
    """The bytes ``start:stop`` of a file of N-Quads, cut between events."""
    with Path(path).open("rb") as file:
        begin = start
        while begin < stop:
            at = min(begin + options.partition_bytes, stop)
            end = event_start(file, at, stop, options.wire.time_properties) if at < stop else stop
            yield Piece(path, end - begin, begin, end, torn)
            begin = end


def gathered(found: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """The same pieces, small files that follow each other together."""
    waiting: list[Piece] = []
    for piece in found:
        if waiting and (piece.stop is not None or sum(one.size for one in waiting) + piece.size > TOGETHER):
            yield tuple(waiting)
            waiting = []
        waiting.append(piece)
        if piece.stop is not None:
            yield (waiting.pop(),)
    if waiting:
        yield tuple(waiting)


def check_is_file(path: str) -> None:
    """OptionError: it is a pipe or the like."""
    if may_fall_silent(path):
        raise OptionError(f"{path:.200}: Spark reads files, no pipes")


_Comparison = Callable[[Any, Any], Any]
_COMPARISONS: dict[type[datasource.Filter], tuple[_Comparison, _Comparison]] = {
    datasource.EqualTo: (operator.eq, compute.equal),
    datasource.GreaterThan: (operator.gt, compute.greater),
    datasource.GreaterThanOrEqual: (operator.ge, compute.greater_equal),
    datasource.LessThan: (operator.lt, compute.less),
    datasource.LessThanOrEqual: (operator.le, compute.less_equal),
}


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows of one stream are wanted: none, or those whose time passes all comparisons."""

    nothing: bool = False
    times: tuple[tuple[type[datasource.Filter], datetime], ...] = ()

    def rows(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """The rows of ``EVENT`` that are wanted."""
        for kind, time in self.times:
            batch = batch.filter(_COMPARISONS[kind][1](batch["time"], pyarrow.scalar(time, INSTANT)))
        return batch


def pushed(filters: list[datasource.Filter], stream: str) -> tuple[RowFilter, list[datasource.Filter]]:
    """What the source sees to, all rows of which are of ``stream``, and the filters that are left to Spark."""
    nothing, times, left = False, [], []
    for one in filters:
        column: Any = getattr(one, "attribute", None)
        value: Any = getattr(one, "value", None)
        if isinstance(one, datasource.IsNotNull) and column in (("stream",), ("time",)):
            continue
        if column == ("stream",) and isinstance(one, datasource.EqualTo | datasource.In):
            nothing |= stream not in (value if isinstance(one, datasource.In) else (value,))
        elif column == ("time",) and type(one) in _COMPARISONS and isinstance(value, datetime) and value.tzinfo:
            times.append((type(one), value))
        else:
            left.append(one)
    return RowFilter(nothing, tuple(times)), left


ELSEWHERE = 'its time may stand in another part of the file; have it read whole: .option("cut", "false")'


def read_pieces(found: Iterable[Piece], options: ReadOptions) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``EVENT``, in the order of the pieces; what was left out stands in the log of the worker.

    StreamError: a piece cannot be read.
    """
    report = WireReport()
    try:
        for piece in found:
            for events in _events(piece, options, report):
                if len(events):
                    yield events.to_arrow(pruned=False).cast(EVENT)
    finally:
        tell_losses(options.stream, report)


def _events(piece: Piece, options: ReadOptions, report: WireReport) -> Iterator[Events]:
    if (mapped := options.table(piece.path)) is not None:
        return table_events(mapped, options.stream, options.wire, report)
    encoder = Encoder(Terms())
    if piece.stop is None:
        return read_source(piece.path, options.stream, options.wire, report, encoder)
    elsewhere = ELSEWHERE if piece.torn else ""
    assembler = EventAssembler(options.stream, options.wire, report, encoder, elsewhere=elsewhere)
    return read_part(piece.path, piece.start, piece.stop, assembler)


@dataclass(frozen=True)
class PiecesPartition(InputPartition):
    """What one task reads."""

    pieces: tuple[Piece, ...]


class FilesReader(DataSourceReader):
    """Reads all files as rows of ``EVENT``."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.wanted = RowFilter()

    def partitions(self) -> Sequence[InputPartition]:
        """The pieces of all files; StreamError: there are none, or one cannot be read."""
        if self.wanted.nothing:
            return []
        files = [file for path in self.options.paths for file in self.options.files(path)]
        found = (piece for file in files for piece in pieces(file, self.options))
        return list(map(PiecesPartition, gathered(found)))

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """The rows of a partition; where there are none, Spark has made one up."""
        if isinstance(partition, PiecesPartition):
            for batch in read_pieces(partition.pieces, self.options):
                yield self.wanted.rows(batch)


class FilteringReader(FilesReader):
    """The same where Spark leaves filters to sources; where it does not, it refuses such a reader."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Filters on stream and time are seen to here."""
        self.wanted, left = pushed(filters, self.options.stream)
        return left
