"""``make bench-peers``: row patterns in SQL beside Trino, whose jars it fetches from the network.

Run: ``python -m benchmarks.peers.row_patterns [--pairs 2000] [--first 0] [--rows 0] [--seconds 20] [--details FILE]``.
All case files of ``tests/sql/cases`` and so many random pairs of the oracle go to one process of Trino, each query with
its table within.  It ends with status 1 if a difference has no explanation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers import tables
from benchmarks.peers.installing import MissingPeerError, install
from benchmarks.peers.row_patterns.asking import TRINO, PeerFailedError, ask
from benchmarks.peers.row_patterns.jobs import Job, Skipped, case_jobs, random_jobs
from benchmarks.peers.row_patterns.report import described, report
from benchmarks.peers.row_patterns.verdicts import verdict

MOST_SHOWN = 3  # of those that nothing explains


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask both engines, and print what differs."""
    options = _options(arguments)
    title = f"{TRINO.title} {TRINO.version}"
    try:
        classes = install(TRINO)
    except MissingPeerError as error:
        print(tables.missing(title, error))
        return 0
    made = [*case_jobs(), *random_jobs(options.pairs, options.first, options.rows)]
    jobs = [job for job in made if isinstance(job, Job)]
    print(f"{title}, {len(jobs):,} queries with row patterns", flush=True)
    try:
        answers = ask(jobs, classes, options.seconds)
    except PeerFailedError as error:
        print(f"{title} ended early: {error}")
        return 1
    verdicts = [verdict(job, answers[job.name]) for job in jobs]
    print(report(verdicts, [each for each in made if isinstance(each, Skipped)]))
    unexplained = [each for each in verdicts if each.explanation is None]
    print("".join(f"\n{described(each)}" for each in unexplained[:MOST_SHOWN]), end="")
    if options.details:
        differing = sorted((each for each in verdicts if each.explanation), key=lambda each: each.explanation or ())
        options.details.write_text("\n".join(map(described, [*unexplained, *differing])), encoding="utf-8")
    return int(bool(unexplained))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.row_patterns")
    parser.add_argument("--pairs", type=int, default=2_000, help="random pairs of a query and a table")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of them")
    parser.add_argument("--rows", type=int, default=0, help="of each random table; 0: twelve at most")
    parser.add_argument("--seconds", type=int, default=20, help="that Trino may take for a query")
    parser.add_argument("--details", type=Path, help="a file for all that differs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
