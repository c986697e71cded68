"""Executors whose Python has nothing but the wheel: ``python -m tests.spark.executors [WHEEL]``.

A cluster of two executors gives the matches of one engine; with another version of SPAseq there, or with none, the job
ends with one line that says so.  Prints what was found; the status is 1 if anything was wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CLUSTER = "local-cluster[2,1,1024]"
_JOB = """
import sys, collections
import spaseq, spaseq.spark
from pyspark.sql import SparkSession
from tests.spark.killing import QUERY, rows
from tests.spark.whole_suite import counted, in_process
spark = SparkSession.builder.master(sys.argv[1]).config("spark.ui.enabled", "false").getOrCreate()
table, queries = rows(3).slice(0, 2000), {"query1": spaseq.prepare(QUERY)}
df = spark.createDataFrame(table.to_pandas()).repartition(4)
try:
    found = counted(spaseq.spark.match(df, QUERY).toArrow().to_pylist(), queries)
    print("equal" if found == in_process(queries, {}, table) else "different", found.total())
except Exception as error:
    print([line for line in str(error).splitlines() if "the driver has" in line][-1])
"""


def main(wheel: str | None) -> int:
    """Try it with the wheel, with another version, and without."""
    from tests.spark.session import why_not

    if reason := why_not():
        print(f"skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        worker = environment(folder / "env", wheel or built(folder))
        told = [job(worker)]
        (metadata,) = (folder / "env").glob("lib/python*/site-packages/spaseq-*.dist-info/METADATA")
        text = metadata.read_text()
        version = next(line for line in text.splitlines() if line.startswith("Version: "))
        metadata.write_text(text.replace(version, "Version: 9.9"))
        told.append(job(worker))
        run(str(worker), "-m", "pip", "uninstall", "--yes", "--quiet", "spaseq")
        told.append(job(worker))
    print(*told, sep="\n")
    as_it_should = (
        told[0].startswith("equal") and "has SPAseq 9.9, the driver" in told[1] and "has no SPAseq" in told[2]
    )
    return 0 if as_it_should else 1


def built(folder: Path) -> str:
    """The wheel of this tree."""
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "dist"), ".")
    return str(next((folder / "dist").glob("*.whl")))


def environment(folder: Path, wheel: str) -> Path:
    """A Python that has the wheel, and what that needs."""
    run(sys.executable, "-m", "venv", str(folder))
    run(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", f"{wheel}[spark]")
    return folder / "bin" / "python"


def job(worker: Path) -> str:
    """What a job says whose workers are of that Python."""
    line = [sys.executable, "-c", _JOB, CLUSTER]
    done = subprocess.run(
        line, env={**os.environ, "PYSPARK_PYTHON": str(worker), "PYTHONPATH": "."}, capture_output=True, text=True,
        timeout=900,
    )  # fmt: skip
    return done.stdout.strip() or done.stderr[-2000:]


def run(*line: str) -> None:
    """Run a program; what it says is shown if it fails."""
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(line)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
