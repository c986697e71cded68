# ruff: noqa: N802  (names of methods are Spark's interface)
"""The data source ``rdfstream``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType

from spaseq.errors import OptionError
from spaseq.spark.packing import EVENT_DDL
from spaseq.spark.sources.files import FilesReader, FilteringReader
from spaseq.spark.sources.growing import FilesStreamReader
from spaseq.spark.sources.options import read_options, write_options
from spaseq.spark.sources.writing import FilesStreamWriter, FilesWriter, check_results

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


class RdfStream(DataSource):
    """Streams of RDF in files, in any format that ``spaseq run`` reads; register it with ``register``."""

    @classmethod
    def name(cls) -> str:
        """Its name in ``format``."""
        return "rdfstream"

    def schema(self) -> str:
        """The columns that ``match`` reads; OptionError: an option is wrong."""
        read_options(self.options)
        return EVENT_DDL

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads what is there."""
        return FilesReader(read_options(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Reads what comes."""
        return FilesStreamReader(read_options(self.options))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Writes the results of a bounded job."""
        check_results(schema)
        return FilesWriter(write_options(self.options), overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        """Writes the results of a streaming job; OptionError: not all of them."""
        if overwrite:
            raise OptionError('rdfstream adds the results of each batch: outputMode("append")')
        check_results(schema)
        return FilesStreamWriter(write_options(self.options))


class FilteringRdfStream(RdfStream):
    """The same where Spark leaves filters to sources."""

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads what is there and wanted."""
        return FilteringReader(read_options(self.options))


def register(spark: SparkSession) -> None:
    """Make ``spark.read.format("rdfstream")`` known; it filters by stream and time if Spark leaves that to sources."""
    pushes = spark.conf.get(PUSHDOWN, "false")
    spark.dataSource.register(FilteringRdfStream if pushes == "true" else RdfStream)
