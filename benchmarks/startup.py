"""Whole processes: what it costs to start, and what a run costs with its start, beside ``pyoxigraph.parse`` alone.

CPU seconds of a process, of the user and the system together; what is compared takes turns.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.timing import rate
from spaseq.datasets import workloads

QUERY = str(Path(__file__).resolve().parent.parent / "examples" / "stocks" / "v_shape.spaseq")
SPASEQ = (sys.executable, "-m", "spaseq")
PARSE = "import pyoxigraph as o, sys\nfor quad in o.parse(path=sys.argv[1], format=o.RdfFormat.N_QUADS): pass"
# As most have it: Python keeps the bytecode of what it imports.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
BOUNDS = {"import spaseq": 0.15, "spaseq check": 0.35, "spaseq run, one event": 0.5}
MOST = {100_000: 1.0, 1_000_000: 0.5}  # of the time of pyoxigraph.parse
Command = Sequence[str]


def processor_seconds(command: Command) -> float:
    """CPU seconds of a process and its children.  CalledProcessError: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def medians(commands: Mapping[str, Command], rounds: int) -> dict[str, float]:
    """Median CPU seconds of each command; they take turns, and the first turn, which fills caches, does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            took = processor_seconds(command)
            seconds[name] += [took] if number else []
    return {name: statistics.median(values) for name, values in seconds.items()}


def run(stream: Path, *options: str) -> Command:
    """``spaseq run`` of the V shape."""
    return (*SPASEQ, "run", QUERY, "--stream", f"stock={stream}", *options)


def write(folder: str, events: int) -> Path:
    """A stream of so many events of six triples, as N-Quads."""
    return workloads()["stocks"].write(Path(folder), events, 1)["stock"]


def starting(folder: str, rounds: int) -> None:
    """Print what it costs to start."""
    commands: dict[str, Command] = {
        "python": (sys.executable, "-c", "pass"),
        "import numpy": (sys.executable, "-c", "import numpy"),
        "import spaseq": (sys.executable, "-c", "import spaseq"),
        "spaseq check": (*SPASEQ, "check", QUERY),
        "spaseq run, one event": run(write(folder, 1)),
    }
    print(f"start of the program, V shape, CPU seconds of a process (medians of {rounds})")
    for name, seconds in medians(commands, rounds).items():
        bound = f"   at most {BOUNDS[name]}" if name in BOUNDS else ""
        print(f"  {name:<30}{seconds:>8.3f}{bound}")


def running(folder: str, events: int, rounds: int) -> None:
    """Print what a run costs as a whole process."""
    stream = write(folder, events)
    commands: dict[str, Command] = {
        "pyoxigraph.parse alone": (sys.executable, "-c", PARSE, str(stream)),
        "spaseq run --count": run(stream, "--count"),
        "spaseq run --format csv": run(stream, "--format", "csv"),
        "spaseq run, JSON lines": run(stream, "--format", "jsonl"),
        "the same, to a file": run(stream, "--format", "jsonl", "--output", str(Path(folder) / "matches.jsonl")),
    }
    found = medians(commands, rounds)
    alone = found["pyoxigraph.parse alone"]
    print(f"whole processes, V shape, {events:,} events of 6 triples (medians of {rounds})")
    for name, seconds in found.items():
        bound = f", at most {MOST[events]}" if name != "pyoxigraph.parse alone" else ""
        shown = f"{seconds:>8.3f}  {rate(events, seconds):>14} events"
        print(f"  {name:<30}{shown}  {seconds / alone:6.2f} of parse{bound}")


def main(most: int = 1_000_000, rounds: int = 7) -> None:
    """Print all figures, of streams of up to ``most`` events."""
    with tempfile.TemporaryDirectory() as folder:
        starting(folder, rounds)
        for events in (number for number in (100_000, 1_000_000) if number <= most):
            running(folder, events, rounds if events < 1_000_000 else 3)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
