"""The Spark session of a command: what goes wrong in it is an error of our own, and what it says is left out."""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from spaseq.cli.options import as_options
from spaseq.errors import LocatedError, OptionError, QueryError, SnapshotError, SpaseqError
from spaseq.sources.source import is_url
from spaseq.spark.cluster import start_session
from spaseq.spark.sources.rdfstream import register
from spaseq.streams.losses import counted, were

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_UNPLACED: dict[str, type[SpaseqError]] = {"OptionError": OptionError, "SnapshotError": SnapshotError}
_OURS = re.compile(r"^\s*spaseq\.errors\.(\w+Error): (.*?)(?=\n\s*\n|\n\s*at |\n\s*JVM stacktrace|\s*\Z)", re.M | re.S)
_WHOLE = re.compile(r'whole=\["([^"]*)"\]')  # as the hint of an error has it for Python
_PYTHON = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception)): (.+)$", re.M)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Within, errors of Spark are those that caused them."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise cause_of(str(error)) from error


class ToldError(LocatedError):
    """An error of a worker, as it would be shown there: its place stands in the text."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        self.text = text

    def render(self) -> str:
        """The text."""
        return self.text


class ToldQueryError(ToldError, QueryError):
    """The same of a query, or of a mapping."""


def cause_of(text: str) -> SpaseqError:
    """The error that the text of one of Spark's is about."""
    if found := list(_OURS.finditer(text)):
        kind, message = found[-1][1], _WHOLE.sub(r"--whole \1", found[-1][2].strip())
        if kind in _UNPLACED:
            return _UNPLACED[kind](message)
        told, sign, hint = message.partition("\nhint: ")
        return (ToldQueryError if kind == "QueryError" else ToldError)(f"{told}{sign}{as_options(hint)}")
    if found := list(_PYTHON.finditer(text)):
        return SpaseqError(f"Spark: {found[-1][1]}: {found[-1][2]}")
    return SpaseqError(f"Spark: {text.strip().partition(chr(10))[0]}")


NO_MEMORY = "Terminating due to java.lang.OutOfMemoryError"  # the last words of a JVM
SECONDS = 2.0  # until the last words are read
WORKER = "spaseq: "  # how lines begin that workers write for users

_SKIPPED = re.compile(r"([\d,]+) malformed events? of (<[^>]*>) (?:was|were) skipped(: .*?)(; first .*)?")


def together(lines: Iterable[str]) -> list[str]:
    """What several workers say of the events of one stream that they skipped as one line, with the number of all."""
    found: dict[str, tuple[int, str, str, str]] = {}
    for line in lines:
        if told := _SKIPPED.fullmatch(line):
            number, stream, remedy, first = told.groups("")
            before, *_, known = found.get(stream + remedy, (0, "", "", ""))
            found[stream + remedy] = (before + int(number.replace(",", "")), stream, remedy, known or first)
        else:
            found[line] = (0, "", "", line)
    return [_line(*one) for one in found.values()]


def _line(number: int, stream: str, remedy: str, first: str) -> str:
    if not number:
        return first
    return f"{counted(number, 'malformed event')} of {stream} {were(number)} skipped{remedy}{first}"


@dataclass(slots=True)
class Noise:
    """What was written for users: ``told`` are the lines of workers, without their beginning."""

    told: list[str] = field(default_factory=list)
    no_memory: threading.Event = field(default_factory=threading.Event)

    def was_out_of_memory(self) -> bool:
        """Whether the JVM ended because it had no memory; its last words may still be on their way."""
        return self.no_memory.wait(SECONDS)

    def take(self, line: str) -> None:
        """A line came."""
        if line.startswith(NO_MEMORY):
            self.no_memory.set()
        if line.startswith(WORKER):
            self.told.append(line.removeprefix(WORKER))


@contextmanager
def kept_quiet(noise: Noise) -> Iterator[None]:
    """Programs started within have a standard error of their own, which ``noise`` takes, also later."""
    if os.environ.get("SPASEQ_TRACEBACK"):
        yield
        return
    sys.stderr.flush()
    reading, writing = os.pipe()
    own = os.dup(2)
    threading.Thread(target=_read, args=(reading, noise), daemon=True).start()
    os.dup2(writing, 2)
    os.close(writing)
    try:
        yield
    finally:
        os.dup2(own, 2)
        os.close(own)


def _read(file: int, noise: Noise) -> None:
    with open(file, errors="replace") as lines:
        for line in lines:
            noise.take(line.rstrip("\n"))


JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# Without these a job whose threads have no memory waits for ever.
END_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr"
# A JVM that lives for seconds spends most of them on code that it never comes to use.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SHORT = 128 << 20  # bytes of input, up to which it does (measured up to 75 MB)
PACKED = 16  # about how many bytes one of a packed file stands for


def is_short(files: Iterable[str]) -> bool:
    """Whether a job that reads these files, and no more, is over before a JVM has become fast."""
    return sum(map(_size, files)) <= SHORT


def _size(file: str) -> float:
    """The bytes of a file, or of a source for which nobody knows."""
    return math.inf if is_url(file) else Path(file).stat().st_size * (PACKED if file.endswith((".gz", ".zst")) else 1)


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
