"""What went wrong in Spark, as errors of our own: users see one message, and no stack trace of Java or of workers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from spaseq.errors import LocatedError, OptionError, SnapshotError, SpaseqError

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


def cause_of(text: str) -> SpaseqError:
    """The error that the text of one of Spark's is about."""
    if found := list(_OURS.finditer(text)):
        kind, message = found[-1][1], _WHOLE.sub(r"--whole \1", found[-1][2].strip())
        return _UNPLACED[kind](message) if kind in _UNPLACED else ToldError(message)
    if found := list(_PYTHON.finditer(text)):
        return SpaseqError(f"Spark: {found[-1][1]}: {found[-1][2]}")
    return SpaseqError(f"Spark: {text.strip().partition(chr(10))[0]}")
