"""One Spark session for all tests that need one; without Java 17 or pyspark they are skipped, with the reason."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spaseq.errors import OptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTITIONS = 2
SETTINGS = {"spark.sql.shuffle.partitions": str(PARTITIONS), "spark.driver.memory": "1g"}
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")  # for a JVM that lives for seconds


def why_not() -> str:
    """Why there can be no session; empty if there can."""
    try:
        from spaseq.spark.cluster import check_java

        check_java()
    except OptionError as error:
        return str(error)
    return ""


@cache
def session() -> SparkSession:
    """The session of this process."""
    if reason := why_not():
        pytest.skip(reason)
    from spaseq.spark.cluster import start_session

    made = start_session("local[2,4]", "spaseq tests", SETTINGS)
    made.sparkContext.setLogLevel("ERROR")
    return made


def stream_of(folder: Path) -> DataFrame:
    """The events of a folder of Parquet files, one file in each microbatch."""
    reading = session().readStream.schema("stream string, time timestamp, event string, graph binary")
    return reading.option("maxFilesPerTrigger", 1).parquet(str(folder))
