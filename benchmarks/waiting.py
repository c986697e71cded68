"""Memory of events that wait: those of N-Quads, and the same ones of mapped tables.

All events of a stream wait for later ones, as they may come in any order.  Resident memory by event, beyond that of a
process of which half of them waits; a process for each figure.

Run: ``python -m benchmarks.waiting [events]``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.memory import resident
from benchmarks.tables import MAPPING, V_SHAPE, Files
from spaseq.graphs.graph_run import Run
from spaseq.graphs.mapped import Mapped

LATENESS = 1 << 50  # microseconds
ENDINGS = {"N-Quads": "nq", "CSV": "csv", "JSON lines": "jsonl", "Parquet": "parquet"}


def waiting(path: str) -> float:
    """MB of this process when all events wait."""
    sizes: list[float] = []

    def note() -> float:
        sizes.append(resident(os.getpid()))
        return 1.0

    stream = path if path.endswith(".nq") else Mapped(path, MAPPING)
    for _ in Run(V_SHAPE, {"stock": stream}, lateness=LATENESS, on_step=note, count_only=True).tables():
        break
    return max(sizes)


def of_process(path: Path) -> float:
    """The same of another process."""
    command = [sys.executable, "-m", "benchmarks.waiting", str(path)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(events: int = 300_000) -> None:
    """Print the bytes of an event of each kind."""
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        Files(Path(few), events // 2)
        Files(Path(many), events)
        print(f"{events:,} events that wait; bytes of an event")
        for name, ending in ENDINGS.items():
            grown = of_process(Path(many, f"quotes.{ending}")) - of_process(Path(few, f"quotes.{ending}"))
            print(f"  {name:12}{grown * (1 << 20) / (events - events // 2):8.0f}")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].isdecimal():
        print(waiting(sys.argv[1]))
    else:
        main(*map(int, sys.argv[1:]))
