"""What ``spaseq spark`` makes of errors that came out of Spark, without Spark."""

from __future__ import annotations

import pytest

from spaseq.cli.on_spark.failures import cause_of
from spaseq.cli.on_spark.noise import Noise
from spaseq.cli.on_spark.session import memory_told
from spaseq.errors import OptionError, SpaseqError

FAILED = """\
An exception was thrown from the Python worker.
Traceback (most recent call last):
  File "routing.py", line 1, in check
spaseq.errors.StreamError: <query>: error: the event <urn:e> has several ?p, by which the query "q 1" is cut; keep it whole: whole=["q1"]

JVM stacktrace:
"""  # noqa: E501


def test_hints_have_options() -> None:
    assert str(cause_of(FAILED)).endswith("keep it whole: --whole q1")


def test_other_errors_are_named() -> None:
    assert str(cause_of("x\nValueError: wrong\n")) == "Spark: ValueError: wrong"
    assert str(cause_of("the cluster is gone\nat java")) == "Spark: the cluster is gone"


def test_a_driver_without_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.cli.on_spark.noise.SECONDS", 0)
    noise = Noise()
    with pytest.raises(EOFError), memory_told(noise):
        raise EOFError
    noise.take("Terminating due to java.lang.OutOfMemoryError: Java heap space")
    with pytest.raises(SpaseqError, match="ran out of memory"), memory_told(noise):
        raise EOFError
    with pytest.raises(OptionError, match="mine"), memory_told(noise):
        raise OptionError("mine")
