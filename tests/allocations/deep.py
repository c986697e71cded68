"""Of the first allocations of each run every fourth fails once: ``python -m tests.allocations.deep [ALLOCATIONS]``."""

from __future__ import annotations

import sys
import time

from tests.allocations.injection import LASTING, SINGLE, injector, tried
from tests.allocations.runs import RUNS

ALLOCATIONS = 20_000
HOURS = 3


def main(allocations: int) -> int:
    """Print what became of them; how many runs had what must not be."""
    wrong = 0
    for name in RUNS:
        for mode, step in ((SINGLE, 4), (LASTING, 20)):
            begun = time.monotonic()
            found = tried(f"long {name}", 1, allocations, step, mode, deadline=HOURS * 3600)
            verdicts = ", ".join(f"{count:,} {what}" for what, count in sorted(found.verdicts.items()))
            print(f"{name}, {mode}: {verdicts}; {time.monotonic() - begun:.0f} s", flush=True)
            for number, what in list(found.bad.items())[:20]:
                print(f"  allocation {number}: {what}", flush=True)
            wrong += bool(found.bad)
    return wrong


if __name__ == "__main__":
    if injector() is None:
        sys.exit("it takes a GNU system and a C++ compiler")
    sys.exit(min(1, main(int(sys.argv[1]) if len(sys.argv) > 1 else ALLOCATIONS)))
