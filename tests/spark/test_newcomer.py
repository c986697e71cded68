"""A source that a newcomer adds is read by Spark, too: as a whole, by one task."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.spark.session import why_not
from tests.streams.newcomer import FOUND, installed
from tests.streams.test_newcomer import command, prices

SMALL = ("--conf", "spark.driver.memory=1g", "--master", "local[2]", "--format", "jsonl")


@pytest.mark.xdist_group("spark processes")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_on_spark(tmp_path: Path) -> None:
    ran = command(installed(tmp_path), "spark", "rise.spaseq", "--stream", "quotes=ticker://8", *SMALL)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert prices(ran.stdout) == FOUND
