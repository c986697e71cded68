# ruff: noqa: N803  (names of arguments are Spark's interface)
"""Writing: tasks make files that nobody reads, the driver makes those of a batch visible."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from spaseq.errors import OptionError, StreamError
from spaseq.results.formats import Layout, open_writer
from spaseq.results.formats.writer import Utf8Output
from spaseq.results.table import MatchTable
from spaseq.spark.packing import RESULT
from spaseq.spark.sources.folder import SinkFolder, Written
from spaseq.spark.sources.options import WriteOptions
from spaseq.spark.tables import match_tables

RUN = "sql.streaming.queryId"  # the property of a task that says of which streaming query it is
ENDINGS = {"jsonl": ".jsonl", "nquads": ".nq", "trig": ".trig"}


@dataclass(frozen=True, slots=True)
class PartMessage(WriterCommitMessage):
    """What a task tells the driver."""

    part: Written


@dataclass(frozen=True, slots=True)
class PartWriter:
    """Writes the rows of a task into a file of their own."""

    options: WriteOptions
    job: str

    @property
    def folder(self) -> SinkFolder:
        """Where it is written."""
        return SinkFolder(Path(self.options.path), ENDINGS[self.options.format], self.job)

    def write(self, rows: Iterable[pyarrow.RecordBatch]) -> PartMessage:
        """Write all rows; StreamError: one is no result."""
        path, queries = self.folder.temporary(), set[str]()
        try:
            with path.open("xb") as file:
                output = Utf8Output(file)
                writer = open_writer(self.options.format, output, Layout(several=self.options.several))
                for table in _tables(rows):
                    writer.write(table)
                    queries.add(table.query)
                writer.close()
                output.flush()
                os.fsync(file.fileno())
                size = file.tell()
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        names = not self.options.several and self.options.format == "jsonl"
        return PartMessage(Written(str(path), size, _run(), frozenset(queries) if names else frozenset()))


def _tables(rows: Iterable[pyarrow.RecordBatch]) -> Iterator[MatchTable]:
    """The results in some rows; StreamError: a row is none."""
    for batch in rows:
        if batch["query"].null_count:
            raise StreamError("a row has no query: late events are no results, and have to be written elsewhere")
        yield from match_tables(pyarrow.Table.from_batches([batch]))


class FilesWriter(DataSourceArrowWriter):
    """Writes the results of a bounded job as files of a folder."""

    def __init__(self, options: WriteOptions, overwrite: bool) -> None:
        self.writer = PartWriter(options, uuid.uuid4().hex)
        self.overwrite = overwrite

    def write(self, iterator: Iterator[pyarrow.RecordBatch]) -> WriterCommitMessage:
        """The rows of a task."""
        return self.writer.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """All tasks are done."""
        self.writer.folder.commit_files(_parts(messages), self.overwrite)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """A task has failed."""
        self.writer.folder.discard()


class FilesStreamWriter(DataSourceStreamArrowWriter):
    """Writes each batch of a streaming job as a subfolder, once."""

    def __init__(self, options: WriteOptions) -> None:
        self.writer = PartWriter(options, "batches")  # one at a time

    def write(self, iterator: Iterator[pyarrow.RecordBatch]) -> WriterCommitMessage:
        """The rows of a task."""
        return self.writer.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """All tasks of a batch are done, maybe not for the first time."""
        self.writer.folder.commit_batch(batchId, _parts(messages))

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """A task of a batch has failed."""
        self.writer.folder.discard()


def check_results(schema: StructType) -> None:
    """OptionError: the columns are not those of ``match``."""
    if missing := [name for name in RESULT.names if name not in schema.fieldNames()]:
        raise OptionError(f"rdfstream writes what match gives: the column {missing[0]} is missing")


def _parts(messages: list[WriterCommitMessage | None]) -> list[Written]:
    return [message.part for message in messages if isinstance(message, PartMessage)]


def _run() -> str:
    """The streaming query of this task; empty if it is of none."""
    context = TaskContext.get()
    return (context and context.getLocalProperty(RUN)) or ""
