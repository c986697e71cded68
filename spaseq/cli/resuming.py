"""Files that a run writes, or goes on writing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from spaseq.cli.locks import held
from spaseq.errors import OptionError
from spaseq.whole_file import remove_leftovers, write_whole

_BEGINNING = 1 << 12  # bytes that tell whether a file may be a checkpoint


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


def read_kept(path: Path, magic: bytes = b"") -> bytes | None:
    """What a file has, or its beginning if that is not ``magic``; None: there is no file.  OptionError."""
    check_is_file(path)
    try:
        with path.open("rb") as file:
            start = file.read(_BEGINNING)
            size = os.fstat(file.fileno()).st_size
            return start + file.read(max(0, size - len(start))) if start.startswith(magic) else start
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OptionError(f"--checkpoint: cannot read {path}: {error.strerror}") from None


def check_is_file(path: Path) -> None:
    """OptionError: there is something with this path that is no file on a disk."""
    try:
        mode = path.stat().st_mode
    except OSError:  # there is nothing, or to read it says why not
        return
    if not stat.S_ISREG(mode):
        kind = "folder" if stat.S_ISDIR(mode) else "pipe" if stat.S_ISFIFO(mode) else "device"
        raise OptionError(f"--checkpoint {path}: this is a {kind}, and a checkpoint is a file")


@contextmanager
def checkpoint_held(path: Path) -> Iterator[None]:
    """Within, the checkpoint in this file is that of this run alone.

    What a run left beside it when it was killed is removed.  OptionError: another run has it, or it is no file.
    """
    check_is_file(path)
    with held(lock_of(path), f"--checkpoint {path}"):
        remove_leftovers(path)
        yield


def lock_of(path: Path) -> Path:
    """The lock of the checkpoint in a file, beside it; links to a file share one."""
    real = path.resolve() if os.path.islink(path) else path  # noqa: PTH114  (as long as it likes)
    return real.with_name(real.name + ".lock")


def checkpoint_files(path: Path | None) -> dict[str, Path]:
    """What a run with this checkpoint writes for it, as ``check_not_read`` wants it."""
    return {} if path is None else {"--checkpoint": path, "the lock of --checkpoint": lock_of(path)}


def write_kept(path: Path, data: bytes) -> None:
    """Write a checkpoint such that after any end there is a whole one.  OptionError: it cannot be written."""
    try:
        write_whole(path, [data])
    except OSError as error:
        raise OptionError(f"--checkpoint: cannot write {path}: {error.strerror}") from None
