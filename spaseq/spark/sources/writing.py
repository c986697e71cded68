# ruff: noqa: N803  (names of arguments are Spark's interface)
"""Writing the results of a job into a folder, each batch once."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from spaseq.errors import Location, OptionError, StreamError
from spaseq.results.formats import Layout, open_writer
from spaseq.results.formats.writer import Utf8Output
from spaseq.results.table import MatchTable
from spaseq.spark.packing import RESULT
from spaseq.spark.results import match_tables
from spaseq.spark.sources.options import WriteOptions
from spaseq.whole_file import keep_folder

TEMPORARY, OWNER, SUCCESS = "_temporary", "_query", "_SUCCESS"  # names that readers of folders pass over


@dataclass(frozen=True, slots=True)
class Written:
    """What a task has written into a file that nobody reads yet: so many bytes.

    ``run`` is the streaming query (Spark's id), ``queries`` are those that lines do not name.
    """

    path: str
    size: int
    run: str = ""
    queries: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SinkFolder:
    """The batches of one streaming query, a subfolder each, or the files of bounded ones; files have an ``ending``.

    Tasks of different jobs write apart.
    """

    path: Path
    ending: str
    job: str

    def temporary(self) -> Path:
        """A new name for a file of a task."""
        self._home.mkdir(parents=True, exist_ok=True)
        return self._home / f"{uuid.uuid4().hex}{self.ending}"

    def commit_batch(self, number: int, parts: Sequence[Written]) -> None:
        """Make a batch visible, all of it at once; one that is visible already stays as it is.

        StreamError: the folder has batches of another streaming query.  OptionError: lines of several queries would be
        mixed.
        """
        filled = [part for part in parts if part.size]
        if filled:
            self._own(filled)
        final = self.path / f"batch={number}"
        if filled and not final.exists():
            ready = self.temporary().with_suffix("")
            ready.mkdir()
            for index, part in enumerate(filled):
                Path(part.path).rename(ready / f"part-{index:05}{self.ending}")
            keep_folder(ready)
            ready.rename(final)
            keep_folder(self.path)
        self.discard()

    def commit_files(self, parts: Sequence[Written], overwrite: bool) -> None:
        """Make the files of a bounded job visible; ``overwrite``: in place of what was written before."""
        self._check_one_query(frozenset().union(*(part.queries for part in parts)))
        if overwrite:
            self._clear()
        for index, part in enumerate(part for part in parts if part.size):
            Path(part.path).rename(self.path / f"part-{index:05}-{self.job}{self.ending}")
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / SUCCESS).touch()
        keep_folder(self.path)
        self.discard()

    def discard(self) -> None:
        """Remove what tasks have written, also those that were killed."""
        shutil.rmtree(self._home, ignore_errors=True)
        try:
            self._home.parent.rmdir()
        except OSError:  # others are writing, too, or nobody has
            return

    @property
    def _home(self) -> Path:
        return self.path / TEMPORARY / self.job

    def _own(self, parts: Sequence[Written]) -> None:
        """See that the folder is of this streaming query alone."""
        run, queries = parts[0].run, frozenset().union(*(part.queries for part in parts))
        try:
            known = json.loads((self.path / OWNER).read_text(encoding="utf-8"))
        except FileNotFoundError:
            self._check_one_query(queries)
            name = self.temporary()
            name.write_text(json.dumps({"run": run, "queries": sorted(queries)}), encoding="utf-8")
            name.rename(self.path / OWNER)
            return
        if known["run"] != run:
            raise StreamError(
                "the folder has batches of another streaming query, with another checkpoint",
                Location(str(self.path)),
                hint="take another folder, or remove this one together with its checkpoint",
            )
        self._check_one_query(queries.union(known["queries"]))

    def _check_one_query(self, queries: frozenset[str]) -> None:
        if len(queries) > 1:
            names = " and ".join(f'"{name}"' for name in sorted(queries)[:2])
            raise OptionError(
                f'results of {names} come together, so their lines have to name them: "several" is "true"'
            )

    def _clear(self) -> None:
        """Remove what was written before, and nothing else."""
        for name in (SUCCESS, OWNER):
            (self.path / name).unlink(missing_ok=True)
        for batch in self.path.glob("batch=*"):
            shutil.rmtree(batch)
        for file in self.path.glob(f"part-*{self.ending}"):
            file.unlink()


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
