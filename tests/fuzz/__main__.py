"""``python -m tests.fuzz``: each door for some minutes, and a line of counts for each; exit code 1 after findings."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from tests.fuzz.campaign import Campaign
from tests.fuzz.door import CORPUS, NAMES, door


def main() -> int:
    """Run what the arguments say."""
    given = _arguments()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    found = 0
    for name in given.doors or NAMES:
        tally = Campaign(door(name), seed, given.save).run(60 * given.minutes, given.inputs)
        print(tally.line(), flush=True)
        found += len(tally.findings)
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=f"of {', '.join(NAMES)}; by default all")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each door (1)")
    parser.add_argument("--inputs", type=int, help="at most so many for each door")
    parser.add_argument("--seed", type=int, help="a number; by default a new one, which is printed")
    parser.add_argument("--save", type=Path, default=CORPUS, help="the corpus that findings are added to")
    given = parser.parse_args()
    for name in given.doors:
        if name not in NAMES:
            parser.error(f"there is no door {name}; there are {', '.join(NAMES)}")
    return given


if __name__ == "__main__":
    sys.exit(main())
