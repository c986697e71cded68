"""A worker without SPAseq, or with another version, says so in one line, before it unpickles anything of ours."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from pyspark import cloudpickle

from spaseq.spark.cluster import carried
from tests.spark.test_sifting import A, job, rows


def test_a_stage_is_what_it_was() -> None:
    (row,) = [one for batch in carried(partial(job().sift, ticks=False))([rows(A)]) for one in batch.to_pylist()]
    assert row["events"] == 1


@pytest.mark.parametrize(
    ("metadata", "found"), [("", "no SPAseq"), ("Metadata-Version: 2.1\nName: spaseq\nVersion: 9.9\n", "SPAseq 9.9")]
)
def test_another_version_is_told_in_one_line(tmp_path: Path, metadata: str, found: str) -> None:
    """The worker is a Python that sees nothing of this environment."""
    (tmp_path / "stage").write_bytes(cloudpickle.dumps(carried(job().sift)))
    if metadata:
        (tmp_path / "spaseq-9.9.dist-info").mkdir()
        (tmp_path / "spaseq-9.9.dist-info" / "METADATA").write_text(metadata)
    for name in ("pyspark", "py4j"):  # all that such a pickle needs
        (tmp_path / name).symlink_to(Path(cloudpickle.__file__).parents[2] / name)
    program = f"import sys, pickle; sys.path.insert(0, {str(tmp_path)!r})\npickle.load(open(sys.argv[1], 'rb'))([])"
    told = subprocess.run(
        [sys.executable, "-S", "-c", program, tmp_path / "stage"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert told.returncode == 1
    assert f"has {found}, the driver has " in told.stderr.strip().splitlines()[-1]
