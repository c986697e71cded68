"""``python -m tests.snapshots.deep [MUTATED FORGED SEED]``: snapshots changed anywhere, each seed a process of its own.

What ends the process, takes too long or raises what is not ours is told with its number; the exit code is then 1.
"""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import get_context
from typing import Any, NamedTuple

from tests.snapshots import counts, entering, tuples
from tests.snapshots.forger import forged, mutated


class Kind(NamedTuple):
    """Snapshots that are sound, a way to change one, and a door for it, which says what became of it."""

    sound: Callable[[], Sequence[Any]]
    change: Callable[[Any, random.Random], Any]
    enter: Callable[[Any], str]


KINDS = {
    "mutated": Kind(entering.snapshots, mutated, entering.enter),
    "forged": Kind(entering.snapshots, forged, entering.enter),
    "mutated tuples": Kind(tuples.snapshots, tuples.mutated, tuples.enter),
    "forged tuples": Kind(tuples.snapshots, tuples.forged, tuples.enter),
    "mutated counts": Kind(counts.snapshots, counts.damaged, counts.enter),
    "forged counts": Kind(counts.snapshots, counts.forged, counts.enter),
}
CHUNK = 100  # snapshots a process
PATIENCE = 60.0  # seconds for one snapshot: sanitizers are slow


def chunk(kind: str, seed: int, numbers: Iterable[int]) -> Counter[str]:
    """What became of some of them; findings are printed."""
    sound, found = KINDS[kind].sound(), Counter[str]()
    for number in numbers:
        choose = random.Random(f"{kind} {seed} {number}")
        data = KINDS[kind].change(choose.choice(sound), choose)
        print(f"\r{kind} {number} ", end="", file=sys.stderr, flush=True)
        begun = time.process_time()
        try:
            found[KINDS[kind].enter(data)] += 1
        except Exception:
            found["findings"] += 1
            print(f"\n{kind} {number} (seed {seed}) raised", file=sys.stderr)
            traceback.print_exc()
        if time.process_time() - begun > PATIENCE:
            found["findings"] += 1
            print(f"\n{kind} {number} (seed {seed}) took too long", file=sys.stderr)
    return found


def _run(kind: str, seed: int, numbers: range, answers: object) -> None:
    answers.send(chunk(kind, seed, numbers))  # type: ignore[attr-defined]


def run(kind: str, count: int, seed: int) -> Counter[str]:
    """All of a kind, in processes of some each: one that ends badly is a finding."""
    found = Counter[str]()
    context = get_context("spawn")
    for start in range(0, count, CHUNK):
        numbers = range(start, min(count, start + CHUNK))
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(kind, seed, numbers, theirs))
        process.start()
        theirs.close()
        try:
            found += ours.recv()
        except EOFError:
            found["findings"] += 1
        process.join()
        if process.exitcode:
            print(f"\n{kind} in {numbers} (seed {seed}) ended with {process.exitcode}", file=sys.stderr)
    return found


def main() -> int:
    """A line for each kind; 1 if there are findings."""
    mutations, forgeries, seed = [*map(int, sys.argv[1:]), *(10_000, 1_000, 1)[len(sys.argv) - 1 :]]
    bad = 0
    for kind in KINDS:
        count = forgeries if kind.startswith("forged") else mutations
        found = run(kind, count, seed)
        bad += found["findings"]
        counts = ", ".join(f"{found[name]} {name}" for name in ("refused", "used", "findings"))
        print(f"\r{kind}: {count} snapshots, {counts}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
