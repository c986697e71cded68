"""What commands say passes here on its way to a terminal, and what the standard files of the process are.

Each of these may be closed, full, or a pipe that nobody reads any more.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

import click

from spaseq.errors import OptionError
from spaseq.text import shown


def say(text: str, err: bool = True) -> None:
    """Write a line to standard error, or to standard output; what would steer a terminal is replaced."""
    click.echo(shown(text), err=err)


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
