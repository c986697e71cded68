"""What commands say: every text of theirs passes here on its way to a terminal."""

from __future__ import annotations

import click

from spaseq.text import shown


def say(text: str, err: bool = True) -> None:
    """Write a line to standard error, or to standard output; what would steer a terminal is replaced."""
    click.echo(shown(text), err=err)
