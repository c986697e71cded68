"""Resident memory of ``spaseq run`` while a million events go through it, piped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from spaseq.datasets import workloads

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "stocks"


def resident(process: int) -> float:
    """Resident memory in MB (Linux)."""
    return _size(process, "VmRSS")


def most_resident(process: int) -> float:
    """The most resident memory that it had so far, in MB (Linux)."""
    return _size(process, "VmHWM")


def _size(process: int, field: str) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return float("nan")


def main(events: int = 1_000_000, every: int = 100_000) -> None:
    """Print the memory after each hundred thousand events."""
    query = str(EXAMPLES / "v_shape.spaseq")
    command = [sys.executable, "-m", "spaseq", "run", query, "--stream", "stock=-", "--count"]
    print(f"V shape over {events:,} events, piped; resident memory of the process in MB")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        sizes = []
        for number, lines in enumerate(workloads()["stocks"].lines(events, 1), 1):
            process.stdin.write(lines)
            if number % every == 0:
                sizes.append(resident(process.pid))
                print(f"  {number:>10,} {sizes[-1]:8.1f}", flush=True)
        process.stdin.close()
        print(f"  matches {process.stdout.read().decode().strip()}, last / first {sizes[-1] / sizes[0]:.2f}")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
