"""What ``spaseq spark`` makes of errors that came out of Spark, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from spaseq.cli.on_spark.session import PACKED, SHORT, Noise, cause_of, is_short, memory_told, together
from spaseq.cli.spark import spark
from spaseq.errors import OptionError, QueryError, SpaseqError

FAILED = """\
An exception was thrown from the Python worker.
Traceback (most recent call last):
  File "routing.py", line 1, in check
spaseq.errors.StreamError: <query>: error: the event <urn:e> has several ?p, by which the query "q 1" is cut; keep it whole: whole=["q1"]

JVM stacktrace:
"""  # noqa: E501


def test_hints_have_options() -> None:
    assert str(cause_of(FAILED)).endswith("keep it whole: --whole q1")


MAPPED = """\
spaseq.errors.QueryError: trades.map:1:2: error: the table has no column x
hint: did you mean {"y": "double"}

JVM stacktrace:
"""


def test_an_error_of_a_mapping_is_one_of_a_query() -> None:
    found = cause_of(MAPPED)
    assert isinstance(found, QueryError)
    expected = "trades.map:1:2: error: the table has no column x\nhint: did you mean --declare y=double"
    assert found.render() == expected


def test_other_errors_are_named() -> None:
    assert str(cause_of("x\nValueError: wrong\n")) == "Spark: ValueError: wrong"
    assert str(cause_of("the cluster is gone\nat java")) == "Spark: the cluster is gone"


def test_a_driver_without_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.cli.on_spark.session.SECONDS", 0)
    noise = Noise()
    with pytest.raises(EOFError), memory_told(noise):
        raise EOFError
    noise.take("Terminating due to java.lang.OutOfMemoryError: Java heap space")
    with pytest.raises(SpaseqError, match="ran out of memory"), memory_told(noise):
        raise EOFError
    with pytest.raises(OptionError, match="mine"), memory_told(noise):
        raise OptionError("mine")


def test_what_several_workers_skipped_is_one_number() -> None:
    one = "1 malformed event of <urn:s> was skipped: mend the source; first at a.nq:3:1: no"
    more = "1,200 malformed events of <urn:s> were skipped: mend the source; first at b.nq:9:1: no"
    other = one.replace("urn:s", "urn:t")
    together_ = "1,201 malformed events of <urn:s> were skipped: mend the source; first at a.nq:3:1: no"
    assert together([one, other, more, "something"]) == [together_, other, "something"]


def test_a_short_job_is_one_with_few_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_bytes(b"x")
    for name, size in (("b.nq", SHORT), ("c.nq.gz", SHORT // PACKED)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
        assert is_short([str(tmp_path / name)]) and not is_short([str(tmp_path / "a.nq"), str(tmp_path / name)])


def test_help_offers_what_can_be_read() -> None:
    told = " ".join(CliRunner().invoke(spark, ["--help"]).output.split())
    assert "a folder or a glob." in told and "standard input" not in told
