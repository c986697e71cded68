# ruff: noqa: N802  (names of methods are Spark's interface)
"""Unbounded reading: new files of a folder, or files that grow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    SupportsTriggerAvailableNow,
)

from spaseq.spark.sources.batch import PiecesPartition
from spaseq.spark.sources.growing import Bounds, FilesOffset, GrowingFiles
from spaseq.spark.sources.options import ReadOptions
from spaseq.spark.sources.pieces import gathered
from spaseq.spark.sources.reading import read_pieces


class FilesStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads files as they come or grow; an offset says how many bytes of each have been read."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.files = GrowingFiles(options)

    def initialOffset(self) -> dict[str, Any]:
        """Nothing has been read."""
        return FilesOffset(self.options.follow).to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """What the options say."""
        if self.options.most_files is not None:
            return ReadMaxFiles(self.options.most_files)
        return ReadAllAvailable() if self.options.most_bytes is None else ReadMaxBytes(self.options.most_bytes)

    def prepareForTriggerAvailableNow(self) -> None:
        """The files end with what is there now."""
        self.files.close()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """How far to read next."""
        bounds = Bounds(getattr(limit, "max_files", None), getattr(limit, "max_bytes", None))
        return self.files.next(FilesOffset.from_json(start, self.options), bounds).to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """What tasks read of a microbatch."""
        offsets = (FilesOffset.from_json(one, self.options) for one in (start, end))
        return list(map(PiecesPartition, gathered(self.files.between(*offsets))))

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """The rows of a partition."""
        assert isinstance(partition, PiecesPartition)
        return read_pieces(partition.pieces, self.options)
