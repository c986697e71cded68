"""Speed of two built checkouts, beside each other: ``python tools/speed.py OLD NEW [--rounds N] [NAME …]``.

Each measure runs in processes of its own, by turns of either checkout, with its ``.venv``; what counts is the CPU time
of the work, without imports.  A line for each: the median of either, and of the ratios of neighbours.  With
``--instructions`` callgrind counts instead, where it is installed: those of a piece, without its preparation.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

MEASURES = Path(__file__).with_name("measures.py")


def _process(tree: Path, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """A measure with the code of a checkout, run to its end."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    command = [*before, str(tree / ".venv/bin/python"), str(MEASURES), *arguments]
    return subprocess.run(command, cwd=tree, env=environment, check=True, capture_output=True, text=True)


def run(tree: Path, name: str) -> float:
    """The microseconds that a measure prints."""
    return float(_process(tree, name).stdout.split()[0])


def instructions(tree: Path, name: str) -> float:
    """Thousands of instructions of one piece of work: what more rounds need than one, which is prepared alike."""
    (few, pieces), (many, _) = (_counted(tree, name, rounds) for rounds in ("1", "13"))
    return (many - few) / (12 * pieces) / 1e3


def _counted(tree: Path, name: str, rounds: str) -> tuple[int, int]:
    """The instructions of a process, and how many pieces a round has."""
    callgrind = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
    done = _process(tree, name, rounds, before=callgrind)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1]), int(done.stdout.split()[1])


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--instructions", action="store_true")
    asked = parser.parse_args()
    old, new = asked.old.resolve(), asked.new.resolve()
    listed = subprocess.run([sys.executable, str(MEASURES), "--names"], check=True, capture_output=True, text=True)
    names = asked.names or listed.stdout.split()
    if asked.instructions and shutil.which("valgrind") is None:
        raise SystemExit("--instructions needs valgrind")
    for name in names:
        if asked.instructions:
            before, after = instructions(old, name), instructions(new, name)
            print(f"{name:24} {before:12.1f} {after:12.1f} k instructions  {after / before:6.3f}", flush=True)
            continue
        pairs = [(run(old, name), run(new, name)) for _ in range(asked.rounds)]
        before, after = median(one for one, _ in pairs), median(other for _, other in pairs)
        ratio = median(other / one for one, other in pairs)
        print(f"{name:24} {before:12.2f} {after:12.2f} µs  {ratio:6.3f}", flush=True)


if __name__ == "__main__":
    main()
