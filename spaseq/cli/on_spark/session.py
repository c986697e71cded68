"""The Spark session of a command: what goes wrong in it is an error of our own."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
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
# A JVM that lives for seconds spends most of them on code that it never comes to use.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SHORT = 128 << 20  # bytes of input, up to which it does (measured up to 75 MB)
PACKED = 16  # about how many bytes one of gzip stands for


def is_short(files: Iterable[str]) -> bool:
    """Whether a job that reads these files, and no more, is over before a JVM has become fast."""
    sizes = (Path(file).stat().st_size * (PACKED if file.endswith(".gz") else 1) for file in files)
    return sum(sizes) <= SHORT


@contextmanager
def session(master: str, settings: Mapping[str, str], noise: Noise, is_short: bool = False) -> Iterator[SparkSession]:
    """A session that knows ``rdfstream``; it ends with the block, unless this process had one before.

    One for a short job compiles quickly, unless ``settings`` have options for Java.  Errors of Spark are SpaseqErrors
    within.

    OptionError: there is no Java for it.
    """
    from pyspark.sql import SparkSession

    options = settings.get(JAVA_OPTIONS, SHORT_LIVED if is_short and master.startswith("local") else "")
    given = f"{options} {END_WITHOUT_MEMORY}".strip()
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
