"""``--work-bound``, ``--latency-bound``, ``--priority`` and ``--recall-sample``: how much work events may take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import click

from spaseq.cli.options import Command, Duration
from spaseq.errors import OptionError
from spaseq.runtime.bounded import Bound


def work_bound_options(function: Command) -> Command:
    """The options ``work_bound`` and ``priorities``."""
    work = click.option(
        "--work-bound", type=float, metavar="UNITS",
        help="How much work an event may take on an average: partial matches that bring least for their work are left "
        "out where it would be more, and a warning says how many.",
    )  # fmt: skip
    priority = click.option(
        "--priority", "priorities", metavar="QUERY=NUMBER", multiple=True,
        help="With a bound: the share of a query is so many times that of others, whose priority is 1.",
    )  # fmt: skip
    return work(priority(function))


latency_option = click.option(
    "--latency-bound", type=Duration(), metavar="DURATION",
    help="As much work as leaves results within this time, from when events are read: for live input.",
)  # fmt: skip


sample_option = click.option(
    "--recall-sample", type=float, metavar="PART",
    help="With a bound: estimate which part of all results is found by this part of the times of events, 0.02 for "
    "instance; a query takes up to half of its work for it.",
)  # fmt: skip


def bound_of(
    work: float | None, latency: timedelta | None, priorities: Sequence[str], sample: float | None = None
) -> Bound | None:
    """The bound that is asked for.  OptionError: it is none, or a priority is none."""
    if work is not None or latency is not None:
        return Bound(work, dict(map(_priority, priorities)), latency, sample or 0.0)
    if sample is not None:
        raise OptionError("--recall-sample tells what a bound costs: give one with --work-bound or --latency-bound")
    if priorities:
        raise OptionError("--priority shares a bound among queries: give one with --work-bound or --latency-bound")
    return None


def _priority(written: str) -> tuple[str, float]:
    name, _, number = written.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise OptionError(f"--priority {written}: write QUERY=NUMBER, as in alarms=3") from None
