"""Writers of every output format, one a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from spaseq.results.formats.csv import CsvWriter
from spaseq.results.formats.json import JsonWriter
from spaseq.results.formats.jsonl import JsonLinesWriter
from spaseq.results.formats.nquads import NQuadsWriter
from spaseq.results.formats.parquet import ParquetWriter
from spaseq.results.formats.table import TableWriter
from spaseq.results.formats.timed import TimedWriter, timed_layout
from spaseq.results.formats.trig import TrigWriter
from spaseq.results.formats.tsv import TsvWriter
from spaseq.results.formats.writer import Layout, Writer, WriterFactory
from spaseq.results.formats.xml import XmlWriter

FORMATS: Mapping[str, WriterFactory] = {
    "table": TableWriter,
    "jsonl": JsonLinesWriter,
    "json": JsonWriter,
    "csv": CsvWriter,
    "tsv": TsvWriter,
    "xml": XmlWriter,
    "parquet": ParquetWriter,
    "nquads": NQuadsWriter,
    "trig": TrigWriter,
}
SOLUTIONS = frozenset({"json", "csv", "tsv", "xml"})  # of one SELECT query
FRAMES = frozenset({"parquet"})  # of one query
STREAMS = frozenset({"nquads", "trig"})  # of CONSTRUCT queries


def open_writer(format: str, output: TextIO, layout: Layout = Layout()) -> Writer:
    """A writer of the format called ``format`` (a key of FORMATS) into ``output``, which stays the caller's."""
    if layout.times:
        return TimedWriter(FORMATS[format](output, timed_layout(layout)))
    return FORMATS[format](output, layout)


__all__ = ["FORMATS", "FRAMES", "SOLUTIONS", "STREAMS", "Layout", "Writer", "open_writer"]
