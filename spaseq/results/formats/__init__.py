"""Writers of every output format, one a file (N-Quads and TriG in one)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TextIO

from spaseq.results.formats.writer import BlockWriter, Layout, MessageOutput, Writer
from spaseq.results.table import MergedTables


def _writer(name: str, kind: str) -> Callable[[TextIO, Layout], Any]:
    """The writer in the file of that name, which is imported with its first output: XML and tables take long."""

    def open_one(output: TextIO, layout: Layout) -> Any:
        return getattr(import_module(f"spaseq.results.formats.{name}"), kind)(output, layout)

    return open_one


WRITERS: Mapping[str, Callable[[TextIO, Layout], Any]] = {
    "table": _writer("table", "TableWriter"),
    "jsonl": _writer("jsonl", "JsonLinesWriter"),
    "json": _writer("json", "JsonWriter"),
    "csv": _writer("csv", "CsvWriter"),
    "tsv": _writer("tsv", "TsvWriter"),
    "xml": _writer("xml", "XmlWriter"),
    "parquet": _writer("parquet", "ParquetWriter"),
    "nquads": _writer("rdf", "NQuadsWriter"),
    "trig": _writer("rdf", "TrigWriter"),
}
_PARTS = _writer("parquet", "PartsWriter")
BLOCKS = ("table", "jsonl", "csv", "parquet")  # of any results, those of tuples, too: a BlockWriter
SOLUTIONS = frozenset({"json", "csv", "tsv", "xml"})  # of one SELECT query
FRAMES = frozenset({"parquet"})  # of one query
STREAMS = frozenset({"nquads", "trig"})  # of CONSTRUCT queries
RESUMABLE = ("jsonl", "nquads", "trig")  # without beginning and end: a file of them can be gone on with


def open_writer(format: str, output: TextIO, layout: Layout = Layout()) -> Writer:
    """A writer of matches in one of WRITERS into ``output``, which stays the caller's."""
    if layout.times:
        from spaseq.results.formats.terms import TimedWriter, timed_layout

        return TimedWriter(_open(format, output, timed_layout(layout)))
    return _open(format, output, layout)


def open_block_writer(format: str, output: TextIO, layout: Layout) -> BlockWriter:
    """A writer of any results in one of BLOCKS into ``output``, which stays the caller's."""
    if format in FRAMES and isinstance(output, MessageOutput):
        parts: BlockWriter = _PARTS(output, layout)
        return parts
    writer: BlockWriter = WRITERS[format](output, layout)
    return writer


def write_merged(writer: Writer, some: MergedTables) -> None:
    """Append results of several queries in their order."""
    from spaseq.results.formats.terms import TermWriter

    if isinstance(writer, TermWriter):
        writer.write_merged(some)
    else:
        for table in some.runs():
            writer.write(table)


def _open(format: str, output: TextIO, layout: Layout) -> Writer:
    if format not in BLOCKS:
        writer: Writer = WRITERS[format](output, layout)
        return writer
    from spaseq.results.formats.terms import TermWriter

    return TermWriter(open_block_writer(format, output, layout), layout.prefixes)


__all__ = [
    "BLOCKS", "FRAMES", "RESUMABLE", "SOLUTIONS", "STREAMS", "WRITERS", "Layout", "Writer", "open_block_writer",
    "open_writer", "write_merged",
]  # fmt: skip
