"""The group of all commands."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import click

from spaseq.cli.failures import Commands

COMMANDS = ("run", "check", "explain", "generate", "tuples")


class Program(Commands):
    """The commands, each in a module of its name that is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"spaseq.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command


def _version() -> str:
    try:
        return version("spaseq")
    except PackageNotFoundError:
        return "(not installed: run from the source tree)"


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="spaseq")
def main() -> None:
    """Semantic complex event processing: SPARQL-like queries over streams of RDF graphs.

    Exit codes: 0 done, 1 the run failed, 2 the query or the options are wrong, 130 interrupted.
    """
