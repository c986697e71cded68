"""How errors leave the program: a message on standard error and an exit code, never a stack trace."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn, TypeGuard

import click

from spaseq.cli.terminal import prepare_standard_files, reason, say, silence_output
from spaseq.errors import LocatedError, OptionError, QueryError, QuerySyntaxError, SpaseqError, shortened

FAILED, WRONG, INTERRUPTED = 1, 2, 130
NO_MEMORY = b"error: out of memory; what was written stands\n"


class Commands(click.Group):
    """A group whose commands may raise SpaseqError."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the program."""
        prepare_standard_files()
        return super().main(*args, **options)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line, which may print the help already."""
        try:
            return super().make_context(*args, **options)
        except BrokenPipeError:
            silence_output()
            raise click.exceptions.Exit(0) from None
        except OSError as error:
            if cannot_be_written(error):
                fail_to_write(error)
            raise
        except click.ClickException as error:
            vars(error)["message"] = shortened(error.message)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn errors into messages and exit codes."""
        try:
            return super().invoke(ctx)
        except MemoryError as error:
            fail_without_memory(error)
        except (SpaseqError, ExceptionGroup) as error:
            fail(error)
        except BrokenPipeError:
            silence_output()
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except click.ClickException as error:
            vars(error)["message"] = shortened(error.message)
            raise
        except (click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if cannot_be_written(error):
                fail_to_write(error)
            _fail_unexpectedly(error)


def cannot_be_written(error: BaseException) -> TypeGuard[OSError]:
    """Whether there is no room for what a program writes, or standard output is closed."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF)


def fail_to_write(error: OSError) -> NoReturn:
    """Say that there is no room for the output."""
    silence_output()
    say(f"error: cannot write: {reason(error)}")
    raise click.exceptions.Exit(FAILED)


def fail_without_memory(error: MemoryError) -> NoReturn:
    """Say so, by what needs no memory; what the run held is let go first."""
    if os.environ.get("SPASEQ_TRACEBACK"):
        raise error
    error.__traceback__ = error.__context__ = error.__cause__ = None
    with suppress(OSError):
        os.write(2, NO_MEMORY)
    raise click.exceptions.Exit(FAILED)


def fail(error: BaseException) -> NoReturn:
    """Show the error, or all of a group, and leave with the code that fits."""
    codes = []
    for each in _leaves(error):
        if cannot_be_written(each):
            fail_to_write(each)
        if not isinstance(each, SpaseqError):
            _fail_unexpectedly(each)
        say(describe(each))
        codes.append(WRONG if isinstance(each, OptionError | QueryError | QuerySyntaxError) else FAILED)
    raise click.exceptions.Exit(max(codes))


def describe(error: SpaseqError) -> str:
    """The text of an error for the terminal."""
    return error.render() if isinstance(error, LocatedError) else f"error: {error}"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _fail_unexpectedly(error: BaseException) -> NoReturn:
    """A mistake of the program, not of its user; the stack trace is there for those who ask."""
    if os.environ.get("SPASEQ_TRACEBACK"):
        raise error
    if isinstance(error, MemoryError):
        fail_without_memory(error)
    reason = f"{type(error).__name__}: {error}"
    say(f"internal error: {reason}\nhint: SPASEQ_TRACEBACK=1 shows where; please report it")
    raise click.exceptions.Exit(FAILED)
