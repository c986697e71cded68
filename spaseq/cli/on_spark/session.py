"""The Spark session of a command: what goes wrong in it is an error of our own."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spaseq.cli.on_spark.failures import ToldError, plain_errors
from spaseq.cli.on_spark.noise import Noise, kept_quiet
from spaseq.errors import OptionError, SnapshotError, SpaseqError
from spaseq.spark.machine import start_session
from spaseq.spark.sources.rdfstream import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# Without these a job whose threads have no memory waits for ever.
END_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr"


@contextmanager
def session(master: str, settings: Mapping[str, str], noise: Noise) -> Iterator[SparkSession]:
    """A session that knows ``rdfstream``; it ends with the block, unless this process had one before.

    Errors of Spark are SpaseqErrors within.

    OptionError: there is no Java for it.
    """
    from pyspark.sql import SparkSession

    given = f"{settings.get(JAVA_OPTIONS, '')} {END_WITHOUT_MEMORY}".strip()
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # it shows its own stack traces
    with memory_told(noise), plain_errors():
        is_ours = SparkSession.getActiveSession() is None
        with kept_quiet(noise):
            found = start_session(master, "spaseq", {**settings, JAVA_OPTIONS: given})
        try:
            register(found)
            yield found
        finally:
            if is_ours:
                _stop(found)


def _stop(found: SparkSession) -> None:
    """End a session, whose JVM may have ended already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found.stop()


@contextmanager
def memory_told(noise: Noise) -> Iterator[None]:
    """Within, whatever goes wrong when the driver's JVM had no memory is one error that says so."""
    try:
        yield
    except (ToldError, OptionError, SnapshotError):  # which the JVM lived to tell
        raise
    except Exception as error:
        if not noise.was_out_of_memory():
            raise
        raise SpaseqError(
            "Spark's driver ran out of memory: give it more, as in --conf spark.driver.memory=4g"
        ) from error
