"""Files that a run writes, or goes on writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from spaseq.errors import OptionError


@contextmanager
def opened_to_write(path: Path, goes_on: bool) -> Iterator[BinaryIO]:
    """A file to be written anew, or at its end.  OptionError: it cannot be written."""
    try:
        file = path.open("ab" if goes_on else "wb")
    except OSError as error:
        raise OptionError(f"cannot write to {path}: {error.strerror}") from None
    with file:
        yield file


def kept(file: IO[Any]) -> int:
    """The bytes of a file that is written, all of which survive the machine; 0 of a device or a pipe."""
    file.flush()
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode):
        return 0
    os.fsync(file.fileno())
    return found.st_size


def cut(file: IO[Any], length: int, option: str) -> None:
    """Leave only the first bytes of a file, which is written at its end.  OptionError: it is shorter."""
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode):
        return
    if found.st_size < length:
        had = f"it had {length:,} bytes when the checkpoint was written"
        raise OptionError(f"{option}: {had}, and has {found.st_size:,}")
    os.ftruncate(file.fileno(), length)


def write_whole(path: Path, data: bytes) -> None:
    """Write a checkpoint such that after any end there is a whole one.  OptionError: it cannot be written."""
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        _keep_folder(path.absolute().parent)
    except OSError as error:
        raise OptionError(f"--checkpoint: cannot write {path}: {error.strerror}") from None


def _keep_folder(folder: Path) -> None:
    """Let the folder's entries survive the machine."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
