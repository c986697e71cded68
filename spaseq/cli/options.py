"""Options that several commands have."""

from __future__ import annotations

import click

from gpm.evaluator import Mode

gpm_option = click.option(
    "--gpm",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.AUTO.value,
    show_default=True,
    help="How graph patterns are evaluated: natively where that is possible (auto), natively or not at all (native), "
    "by pyoxigraph alone (pyoxigraph), or both ways and compared (verify).",
)
