"""The Spark session of a command: what goes wrong in it is an error of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spaseq.cli.on_spark.failures import plain_errors
from spaseq.cli.on_spark.noise import Noise, kept_quiet
from spaseq.spark.machine import start_session
from spaseq.spark.sources.rdfstream import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def session(master: str, settings: Mapping[str, str], noise: Noise) -> Iterator[SparkSession]:
    """A session that knows ``rdfstream``; it ends with the block, unless this process had one before.

    Errors of Spark are SpaseqErrors within.

    OptionError: there is no Java for it.
    """
    from pyspark.sql import SparkSession

    with plain_errors():
        is_ours = SparkSession.getActiveSession() is None
        with kept_quiet(noise):
            found = start_session(master, "spaseq", settings)
        try:
            register(found)
            yield found
        finally:
            if is_ours:
                found.stop()
