"""Writers of every output format, one a file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TextIO

from spaseq.results.formats.writer import Layout, Writer, WriterFactory


def _writer(name: str, kind: str) -> WriterFactory:
    """The writer in the file of that name, which is imported with its first output: XML and tables take long."""

    def open_one(output: TextIO, layout: Layout) -> Writer:
        factory: WriterFactory = getattr(import_module(f"spaseq.results.formats.{name}"), kind)
        return factory(output, layout)

    return open_one


FORMATS: Mapping[str, WriterFactory] = {
    "table": _writer("table", "TableWriter"),
    "jsonl": _writer("jsonl", "JsonLinesWriter"),
    "json": _writer("json", "JsonWriter"),
    "csv": _writer("csv", "CsvWriter"),
    "tsv": _writer("tsv", "TsvWriter"),
    "xml": _writer("xml", "XmlWriter"),
    "parquet": _writer("parquet", "ParquetWriter"),
    "nquads": _writer("nquads", "NQuadsWriter"),
    "trig": _writer("trig", "TrigWriter"),
}
SOLUTIONS = frozenset({"json", "csv", "tsv", "xml"})  # of one SELECT query
FRAMES = frozenset({"parquet"})  # of one query
STREAMS = frozenset({"nquads", "trig"})  # of CONSTRUCT queries


def open_writer(format: str, output: TextIO, layout: Layout = Layout()) -> Writer:
    """A writer of the format called ``format`` (a key of FORMATS) into ``output``, which stays the caller's."""
    if layout.times:
        from spaseq.results.formats.timed import TimedWriter, timed_layout

        return TimedWriter(FORMATS[format](output, timed_layout(layout)))
    return FORMATS[format](output, layout)


__all__ = ["FORMATS", "FRAMES", "SOLUTIONS", "STREAMS", "Layout", "Writer", "open_writer"]
