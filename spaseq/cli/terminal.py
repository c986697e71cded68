"""What commands say on a terminal, and how they end: messages and exit codes, never a stack trace.

The standard files of the process may be closed, full, or pipes that nobody reads any more.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TypeGuard

import click

from spaseq.errors import LocatedError, OptionError, QueryError, QuerySyntaxError, SpaseqError
from spaseq.text import shown

FAILED, WRONG, INTERRUPTED = 1, 2, 130
NO_MEMORY = b"error: out of memory; what was written stands\n"


def say(text: str, err: bool = True) -> None:
    """Write a line to standard error, or to standard output; what would steer a terminal is replaced."""
    click.echo(shown(text), err=err)


@contextmanager
def outages_said(quiet: bool) -> Iterator[None]:
    """Within, what transports log of lost connections is said, unless it is ``quiet``."""
    import logging  # which reading files does without

    class Saying(logging.Handler):
        """Says what is logged."""

        def emit(self, record: logging.LogRecord) -> None:
            """See ``Handler``."""
            say(record.getMessage())

    log, handler = logging.getLogger("spaseq.transports"), logging.NullHandler() if quiet else Saying()
    log.addHandler(handler)
    log.propagate, before = False, log.propagate
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = before


class _Forgiving(io.FileIO):
    """A file that takes what it cannot write, too: what cannot be told must not change how the program ends."""

    def write(self, data: object) -> int:
        try:
            return super().write(data) or 0  # type: ignore[arg-type]
        except OSError:
            return len(memoryview(data))  # type: ignore[arg-type]


def prepare_standard_files() -> None:
    """Give closed standard files their places back, so that no file of ours gets their numbers.

    Nothing can be read from or written to those of input and output: that is an OSError (EBADF).  Standard error never
    fails.
    """
    closed = [number for number in range(3) if _is_closed(number)]
    for number in closed:  # the least first, as ``open`` gives the least number that is free
        os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
    if 0 in closed:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "rb", closefd=False)), "utf-8")
    if 1 in closed:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "wb", closefd=False)), "utf-8")
    if sys.stderr is sys.__stderr__:  # and nobody has put another one in its place
        encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
        file = io.BufferedWriter(_Forgiving(2, "wb", closefd=False))
        sys.stderr = io.TextIOWrapper(file, encoding, "backslashreplace", line_buffering=True)


def read_standard_input(most: int) -> bytes:
    """What standard input has, at most so many bytes; OptionError if it cannot be read."""
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        raise OptionError(f"cannot read standard input: {reason(error, 'it')}") from None


def reason(error: OSError, output: str = "standard output") -> str:
    """Why something cannot be read or written."""
    return f"{output} is closed" if error.errno == errno.EBADF else os.strerror(error.errno or 0).lower()


def silence_output() -> None:
    """Nobody reads standard output any more: let what is still buffered go nowhere, without a complaint at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
    finally:
        os.close(nowhere)
    with suppress(OSError, ValueError):
        sys.stdout.flush()


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────
def cannot_be_written(error: BaseException) -> TypeGuard[OSError]:
    """Whether there is no room for what a program writes, or standard output is closed."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF)


def fail_to_write(error: OSError) -> NoReturn:
    """Say that there is no room for the output."""
    silence_output()
    to = f" to {os.fsdecode(error.filename)}" if error.filename else ""
    say(f"error: cannot write{to}: {reason(error)}")
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
            fail_unexpectedly(each)
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


def fail_unexpectedly(error: BaseException) -> NoReturn:
    """A mistake of the program, not of its user; the stack trace is there for those who ask."""
    if os.environ.get("SPASEQ_TRACEBACK"):
        raise error
    if isinstance(error, MemoryError):
        fail_without_memory(error)
    reason = f"{type(error).__name__}: {error}"
    say(f"internal error: {reason}\nhint: SPASEQ_TRACEBACK=1 shows where; please report it")
    raise click.exceptions.Exit(FAILED)
