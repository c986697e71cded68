"""``python -m tests.cli.crowding [TRIALS SEED]``: several processes on one --checkpoint, some of which are killed.

One of them works at a time; the others say who does, and end with 2.  What was written in the end is what a lone run
writes, byte by byte.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.cli.killing import command, prepare, prepare_tuples

CROWDS = (2, 3, 5)
REFUSED = re.compile(
    r"error: --checkpoint \S+: another run has it( \(process \d+ on \S+, since \S+\))?; "
    r"let that end, or take another one\n"
)


class Ended(NamedTuple):
    """How a process ended, and what it wrote to standard output and standard error."""

    code: int
    out: str
    said: str


def crowd(arguments: list[str], processes: int, seconds: float, choose: random.Random) -> list[Ended]:
    """Start some processes at random moments of so many seconds, and kill each third one of them."""
    begun: list[subprocess.Popen[str]] = []
    for _ in range(processes):
        begun.append(
            subprocess.Popen(command(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        )
        time.sleep(choose.choice((0.0, choose.uniform(0, seconds / processes / 2))))
    time.sleep(choose.uniform(0.2, 1.0) * seconds)
    for process in begun:
        if choose.random() < 1 / 3:
            process.kill()
    return [Ended(process.returncode, *said) for process in begun for said in [process.communicate(timeout=600)]]


def problems(ended: list[Ended]) -> list[str]:
    """What is wrong with how processes ended: they worked, were killed, or were refused with a reason."""
    wrong = ["all were refused"] if all(one.code == 2 for one in ended) else []
    for one in ended:
        if one.code not in (0, 2, -9) or one.out or (one.said and one.code == 0):
            wrong.append(f"code {one.code}: {one.out[:200]}{one.said[:200]}")
        if one.code == 2 and not REFUSED.fullmatch(one.said):
            wrong.append(f"refused with other words: {one.said[:300]}")
    return wrong


def trial(
    processes: int, events: int, seed: int, prepare: Callable[[Path, int, int], list[str]] = prepare, rounds: int = 3
) -> tuple[Counter[int], list[str]]:
    """Some crowds, one after the other, then a process that ends the work: exit codes, and what is wrong."""
    choose = random.Random(seed)
    codes: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = prepare(folder, events, seed)
        state = ["--checkpoint", str(folder / "state"), "--checkpoint-every", "50ms", "--output"]
        begun = time.monotonic()
        subprocess.run(command([*arguments, "--output", str(folder / "lone")]), check=True)
        seconds = time.monotonic() - begun
        wrong = []
        for _ in range(rounds):
            ended = crowd([*arguments, *state, str(folder / "out")], processes, seconds, choose)
            codes.update(one.code for one in ended)
            wrong += problems(ended)
        subprocess.run(command([*arguments, *state, str(folder / "out")]), check=True)
        if (folder / "out").read_bytes() != (folder / "lone").read_bytes():
            wrong.append("the output is not that of a lone run")
        left = sorted(path.name for path in folder.iterdir() if "state" in path.name)
        if left != ["state"]:
            wrong.append(f"beside the checkpoint there is {left}")
    return codes, wrong


def main() -> int:
    """Crowds of each size in turn, of graphs and of tuples."""
    trials, seed = [*map(int, sys.argv[1:]), *(50, 1)[len(sys.argv) - 1 :]]
    bad = 0
    for number in range(trials):
        processes, way = CROWDS[number % len(CROWDS)], (prepare, prepare_tuples)[number // len(CROWDS) % 2]
        codes, wrong = trial(processes, 5_000, seed + number, way)
        told = f"{codes[0]} ended, {codes[2]} refused, {codes[-9]} killed"
        print(f"{way.__name__}, {processes} processes, three times: {told}", *wrong, sep="\n  ", flush=True)
        bad += len(wrong)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
