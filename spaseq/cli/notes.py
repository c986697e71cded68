"""What a run says in the end on standard error: what it dropped, and why there is no result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from spaseq.cli.options import Command
from spaseq.cli.terminal import say

_REASONS = 3  # that are shown; --stats has all


def notes_options(function: Command) -> Command:
    """The options ``quiet`` and ``strict``."""
    quiet = click.option(
        "--quiet", "-q", is_flag=True,
        help="Errors alone on standard error: no warnings, no notes of what was dropped, no progress.",
    )  # fmt: skip
    strict = click.option("--strict", is_flag=True, help="What is dropped is an error: exit code 1, after all results.")
    return quiet(strict(function))


def tell_losses(lines: Sequence[str], quiet: bool, strict: bool) -> None:
    """Say what was dropped, a line each; errors with ``strict``."""
    if strict or not quiet:
        kind = "error" if strict else "warning"
        for line in lines:
            say(f"{kind}: {line}")


def tell_why(reasons: Iterable[str], losses: Sequence[str] = (), more: str = "") -> None:
    """Say that there is no result, and the first reasons besides the losses; ``more`` says where there are others."""
    listed = [reason for reason in dict.fromkeys(reasons) if not any(line.startswith(reason) for line in losses)]
    shown = "; ".join(listed[:_REASONS]) + (f"; {more}" if more and len(listed) > _REASONS else "")
    say(f"no results: {shown}" if shown else "no results")
