"""The group of all commands, whose errors become messages and exit codes."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import click

from spaseq.cli import terminal
from spaseq.errors import SpaseqError, shortened
from spaseq.memory import lasting

COMMANDS = ("run", "check", "explain", "map", "convert", "generate", "tuples", "paths", "spark")


class CommandGroup(click.Group):
    """The commands, each in a module of its name that is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = _imported(f"spaseq.cli.{cmd_name}")
        command = getattr(module, "map_" if cmd_name == "map" else cmd_name)
        assert isinstance(command, click.Command)
        return command

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the program."""
        terminal.prepare_standard_files()
        return super().main(*args, **options)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line, which may print the help already."""
        try:
            return super().make_context(*args, **options)
        except BrokenPipeError:
            terminal.silence_output()
            raise click.exceptions.Exit(0) from None
        except OSError as error:
            if terminal.cannot_be_written(error):
                terminal.fail_to_write(error)
            raise
        except click.ClickException as error:
            vars(error)["message"] = shortened(error.message)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn errors into messages and exit codes."""
        try:
            return super().invoke(ctx)
        except MemoryError as error:
            terminal.fail_without_memory(error)
        except (SpaseqError, ExceptionGroup) as error:
            terminal.fail(error)
        except BrokenPipeError:
            terminal.silence_output()
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(terminal.INTERRUPTED)
        except click.ClickException as error:
            vars(error)["message"] = shortened(error.message)
            raise
        except (click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if terminal.cannot_be_written(error):
                terminal.fail_to_write(error)
            terminal.fail_unexpectedly(error)


def _imported(name: str) -> ModuleType:
    """A module, imported at the least cost."""
    if name in sys.modules:
        return sys.modules[name]
    # For matrices, which nothing here multiplies, numpy starts a thread for each core: half the cost of its import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with lasting():
        module = import_module(name)
    gc.freeze()  # classes, functions and tables stay to the end: no collection looks at them any more
    return module


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from spaseq import NOT_INSTALLED, __version__

    found = "(not installed: run from the source tree)" if __version__ == NOT_INSTALLED else __version__
    terminal.say(f"spaseq, version {found}", err=False)
    ctx.exit()


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Show the version and exit.",
)  # fmt: skip
def main() -> None:
    """Semantic complex event processing: SPARQL-like queries over streams of RDF graphs.

    Exit codes: 0 done, 1 the run failed, 2 the query or the options are wrong, 130 interrupted.
    """
