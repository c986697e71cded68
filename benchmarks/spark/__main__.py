"""``make bench-spark``, or some of its parts: ``python -m benchmarks.spark PART …``.

Parts are functions, stages, batch, streaming, state and doors.  The exit code is 1 if a bound does not hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import doors, results_out
from benchmarks.spark import batch, functions, stages, state, streaming
from benchmarks.spark.figures import Figures

Part = Callable[[Figures], object]


def doors_of_engines(figures: Figures) -> None:
    """Rows into an engine, and matches out of it, beside what was there before."""
    doors.main()
    results_out.main()


PARTS: dict[str, Part] = {
    "functions": functions.main,
    "stages": stages.main,
    "batch": batch.main,
    "streaming": streaming.main,
    "state": state.main,
    "doors": doors_of_engines,
}


def main(*names: str) -> int:
    """Run these parts, or all of them; 1 if a bound does not hold."""
    figures = Figures()
    if unknown := [name for name in names if name not in PARTS]:
        print(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    for name in names or PARTS:
        PARTS[name](figures)
    print("\nall bounds hold" if not figures.missed else "\n".join(["\nMISSED:", *figures.missed]))
    return int(bool(figures.missed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
