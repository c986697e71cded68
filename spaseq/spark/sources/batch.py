# ruff: noqa: N802  (names of methods are Spark's interface)
"""Bounded reading: all files, in parts that tasks read side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from spaseq.sources.rdf.files import expand
from spaseq.spark.sources.filters import RowFilter, pushed
from spaseq.spark.sources.options import ReadOptions
from spaseq.spark.sources.pieces import Piece, gathered, pieces
from spaseq.spark.sources.reading import read_pieces


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
        files = [file for path in self.options.paths for file in expand(path)]
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
