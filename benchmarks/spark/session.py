"""A Spark session on two cores, and folders of events for it to read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from benchmarks.spark.quotes import Quotes
from spaseq.spark.cluster import start_session

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
EVENTS = ("stream", "time", "event", "graph")
SCHEMA = "stream string, time timestamp, event string, graph binary, company int"


@contextmanager
def spark() -> Iterator[SparkSession]:
    """A session with two task slots."""
    session = start_session("local[2]", "spaseq benchmarks", SETTINGS)
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()


def write(quotes: Quotes, folder: Path, size: int) -> int:
    """Write the quotes as files of so many events, the oldest first; how many bytes their graphs have."""
    folder.mkdir(parents=True)
    graphs = 0
    for number, table in enumerate(quotes.tables(size)):
        path = folder / f"{number:04}.parquet"
        pyarrow.parquet.write_table(table, path)
        os.utime(path, (number, number))
        graphs += pyarrow.compute.sum(pyarrow.compute.binary_length(table["graph"])).as_py()
    return graphs


def bounded(session: SparkSession, folder: Path) -> DataFrame:
    """The events of a folder."""
    return session.read.schema(SCHEMA).parquet(str(folder))


def unbounded(session: SparkSession, folder: Path) -> DataFrame:
    """The events of a folder, each file a microbatch."""
    return session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
